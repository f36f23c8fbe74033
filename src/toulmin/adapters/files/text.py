"""Text files: plain text, Markdown and reStructuredText, whose own text is the canonical text."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import PurePath

from toulmin.adapters.files.markdown import read_markdown
from toulmin.adapters.files.outline import Outline
from toulmin.adapters.files.rst import read_rst
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.corpus.passages import Block, Section
from toulmin.domain.corpus.text import lines, paragraphs
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed
from toulmin.wire.front_matter import FrontMatter, front_matter
from toulmin.wire.metadata import read_metadata

_MARKS = (  # the longer first: the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WORD = re.compile(r"\w+")
_CONVERT = "convert the file to UTF-8, for example with: iconv -f LATIN1 -t UTF-8"


@dataclass(frozen=True, slots=True)
class _Format:
    media_type: str
    read: Callable[[str, int], Outline]


def read_plain(text: str, body: int) -> Outline:
    """The outline of a text without markup, from `body` on: one section, its paragraphs parted by blank lines."""
    outline = Outline()
    for start, end in paragraphs(text, body):
        outline.add(Block(start=start, end=end))
    return outline


_MARKDOWN = _Format("text/markdown", read_markdown)
_FORMATS = {
    ".txt": _Format("text/plain", read_plain),
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".rst": _Format("text/x-rst", read_rst),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextParser:
    """The parser of text formats: the decoded text stays as it is, only front matter, headings and blocks are found in it.

    Dates in front matter begin in `zone`.
    """

    zone: tzinfo = UTC

    name = "toulmin-text 1"
    suffixes = frozenset(_FORMATS)

    def parse(self, data: bytes, *, name: str) -> Parsed:
        suffix = PurePath(name).suffix.lower()
        if suffix not in _FORMATS:
            raise InputError(
                "unsupported_format",
                f"no text format has the ending {suffix!r}",
                where=name,
                remedy=f"rename the file to one of {', '.join(sorted(_FORMATS))} if it is text",
            )
        text, encoding = _decoded(data, name)
        front = front_matter(text, name, of_any_tool=_FORMATS[suffix] is _MARKDOWN)
        _check_words(text, front.end, name)
        outline = _FORMATS[suffix].read(text, front.end)
        sections = outline.sections(len(text))
        _check_blocks(text, sections, name)
        return Parsed(
            text=text,
            encoding=encoding,
            media_type=_FORMATS[suffix].media_type,
            title=outline.title,
            sections=sections,
            body=front.end,
            stated=Metadata() if front.ours is None else read_metadata(front.ours, name, self.zone),
            warnings=(*_unsearched(text, front), *_replaced(text)),
        )


def _decoded(data: bytes, name: str) -> tuple[str, str]:
    """The text without its byte-order mark, and the encoding: that of the mark, else UTF-8."""
    mark, encoding = next(((m, e) for m, e in _MARKS if data.startswith(m)), (b"", "utf-8"))
    try:
        text = data[len(mark) :].decode("utf-8" if encoding == "utf-8-sig" else encoding)
    except UnicodeDecodeError as fault:
        place = len(mark) + fault.start
        raise InputError(
            "bad_encoding", f"the bytes are not {encoding} from byte {place} on", where=name, remedy=_CONVERT
        ) from fault
    if "\0" in text:
        raise InputError(
            "bad_encoding",
            f"character {text.index(chr(0))} is NUL: this is UTF-16 without a byte-order mark, or no text at all",
            where=name,
            remedy="convert the file to UTF-8, for example with: iconv -f UTF-16LE -t UTF-8",
        )
    return text, encoding


def _check_words(text: str, body: int, name: str) -> None:
    """Refuse a text in which there is nothing from `body` on but white space and characters that show nothing."""
    if not any(_shows(text[at]) for at in range(body, len(text))):
        state = "holds nothing but front matter" if body else "holds nothing but white space" if text else "is empty"
        raise _no_text(state, name)


def _shows(character: str) -> bool:
    return not character.isspace() and unicodedata.category(character) not in ("Cf", "Cc")


def _check_blocks(text: str, sections: Sequence[Section], name: str) -> None:
    """Refuse a text whose blocks are nothing but signs, such as a rule; whether there must be blocks at all is not asked here."""
    blocks = [text[block.start : block.end] for section in sections for block in section.blocks]
    if blocks and not any(character.isalnum() for block in blocks for character in block):
        raise _no_text("holds no letter and no digit outside of its headings", name)


def _no_text(state: str, name: str) -> InputError:
    return InputError("no_text", f"the file {state}", where=name, remedy="leave it out, or give a file with text in it")


def _unsearched(text: str, front: FrontMatter) -> tuple[str, ...]:
    """What to say of another tool's front matter, which might be words of the document that only look like it."""
    if front.ours is not None or not front.end:
        return ()
    count = len(_WORD.findall(text, 0, front.end))
    return (
        "1 word of front matter is not searched" if count == 1 else f"{count} words of front matter are not searched",
    )


def _replaced(text: str) -> tuple[str, ...]:
    count = text.count("\ufffd")
    if not count:
        return ()
    place = text.index("\ufffd")
    line = sum(1 for start, _ in lines(text) if start <= place)
    return (
        f"{count} replacement characters (U+FFFD), the first on line {line}: words were lost in an earlier conversion",
    )
