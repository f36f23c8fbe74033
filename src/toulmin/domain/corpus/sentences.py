"""Sentences: where the sentences of a text begin and end, and what in it is no sentence: headings, rows and code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from toulmin.domain.corpus.text import lines, trimmed

_NEVER_LAST = frozenset(
    "bzw ca cf d.h dr e.g eds f.i gen hon i.e lt mr mrs ms prof rep resp rev sen st u.a vgl viz vs z.b".split()
)
"""Abbreviations that something always follows."""

_BEFORE_A_NUMBER = frozenset(
    "abb app art ch chap eq eqs ex fig figs no nos nr p para pp pt ref refs sec sect tab vol".split()
)
"""Abbreviations only where a number follows: "No. 5" goes on, "No. Five" begins a sentence."""

_OFTEN_INSIDE = frozenset("al approx co corp ed est etc inc jr ltd sr".split())
"""Abbreviations that end a sentence only where a capital letter follows: "et al. [2004] disagree" goes on."""

_CLOSERS = r"""["'”’»›)\]}」』）】》〉*_`]*"""
_BREAKS = r"""
      (?P<wide> [。！？｡]+ {closers} )                              # needs no white space after it
    | (?P<stop> [{stops}]+ ) {closers} (?=\s)
    | (?P<blank> (?>\r\n|\n|\r) [^\S\r\n]* (?=[\r\n]) | \u2029 )   # a blank line ends whatever stands before it
    """
_BREAK = re.compile(_BREAKS.format(closers=_CLOSERS, stops=".!?…"), re.VERBOSE)
_FINER_CLOSERS = rf"{_CLOSERS}(?:[\ \u00a0\u202f]»(?=\s|$))?"  # as in « Non. »
_FINER_BREAK = re.compile(_BREAKS.format(closers=_FINER_CLOSERS, stops=".!?…؟۔।॥។።፧։"), re.VERBOSE)
"""With the stops of Arabic, Urdu, Hindi, Khmer, Amharic and Armenian."""

_WHITE_SPACE = re.compile(r"\s*")
_LAST_TOKEN = re.compile(r"[^\W_]+(?:\.[^\W_]+)*$")
_OPENERS = "\"'“‘«‹([{「『（*_"
_NUMBERED = re.compile(r"[(\[#]?(?:\d|[IVXLC]+\b|[A-Z]\b)")
_LONGEST_TOKEN = 40
_LONGEST_ABBREVIATION = max(map(len, _NEVER_LAST | _BEFORE_A_NUMBER | _OFTEN_INSIDE))


def sentences(text: str, start: int, end: int, *, finer: bool = False) -> Iterator[tuple[int, int]]:
    """Half-open ranges of the sentences of `text[start:end]`, in order, without the white space between them.

    With the gaps between them they give the text back. A sentence ends at a full stop, question or exclamation mark or ellipsis that
    white space follows (after closing quotes and brackets), at a Chinese or Japanese stop, and at a blank line. In doubt, as after an
    initial, it goes on: two sentences in one still say what they say, half of one may say the opposite. `finer` knows
    the stops of more scripts, and that a capital letter behind a number is no initial ("It uses 9 W. It lasts."); passages are cut
    without, so that those of documents already stored stay the same.
    """
    first, last = trimmed(text, start, end)
    for found in (_FINER_BREAK if finer else _BREAK).finditer(text, first, last):
        if found.end() > first and (found["stop"] is None or _ends_here(text, first, found, last, finer)):
            yield trimmed(text, first, found.end())
            first = _after_white_space(text, found.end(), last)
    if first < last:
        yield first, last


def _after_white_space(text: str, start: int, end: int) -> int:
    found = _WHITE_SPACE.match(text, start, end)
    return found.end() if found else start


def _ends_here(text: str, first: int, found: re.Match[str], last: int, finer: bool) -> bool:
    """Whether the stop ends the sentence that began at `first`."""
    following = text[found.end() : min(last, found.end() + _LONGEST_TOKEN)].lstrip()
    if following.lstrip(_OPENERS)[:1].islower():
        return False
    if found["stop"] != ".":
        return True
    least = max(first, found.start() - _LONGEST_TOKEN)
    least = max(least, text.rfind(" ", least, found.start()) + 1)
    if found.start() - least > _LONGEST_ABBREVIATION and text[least : found.start()].isalpha():
        return True
    token = _LAST_TOKEN.search(text, least, found.start())
    if token is not None and finer and _is_measure(text, first, token):
        return True
    return token is None or not _goes_on(token[0], following, opens_the_sentence=token.start() == first)


def _goes_on(token: str, following: str, *, opens_the_sentence: bool) -> bool:
    """Whether the full stop after a token belongs to it, given the text that follows."""
    word = token.lower()
    if word in _NEVER_LAST or _is_initial(token):
        return True
    if word in _BEFORE_A_NUMBER:
        return _NUMBERED.match(following) is not None
    if word in _OFTEN_INSIDE or _is_dotted(token):
        return not following.lstrip(_OPENERS)[:1].isupper()
    return opens_the_sentence and token.replace(".", "").isdecimal()  # the number of a list item


def _is_initial(token: str) -> bool:
    """One letter, as in "J. Smith", or several, as in "J.R. Tolkien"; "I" is a word."""
    return (
        (len(token) == 1 or "." in token)
        and token != "I"
        and all(len(part) == 1 and part.isupper() for part in token.split("."))
    )


def _is_measure(text: str, first: int, token: re.Match[str]) -> bool:
    """Whether the token is one letter behind a number: "9 W"."""
    return len(token[0]) == 1 and text[max(first, token.start() - 2) : token.start()].rstrip()[-1:].isdecimal()


def _is_dotted(token: str) -> bool:
    """Single letters with stops between them, as in "a.m." and "p.m."."""
    return "." in token and all(len(part) == 1 and part.isalpha() for part in token.split("."))


class UnitKind(StrEnum):
    """What a unit of a text is: an item is a sentence inside of a list item, code a run of its lines without a blank one between."""

    SENTENCE = "sentence"
    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a text that says something by itself: `text[start:end]`."""

    start: int
    end: int
    kind: UnitKind


def units(text: str, start: int = 0, end: int | None = None) -> Iterator[Unit]:
    """The units of `text[start:end]` in order: plain text, Markdown and reStructuredText alike. With the gaps they give the text back.

    In the gaps stand white space, marks before list items and quoted lines, code fences, lines that tables and transitions are drawn
    with, and `..` or `.. note::` where text follows on the line; every other character is in exactly one unit. A heading includes its marks
    and underlines, the line of a directive is one, and a row keeps what stands between its cells. In doubt a line goes on with the
    sentence before it.
    """
    rows = [_row(text, *line) for line in lines(text, start, end)]
    return _Scanner(text=text, rows=(*rows, _NO_ROW, _NO_ROW)).units()


_OPENING = re.compile(
    r"""
      (?P<fence> `{3,} (?=[^`]*$) | ~{3,} )
    | (?P<doctest> >>> (?=\s|$) )
    | (?P<quote> (?:>[^\S\r\n]?)++ )
    | (?P<hashes> \#{1,6} (?=\s|$) )
    | (?P<border> (?: ([-=~^"'`\#*+:_<]) (?:[ ]?\6){2,}+ | \.{4,} | :: | =++ (?:[ ]++=++)++ | -++ (?:[ ]++-++)++ | \+ [-=+]+ \+
        | (?=.*\|) \|? \s* :?-+:? \s* (?: \| \s* :?-+:? \s* )* \|? ) $ )
    | (?P<markup> \.\. (?=\s|$) )
    | (?P<cells> \| (?= \s .* \| | .* \| $ ) )
    | (?P<line> \| (?:\s+|$) )
    | (?P<bullet> (?:[-*+•◦▪‣–] (?:\s+|$))++ )
    | (?P<ordered> \(? (?: \d{1,3} | \# | [a-z] | [ivx]{2,5} | [A-Z] ) [.)] (?:\s+|$) )
    | (?P<field> (?= : [a-zA-Z][^:`]* : (?:\s|$) ) )
    """,
    re.VERBOSE,
)
"""What begins here, if it is not the words of a paragraph."""

_BULLETS = "-*+•◦▪‣–"
_UNDERLINE = re.compile(r"""([-=~^"'`#*+.:_<>])\1{2,}+""")
_COLUMNS = re.compile(r"=++(?: ++=++)++|-{2,}+(?: ++-++)++")
_QUOTE = re.compile(r"(?:>[^\S\r\n]?)+[^\S\r\n]*")
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]+\|\s+)?([\w.+:-]+?)::(?:\s+|$)")
_TARGET = re.compile(r"\.\.(?:\s+_.*:.*)?$")
_PROSE_DIRECTIVES = frozenset(
    "admonition attention caution danger error hint important note seealso tip todo topic warning".split()
)
_SINCE = frozenset("deprecated deprecated-removed versionadded versionchanged versionremoved".split())
_CODE_DIRECTIVES = frozenset("code code-block literalinclude math parsed-literal prompt sourcecode".split())
_CELL_ENDS = re.compile(r"(?<!\S)\|(?!\S)|(?<=\S)[^\S\r\n\t]*\t\s*(?=\S)")
_AFTER_THE_STOP = "\"'”’»)]*_` "
_STOPS = tuple(".:;!?…。：！？")
_LETTERS = ((re.compile(r"[\d#]+"), "1"), (re.compile("[a-z]+"), "a"), (re.compile("[A-Z]"), "A"))


@dataclass(frozen=True, slots=True)
class _Row:
    """A line: where its words begin and end, its columns of indentation, and what begins in it."""

    start: int
    end: int
    indent: int
    is_blank: bool
    opening: re.Match[str] | None

    @property
    def kind(self) -> str | None:
        return self.opening.lastgroup if self.opening else None


_NO_ROW = _Row(0, 0, 0, is_blank=True, opening=None)


def _row(text: str, start: int, end: int) -> _Row:
    line = text[start:end]
    words = line.lstrip()
    indent = len(line) - len(words)
    columns = len(line[:indent].expandtabs()) if "\t" in line else indent
    start, end = start + indent, start + indent + len(words.rstrip())
    return _Row(start, end, columns, not words, _OPENING.match(text, start, end))


@dataclass(kw_only=True)
class _Scanner:
    """One pass over the rows, after which two blank ones stand; each step reads what begins at row `at`.

    Inside of a list, `item` is the column of its outermost mark and `style` the kind of the last one.
    """

    text: str
    rows: Sequence[_Row]
    at: int = 0
    item: int | None = None
    style: str = ""

    def units(self) -> Iterator[Unit]:
        while self.at < len(self.rows):
            if self.rows[self.at].is_blank:
                self.at += 1
            else:
                yield from self._step(self.rows[self.at])

    def _step(self, row: _Row) -> Iterator[Unit]:
        is_item = row.kind in {"bullet", "ordered"} and self._begins_item(self.at)
        if self.item is not None and row.indent <= self.item and not is_item:
            self.item, self.style = None, ""
        if height := self._heading(row):
            yield self._unit(self.at + height, UnitKind.HEADING)
        elif self._is_table(row):
            yield from self._table()
        elif row.opening is None or (row.kind == "ordered" and not is_item):
            yield from self._paragraph(row.start)
        elif is_item:
            self.item = row.indent if self.item is None else min(self.item, row.indent)
            self.style = _style(row.opening[0])
            yield from self._paragraph(row.opening.end())
        else:
            yield from self._marked(row, row.opening)

    def _marked(self, row: _Row, opening: re.Match[str]) -> Iterator[Unit]:
        if row.kind == "fence":
            yield from self._fenced(opening["fence"])
        elif row.kind == "doctest":
            yield self._unit(self._run_end(), UnitKind.CODE)
        elif row.kind == "border":
            yield from self._drawn(row)
        elif row.kind == "markup":
            yield from self._markup(row)
        elif row.kind == "cells":
            yield self._unit(self.at + 1, UnitKind.ROW)
        else:
            yield from self._paragraph(opening.end() if row.kind in {"quote", "line"} else row.start)

    def _words(self, at: int) -> str:
        return self.text[self.rows[at].start : self.rows[at].end]

    def _run_end(self) -> int:
        """The first blank row from here on."""
        return next(at for at in range(self.at, len(self.rows)) if self.rows[at].is_blank)

    def _unit(self, stop: int, kind: UnitKind) -> Unit:
        """All rows from here to before `stop`."""
        start, self.at = self.at, stop
        return Unit(self.rows[start].start, self.rows[stop - 1].end, kind)

    def _heading(self, row: _Row) -> int:
        """How many rows the heading has that begins here; 0 where none does."""
        if row.kind == "hashes":
            return 1
        if not self.rows[self.at - 1].is_blank or self.rows[self.at + 1].is_blank:
            return 0
        first, second = self._words(self.at), self._words(self.at + 1)
        if row.kind == "border":
            return 3 if first == self._words(self.at + 2) and _underlines(first, second) else 0
        return 2 if row.kind in {None, "ordered", "markup"} and _underlines(second, first) else 0

    def _is_table(self, row: _Row) -> bool:
        """Whether all rows up to the next blank one have as many cells as this one, and more than one."""
        ends = (
            _cell_ends(self._words(self.at)) if row.kind in {None, "cells"} and self.rows[self.at - 1].is_blank else 0
        )
        if not ends:
            return False
        others = range(self.at + 1, self._run_end())
        if not others:
            return row.kind == "cells" or (ends > 0 and not self._words(self.at).endswith(_STOPS))
        return all(self.rows[at].kind == "border" or _cell_ends(self._words(at)) == ends for at in others)

    def _table(self) -> Iterator[Unit]:
        stop = self._run_end()
        for row in self.rows[self.at : stop]:
            if row.kind != "border":
                yield Unit(row.start, row.end, UnitKind.ROW)
        self.at = stop

    def _drawn(self, top: _Row) -> Iterator[Unit]:
        """The rows of a table below its upper line; nothing below any other line.

        A row goes on up to the next line in a grid, elsewhere while the first cell is empty.
        """
        line = self._words(self.at)
        self.at += 1
        if not (line.startswith("+-") or _COLUMNS.fullmatch(line)):
            return
        stop = self._run_end()
        first: int | None = None
        for at in range(self.at, stop + 1):
            row = self.rows[at]
            goes_on = not row.is_blank and row.kind != "border" and (line[0] == "+" or row.indent > top.indent)
            if first is not None and not goes_on:
                yield Unit(self.rows[first].start, self.rows[at - 1].end, UnitKind.ROW)
                first = None
            if first is None and not row.is_blank and row.kind != "border":
                first = at
        self.at = stop

    def _fenced(self, fence: str) -> Iterator[Unit]:
        """What stands between two fences. One that nothing closes and that names no language is the end of a fence cut off."""
        named = len(self._words(self.at)) > len(fence)
        self.at += 1
        fences = (at for at in range(self.at, len(self.rows)) if self.rows[at].kind == "fence")
        closing = next((at for at in fences if _closes(fence, self._words(at))), None)
        if closing is not None:
            yield from self._code(closing)
            self.at = closing + 1
        elif named:
            yield from self._code(len(self.rows) - 1)

    def _code(self, stop: int) -> Iterator[Unit]:
        """The rows up to `stop`, parted at blank ones."""
        while self.at < stop:
            if self.rows[self.at].is_blank:
                self.at += 1
            else:
                blank = (at for at in range(self.at, stop) if self.rows[at].is_blank)
                yield self._unit(next(blank, stop), UnitKind.CODE)

    def _literal(self, column: int) -> Iterator[Unit]:
        """The rows from here on that are indented deeper."""
        rest = range(self.at, len(self.rows) - 1)
        outside = (at for at in rest if self.rows[at].indent <= column and not self.rows[at].is_blank)
        yield from self._code(next(outside, len(self.rows) - 1))

    def _markup(self, row: _Row) -> Iterator[Unit]:
        """A directive, target, comment or footnote of reStructuredText."""
        directive = _DIRECTIVE.match(self.text, row.start, row.end)
        name = directive[1].rpartition(":")[2] if directive else ""
        argument = self.text[directive.end() : row.end] if directive else ""
        if directive is None and not _TARGET.match(self.text, row.start, row.end):
            start, _ = trimmed(self.text, row.start + 2, row.end)
            yield from self._paragraph(start)
        elif directive and name in _PROSE_DIRECTIVES and argument:
            yield from self._paragraph(directive.end())
        elif name in _SINCE and " " in argument:
            yield from self._paragraph(row.start)
        else:
            yield self._unit(self.at + 1, UnitKind.HEADING)
            if name in _CODE_DIRECTIVES:
                yield from self._literal(row.indent)

    def _paragraph(self, start: int) -> Iterator[Unit]:
        """The sentences from here to a row that is blank or begins something else, and the code that a `::` at their end announces."""
        first, at = self.at, self.at + 1
        while not self.rows[at].is_blank and not self._interrupts(at):
            at += 1
        end, self.at = self.rows[at - 1].end, at
        kind = UnitKind.SENTENCE if self.item is None else UnitKind.ITEM
        quoted = frozenset(row.start for row in self.rows[first:at] if row.kind == "quote")
        for begin, stop in sentences(self.text, start, end, finer=True):
            mark = _QUOTE.match(self.text, begin, stop) if begin in quoted else None
            if mark is None or mark.end() < stop:
                yield Unit(mark.end() if mark else begin, stop, kind)
        if self.text.endswith("::", start, end) and self.rows[at].is_blank:
            row = self.rows[at - 1]
            yield from self._literal(row.indent + (start - row.start if at - 1 == first else 0))

    def _interrupts(self, at: int) -> bool:
        """Whether the row begins something of its own although the row above belongs to a paragraph."""
        row = self.rows[at]
        if row.opening is None:
            return False
        if row.kind in {"bullet", "ordered"}:
            return self._begins_item(at)
        if row.kind == "quote":
            is_empty = row.opening.end() == row.end
            return is_empty or (self.rows[at - 1].kind != "quote" and self._is_closed(at - 1))
        return True

    def _begins_item(self, at: int) -> bool:
        """Whether a list item begins here. In the middle of a paragraph, a number or dash may just happen to stand first in its line."""
        row, below = self.rows[at], self.rows[at + 1].opening
        style = _style(row.opening[0] if row.opening else "")
        if style == self.style or (below is not None and style == _style(below[0])):
            return True
        if style == "A.":  # an initial: "A. Smith"
            return False
        is_inner_bullet = row.kind == "bullet" and self.item is not None
        return is_inner_bullet or self.rows[at - 1].is_blank or self._is_closed(at - 1)

    def _is_closed(self, at: int) -> bool:
        return self._words(at).rstrip(_AFTER_THE_STOP).endswith(_STOPS)


def _underlines(line: str, title: str) -> bool:
    """Whether the line, drawn above or below the title, makes it a heading."""
    long_enough = len(line) >= len(title) or line[:1] in {"=", "-"}
    return bool(title) and long_enough and _UNDERLINE.fullmatch(line) is not None and not _UNDERLINE.fullmatch(title)


def _closes(fence: str, words: str) -> bool:
    return len(words) >= len(fence) and words == fence[0] * len(words)


def _cell_ends(words: str) -> int:
    """How many bars or tabs part cells in a row; the number of commas below zero where these do."""
    ends = len(_CELL_ENDS.findall(words))
    commas = words.count(",")
    return ends or (-commas if commas > 1 and ", " not in words else 0)


def _style(mark: str) -> str:
    """What the marks of one list have in common."""
    for letters, stand_in in _LETTERS:
        mark = letters.sub(stand_in, mark)
    return mark[:1] if mark[:1] in _BULLETS else mark.strip()
