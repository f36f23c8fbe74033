"""reStructuredText: the headings, described objects and blocks of a text that stays as it is.

A small scanner of its own: it looks at indentation and first characters only, so that a directive it has never heard of costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from toulmin.adapters.files.outline import Outline
from toulmin.domain.corpus.passages import Block, BlockKind
from toulmin.domain.corpus.text import lines, trimmed

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_MARKUP = re.compile(r"\.\.(?:\s|$)")
_DIRECTIVE = re.compile(r"\.\.\s+(?P<name>[\w.+:-]+?)::(?:\s+(?P<argument>.*))?$")
_TABLE = re.compile(r"\+[-=+]+\+$|=+(?: +=+)+$")
_ITEM = re.compile(r"(?:[-*+•]|\(?(?:\d{1,9}|#)[.)])(?:\s|$)")

_OBJECTS = frozenset(
    "attribute class classmethod cmdoption confval data decorator decoratormethod describe envvar event exception function macro member "
    "method object option property setting signal staticmethod type variable".split()
)
_NO_OBJECTS = frozenset("currentmodule module namespace namespace-pop namespace-push".split())
"""Directives of a domain that describe nothing: they say where the following objects belong."""

_BLOCK_DIRECTIVES = {
    **dict.fromkeys("code code-block literalinclude math parsed-literal prompt sourcecode".split(), BlockKind.CODE),
    **dict.fromkeys("csv-table list-table table".split(), BlockKind.TABLE),
}


def read_rst(text: str, body: int) -> Outline:
    """The outline of a reStructuredText document.

    Headings rank by the order in which their adornments first appear. The description of an object (`.. py:data:: NAME`,
    `.. option:: --debug`) is a section of its own; other directives are blocks, together with their bodies.
    """
    return _Scanner(text=text, rows=[_row(text, start, end) for start, end in lines(text, body)]).read()


@dataclass(frozen=True, slots=True)
class _Row:
    """A line: its range, its columns of indentation, and its words (empty: a blank line)."""

    start: int
    end: int
    indent: int
    words: str


def _row(text: str, start: int, end: int) -> _Row:
    line = text[start:end].expandtabs()
    return _Row(start, end, len(line) - len(line.lstrip()), line.strip())


@dataclass(kw_only=True)
class _Scanner:
    """One pass over the rows; each step consumes what begins at row `at`."""

    text: str
    rows: Sequence[_Row]
    outline: Outline = field(default_factory=Outline)
    at: int = 0
    adornments: list[str] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    """The indentation of the objects around the current row."""

    def read(self) -> Outline:
        while self.at < len(self.rows):
            if self.rows[self.at].words:
                self._leave_objects()
                self._step()
            else:
                self.at += 1
        while self.objects:
            self._leave(len(self.text))
        return self.outline

    def _leave_objects(self) -> None:
        row = self.rows[self.at]
        while self.objects and row.indent <= self.objects[-1]:
            self._leave(row.start)

    def _leave(self, end: int) -> None:
        self.objects.pop()
        self.outline.leave(end)

    def _step(self) -> None:
        row = self.rows[self.at]
        if adorned := self._heading():
            self._open_section(*adorned)
        elif _MARKUP.match(row.words):
            self._markup(row)
        elif _ITEM.match(row.words):
            self._block(self._list_end(), BlockKind.LIST)
        elif _TABLE.match(row.words):
            self._block(self._run_end(), BlockKind.TABLE)
        else:
            self._paragraph()

    def _heading(self) -> tuple[str, str, int] | None:
        """Adornment, words and number of rows of the heading that begins here, if one does."""
        first, second, third = (self._words_at(self.at + ahead) for ahead in range(3))
        if self._adorns(first, second) and first == third and self._is_flush(self.at) and self._is_flush(self.at + 2):
            return first[0] * 2, second, 3
        if self._adorns(second, first) and self._is_flush(self.at) and self._is_flush(self.at + 1):
            return second[0], first, 2
        return None

    def _words_at(self, at: int) -> str:
        return self.rows[at].words if at < len(self.rows) else ""

    def _is_flush(self, at: int) -> bool:
        return self.rows[at].indent == 0

    @staticmethod
    def _adorns(line: str, title: str) -> bool:
        """Whether the line, drawn above or below the title, makes it a heading."""
        if not title or len(line) < len(title) or not _ADORNMENT.fullmatch(line) or line in ("::", ".."):
            return False
        return not (_ADORNMENT.fullmatch(title) or _MARKUP.match(title) or _TABLE.match(title))

    def _open_section(self, adornment: str, words: str, rows: int) -> None:
        if adornment not in self.adornments:
            self.adornments.append(adornment)
        self.outline.heading(self.adornments.index(adornment), " ".join(words.split()), self.rows[self.at].start)
        self.at += rows

    def _markup(self, row: _Row) -> None:
        """A directive, comment, target or footnote."""
        directive = _DIRECTIVE.match(row.words)
        if directive is None:
            self._block(self._body_end(row.indent), BlockKind.PROSE)
        elif name := _object_name(directive["name"], directive["argument"] or ""):
            self.outline.enter(name, row.start)
            self.objects.append(row.indent)
            self._block(self._run_end(deeper_than=row.indent), BlockKind.PROSE)
        else:
            kind = _BLOCK_DIRECTIVES.get(directive["name"], BlockKind.PROSE)
            self._block(self._body_end(row.indent), kind)

    def _paragraph(self) -> None:
        """Lines up to a blank one, and the literal block that a `::` at their end announces."""
        self._block(self._run_end(), BlockKind.PROSE)
        last = self.rows[self.at - 1]
        literal = next((at for at in range(self.at, len(self.rows)) if self.rows[at].words), self.at)
        if last.words.endswith("::") and literal > self.at and self.rows[literal].indent > last.indent:
            self.at = literal
            self._block(self._body_end(last.indent), BlockKind.CODE)

    def _block(self, stop: int, kind: BlockKind) -> None:
        """The rows from here to before `stop` are a block; white space at its ends is left out."""
        start, end = trimmed(self.text, self.rows[self.at].start, self.rows[stop - 1].end)
        self.outline.add(Block(start=start, end=end, kind=kind))
        self.at = stop

    def _run_end(self, *, deeper_than: int | None = None) -> int:
        """The end of the rows without a blank one between them that are not indented less than this one (or are deeper than asked)."""
        least = self.rows[self.at].indent if deeper_than is None else deeper_than + 1
        return self._first_after(lambda row: not row.words or row.indent < least)

    def _body_end(self, indent: int) -> int:
        """The end of this row and all that is indented deeper."""
        return self._first_after(lambda row: bool(row.words) and row.indent <= indent)

    def _list_end(self) -> int:
        """The end of this list: all items that are indented like the first one, and what belongs to them."""
        indent = self.rows[self.at].indent
        return self._first_after(
            lambda row: (
                bool(row.words) and (row.indent < indent or (row.indent == indent and not _ITEM.match(row.words)))
            )
        )

    def _first_after(self, ends: Callable[[_Row], bool]) -> int:
        """The first row after this one that ends what began here."""
        return next((at for at in range(self.at + 1, len(self.rows)) if ends(self.rows[at])), len(self.rows))


def _object_name(directive: str, argument: str) -> str | None:
    """The name of the object that a directive describes, without the arguments of its signature; None if it describes none."""
    domain, _, kind = directive.rpartition(":")
    if not argument or kind in _NO_OBJECTS or not (domain or kind in _OBJECTS):
        return None
    if kind in ("option", "cmdoption"):
        return ", ".join(option.split()[0].partition("=")[0] for option in argument.split(",") if option.strip())
    if kind in ("describe", "object"):
        return argument
    signature = re.split(r"[(=]|:\s", argument, maxsplit=1)[0].split()
    return signature[-1] if signature else None
