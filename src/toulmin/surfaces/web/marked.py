"""Text with some of its words marked, in code points: the unit of every offset that the program states."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

Range = tuple[int, int]
"""Half-open, in code points."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, and whether it is marked.

    `disputed`: an objection is about it; `numbers` are those of the objections whose words end with it.
    """

    text: str
    marked: bool = False
    disputed: bool = False
    numbers: tuple[int, ...] = ()


def pieces(text: str, ranges: Iterable[Range] = ()) -> tuple[Piece, ...]:
    """The text cut at the ends of half-open ranges; what at least one of them covers is marked. Joined, the pieces are the text."""
    found: list[Piece] = []
    at = 0
    for start, end in _apart(ranges):
        found += [Piece(text[at:start]), Piece(text[start:end], marked=True)]
        at = end
    found.append(Piece(text[at:]))
    return tuple(piece for piece in found if piece.text)


def disputed_pieces(text: str, objections: Sequence[tuple[int, Range]], ranges: Sequence[Range]) -> tuple[Piece, ...]:
    """The same, with the words that numbered objections are about marked as disputed, wherever these overlap each other or the ranges."""
    disputed = [about for _, about in objections]
    marked = [*ranges, *disputed]
    cuts = sorted({0, len(text), *(min(place, len(text)) for ends in marked for place in ends)})
    in_any, in_disputed = _apart(marked), _apart(disputed)
    ending: dict[int, list[int]] = defaultdict(list)
    for number, (first, last) in objections:
        if first < last:
            ending[last].append(number)
    return tuple(
        Piece(
            text[start:end],
            marked=_is_within(start, in_any),
            disputed=_is_within(start, in_disputed),
            numbers=tuple(sorted(ending.get(end, ()))),
        )
        for start, end in pairwise(cuts)
    )


def _is_within(place: int, apart: Sequence[Range]) -> bool:
    """Whether a place is in one of the ranges, which are in order, and none of which meets another."""
    before = bisect_right(apart, place, key=itemgetter(0))
    return before > 0 and place < apart[before - 1][1]


def _apart(ranges: Iterable[Range]) -> list[Range]:
    """Ranges that cover the same, in order, none of which meets another."""
    apart: list[Range] = []
    for start, end in sorted(ranges):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart
