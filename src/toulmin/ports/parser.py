"""The parser port: from a file's bytes to its canonical text and structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.corpus.document import Page
from toulmin.domain.corpus.passages import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What a parser made of a file.

    `text` is the canonical text that every offset points into, `encoding` how its bytes were decoded (`utf-8`, `utf-8-sig`, `utf-16-le`,
    ...). The document's own words begin at `body`: what stands before it is metadata. The sections are in order and apart; every character that is neither white space, heading nor metadata is in one of their blocks.
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
    warnings: tuple[str, ...] = ()


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

        Raises `InputError`: `bad_encoding` for bytes that are no text in the encoding they are in, `no_text` for a file in which
        there is nothing to read, `unsupported_format` for an ending that is not in `suffixes`.
        """
        ...
