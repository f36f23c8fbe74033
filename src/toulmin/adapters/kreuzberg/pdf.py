"""PDF: the text that kreuzberg reads in plain mode, with pages, bookmarks and a second reading from PDFium beside it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import PurePath
from typing import TYPE_CHECKING

from toulmin.adapters.kreuzberg.reading import clean_text, malformed_pdf
from toulmin.domain.corpus.document import Page
from toulmin.domain.corpus.passages import Block, Section
from toulmin.domain.corpus.recall import recall
from toulmin.domain.corpus.text import trimmed
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed, ParsingLimits

if TYPE_CHECKING:
    from toulmin.adapters.kreuzberg.pdfium import Bookmark

_PDF = ".pdf"
_MEDIA_TYPE = "application/pdf"
_FIND_MARK_WITHIN = 1024
_BETWEEN_PAGES = "\n\n"
_PAGES_NAMED = 10
_WORDS_NAMED = 5
_LONGEST_NAMED = 200
_DEFAULT_LIMITS = ParsingLimits()


@dataclass(frozen=True)
class PdfParser:
    """Reads the text of a PDF page by page, in the order in which kreuzberg puts it; bookmarks are its headings.

    kreuzberg's plain mode keeps all words and puts right-to-left text into logical order. Its pages are taken one by one: in the text of
    the whole file, what it takes for tables stands once more at the end, and the page boundaries that it gives drift apart from it.
    Annotations and form values are no text of a page, which a warning says.
    """

    limits: ParsingLimits = _DEFAULT_LIMITS

    @cached_property
    def name(self) -> str:
        return f"toulmin-pdf 1 (kreuzberg {version('kreuzberg')}, pypdfium2 {version('pypdfium2')})"

    @property
    def suffixes(self) -> frozenset[str]:
        return frozenset({_PDF})

    def parse(self, data: bytes, *, name: str) -> Parsed:
        from toulmin.adapters.kreuzberg.pdfium import structure_of

        if PurePath(name).suffix.lower() != _PDF:
            raise InputError(
                "unsupported_format",
                "this parser reads PDF files",
                where=name,
                remedy=f"rename the file to {_PDF} if it is one",
            )
        if b"%PDF-" not in data[:_FIND_MARK_WITHIN]:
            raise malformed_pdf(name, "it does not begin like a PDF")
        structure = structure_of(data, name, self.limits)
        texts = _page_texts(data, name)
        if len(texts) != len(structure.labels):
            raise malformed_pdf(name, f"one reader finds {len(texts)} pages in it, another {len(structure.labels)}")
        empty = self._empty_pages(texts, name)
        text, pages = _joined(texts, structure.labels)
        return Parsed(
            text=text,
            encoding="binary",
            media_type=_MEDIA_TYPE,
            title=structure.title,
            author=structure.author,
            language=structure.language,
            sections=_sections(text, pages, structure.bookmarks),
            pages=pages,
            warnings=(
                *_empty_warning(empty),
                *_notes_warning(structure.notes),
                *recall(text, "\n".join(structure.texts)).warnings,
            ),
        )

    def _empty_pages(self, texts: Sequence[str], name: str) -> list[int]:
        """The numbers of pages on which there is next to nothing to read; refuses a file of only such pages."""
        empty = [at for at, text in enumerate(texts, 1) if _characters(text) < self.limits.min_chars_per_page]
        if len(empty) == len(texts):
            raise InputError(
                "no_text",
                f"none of its {len(texts)} pages has {self.limits.min_chars_per_page} characters: it holds pictures of text, if any",
                where=name,
                remedy="run OCR on it (for example: ocrmypdf IN OUT), since no OCR is built in; or leave it out",
            )
        return empty


def _characters(text: str) -> int:
    return len("".join(text.split()))


def _empty_warning(empty: Sequence[int]) -> tuple[str, ...]:
    if not empty:
        return ()
    named = ", ".join(map(str, empty[:_PAGES_NAMED])) + (", ..." if len(empty) > _PAGES_NAMED else "")
    pages = f"page {named} has" if len(empty) == 1 else f"{len(empty)} pages ({named}) have"
    return (f"{pages} next to no text: if it is a picture, run OCR on the file and ingest it again",)


def _notes_warning(notes: Sequence[str]) -> tuple[str, ...]:
    if not notes:
        return ()
    words = " ".join(notes).split()
    first = " ".join(words[:_WORDS_NAMED])[:_LONGEST_NAMED] + (" ..." if len(words) > _WORDS_NAMED else "")
    are = "1 annotation or form value is" if len(notes) == 1 else f"{len(notes)} annotations and form values are"
    return (f"{are} not read into the text, the first words: {first}",)


def _page_texts(data: bytes, name: str) -> list[str]:
    """The text of each page."""
    import kreuzberg

    pages = kreuzberg.PageConfig(extract_pages=True, insert_page_markers=False)
    config = kreuzberg.ExtractionConfig(use_cache=False, pages=pages)
    try:
        result = kreuzberg.extract_bytes_sync(data, _MEDIA_TYPE, config)
    except kreuzberg.KreuzbergError as error:
        raise malformed_pdf(name, "kreuzberg refuses it") from error
    return [clean_text(page["content"]) for page in result.pages or ()]


def _joined(texts: Sequence[str], labels: Sequence[str | None]) -> tuple[str, tuple[Page, ...]]:
    """The canonical text and where in it each page stands."""
    pages = []
    start = 0
    for index, (text, label) in enumerate(zip(texts, labels, strict=True)):
        pages.append(Page(index=index, start=start, end=start + len(text), label=label))
        start += len(text) + len(_BETWEEN_PAGES)
    return _BETWEEN_PAGES.join(texts), tuple(pages)


def _sections(text: str, pages: Sequence[Page], bookmarks: Sequence[Bookmark]) -> tuple[Section, ...]:
    """A section from each bookmark to the next, with a block for each page that it reaches over."""
    starts: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    path: list[tuple[int, str]] = []
    for bookmark in bookmarks:
        path = [*(outer for outer in path if outer[0] < bookmark.level), (bookmark.level, bookmark.title)]
        start = _place(text, pages[bookmark.page], bookmark.above)
        starts.append((max(start, starts[-1][0]), tuple(words for _, words in path)))  # an outline may jump back
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return tuple(
        Section(start=start, end=end, heading=heading, blocks=tuple(_blocks(text, pages, start, end)))
        for (start, heading), end in zip(starts, ends, strict=True)
        if start < end
    )


def _place(text: str, page: Page, above: int) -> int:
    """Where the line begins that has so many characters above it on its page, white space aside."""
    seen = 0
    for at in range(page.start, page.end):
        if seen >= above and not text[at].isspace():
            return max(text.rfind("\n", page.start, at) + 1, page.start)
        seen += not text[at].isspace()
    return page.end


def _blocks(text: str, pages: Sequence[Page], start: int, end: int) -> Iterator[Block]:
    """A block for what stands of `text[start:end]` on each page."""
    first = bisect_right(pages, start, key=lambda page: page.end)
    last = bisect_left(pages, end, key=lambda page: page.start)
    for page in pages[first:last]:
        block_start, block_end = trimmed(text, max(start, page.start), min(end, page.end))
        if block_start < block_end:
            yield Block(start=block_start, end=block_end)
