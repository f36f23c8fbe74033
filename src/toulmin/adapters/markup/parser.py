"""The parser of formats that are markup: web pages, books, Word documents, presentations, and tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from toulmin.adapters.markup.archive import Archive
from toulmin.adapters.markup.csv_table import read_csv
from toulmin.adapters.markup.docx import read_docx
from toulmin.adapters.markup.epub import read_epub
from toulmin.adapters.markup.html import read_html
from toulmin.adapters.markup.pptx import read_pptx
from toulmin.adapters.markup.writer import Writer
from toulmin.domain.corpus.recall import recall
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed, ParsingLimits

_OPENXML = "application/vnd.openxmlformats-officedocument"
_MEDIA_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".epub": "application/epub+zip",
    ".docx": f"{_OPENXML}.wordprocessingml.document",
    ".pptx": f"{_OPENXML}.presentationml.presentation",
}
_BINARY = "binary"
_TEXTUAL = {
    "text/html": read_html,
    "application/xhtml+xml": read_html,
    "text/csv": read_csv,
    "text/tab-separated-values": read_csv,
}
_DEFAULT_LIMITS = ParsingLimits()


@dataclass(frozen=True, slots=True)
class MarkupParser:
    """Reads the markup itself, in reading order, and compares what it wrote with the bare words of the markup."""

    limits: ParsingLimits = _DEFAULT_LIMITS

    @property
    def name(self) -> str:
        return "toulmin-markup 1"

    @property
    def suffixes(self) -> frozenset[str]:
        return frozenset(_MEDIA_TYPES)

    def parse(self, data: bytes, *, name: str) -> Parsed:
        suffix = PurePath(name).suffix.lower()
        if suffix not in _MEDIA_TYPES:
            raise InputError(
                "unsupported_format",
                f"no markup format has the ending {suffix!r}",
                where=name,
                remedy=f"rename the file to one of {', '.join(sorted(_MEDIA_TYPES))} if it is one",
            )
        writer = Writer()
        try:
            encoding, witness = self._read(data, name, suffix, writer)
        except RecursionError as error:
            raise InputError(
                "malformed_file",
                "its elements are nested too deep",
                where=name,
                remedy="open it in the program that made it and save it anew",
            ) from error
        sections, text = writer.sections(), writer.text
        if not text.strip():
            raise InputError(
                "no_text",
                "there are no words in the file",
                where=name,
                remedy="leave it out, or give a file with text in it",
            )
        return Parsed(
            text=text,
            encoding=encoding,
            media_type=_MEDIA_TYPES[suffix],
            title=writer.title,
            author=writer.author,
            language=writer.language,
            sections=sections,
            pages=tuple(writer.pages),
            warnings=(*writer.warnings, *recall(text, witness).warnings),
        )

    def _read(self, data: bytes, name: str, suffix: str, writer: Writer) -> tuple[str, str]:
        """Writes the file; returns its encoding and the words of its markup."""
        read_text = _TEXTUAL.get(_MEDIA_TYPES[suffix])
        if read_text is not None:
            return read_text(data, name, writer)
        archive = Archive(data, name=name, max_bytes=self._unpacked)
        if suffix == ".docx":
            return _BINARY, read_docx(archive, writer)
        if suffix == ".pptx":
            return _BINARY, read_pptx(archive, writer)
        return _BINARY, read_epub(archive, name, writer)

    @property
    def _unpacked(self) -> int:
        """How many bytes an archive may unpack to: as many as a file may have, and what packing usually saves."""
        return 5 * self.limits.max_bytes
