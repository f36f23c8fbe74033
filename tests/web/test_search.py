"""Searching: passages with the words of the question marked, and why not others."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from starlette.datastructures import URL

from tests.web.conftest import Browser
from toulmin.surfaces.web.listing import LENGTH, part
from toulmin.surfaces.web.wordmarks import occurrences

SEARCH = "/search?text=the+Telemetry+reconnect&case.model=G2&case.firmware=2.4.1"


def test_a_passage_has_its_title_its_heading_and_the_words_of_the_question_marked(visitor: Browser) -> None:
    page = visitor.see(SEARCH)
    assert set(page.marks) == {"telemetry", "reconnect"}
    assert "Gateway telemetry after reconnect" in page.text
    assert "Telemetry stops · score " in page.text
    assert "Why not?" in page.text


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("OLD-240", "has to lie in the range"),
        ("GW-241", "It is among the selected passages."),
        ("PRIVATE", "There is no document PRIVATE that you may see."),
    ],
)
def test_a_search_says_of_one_document_why_it_is_not_found(visitor: Browser, document: str, says: str) -> None:
    page = visitor.see(f"{SEARCH}&document={document}")
    assert says in page.text
    assert "You may see these documents" not in page.text


def test_a_document_that_no_rule_excludes_may_not_be_found_all_the_same(visitor: Browser) -> None:
    assert "the search did not find it" in visitor.see("/search?text=zebra&case.model=G2&document=BILL-42").text


def test_an_empty_result_says_why_it_is_empty(visitor: Browser) -> None:
    unmatched = visitor.see("/search?text=zebra&case.model=G2&case.firmware=2.4.1")
    too_early = visitor.see("/search?text=zebra&explain=true&as_of=2020-01-01")
    assert "Look for other words." in unmatched.text
    assert "No document that you may see applies to this case." in too_early.text
    assert "has to be in force" in too_early.text


def test_a_number_from_which_on_nothing_can_be_listed_is_refused_beside_the_form(visitor: Browser) -> None:
    visitor.see(f"{SEARCH}&explain=true&first=0", status=422)


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("reconnect", "Reconnects after RECONNECT; disconnect.", ["Reconnects", "RECONNECT"]),
        ("the G2, and its end", "The G2 in the end and its 2.4", ["G2", "end"]),
        ("café", "cafe\u0301 café cafeteria", ["cafe\u0301", "café"]),
        ("שלום", "👩‍👧 שלום 👩‍👧", ["שלום"]),
        ("straße", "STRASSE", ["STRASSE"]),
        ("", "Nothing", []),
        ("is it", "it is", []),
    ],
)
def test_words_of_a_question_are_found_whole_and_whatever_their_form(
    question: str, text: str, words: list[str]
) -> None:
    assert [text[start:end] for start, end in occurrences(question, text)] == words


def test_a_list_is_shown_a_part_at_a_time_with_ways_on() -> None:
    here, items = URL("/why?document=a%20b&first=101"), list(range(1, 2 * LENGTH + 2))
    first, second, last = (part(items, at, here) for at in (1, LENGTH + 1, 10**9))
    assert (first.first, first.last, first.total, first.earlier) == (1, LENGTH, 2 * LENGTH + 1, None)
    assert first.later == f"?document=a+b&first={LENGTH + 1}"
    assert (second.first, second.last) == (LENGTH + 1, 2 * LENGTH)
    assert (second.earlier, second.later) == ("?document=a+b&first=1", f"?document=a+b&first={2 * LENGTH + 1}")
    assert (list(last.items), last.later) == ([2 * LENGTH + 1], None)
    assert part([], 1, here).items == []


def test_the_way_on_leads_to_the_same_list_whatever_its_path() -> None:
    asked = "http://here/impact/50%25%41%3Fb"
    sent = {"type": "http", "path": "/impact/50%A?b", "query_string": b"version=1", "headers": [(b"host", b"here")]}
    later = part(range(2 * LENGTH), 1, URL(scope=sent)).later
    assert later is not None
    assert urljoin(asked, later) == f"{asked}?version=1&first={LENGTH + 1}"
