"""Writer: the canonical text and structure of a file whose format is more than text, written from top to bottom."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from toulmin.domain.corpus.document import Page
from toulmin.domain.corpus.passages import Block, BlockKind, Section

CELL_END = " | "
"""What stands between two cells of a row, so that no two numbers ever become one."""

_BETWEEN_BLOCKS = "\n\n"
_LINE_ENDS = re.compile(r"\r\n?|[\x85\u2028\u2029\v\f]")
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(kw_only=True)
class Writer:
    """Sections under their heading paths, with their blocks, and the text that they stand in.

    Headings are lines of their own and in no block. Title, author and language are what the file states of itself; `title` falls back
    on the first heading.
    """

    title: str | None = None
    author: str | None = None
    language: str | None = None
    pages: list[Page] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _sections: list[Section] = field(default_factory=list)
    _headings: list[tuple[int, str]] = field(default_factory=list)
    _blocks: list[Block] = field(default_factory=list)
    _start: int = 0
    _page_start: int = 0

    @property
    def text(self) -> str:
        """All that was written so far."""
        return "".join(self._parts)

    def heading(self, level: int, words: str) -> None:
        """A heading: what follows is below it; a smaller level is further out."""
        line = one_line(words)
        if not line:
            return
        start, _ = self._write(line)
        self._close(start)
        self._headings = [*(outer for outer in self._headings if outer[0] < level), (level, line)]
        self.title = self.title or line

    def chapter(self) -> None:
        """What follows is below none of the headings so far."""
        self._close(self._length)
        self._headings = []

    def block(self, words: str, kind: BlockKind = BlockKind.PROSE) -> None:
        """A block below the current heading; without words there is none."""
        words = clean(words).strip("\n")
        if words.strip():
            start, end = self._write(words)
            self._blocks.append(Block(start=start, end=end, kind=kind))

    def table(self, rows: list[list[str]]) -> None:
        """A table: a line for each row, its cells apart. Empty cells stay, so that a cell's place tells its column."""
        lines = [CELL_END.join(map(one_line, row)) for row in rows if any(cell.strip() for cell in row)]
        self.block("\n".join(lines), BlockKind.TABLE)

    def end_page(self) -> None:
        """All that was written since the last page's end is a page."""
        self.pages.append(Page(index=len(self.pages), start=self._page_start, end=self._length))
        self._page_start = self._length

    def sections(self) -> tuple[Section, ...]:
        """All sections; nothing can be written afterwards."""
        self._close(self._length)
        return tuple(self._sections)

    def _write(self, words: str) -> tuple[int, int]:
        """Where the words stand, apart from what is before them."""
        if self._length:
            self._append(_BETWEEN_BLOCKS)
        start = self._length
        self._append(words)
        return start, self._length

    def _append(self, words: str) -> None:
        self._parts.append(words)
        self._length += len(words)

    def _close(self, end: int) -> None:
        if self._headings or self._blocks:
            path = tuple(words for _, words in self._headings)
            self._sections.append(Section(start=self._start, end=end, heading=path, blocks=tuple(self._blocks)))
        self._start, self._blocks = end, []


def clean(words: str) -> str:
    """The words without characters that are no text, each line ended by a line feed."""
    return _NOT_TEXT.sub("", _LINE_ENDS.sub("\n", words))


def one_line(words: str) -> str:
    """The words on one line, a space wherever there was white space."""
    return " ".join(clean(words).split())
