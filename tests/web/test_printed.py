"""Pages as they are printed: the picture, the words marked upon it, and the text beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from html import escape
from pathlib import Path

import pytest

from tests.api.conftest import READER, Running
from tests.samples.pdfs import pdf
from tests.web.conftest import Browser, Read, browsing
from toulmin.domain.corpus.document import Status
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace

PAGES = (
    "Retention is thirty days.\nA fault is reported at once.",
    "A second <b>page</b> & its words.",
    "",
)
DOCUMENT = "manuals/G2 manual.pdf"
ADDRESS = "manuals%2FG2%20manual.pdf"
TEXT = "\n\n".join(PAGES)


@pytest.fixture
def manual(folder: Path) -> str:
    """The text of a PDF of three pages, which only the reader's tenant may read."""
    return taken(folder, pdf(PAGES, labels="0 << /S /r >>"))


def taken(folder: Path, data: bytes, *, keep: bool = True) -> str:
    path = folder / "documents" / "manuals" / "G2 manual.pdf"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    if not keep:
        with (folder / "toulmin.toml").open("a", encoding="utf-8") as settings:
            settings.write("\n[originals]\nkeep = false\n")
    options = stated_metadata({"id": DOCUMENT, "version": "1", "readers": ("tenant:acme",)})
    with Workspace.open(folder) as desk:
        (report,) = desk.ingest(each for each in desk.entries([path], options=options) if isinstance(each, Entry))
        assert report.fault is None, report.fault
        (standing,) = desk.documents(document=DOCUMENT, principal=READER)
        revision = desk.revision(standing.key, principal=READER)
    assert revision is not None
    return revision.text


@pytest.fixture
def stranger(running: Running) -> Iterator[Browser]:
    """Somebody of another tenant."""
    with browsing(running, "other") as browser:
        yield browser


def address(number: int, text: str = "", words: str = "", kind: str = "pages") -> str:
    marked = f"&start={text.index(words)}&end={text.index(words) + len(words)}" if words else ""
    return f"/{kind}/{number}/{ADDRESS}?version=1{marked}"


def rectangles(page: Read) -> list[dict[str, str | None]]:
    return [given for tag, given in page.tags if tag == "rect"]


def test_marked_words_are_framed_on_the_page_and_marked_in_its_text(manual: str, visitor: Browser) -> None:
    words = "thirty days.\nA fault"
    page = visitor.see(address(1, manual, words))
    assert page.marks == [words]
    assert len(rectangles(page)) == 2
    assert "with the marked words framed" in page.text
    assert all(not {"style", "fill"} & given.keys() for given in rectangles(page))
    assert page.headings == [1, 2, 2]


def test_the_frames_are_on_the_words_of_the_picture_that_is_shown(manual: str, visitor: Browser) -> None:
    page = visitor.see(address(1, manual, "Retention"))
    (image,) = (given for tag, given in page.tags if tag == "image")
    (frame,) = rectangles(page)
    (sheet,) = (given for tag, given in page.tags if tag == "svg")
    assert sheet["viewbox"] == f"0 0 {image['width']} {image['height']}"
    assert 110 < float(frame["x"] or 0) < 118, "72 of 612 points"
    assert 55 < float(frame["width"] or 0) < 110
    picture = visitor.get(image["href"] or "")
    assert picture.headers["content-type"] == "image/png"
    assert picture.content[16:24] == b"".join(int(image[name] or 0).to_bytes(4) for name in ("width", "height"))
    assert picture.headers["cache-control"] == "no-store"
    assert picture.headers["x-content-type-options"] == "nosniff"


def test_words_over_two_pages_are_marked_on_each(manual: str, visitor: Browser) -> None:
    words = "at once.\n\nA second"
    first, second = visitor.see(address(1, manual, words)), visitor.see(address(2, manual, words))
    assert (first.marks, second.marks) == (["at once."], ["A second"])
    assert len(rectangles(first)) == len(rectangles(second)) == 1
    span = address(2, manual, words).partition("version=1")[2]
    assert any(link.startswith("/pages/2/") and link.endswith(span) for link in first.links)
    assert any(link.startswith("/sources/") and link.endswith(span) for link in first.links)


@pytest.mark.usefixtures("manual")
def test_a_page_without_marks_says_where_in_the_file_it_is(visitor: Browser) -> None:
    page = visitor.see(address(2))
    assert "page ii" in page.text
    assert "page 2 of the 3 in the file" in page.text
    assert (page.marks, rectangles(page)) == ([], [])
    assert "could not be found" not in page.text


@pytest.mark.usefixtures("manual")
def test_a_page_without_text_says_what_that_means(visitor: Browser) -> None:
    assert "There is no text on this page" in visitor.see(address(3)).text


