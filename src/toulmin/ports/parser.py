"""The parser port: from a file's bytes to its canonical text and structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.corpus.document import Page
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.corpus.passages import Section

_NOTHING_STATED = Metadata()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What a parser made of a file.

    `text` is the canonical text that every offset points into, without NULs and lone surrogates. `encoding` is how its bytes were decoded
    (`utf-8`, `utf-8-sig`, `utf-16-le`, ...), or `binary` where the format is more than text in an encoding. The sections are in order and
    apart; every character that is neither white space, heading nor metadata is in one of their blocks. The document's own words begin at
    `body`: what stands before it is front matter, and `stated` is what that says to us; only a text that is the file's own has any.
    Title, author and language are None where the file does not state them. `warnings` are sentences for whoever ingests the file.
    """

    text: str
    encoding: str
    media_type: str
    title: str | None = None
    author: str | None = None
    language: str | None = None
    sections: tuple[Section, ...] = ()
    pages: tuple[Page, ...] = ()
    body: int = 0
    stated: Metadata = _NOTHING_STATED
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ParsingLimits:
    """What reading one file may take; a file that needs more is refused.

    `max_bytes` bounds the file, `max_text_chars` its canonical text. `timeout_s` and `memory_mb` (address space, in MiB) hold for the
    process that reads it. A page with fewer than `min_chars_per_page` characters, white space aside, counts as empty; a file of only
    such pages has no text.
    """

    max_bytes: int = 100_000_000
    max_text_chars: int = 20_000_000
    max_pages: int = 10_000
    min_chars_per_page: int = 8
    timeout_s: float = 120.0
    memory_mb: int = 2048


class Parser(Protocol):
    """Reads the formats that it names; the same bytes and name always give the same result."""

    @property
    def name(self) -> str:
        """Name and version, as packets record it: another version may give other text or other passages."""
        ...

    @property
    def suffixes(self) -> frozenset[str]:
        """The file name endings it reads, in lower case and with their dot; a name may have them in any case."""
        ...

    def parse(self, data: bytes, *, name: str) -> Parsed:
        """The text and structure of a file; `name` tells its format, by its ending, and stands in every error.

        Raises `InputError`: `unsupported_format` for an ending that is not in `suffixes`, `bad_encoding` for bytes that are no text in the
        encoding they are in, `malformed_file` for bytes that are not of the format, `encrypted` for a file with a password, `no_text`
        for one in which there is nothing to read, `zip_bomb`, `too_large` and `output_too_large` for one that unpacks to, is or becomes
        more than the limits allow. Words of the file that are not in the text are named in a warning.
        """
        ...
