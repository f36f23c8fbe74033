"""Pages as they are printed: where on one of them words of a text stand.

The text and the page are two readings of one file, which may break lines, compose letters and order columns otherwise. So they are compared by
their letters, without white space and hyphens; where these differ, words are found by what stands around them, or not at all.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_CONTEXTS: Final = (0, 16, 64, 256)
"""Letters on one side of words, or on both, by which their place is told."""

_TELLING: Final = 16
"""Letters that are enough to tell a place, if they stand only once."""

_SLACK: Final = 0.25
"""By how much of its height a line is taken for higher and deeper than its letters so far: a comma hangs below, a quotation mark stands above."""

_WIDEST_GAP: Final = 2.0
"""Between two characters of a line, in heights; what is further apart stands in another column."""

_HYPHENS: Final = frozenset("-\u2010")
_NO_LETTER: Final = frozenset({"Cc", "Cf", "Cn", "Cs"})
"""Categories of what has no shape; a hyphen at which PDFium sees a line broken is such a one."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in pixels of its image from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def joined(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedPage:
    """A page: the size of its image in pixels, and its characters in their order, each with the box that it is printed in.

    The box of a character that has no place of its own, such as a line end, is empty.
    """

    width: int
    height: int
    characters: tuple[str, ...]
    boxes: tuple[Box, ...]

    def __post_init__(self) -> None:
        if len(self.characters) != len(self.boxes):
            raise ValueError(f"{len(self.characters)} characters with {len(self.boxes)} boxes")

    def marks(self, text: str, start: int, end: int) -> tuple[Box, ...]:
        """The boxes, one a line, in which `text[start:end]` is printed; `text` is all that the other reading has of the page.

        None for words without letters, and where the place is not certain: it is told where all of the page reads the same, or where the words
        with their neighbours stand once in the text and once on the page.
        """
        told, here = _Letters.of(text), _Letters.of(self.characters)
        first, last = bisect_left(told.at, start), bisect_left(told.at, end)
        place = _place(told.spelled, here.spelled, first, last) if first < last else None
        if place is None:
            return ()
        found = dict.fromkeys(here.at[place : place + last - first])
        return _lines(box for box in map(self.boxes.__getitem__, found) if box.width > 0 and box.height > 0)


@dataclass(frozen=True, slots=True)
class _Letters:
    """What two readings agree on, and of which character each letter is."""

    spelled: str
    at: Sequence[int]

    @classmethod
    def of(cls, characters: Sequence[str]) -> _Letters:
        found = [(letter, at) for at, character in enumerate(characters) for letter in letters(character)]
        return cls("".join(letter for letter, _ in found), [at for _, at in found])


def letters(text: str) -> str:
    """What two readings of the same words have in common: a ligature is two letters, white space and what may be a hyphen at a line's end none."""
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not _is_no_letter(each))


def _is_no_letter(each: str) -> bool:
    return each.isspace() or each in _HYPHENS or unicodedata.category(each) in _NO_LETTER


def _place(told: str, here: str, first: int, last: int) -> int | None:
    """Where the letters `told[first:last]` stand in `here`; None where that is not certain."""
    if told == here:
        return first
    for size in _CONTEXTS:
        for before, after in ((size, size), (size, 0), (0, size)):
            start = max(0, first - before)
            wanted = told[start : last + after]
            if len(wanted) >= _TELLING and _stands_once(wanted, told) and _stands_once(wanted, here):
                return here.index(wanted) + first - start
    return None


def _stands_once(wanted: str, text: str) -> bool:
    at = text.find(wanted)
    return at >= 0 and text.find(wanted, at + 1) < 0


def _lines(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Boxes of characters in their order, those of one line joined."""
    lines: list[Box] = []
    for box in boxes:
        if lines and _goes_on(lines[-1], box):
            lines[-1] = lines[-1].joined(box)
        else:
            lines.append(box)
    return tuple(lines)


def _goes_on(line: Box, box: Box) -> bool:
    gap = max(box.left - line.right, line.left - box.right)
    near = gap <= _WIDEST_GAP * max(line.height, box.height)
    return near and (_is_level(line, box) or _is_level(box, line))


def _is_level(line: Box, box: Box) -> bool:
    """Whether the middle of a box is at the height of a line."""
    slack = _SLACK * line.height
    return line.top - slack <= (box.top + box.bottom) / 2 <= line.bottom + slack
