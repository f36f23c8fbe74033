"""What differs between two texts, line by line, and word by word within changed lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from toulmin.surfaces.web.aligning import Run, Work, runs
from toulmin.surfaces.web.marked import Piece

CONTEXT: Final = 3
"""Equal lines that are shown beside a change."""

LONGEST: Final = 12_000
"""Code points of a stretch; what differs on more stands in several."""

ALIKE: Final = 0.25
"""The part of the words that two stretches have in common, below which one is another text in the place of the other."""

_WORD: Final = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
_PART: Final = re.compile(r".{1,2000}?(?:[.!?]\s+|\Z)|.{1,2000}", re.DOTALL)
"""A sentence, or what there is of a very long one: a line that has no end in sight is compared by these."""
_LONG_LINE: Final = 2_000
_ENDS: Final = "\r\n"


@dataclass(frozen=True, slots=True)
class Same:
    """Lines that both texts have: those beside changes, and `hidden` those between that are shown when somebody wants them.

    They are as the new text has them, where the hidden ones begin at `start`, in code points. `exact`: the old one has them with the same line ends.
    """

    before: str
    hidden: str
    after: str
    start: int
    exact: bool

    @property
    def lines(self) -> int:
        """How many lines are hidden."""
        return len(self.hidden.splitlines())

    @property
    def is_long(self) -> bool:
        """Whether so much is hidden that it is better read elsewhere."""
        return len(self.hidden) > LONGEST

    @property
    def size(self) -> int:
        """Code points that are shown."""
        return len(self.before) + len(self.after) + (0 if self.is_long else len(self.hidden))


@dataclass(frozen=True, slots=True)
class Changed:
    """Lines that stand in the place of others. A side may be empty."""

    old: str
    new: str

    @property
    def size(self) -> int:
        """Code points of both sides."""
        return len(self.old) + len(self.new)


@dataclass(frozen=True, slots=True)
class Words:
    """Two texts with the words marked that only one of them has. Where they have little in common, all of both is marked."""

    old: tuple[Piece, ...]
    new: tuple[Piece, ...]


def compared(old: str, new: str) -> tuple[Same | Changed, ...]:
    """The texts as stretches that are equal but for line ends, and stretches that are not, in order; in bounded time, whatever they are."""
    before, after = _lines(old), _lines(new)
    matched = tuple(runs([line.rstrip(_ENDS) for line in before], [line.rstrip(_ENDS) for line in after], Work()))
    return tuple(_stretches(before, after, matched))


def compared_words(old: str, new: str, work: Work | None = None) -> Words:
    """What differs between two texts, white space aside; of several pairs, with as much work as may be spent on all of them together."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    found = tuple(runs([word.strip() for word in before], [word.strip() for word in after], work or Work()))
    common = sum(run.old.stop - run.old.start for run in found if run.equal)
    if common < ALIKE * max(len(before), len(after)):
        return Words(_pieces((old, True)), _pieces((new, True)))
    return Words(
        _pieces(*(("".join(before[run.old]), not run.equal) for run in found)),
        _pieces(*(("".join(after[run.new]), not run.equal) for run in found)),
    )


def _stretches(before: Sequence[str], after: Sequence[str], matched: Sequence[Run]) -> Iterator[Same | Changed]:
    at = 0
    for number, run in enumerate(matched):
        old, new = before[run.old], after[run.new]
        if run.equal:
            yield _same(new, at, exact=old == new, is_first=number == 0, is_last=number == len(matched) - 1)
        else:
            yield from (Changed(*sides) for sides in zip_longest(_joined(old), _joined(new), fillvalue=""))
        at += sum(map(len, new))


def _same(lines: Sequence[str], at: int, *, exact: bool, is_first: bool, is_last: bool) -> Same:
    """Equal lines; those are hidden that no change is beside, unless they are too few to be worth it."""
    head = 0 if is_first else CONTEXT
    tail = len(lines) if is_last else max(head, len(lines) - CONTEXT)
    if tail - head <= CONTEXT:
        return Same("".join(lines), "", "", at, exact)
    before = "".join(lines[:head])
    return Same(before, "".join(lines[head:tail]), "".join(lines[tail:]), at + len(before), exact)


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """As many lines at a time as fit into a stretch."""
    fit: list[str] = []
    size = 0
    for line in lines:
        if fit and size + len(line) > LONGEST:
            yield "".join(fit)
            fit, size = [], 0
        fit.append(line)
        size += len(line)
    if fit:
        yield "".join(fit)


def _lines(text: str) -> list[str]:
    """The lines of a text; joined, they are the text."""
    lines = text.splitlines(keepends=True)
    return [part for line in lines for part in ([line] if len(line) <= _LONG_LINE else _PART.findall(line))]


def _pieces(*marked: tuple[str, bool]) -> tuple[Piece, ...]:
    return tuple(Piece(text, marked=is_marked) for text, is_marked in marked if text)
