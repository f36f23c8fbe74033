"""HTML and XHTML: the words that a page shows, with its headings, lists, tables and code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser

from toulmin.adapters.markup.encoding import decoded_as
from toulmin.adapters.markup.writer import Writer, one_line
from toulmin.domain.corpus.passages import BlockKind

_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span strike strong "
    "sub time tt u var wbr".split()
)
"""Elements that part no words; every other one does."""

_FORMULA = frozenset(
    "math mfenced mfrac mi mn mo mover mroot mrow ms mspace msqrt mstyle msub msubsup msup mtext munder munderover semantics".split()
)
"""Elements of formulas: each part stays apart, on the line of the words around it."""

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_UNREAD = frozenset("script style template".split())
_BREAK = "\u2028"
"""Unicode's own sign for a line end that is meant; those of the markup are only white space."""
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset("ul ol menu dl".split())
_ITEMS = frozenset("li dt dd".split())
_WITH_HEADING = re.compile(r"<(?:\w+:)?h[1-6][\s>]", re.IGNORECASE)

_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)""")
_META_CHARSET = re.compile(rb"""<meta[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARED_WITHIN = 4096


def read_html(data: bytes, name: str, writer: Writer) -> tuple[str, str]:
    """Writes a page; returns its encoding and the words of its markup."""
    markup, encoding = decoded(data, name)
    write_page(markup, writer)
    return encoding, witness(markup)


def write_page(markup: str, writer: Writer) -> None:
    """Writes what a page shows; one without headings is headed by its title."""
    page = _Page(writer)
    if title := _title(markup):
        writer.title = writer.title or title
        if not _WITH_HEADING.search(markup):
            writer.heading(1, title)
    page.feed(markup)
    page.close()


def decoded(data: bytes, name: str) -> tuple[str, str]:
    """The markup and its encoding: that of the byte-order mark, else the declared one, else UTF-8."""
    head = data[:_DECLARED_WITHIN]
    declared = _XML_ENCODING.search(head) or _META_CHARSET.search(head)
    return decoded_as(data, declared[1].decode("ascii").lower() if declared else "utf-8", name)


@dataclass(slots=True)
class _Table:
    """A table that is being read; `caption` is what stands in it outside of cells."""

    rows: list[list[str]] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    in_cell: bool = False

    def add(self, words: str) -> None:
        if self.in_cell:
            cell = self.rows[-1][-1]
            self.rows[-1][-1] = f"{cell} {words}".strip()
        else:
            self.caption.append(words)


@dataclass(slots=True)
class _List:
    """A list that is being read: its items' marks and how many there were."""

    ordered: bool
    items: int = 0

    def mark(self) -> str:
        self.items += 1
        return f"{self.items}. " if self.ordered else "- "


class _Page(HTMLParser):
    """One pass over the markup; words are collected until an element that parts words, and then written where they belong."""

    def __init__(self, writer: Writer) -> None:
        super().__init__(convert_charrefs=True)
        self._writer = writer
        self._run: list[str] = []
        self._unread: list[str] = []
        """The open elements from the outermost whose words are not read."""
        self._preformatted = 0
        self._heading: int | None = None
        self._tables: list[_Table] = []
        self._lists: list[_List] = []
        self._lines: list[str] = []
        self._mark = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        tag, given = _local(tag), {key: value or "" for key, value in attrs}
        if self._unread or tag in _UNREAD or (_is_hidden(given) and tag != "body"):
            if tag not in _VOID:
                self._unread.append(tag)
            return
        self._note(tag, given)
        if tag == "img":
            self._run.append(f" {given.get('alt', '')} ")
        elif tag == "br":
            self._run.append(_BREAK if not self._preformatted else "\n")
        elif tag == "sup":
            self._raise()
        elif tag in _FORMULA:
            self._run.append(" ")
        elif tag not in _INLINE:
            self._flush()
            self._open(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if _local(tag) not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        tag = _local(tag)
        if self._unread:
            if tag in self._unread:
                del self._unread[len(self._unread) - 1 - self._unread[::-1].index(tag) :]
        elif tag in _FORMULA:
            self._run.append(" ")
        elif tag not in _INLINE and tag != "sup":
            self._flush()
            self._shut(tag)

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self._run.append(data)

    def unknown_decl(self, data: str) -> None:
        if not self._unread:
            self._run.append(data.removeprefix("CDATA["))

    def close(self) -> None:
        super().close()
        self._flush()
        while self._tables:
            self._end_table()
        self._end_list()

    def _note(self, tag: str, given: Mapping[str, str]) -> None:
        """What the page states of itself."""
        if tag == "html":
            self._writer.language = self._writer.language or given.get("lang") or given.get("xml:lang") or None
        elif tag == "meta" and given.get("name", "").lower() == "author":
            self._writer.author = self._writer.author or one_line(given.get("content", "")) or None

    def _raise(self) -> None:
        """What follows stands higher: without a sign, ten to the sixth would read as a hundred and six."""
        if self._run and self._run[-1][-1:].isalnum():
            self._run.append("^")

    def _open(self, tag: str) -> None:
        if tag == "title":
            self._unread.append(tag)  # it stands on no page; see `_title`
        elif tag == "pre":
            self._preformatted += 1
        elif tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag == "table":
            self._tables.append(_Table())
        elif self._tables:
            self._open_cell(tag)
        elif tag in _LISTS:
            self._lists.append(_List(ordered=tag == "ol"))
        elif tag in _ITEMS and self._lists:
            self._mark = "  " * (len(self._lists) - 1) + self._lists[-1].mark()

    def _open_cell(self, tag: str) -> None:
        table = self._tables[-1]
        if tag == "tr":
            table.rows.append([])
            table.in_cell = False
        elif tag in ("td", "th"):
            if not table.rows:
                table.rows.append([])
            table.rows[-1].append("")
            table.in_cell = True

    def _shut(self, tag: str) -> None:
        if tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        elif tag in _HEADINGS:
            self._heading = None
        elif tag == "table" and self._tables:
            self._end_table()
        elif self._tables:
            if tag in ("td", "th", "tr"):
                self._tables[-1].in_cell = False
        elif tag in _LISTS and self._lists:
            self._lists.pop()
            if not self._lists:
                self._end_list()

    def _flush(self) -> None:
        """Writes the words so far where they belong."""
        run = "".join(self._run)
        self._run.clear()
        if not run.strip():
            return
        if self._tables:
            self._tables[-1].add(one_line(run))
        elif self._heading:
            self._end_list()
            self._writer.heading(self._heading, run)
        elif self._preformatted:
            self._end_list()
            self._writer.block(run, BlockKind.CODE)
        elif self._lists:
            self._lines.append((self._mark or "  " * len(self._lists)) + one_line(run))
            self._mark = ""
        else:
            self._end_list()
            self._writer.block("\n".join(filter(None, map(one_line, run.split(_BREAK)))))

    def _end_table(self) -> None:
        """Writes a table; one inside of another goes into the cell that it stands in."""
        table = self._tables.pop()
        if self._tables:
            for words in (*table.caption, *(" | ".join(row) for row in table.rows)):
                self._tables[-1].add(words)
            return
        self._end_list()
        for words in table.caption:
            self._writer.block(words)
        self._writer.table(table.rows)

    def _end_list(self) -> None:
        self._writer.block("\n".join(self._lines), BlockKind.LIST)
        self._lines.clear()


def _local(tag: str) -> str:
    return tag.rpartition(":")[2]


def _is_hidden(given: Mapping[str, str]) -> bool:
    """Whether nobody who looks at the page sees the element."""
    return "hidden" in given or re.search(r"display\s*:\s*none", given.get("style", ""), re.IGNORECASE) is not None


_TITLE = re.compile(r"<title[^>]*>(.*?)</title\s*>", re.IGNORECASE | re.DOTALL)
_HEAD = re.compile(r"<head[\s>].*?</head\s*>", re.IGNORECASE | re.DOTALL)
_UNSHOWN = re.compile(r"<!--.*?-->|<(script|style|template|title)\b.*?</\1\s*>|<[!?][^>]*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?(?:\w+:)?(\w+)[^>]*>")


def _title(markup: str) -> str | None:
    found = _TITLE.search(markup)
    return (one_line(unescape(found[1])) or None) if found else None


def witness(markup: str) -> str:
    """The words of the markup by another way: whatever is left when comments, scripts and tags are struck out."""
    shown = _UNSHOWN.sub(" ", _HEAD.sub(" ", markup))
    return unescape(_TAG.sub(lambda tag: "" if tag[1].lower() in _INLINE else " ", shown))
