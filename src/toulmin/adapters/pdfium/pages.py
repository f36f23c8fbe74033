"""Pages of a PDF, as PDFium draws them, and where on them it reads each character."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from toulmin.adapters.pdfium.png import png
from toulmin.domain.corpus.printed import Box, PrintedPage
from toulmin.ports.pages import HIGHEST, WIDEST, not_drawn

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

_FINE = 16
"""Parts of a pixel to which places are told: a dash is thinner than one."""

_HIGH = range(0xD800, 0xDC00)
_LOW = range(0xDC00, 0xE000)
"""Halves of a character above U+FFFF, which PDFium tells one by one."""


@dataclass(frozen=True, slots=True)
class PdfPages:
    """`PageImages` of PDFs. PDFium reads hostile files in here: run it in a process of its own."""

    @property
    def suffixes(self) -> frozenset[str]:
        return frozenset({".pdf"})

    @property
    def media_types(self) -> frozenset[str]:
        return frozenset({"application/pdf"})

    def image(self, data: bytes, index: int) -> bytes:
        with _page(data, index) as page, closing(page.render(scale=_scale(page), rev_byteorder=True)) as bitmap:
            return png(bitmap.width, bitmap.height, bytes(bitmap.buffer))

    def printed(self, data: bytes, index: int) -> PrintedPage:
        with _page(data, index) as page, closing(page.get_textpage()) as text:
            sheet = _Sheet(page)
            read = list(_characters(text, sheet))
        return PrintedPage(
            width=sheet.width,
            height=sheet.height,
            characters=tuple(character for character, _ in read),
            boxes=tuple(box for _, box in read),
        )

    def close(self) -> None:
        """Nothing is held between two calls."""


@contextmanager
def _page(data: bytes, index: int) -> Iterator[PdfPage]:
    """A page of a file; what PDFium raises is raised as an `InputError`."""
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        with closing(PdfDocument(data)) as document:
            document.init_forms()  # or what is filled in would not be drawn; before any page is loaded
            if not 0 <= index < len(document):
                raise not_drawn(f"there is no page {index + 1} in a file of {len(document)}")
            with closing(document[index]) as page:
                yield page
    except PdfiumError as error:
        raise not_drawn(f"PDFium cannot read it: {error}") from error


def _scale(page: PdfPage) -> float:
    """Pixels a point."""
    return float(min(WIDEST / page.get_width(), HIGHEST / page.get_height()))


class _Sheet:
    """A page's image: its size, and where places of the page are on it."""

    def __init__(self, page: PdfPage) -> None:
        scale = _scale(page)
        self._page = page
        self.width, self.height = ceil(page.get_width() * scale), ceil(page.get_height() * scale)

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A rectangle of the page as it is shown, rotated and cropped."""
        corners = [self._pixel(left, bottom), self._pixel(right, top)]
        across, down = sorted(x for x, _ in corners), sorted(y for _, y in corners)
        return Box(across[0], down[0], across[1], down[1])

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        from pypdfium2 import raw

        across, down = ctypes.c_int(), ctypes.c_int()
        size = _FINE * self.width, _FINE * self.height
        raw.FPDF_PageToDevice(self._page, 0, 0, *size, 0, x, y, across, down)
        return across.value / _FINE, down.value / _FINE


def _characters(text: PdfTextPage, sheet: _Sheet) -> Iterator[tuple[str, Box]]:
    """Each character with its box, in PDFium's order."""
    from pypdfium2 import raw

    high = 0
    for at in range(text.count_chars()):
        unit = raw.FPDFText_GetUnicode(text, at)
        if unit in _HIGH:
            high = unit
            continue
        code = 0x10000 + ((high - _HIGH.start) << 10) + (unit - _LOW.start) if high and unit in _LOW else unit
        high = 0
        yield chr(code), sheet.box(*text.get_charbox(at))
