"""What differs between two texts, line by line, and word by word within changed lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from toulmin.surfaces.web.marked import Piece

CONTEXT: Final = 3
"""Equal lines that are shown beside a change."""

MOST_WORDS: Final = 1_500
"""Words of two stretches beyond which they stand side by side without marks: comparing takes the time of their product."""

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Same:
    """Lines that both texts have: those beside changes, and `hidden` those between that are shown when somebody wants them."""

    before: str
    hidden: str
    after: str


@dataclass(frozen=True, slots=True)
class Changed:
    """Lines that stand in the place of others; what is particular to one side is marked there. A side may be empty."""

    old: tuple[Piece, ...]
    new: tuple[Piece, ...]


def compared(old: str, new: str) -> tuple[Same | Changed, ...]:
    """The texts as stretches that are equal, and stretches that are not, in order.

    Lines that occur very often in a long text are taken as equal only beside others that are: so long texts are compared in time that grows
    with their length.
    """
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    matched = SequenceMatcher(None, before, after).get_opcodes()
    return tuple(_stretches(before, after, matched))


def compared_words(old: str, new: str) -> Changed:
    """Two texts with the words marked that only one of them has; whole, without marks, where they are equal or too long to be compared."""
    before, after = _words(old), _words(new)
    if old == new or max(len(before), len(after)) > MOST_WORDS:
        return Changed(_piece(old), _piece(new))
    left: list[Piece] = []
    right: list[Piece] = []
    for how, old_from, old_to, new_from, new_to in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        for side, words in ((left, before[old_from:old_to]), (right, after[new_from:new_to])):
            if words:
                side.append(Piece("".join(words), marked=how != "equal"))
    return Changed(tuple(left), tuple(right))


def _stretches(
    before: Sequence[str], after: Sequence[str], matched: Sequence[tuple[str, int, int, int, int]]
) -> Iterator[Same | Changed]:
    for number, (how, old_from, old_to, new_from, new_to) in enumerate(matched):
        if how == "equal":
            yield _same(before[old_from:old_to], is_first=number == 0, is_last=number == len(matched) - 1)
        else:
            old, new = "".join(before[old_from:old_to]), "".join(after[new_from:new_to])
            yield compared_words(old, new) if how == "replace" else Changed(_marked(old), _marked(new))


def _same(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Same:
    """Equal lines; those are hidden that no change is beside, unless they are too few to be worth it."""
    head = 0 if is_first else CONTEXT
    tail = len(lines) if is_last else max(head, len(lines) - CONTEXT)
    if tail - head <= CONTEXT:
        return Same("".join(lines), "", "")
    return Same("".join(lines[:head]), "".join(lines[head:tail]), "".join(lines[tail:]))


def _piece(text: str) -> tuple[Piece, ...]:
    return (Piece(text),) if text else ()


def _marked(text: str) -> tuple[Piece, ...]:
    return (Piece(text, marked=True),) if text else ()


def _words(text: str) -> list[str]:
    """The words, signs and spaces of a text: joined, they are the text."""
    return _WORD.findall(text)
