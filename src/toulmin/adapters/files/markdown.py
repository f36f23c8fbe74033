"""Markdown: the headings and blocks of a text that stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt

from toulmin.adapters.files.outline import Outline
from toulmin.domain.corpus.passages import Block, BlockKind
from toulmin.domain.corpus.text import lines, paragraphs, trimmed

_KINDS = {
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "table_open": BlockKind.TABLE,
}


def _prepared(parser: MarkdownIt) -> MarkdownIt:
    """A parser that threads may share: its rules are put together with the first text, and a second one meanwhile would meet half of them."""
    parser.parse("a")
    return parser


_BLOCKS = _prepared(
    MarkdownIt("commonmark").enable("table").disable("inline")  # what stands inside of a block is not asked for
)  # five times as fast, and no long line can stall it
_WORDS = _prepared(MarkdownIt("commonmark"))
_LONGEST_HEADING = 1_000


def read_markdown(text: str, body: int) -> Outline:
    """The outline of a CommonMark text with tables, from `body` on, where a line begins.

    Whatever the grammar has no token for (link definitions, say) is prose, so that nothing is lost.
    """
    ranges = list(lines(text, body))
    outline = Outline()
    done = body
    tokens = _BLOCKS.parse(text[body:])
    for at, token in enumerate(tokens):
        if token.level or not token.map:  # inside of another block, or the end of one
            continue
        start, end = (_line_start(text, ranges, line) for line in token.map)
        _add_prose(outline, text, done, start)
        if token.type == "heading_open":
            outline.heading(int(token.tag[1:]), _plain(tokens[at + 1].content), start)
        elif token.type in _KINDS:
            start, end = trimmed(text, start, end)
            outline.add(Block(start=start, end=end, kind=_KINDS[token.type]))
        else:
            _add_prose(outline, text, start, end)
        done = end
    _add_prose(outline, text, done, len(text))
    return outline


def _line_start(text: str, ranges: Sequence[tuple[int, int]], line: int) -> int:
    return ranges[line][0] if line < len(ranges) else len(text)


def _plain(heading: str) -> str:
    """The words of a heading, without markup; one of more than 1,000 characters keeps it, for reading it could take minutes."""
    if len(heading) > _LONGEST_HEADING:
        return " ".join(heading.split())
    inline = _WORDS.parseInline(heading)[0].children or ()
    words = (" " if token.type == "softbreak" else token.content for token in inline if token.type != "html_inline")
    return " ".join("".join(words).split())


def _add_prose(outline: Outline, text: str, start: int, end: int) -> None:
    for first, last in paragraphs(text, start, end):
        outline.add(Block(start=first, end=last))