@pytest.mark.usefixtures("manual")
def test_what_stands_in_a_document_is_text_and_no_markup(visitor: Browser) -> None:
    reply = visitor.get(address(2))
    assert escape("<b>page</b> & its") in reply.text
    assert "<b>page" not in reply.text
    assert "img-src 'self'" in reply.headers["content-security-policy"]
    assert len(reply.content) < 20_000


def test_the_source_leads_to_its_printed_pages_and_back(manual: str, visitor: Browser) -> None:
    start = manual.index("thirty")
    source = visitor.see(f"/sources/{ADDRESS}?version=1&start={start}&end={start + 6}")
    assert address(1, manual, "thirty") in source.links
    assert visitor.see(address(1, manual, "thirty")).marks == ["thirty"]


def test_a_file_without_pages_has_none_to_be_shown(visitor: Browser) -> None:
    assert not [link for link in visitor.see("/sources/GW-241?version=3").links if link.startswith("/pages/")]
    visitor.see("/pages/1/GW-241?version=3", 404)
    visitor.see("/page-images/1/GW-241?version=3", 404)


@pytest.mark.usefixtures("manual")
@pytest.mark.parametrize("kind", ["pages", "page-images"])
def test_who_may_not_read_a_document_sees_no_page_of_it(stranger: Browser, kind: str) -> None:
    page = stranger.see(address(1, kind=kind), 404)
    assert f"no document {DOCUMENT} v1 that you may read" in page.text
    assert "thirty" not in page.text


@pytest.mark.usefixtures("manual")
@pytest.mark.parametrize("number", ["0", "4", "-1", "01", "x", "1e0", "\u0661"])
def test_a_page_that_is_not_there_is_not_found(visitor: Browser, number: str) -> None:
    for kind in ("pages", "page-images"):
        visitor.see(f"/{kind}/{number}/{ADDRESS}?version=1", 404)


@pytest.mark.usefixtures("manual")
@pytest.mark.parametrize(
    "query", ["", "?version=1&start=3", "?version=1&start=5&end=5", "?version=1&start=1&end=9999", "?version=1&x=1"]
)
def test_what_is_asked_for_has_to_be_in_the_text(visitor: Browser, query: str) -> None:
    visitor.see(f"/pages/1/{ADDRESS}{query}", 422)


def test_without_the_file_its_text_is_shown_and_what_helps(folder: Path, running: Running) -> None:
    text = taken(folder, pdf(PAGES), keep=False)
    with browsing(running, "reader") as browser:
        page = browser.see(address(1, text, "thirty"))
        assert "cannot be shown as it is printed" in page.text
        assert "ingest the file again to see its pages" in page.text
        assert (page.marks, rectangles(page)) == (["thirty"], [])
        browser.see(address(1, kind="page-images"), 404)


def test_a_page_that_cannot_be_drawn_any_more_is_told_and_its_text_shown(
    manual: str, folder: Path, visitor: Browser
) -> None:
    broken = b"%PDF-1.7 of another day"
    with closing(sqlite3.connect(folder / ".toulmin" / "corpus.db")) as connection, connection:
        connection.execute("UPDATE original SET bytes = ?", [broken])
        connection.execute(
            "UPDATE revision SET bytes_sha256 = ? WHERE document = ?", [sha256(broken).hexdigest(), DOCUMENT]
        )
    page = visitor.see(address(1, manual, "thirty"))
    assert "the page cannot be drawn: PDFium cannot read it" in page.text
    assert page.marks == ["thirty"]
    visitor.see(address(1, kind="page-images"), 422)


def test_words_that_are_not_certain_are_not_framed_and_the_page_says_so(folder: Path, running: Running) -> None:
    text = taken(folder, pdf(["Same words in a line.\nSame words in a line."]))
    with closing(sqlite3.connect(folder / ".toulmin" / "corpus.db")) as connection, connection:
        changed = text.replace("line.", "lime.", 1)
        connection.execute("UPDATE revision_text SET text = ? WHERE text = ?", [changed, text])
    with browsing(running, "reader") as browser:
        page = browser.see(address(1, changed, "Same words in a lime"))
    assert rectangles(page) == []
    assert "could not be found on the page with certainty" in page.text
    assert page.marks == ["Same words in a lime"]


def test_after_a_withdrawal_pages_are_shown_as_the_text_is_and_after_a_deletion_no_more(
    manual: str, service_desk: Workspace, visitor: Browser
) -> None:
    service_desk.retire(DOCUMENT, Status.WITHDRAWN)
    assert rectangles(visitor.see(address(1, manual, "thirty")))
    service_desk.retire(DOCUMENT, Status.DELETED)
    visitor.see(address(1), 404)
    visitor.see(address(1, kind="page-images"), 404)


@pytest.fixture
def service_desk(folder: Path) -> Iterator[Workspace]:
    with Workspace.open(folder) as desk:
        yield desk
