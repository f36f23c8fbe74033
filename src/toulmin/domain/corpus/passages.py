"""Passages: cutting a text, along its structure, into the units of retrieval.

Here white space is all that Unicode calls so: a passage neither begins nor ends with any of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from toulmin.domain.corpus.document import Passage
from toulmin.domain.corpus.sentences import sentences
from toulmin.domain.corpus.text import lines, paragraphs, parts_a_character, trimmed
from toulmin.domain.errors import InputError

Range = tuple[int, int]

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CJK}]{{1,2}}|[^\s{_CJK}]+")
_LIST_ITEM = re.compile(r"([^\S\r\n]*)(?:[-*+•]|\(?(?:\d{1,9}|#)[.)])(?=\s|$)", re.MULTILINE)
_LAST_LINE_END = re.compile(r"(?s:.*)[\r\n]")
_LAST_SPACE = re.compile(r"(?s:.*)\s")


class BlockKind(StrEnum):
    """How a block may be split where it is too long: prose at sentences, code and tables at lines, lists at items."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"
    LIST = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A paragraph, list, table or piece of code: `text[start:end]`."""

    start: int
    end: int
    kind: BlockKind = BlockKind.PROSE


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A stretch of text under one heading path (outermost first), down to the next heading.

    Its blocks are in order and apart; what is in none of them (the heading itself, metadata) is in no passage.
    """

    start: int
    end: int
    heading: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageLimits:
    """How long a passage is; words of Chinese and Japanese count as two characters each, bytes are those of UTF-8.

    Blocks are packed until `target_words`; a block over `max_words` is split; no passage has more than `max_bytes`. The rest of a section
    joins the passage before it where it has less than `rest_words`. Raises `InputError` (`bad_limits`) for limits that no text can keep.
    """

    target_words: int = 180
    max_words: int = 280
    max_bytes: int = 8192
    rest_words: int = 40

    def __post_init__(self) -> None:
        if not (1 <= self.target_words <= self.max_words and self.rest_words >= 0 and self.max_bytes >= 4):
            raise InputError(
                "bad_limits",
                f"no passage can keep the limits {self}",
                remedy="give 1 <= target_words <= max_words, rest_words >= 0, and at least 4 bytes: one character's",
            )


@dataclass(frozen=True, slots=True)
class _Piece:
    """A range without white space at its ends, with its size."""

    start: int
    end: int
    words: int
    bytes: int


_Cutter = Callable[[str, int, int], Iterable[Range]]


def cut(text: str, sections: Iterable[Section], limits: PassageLimits | None = None) -> tuple[Passage, ...]:
    """The passages of a text, in order, each inside one section and equal to `text[start:end]`.

    Every character of every block, white space aside, is in exactly one passage. Sentences, lines of code and rows stay whole; only
    one that is itself over `max_bytes` is cut, at a line end, else at white space, else between two characters.
    """
    limits = limits or PassageLimits()
    return tuple(
        Passage(start=piece.start, end=piece.end, heading=section.heading)
        for section in sections
        for piece in _packed(text, _pieces(text, section.blocks, limits), limits)
    )


def _pieces(text: str, blocks: Iterable[Block], limits: PassageLimits) -> Iterator[_Piece]:
    """What passages are packed from: whole blocks, and the parts of those that are too long."""
    for block in blocks:
        yield from _fitting(text, (block.start, block.end), _CUTTERS[block.kind], limits)


def _fitting(text: str, whole: Range, cutters: tuple[_Cutter, ...], limits: PassageLimits) -> Iterator[_Piece]:
    """The range if it fits, else its parts by the first cutter, each cut further where it does not fit either."""
    start, end = trimmed(text, *whole)
    if start == end:
        return
    size = _piece(text, start, end)
    if size.bytes <= limits.max_bytes and (size.words <= limits.max_words or not cutters):
        yield size
    elif cutters:
        for part in cutters[0](text, start, end):
            yield from _fitting(text, part, cutters[1:], limits)
    else:
        yield from (_piece(text, *part) for part in _by_bytes(text, start, end, limits.max_bytes))


def _packed(text: str, pieces: Iterable[_Piece], limits: PassageLimits) -> list[_Piece]:
    """Neighbours joined until the target is reached."""
    packed: list[_Piece] = []
    for piece in pieces:
        joined = _joined(text, packed[-1], piece, limits) if packed and packed[-1].words < limits.target_words else None
        packed[-1:] = [joined] if joined else [*packed[-1:], piece]
    if (
        len(packed) > 1
        and packed[-1].words < limits.rest_words
        and (joined := _joined(text, packed[-2], packed[-1], limits))
    ):
        packed[-2:] = [joined]
    return packed


def _joined(text: str, left: _Piece, right: _Piece, limits: PassageLimits) -> _Piece | None:
    """Both as one piece, or None where that is too long or something that is in no block stands between them."""
    gap = text[left.end : right.start]
    joined = _Piece(left.start, right.end, left.words + right.words, left.bytes + len(gap.encode()) + right.bytes)
    fits = joined.words <= limits.max_words and joined.bytes <= limits.max_bytes
    return joined if fits and not gap.strip() else None


def _piece(text: str, start: int, end: int) -> _Piece:
    return _Piece(start, end, len(_WORD.findall(text, start, end)), len(text[start:end].encode()))


def _items(text: str, start: int, end: int) -> Iterator[Range]:
    """The outermost items of a list, each with all that belongs to it."""
    items = _item_starts(text, start, end)
    outermost = min((indent for _, indent in items), default=0)
    return _split_at((at for at, indent in items if indent == outermost), start, end)


def _all_items(text: str, start: int, end: int) -> Iterator[Range]:
    """The items of a list, those inside of others as well."""
    return _split_at((at for at, _ in _item_starts(text, start, end)), start, end)


def _item_starts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the items after the first begin, and how far they are indented."""
    found = (_LIST_ITEM.match(text, *line) for line in lines(text, start, end))
    return [(item.start(), len(item[1])) for item in found if item and item.start() > start]


def _split_at(places: Iterable[int], start: int, end: int) -> Iterator[Range]:
    for place in chain(places, (end,)):
        yield start, place
        start = place


def _by_bytes(text: str, start: int, end: int, max_bytes: int) -> Iterator[Range]:
    """Parts of at most `max_bytes` bytes, each ending at a line end, else at white space, else between two characters."""
    while start < end:
        window = text[start : min(end, start + max_bytes)].encode()[:max_bytes].decode(errors="ignore")
        stop = start + len(window)
        if stop < end:
            stop = _last_cut(text, start, stop)
        yield trimmed(text, start, stop)
        start, _ = trimmed(text, stop, end)


def _last_cut(text: str, start: int, stop: int) -> int:
    """The best place in `text[start:stop]` to cut at, after its first character."""
    for space in (_LAST_LINE_END, _LAST_SPACE):
        if found := space.match(text, start + 1, stop + 1):
            return found.end()
    whole = (at for at in range(stop, start, -1) if not parts_a_character(text, at))
    return next(whole, stop)  # one character of more bytes than a passage may have is parted all the same


_CUTTERS: dict[BlockKind, tuple[_Cutter, ...]] = {
    BlockKind.PROSE: (paragraphs, sentences),
    BlockKind.CODE: (paragraphs, lines),
    BlockKind.TABLE: (paragraphs, lines),
    BlockKind.LIST: (_items, _all_items, sentences),
}
