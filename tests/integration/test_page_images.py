"""Pages of PDFs, drawn: the picture, the places of characters on it, and files that mean harm."""

from __future__ import annotations

import ctypes
import os
import random
import struct
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.samples.pdfs import pdf
from toulmin.adapters.kreuzberg.pdf import PdfParser
from toulmin.adapters.pdfium.pages import PdfPages
from toulmin.adapters.pdfium.png import png
from toulmin.adapters.sandbox.pages import SandboxedPages
from toulmin.domain.corpus.printed import Box, PrintedPage, letters
from toulmin.domain.errors import InputError
from toulmin.ports.pages import HIGHEST, WIDEST, DrawingLimits

PAGES = PdfPages()
LOCKED = "005-libreoffice-writer-password.pdf"


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG, read: rows of red, green and blue."""

    width: int
    height: int
    rows: tuple[bytes, ...]

    @classmethod
    def of(cls, data: bytes) -> Picture:
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        chunks: dict[bytes, bytes] = {}
        at = 8
        while at < len(data):
            (length,) = struct.unpack_from(">I", data, at)
            kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
            assert struct.unpack_from(">I", data, at + 8 + length) == (zlib.crc32(kind + body),)
            chunks[kind] = body
            at += 12 + length
        width, height, depth, colour, *others = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
        assert (depth, colour, others) == (8, 2, [0, 0, 0])
        raw = zlib.decompress(chunks[b"IDAT"])
        length = 1 + 3 * width
        assert len(raw) == length * height
        assert all(raw[at] == 0 for at in range(0, len(raw), length))
        return cls(width, height, tuple(raw[at + 1 : at + length] for at in range(0, len(raw), length)))

    def inked(self, box: Box) -> int:
        """How many pixels of a box, and of the edge that smoothing blurs around it, are not white."""
        rows = self.rows[max(0, int(box.top) - 1) : int(box.bottom) + 2]
        parts = (row[3 * max(0, int(box.left) - 1) : 3 * (int(box.right) + 2)] for row in rows)
        return sum(part[at : at + 3] != b"\xff\xff\xff" for part in parts for at in range(0, len(part), 3))

    @property
    def ink(self) -> int:
        """The same of all of it."""
        return self.inked(Box(0, 0, self.width, self.height))


def drawn(data: bytes, index: int = 0) -> tuple[Picture, PrintedPage]:
    """A page's picture and places, which are of one size."""
    picture, printed = Picture.of(PAGES.image(data, index)), PAGES.printed(data, index)
    assert (picture.width, picture.height) == (printed.width, printed.height)
    return picture, printed


def refusal(data: bytes, index: int = 0) -> InputError:
    """Why neither can be had, which is the same for both."""
    with pytest.raises(InputError) as image:
        PAGES.image(data, index)
    with pytest.raises(InputError) as places:
        PAGES.printed(data, index)
    assert str(image.value) == str(places.value)
    assert image.value.code == "page_not_drawn"
    return image.value


def test_pixels_come_back_as_they_were_written() -> None:
    pixels = random.Random(1).randbytes(3 * 5 * 7)
    assert b"".join(Picture.of(png(5, 7, pixels)).rows) == pixels


def test_all_ink_of_a_page_lies_in_the_boxes_of_its_characters() -> None:
    picture, printed = drawn(pdf(["Hanging glyphs, \\(here\\).\nAnother line."]))
    assert "".join(printed.characters).split() == ["Hanging", "glyphs,", "(here).", "Another", "line."]
    marks = printed.marks("Hanging glyphs, (here).\nAnother line.", 0, 37)
    assert len(marks) == 2
    assert sum(map(picture.inked, marks)) == picture.ink > 500


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize(
    "box", ["", "/CropBox [50 600 400 760]", "/MediaBox [-100 -50 612 792] /CropBox [50 600 400 760]"]
)
def test_a_page_is_shown_as_it_is_read_rotated_and_cropped(rotation: int, box: str) -> None:
    media = "" if "Media" in box else "/MediaBox [0 0 612 792]"
    picture, printed = drawn(pdf(["Words"], sheet=f"{media} {box} /Rotate {rotation}"))
    assert (picture.width > picture.height) == ((rotation % 180 == 90) != ("Crop" in box))
    found = [each for each in zip(printed.characters, printed.boxes, strict=True) if each[0].strip()]
    assert [character for character, _ in found] == list("Words")
    around = found[0][1]
    for _, each in found:
        assert picture.inked(each) > 20
        around = around.joined(each)
    assert picture.inked(around) == picture.ink
    horizontal = around.width > around.height
    assert horizontal == (rotation % 180 == 0)


