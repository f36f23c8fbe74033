"""Which elements of two sequences correspond, found with a bounded amount of work."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

MOST_AT_ONCE: Final = 8_000_000
"""Steps for two stretches, at the worst: at a tenth of a microsecond or less, this takes under a second."""

MOST_IN_ALL: Final = 50_000_000
"""Steps for two texts."""

Place = tuple[int, int]
"""Where an element stands in the one sequence, and in the other."""


@dataclass(slots=True)
class Work:
    """The steps that may still be taken.

    The standard library looks at every pair of equal elements to find the longest run, and then again on both sides of it: where elements
    recur often, as the dots do that lead to a page number, that takes the third power of the length.
    """

    left: int = MOST_IN_ALL

    def covers(self, old: Sequence[Hashable], new: Sequence[Hashable]) -> bool:
        """Whether these may be compared; if so, the work is taken for done."""
        olds, news = Counter(old), Counter(new)
        equal_pairs = sum(number * news[each] for each, number in olds.items())
        steps = equal_pairs * min(len(old), len(new))
        if steps > min(MOST_AT_ONCE, self.left):
            return False
        self.left -= steps
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """`before[old]` and `after[new]`: equal, element by element, or the one in the place of the other."""

    equal: bool
    old: slice
    new: slice


def runs(before: Sequence[Hashable], after: Sequence[Hashable], work: Work) -> Iterator[Run]:
    """Both sequences, cut into runs that are equal and runs that are not, in order.

    What is too long to be compared whole is cut at the elements that each side has once; what even then is too long counts as not equal.
    """
    old = new = 0
    for first, second, length in _blocks(before, after, work):
        if old < first or new < second:
            yield Run(equal=False, old=slice(old, first), new=slice(new, second))
        old, new = first + length, second + length
        if length:
            yield Run(equal=True, old=slice(first, old), new=slice(second, new))


def _blocks(before: Sequence[Hashable], after: Sequence[Hashable], work: Work) -> Iterator[tuple[int, int, int]]:
    """Where the equal runs begin in both, and how long they are; at last both ends, and 0."""
    first = second = length = 0
    for old, new in _pairs(before, after, work):
        if (old, new) == (first + length, second + length):
            length += 1
            continue
        yield first, second, length
        first, second, length = old, new, 1
    yield first, second, length
    yield len(before), len(after), 0


def _pairs(old: Sequence[Hashable], new: Sequence[Hashable], work: Work, *, may_cut: bool = True) -> Iterator[Place]:
    """The places of the elements that correspond, rising on both sides."""
    head, tail = _common(old, new)
    ends = (len(old) - tail, len(new) - tail)
    yield from ((at, at) for at in range(head))
    yield from _moved(_inner(old[head : ends[0]], new[head : ends[1]], work, may_cut=may_cut), (head, head))
    yield from _moved(((at, at) for at in range(tail)), ends)


def _inner(old: Sequence[Hashable], new: Sequence[Hashable], work: Work, *, may_cut: bool) -> Iterator[Place]:
    """The same of sequences that neither begin nor end alike."""
    if work.covers(old, new):
        for *place, length in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            yield from _moved(((at, at) for at in range(length)), (place[0], place[1]))
    elif may_cut:
        start = (0, 0)
        for anchor in (*_anchors(old, new), (len(old), len(new))):
            between = old[start[0] : anchor[0]], new[start[1] : anchor[1]]
            yield from _moved(_pairs(*between, work, may_cut=False), start)
            if anchor[0] < len(old):
                yield anchor
            start = (anchor[0] + 1, anchor[1] + 1)


def _moved(places: Iterable[Place], start: Place) -> Iterator[Place]:
    return ((start[0] + old, start[1] + new) for old, new in places)


def _common(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[int, int]:
    """How many elements both begin with, and how many of the others both end with."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    return head, tail


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Place]:
    """The places of elements that each side has once: as many as stand in the same order on both."""
    olds, news = Counter(old), Counter(new)
    places = {element: place for place, element in enumerate(new)}
    both = [(place, places[each]) for place, each in enumerate(old) if olds[each] == 1 == news[each]]
    return _rising(both)


def _rising(places: Sequence[Place]) -> list[Place]:
    """The longest rising row of places that rise on the old side; of several, the one that ends first on the new side."""
    ends: list[int] = []  # for each length, the least place on the new side at which a row of that length ends
    last: list[int] = []  # and the number of the place that it ends with
    previous: list[int | None] = []
    for number, (_, new) in enumerate(places):
        length = bisect_left(ends, new)
        ends[length : length + 1], last[length : length + 1] = [new], [number]
        previous.append(last[length - 1] if length else None)
    row: list[Place] = []
    at = last[-1] if last else None
    while at is not None:
        row.append(places[at])
        at = previous[at]
    return row[::-1]
