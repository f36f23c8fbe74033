"""What PDFium knows of a PDF beside its text: labels, bookmarks, notes, what the file states of itself, and a reading of its own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import pypdfium2
from pypdfium2 import raw

from toulmin.adapters.kreuzberg.reading import clean_text, malformed_pdf
from toulmin.domain.errors import InputError
from toulmin.ports.parser import ParsingLimits

_NOT_NOTES = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)
"""Annotations that describe or repeat what stands elsewhere."""

_WRITTEN_FIELDS = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline: its level, its words and the number of the text's characters above it on its page, white space aside."""

    level: int
    title: str
    page: int
    above: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """What PDFium knows of a file: labels and texts of its pages, what the file states of itself, and what is written upon its pages.

    `notes` are the words of each annotation and of each form field that is filled in, in the order of the pages.
    """

    labels: tuple[str | None, ...]
    texts: tuple[str, ...]
    bookmarks: tuple[Bookmark, ...]
    notes: tuple[str, ...]
    title: str | None
    author: str | None
    language: str | None


def structure_of(data: bytes, name: str, limits: ParsingLimits) -> Structure:
    """The structure of a file; raises `InputError`: `encrypted`, `malformed_file`, or `too_large` for one with too many pages."""
    with closing(_opened(data, name)) as document:
        count = len(document)
        if count > limits.max_pages:
            raise InputError(
                "too_large",
                f"the file has {count} pages; at most {limits.max_pages} are read",
                where=name,
                remedy="split it, or raise max_pages under [parsing] in toulmin.toml",
            )
        try:
            document.init_forms()  # before any page is loaded; does nothing where there is no form
            return Structure(
                labels=tuple(document.get_page_label(index) or None for index in range(count)),
                texts=tuple(_page_text(document, index) for index in range(count)),
                bookmarks=tuple(_bookmarks(document)),
                notes=tuple(note for index in range(count) for note in _notes(document, index)),
                title=_stated(document, "Title"),
                author=_stated(document, "Author"),
                language=_language(document),
            )
        except pypdfium2.PdfiumError as error:
            raise malformed_pdf(name, "PDFium cannot read one of its pages") from error


def _opened(data: bytes, name: str) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code != raw.FPDF_ERR_PASSWORD:
            raise malformed_pdf(name, "PDFium refuses it") from error
        raise InputError(
            "encrypted",
            "the file is locked with a password",
            where=name,
            remedy="save it without a password (for example: qpdf --decrypt --password=... IN OUT)",
        ) from error


def _page_text(document: pypdfium2.PdfDocument, index: int) -> str:
    with closing(document[index]) as page, closing(page.get_textpage()) as textpage:
        return clean_text(textpage.get_text_bounded())


def _stated(document: pypdfium2.PdfDocument, key: str) -> str | None:
    return " ".join(clean_text(document.get_metadata_value(key)).split()) or None


def _language(document: pypdfium2.PdfDocument) -> str | None:
    """The language that the file's catalogue states, as a tag such as `de-DE`."""
    return _words(partial(raw.FPDFCatalog_GetLanguage, document)) or None


def _notes(document: pypdfium2.PdfDocument, index: int) -> Iterator[str]:
    """What is written upon a page in annotations and form fields, without those that hold no words."""
    with closing(document[index]) as page:
        for at in range(raw.FPDFPage_GetAnnotCount(page)):
            annotation = raw.FPDFPage_GetAnnot(page, at)
            if annotation:
                try:
                    words = _note(document, annotation)
                finally:
                    raw.FPDFPage_CloseAnnot(annotation)
                if any(character.isalnum() for character in words):
                    yield words


def _note(document: pypdfium2.PdfDocument, annotation: raw.FPDF_ANNOTATION) -> str:
    kind = raw.FPDFAnnot_GetSubtype(annotation)
    if kind in _NOT_NOTES:
        return ""
    if kind != raw.FPDF_ANNOT_WIDGET:
        return _words(partial(raw.FPDFAnnot_GetStringValue, annotation, b"Contents"))
    form = document.formenv
    if form is None or raw.FPDFAnnot_GetFormFieldType(form, annotation) not in _WRITTEN_FIELDS:
        return ""
    return _words(partial(raw.FPDFAnnot_GetFormFieldValue, form, annotation))


def _words(read: Callable[[ctypes.Array[ctypes.c_ushort] | None, int], int]) -> str:
    """A text of PDFium, in one line, by a function that fills a buffer and returns how many bytes it needs."""
    size = read(None, 0)
    buffer = (raw.FPDF_WCHAR * (size // 2))()
    read(buffer, size)
    return " ".join(clean_text(bytes(buffer).decode("utf-16-le", errors="ignore").rstrip("\0")).split())


def _bookmarks(document: pypdfium2.PdfDocument) -> Iterator[Bookmark]:
    """The outline, without entries that have no words or lead to no page of the file."""
    for entry in document.get_toc():
        title = " ".join(clean_text(entry.get_title()).split())
        target = entry.get_dest()
        page = None if target is None else target.get_index()
        if title and target is not None and page is not None and 0 <= page < len(document):
            mode, view = target.get_view()
            yield Bookmark(entry.level, title, page, _characters_above(document, page, mode, view))


def _characters_above(document: pypdfium2.PdfDocument, index: int, mode: int, view: Sequence[float | None]) -> int:
    """How many characters of a page, white space aside, come before the place that a bookmark leads to; 0 where it names only the page."""
    left, top = {
        raw.PDFDEST_VIEW_XYZ: (view[0] if view else 0, view[1] if len(view) > 1 else None),
        raw.PDFDEST_VIEW_FITH: (0, view[0] if view else None),
    }.get(mode, (0, None))
    if top is None:
        return 0
    above = 0
    with closing(document[index]) as page, closing(page.get_textpage()) as textpage:
        for at, character in enumerate(textpage.get_text_range()):
            if not character.isspace():
                x, _, _, y = textpage.get_charbox(at)
                if y <= top and x >= (left or 0) - 1:
                    break
                above += 1
    return above