def test_a_page_of_many_is_the_one_that_is_asked_for() -> None:
    data = pdf(["First.", "Second."], labels="0 << /S /r >>")
    assert "".join(drawn(data, 1)[1].characters).strip() == "Second."


@pytest.mark.parametrize(
    ("sheet", "size"),
    [
        ("[0 0 14400 14400]", (WIDEST, WIDEST)),
        ("[0 0 14400 72]", (WIDEST, 5)),
        ("[0 0 100 14400]", (21, HIGHEST)),
        ("[0 0 1000000 1000000]", (WIDEST, WIDEST)),
        ("[0 0 0 0]", (WIDEST, 1295)),
        ("[612 792 0 0]", (WIDEST, 1295)),
    ],
)
def test_whatever_size_a_page_has_its_picture_is_bounded(sheet: str, size: tuple[int, int]) -> None:
    picture, _ = drawn(pdf(["Words"], sheet=f"/MediaBox {sheet}"))
    assert (picture.width, picture.height) == size


def test_an_empty_page_is_white_and_has_no_characters() -> None:
    picture, printed = drawn(pdf([""]))
    assert (picture.ink, printed.characters) == (0, ())


def test_what_is_written_in_a_form_is_drawn() -> None:
    written = "/Subtype /Widget /FT /Tx /F 4 /T (a) /V (Answer) /DA (/F1 12 Tf 0 g)"
    plain, filled = (drawn(pdf([""], annotations=each))[0].ink for each in ((), (written,)))
    assert filled > plain


@pytest.mark.parametrize("index", [-1, 1, 99])
def test_a_page_that_the_file_does_not_have_is_not_drawn(index: int) -> None:
    assert "in a file of 1" in refusal(pdf(["Words"]), index).message


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7 and nothing more", b"\0" * 1000, pdf(["Words"])[:200]])
def test_a_file_that_is_no_pdf_any_more_is_not_drawn(data: bytes) -> None:
    assert "PDFium cannot read it" in refusal(data).message


def test_a_locked_file_is_not_drawn(shared_data: Path) -> None:
    assert "password" in refusal((shared_data / "pdf" / LOCKED).read_bytes()).message


def test_characters_beyond_the_basic_plane_are_whole(shared_data: Path) -> None:
    for file in sorted((shared_data / "pdf").glob("*.pdf")):
        if file.name != LOCKED:
            printed = PAGES.printed(file.read_bytes(), 0)
            assert all(len(each) == 1 and not 0xD800 <= ord(each) < 0xE000 for each in printed.characters), file


def test_marked_words_spell_what_they_mark_in_files_of_many_makers(shared_data: Path) -> None:
    """All of them, but for formulas with several storeys, whose frames take their neighbours in; see `bench/printed.py`."""
    chosen = random.Random(7)
    spans = marked = right = 0
    for file in sorted((shared_data / "pdf").glob("*.pdf")):
        data = file.read_bytes()
        try:
            parsed = PdfParser().parse(data, name=file.name)
        except InputError:
            continue
        for page in chosen.sample(parsed.pages, min(6, len(parsed.pages))):
            text, printed = parsed.text[page.start : page.end], PAGES.printed(data, page.index)
            words = [at for at in range(len(text)) if not text[at].isspace() and (at == 0 or text[at - 1].isspace())]
            for start in chosen.sample(words, min(6, len(words))):
                end = len(text[: start + chosen.choice((1, 40, 200))].rstrip())
                while end < len(text) and not text[end].isspace():
                    end += 1
                boxes = printed.marks(text, start, end)
                spans += 1
                marked += bool(boxes)
                right += bool(boxes) and spelled(printed, boxes) == letters(text[start:end])
    assert spans > 100
    assert marked >= 0.85 * spans, "all but two files of right-to-left text"
    assert right >= 0.97 * marked


