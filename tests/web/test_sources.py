"""The words that somebody cites, marked in their place: by offsets in code points, whatever the text is made of."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.api.conftest import Running
from tests.web.conftest import Browser, browsing, read
from toulmin.domain.corpus.document import Status
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace
from toulmin.surfaces.web.marked import Piece, disputed_pieces, pieces
from toulmin.surfaces.web.sources import WINDOW

HEAD = (
    "---\r\ntoulmin: {{id: {0}, version: '1', title: Odd text, readers: [public], valid_from: 2026-01-01}}\r\n---\r\n"
)
BODY = (
    "# Strange signs 🧭\r\n\r\n"
    "Before 👩‍👩‍👧‍👦 the café (cafe\u0301) line.\r\n"
    "The word שלום stands here, and <b>this</b> & that.\r\n"
    "Last 🏳️‍🌈 line.\r\n"
)


def taken(folder: Path, document: str, body: str) -> str:
    """The text of a document as the corpus has it once it was taken in."""
    path = folder / "documents" / f"{document}.md"
    path.write_bytes((HEAD.format(document) + body).encode())
    with Workspace.open(folder) as desk:
        (report,) = desk.ingest(each for each in desk.entries([path]) if isinstance(each, Entry))
        assert report.fault is None, report.fault
        (standing,) = desk.documents(document=document)
        revision = desk.revision(standing.key)
    assert revision is not None
    return revision.text


@pytest.fixture
def odd(folder: Path) -> str:
    """A text with emoji, combining characters, right-to-left words and CRLF."""
    text = taken(folder, "ODD", BODY)
    assert "\r\n" in text
    return text


@pytest.mark.parametrize(
    "words", ["👩‍👩‍👧‍👦", "cafe\u0301", "שלום", "<b>this</b> & that", "line.\r\nThe word", "🏳️‍🌈 line.", "🧭"]
)
def test_the_marked_words_are_the_cited_ones(odd: str, visitor: Browser, words: str) -> None:
    start = odd.index(words)
    page = visitor.see(f"/sources/ODD?version=1&start={start}&end={start + len(words)}")
    assert page.marks == [words]
    assert odd in page.text


def test_a_source_tells_heading_title_and_whether_it_is_in_force(odd: str, visitor: Browser) -> None:
    start = odd.index("Before")
    page = visitor.see(f"/sources/ODD?version=1&start={start}&end={start + 6}")
    assert page.text.count("Strange signs 🧭") >= 2  # as the heading, and in the text
    assert "Odd text" in page.text
    assert "in force" in page.text


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    "query",
    [
        "version=1&start=5",
        "version=1&end=5",
        "version=1&start=5&end=5",
        "version=1&start=0&end=99999",
        "version=1&start=-1&end=4",
        "version=1&start=a&end=4",
        "start=1&end=2",
        "version=1&more=1",
    ],
)
def test_a_range_that_is_none_is_refused(visitor: Browser, query: str) -> None:
    visitor.see(f"/sources/ODD?{query}", status=422)


@pytest.mark.usefixtures("odd")
def test_a_version_that_is_not_there_is_a_page_that_says_so(visitor: Browser) -> None:
    visitor.see("/sources/ODD?version=2", status=404)
    visitor.see("/sources/NONE?version=1", status=404)


def test_a_withdrawn_source_is_shown_as_such_and_one_that_is_deleted_not_at_all(folder: Path, visitor: Browser) -> None:
    with Workspace.open(folder) as desk:
        desk.retire("GW-241", Status.WITHDRAWN)
        assert "withdrawn" in visitor.see("/sources/GW-241?version=3").text
        desk.retire("GW-241", Status.DELETED)
        visitor.see("/sources/GW-241?version=3", status=404)


def test_a_packet_leads_to_no_page_of_a_source_that_is_deleted_and_keeps_its_record(
    folder: Path, running: Running
) -> None:
    form = {"case__model": "G2", "case__firmware": "2.4.1", "case__audit_hold": "true"}
    with browsing(running, "service") as browser, Workspace.open(folder) as desk:
        packet = browser.fill("/ask/types/gateway-explain-and-next-step-v1", "/ask", **form).headers["location"]
        desk.retire("GW-241", Status.DELETED)
        page = browser.see(packet)
        unknown = browser.see(f"{packet}/why-not", status=404)
    assert "rules of this question are no longer kept" in unknown.text
    assert "deleted since" in page.text
    assert "(these words are no longer kept)" in page.text
    assert not any(link.startswith("/sources/GW-241") for link in page.links)
    assert "The record verifies." in page.text


def test_a_long_text_is_shown_around_the_marked_words_with_ways_on(folder: Path, visitor: Browser) -> None:
    lines = "".join(f"Line {number} of a long text.\n\n" for number in range(2500))
    text = taken(folder, "LONG", "# Long\n\n" + lines)
    start = text.index("Line 1200 of")
    reply = visitor.get(f"/sources/LONG?version=1&start={start}&end={start + 9}")
    page = read(reply)
    ways = [link for link in page.links if "offset=" in link]
    assert page.marks == ["Line 1200"]
    assert text[start - WINDOW : start + WINDOW] in page.text
    assert len(reply.content) < 100_000
    assert len(ways) == 2
    assert text[start + WINDOW : start + 2 * WINDOW] in visitor.see(ways[1]).text


def test_the_ends_of_a_long_text_lead_one_way_only(folder: Path, visitor: Browser) -> None:
    text = taken(folder, "LONG", "# Long\n\n" + "A line of a long text.\n\n" * 1500)
    first, last = (visitor.see(f"/sources/LONG?version=1&offset={at}") for at in (0, 10_000_000))
    assert text[:WINDOW] in first.text
    assert [link.partition("offset=")[2] for link in first.links if "offset=" in link] == [str(WINDOW)]
    assert [link.partition("offset=")[2] for link in last.links if "offset=" in link] == [str(len(text) - WINDOW)]


def test_pieces_join_to_the_text_and_mark_what_a_range_covers() -> None:
    found = pieces("abcdefgh", [(4, 6), (1, 3), (2, 4), (7, 7)])
    assert found == (Piece("a"), Piece("bcdef", marked=True), Piece("g"), Piece("h"))
    assert pieces("ab", [(5, 9)]) == (Piece("ab"),)
    assert pieces("ab", [(1, 9)]) == (Piece("a"), Piece("b", marked=True))


def test_thousands_of_curated_words_are_marked_in_the_time_of_their_number() -> None:
    text, many = "ab" * 10_000, [(place, place + 1) for place in range(0, 20_000, 2)]
    began = time.perf_counter()
    found = disputed_pieces(text, [(2, (3, 5)), (1, (4, 5)), (3, (9, 9))], many)
    assert time.perf_counter() - began < 2, "it took the time of its square"
    assert "".join(piece.text for piece in found) == text
    assert [piece.text for piece in found if piece.disputed] == ["b", "a"]
    assert [piece.numbers for piece in found if piece.numbers] == [(1, 2)]
    assert sum(piece.marked for piece in found) == 10_001


def test_many_headings_stand_on_pages_of_their_own_each_with_the_words_that_are_curated_below(
    folder: Path, visitor: Browser
) -> None:
    meta = HEAD.format("MANY").replace("]", "], spans: [{id: step, fact: do-it, quote: 'Text 70.'}]", 1)
    body = "".join(f"# Part {number}\n\n## More of {number}\n\nText {number}.\n\n" for number in range(80))
    path = folder / "documents" / "MANY.md"
    path.write_text(meta + body)
    with Workspace.open(folder) as desk:
        (report,) = desk.ingest(each for each in desk.entries([path]) if isinstance(each, Entry))
        assert report.fault is None, report.fault
    page = visitor.see("/sources/MANY?version=1")
    assert "160 headings, curated words in 1 place" in page.text
    (address,) = (link for link in page.links if link.startswith("/outline/"))
    first, rest = visitor.see(address), visitor.see(f"{address}&first=101")
    assert "1 to 100 of 161" in first.text
    assert "101 to 161 of 161" in rest.text
    assert "step, for the fact do-it: Text 70." in rest.text
    (marked,) = (link for link in rest.links if "start=" in link)
    assert visitor.see(marked).marks == ["Text 70."]
    last = [link for link in rest.links if "offset=" in link][-1]
    assert visitor.see(last).text.count("More of 79") >= 1


def test_what_is_not_outlined_is_said(folder: Path, visitor: Browser) -> None:
    taken(folder, "PLAIN", "Only words.\n")
    assert "no headings, and no curated words" in visitor.see("/outline/PLAIN?version=1").text
    visitor.see("/outline/PRIVATE?version=1", status=404)


def test_marked_words_beyond_the_end_of_a_page_are_said_to_go_on(folder: Path, visitor: Browser) -> None:
    text = taken(folder, "LONG", "words " * WINDOW)
    start = text.index("words")
    page = visitor.see(f"/sources/LONG?version=1&start={start}&end={start + 2 * WINDOW}")
    assert "The marked words go on after this part of the text." in page.text
    page = visitor.see(f"/sources/LONG?version=1&start={start}&end={start + 5}")
    assert "The marked words go on" not in page.text