def spelled(printed: PrintedPage, boxes: tuple[Box, ...]) -> str:
    """The letters whose middle is in one of the boxes."""
    return "".join(
        letters(character)
        for character, box in zip(printed.characters, printed.boxes, strict=True)
        if box.width > 0
        and box.height > 0
        and any(
            mark.left <= (box.left + box.right) / 2 <= mark.right
            and mark.top <= (box.top + box.bottom) / 2 <= mark.bottom
            for mark in boxes
        )
    )


# In a process of its own

LIMITS = DrawingLimits(timeout_s=30, memory_mb=512, max_image_bytes=100_000)


@dataclass(frozen=True)
class Obedient:
    """Does what the file says, in the worker."""

    suffixes = frozenset({".pdf"})
    media_types = frozenset({"application/pdf"})

    def image(self, data: bytes, index: int) -> bytes:
        match data:
            case b"crash":
                ctypes.string_at(0)
            case b"hang":
                time.sleep(60)
            case b"eat":
                return bytes(len(bytearray(600 << 20)))
            case b"write":
                return bytes(1_000_000)
            case b"pid":
                return str(os.getpid()).encode()
            case b"refuse":
                raise InputError("page_not_drawn", "because", remedy="look elsewhere")
        return bytes([index])

    def printed(self, data: bytes, index: int) -> PrintedPage:
        return PrintedPage(width=1, height=index, characters=(data.decode(),), boxes=(Box(0, 0.0625, 1, 1),))

    def close(self) -> None:
        raise AssertionError("it is another process's")


@pytest.fixture
def pages() -> Iterator[SandboxedPages]:
    opened = SandboxedPages(Obedient(), LIMITS)
    yield opened
    opened.close()


def test_what_a_process_draws_comes_back_as_it_is(pages: SandboxedPages) -> None:
    assert pages.image(b"\xff\0", 7) == b"\x07"
    assert pages.printed("\U0001f600".encode(), 3) == Obedient().printed("\U0001f600".encode(), 3)
    assert (pages.suffixes, pages.media_types) == (Obedient.suffixes, Obedient.media_types)
    assert pages.image(b"pid", 0) != str(os.getpid()).encode()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"crash", "broke down (SIGSEGV)"),
        (b"eat", "more than 512 MiB"),
        (b"write", "more than 100000 bytes"),
        (b"refuse", "because"),
    ],
)
def test_a_file_that_breaks_its_process_costs_one_page(pages: SandboxedPages, data: bytes, why: str) -> None:
    pages.image(b"fine", 1)
    with pytest.raises(InputError) as fault:
        pages.image(data, 1)
    assert fault.value.code == "page_not_drawn"
    assert why in fault.value.message
    assert pages.image(b"fine", 1) == b"\x01"


def test_a_page_that_takes_too_long_is_given_up() -> None:
    pages = SandboxedPages(Obedient(), DrawingLimits(timeout_s=1, memory_mb=512))
    try:
        with pytest.raises(InputError, match="longer than 1 seconds"):
            pages.image(b"hang", 0)
    finally:
        pages.close()


def test_real_pages_come_through_a_process_as_they_are_drawn_here() -> None:
    data = pdf(["Words"])
    pages = SandboxedPages(PdfPages(), DrawingLimits())
    try:
        assert pages.image(data, 0) == PAGES.image(data, 0)
        assert pages.printed(data, 0) == PAGES.printed(data, 0)
    finally:
        pages.close()
