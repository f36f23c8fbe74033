from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Running, served
from tests.api.drafting import TEXT, drafting, opened
from tests.api.processes import configured
from tests.web.conftest import FROM_HERE, Browser, browsing, read
from toulmin.surfaces.http.app import create_app

TYPE = "gateway-explain-and-next-step-v1"
FORM = f"/ask/types/{TYPE}"
CASE = {"case__model": "G2", "case__firmware": "2.4.1", "case__audit_hold": "true"}
OPEN = {"text": TEXT, "case__model": "G2", "case__firmware": "2.4.1"}
CLAUSE = "Firmware 2.4.1 on G2 gateways may stop sending telemetry after a reconnect."


def test_the_question_types_are_there_to_choose_from(visitor: Browser) -> None:
    assert {FORM, "/ask/open"} <= set(visitor.see("/ask").links)


def test_the_form_of_a_type_has_the_fields_of_its_case_and_says_which_a_service_alone_may_set(visitor: Browser) -> None:
    page = visitor.see(FORM)
    assert set(page.controls) == {"case.model", "case.firmware"}
    assert "Set by a service only." in page.text
    assert "You cannot ask this yourself" in page.text


def test_a_service_may_set_them(running: Running) -> None:
    with browsing(running, "service") as browser:
        page = browser.see(FORM)
    assert {"case.model", "case.firmware", "case.audit_hold"} < set(page.controls)


def test_a_user_who_sets_them_all_the_same_is_refused_beside_the_form(visitor: Browser) -> None:
    reply = visitor.fill(FORM, "/ask", **CASE)
    assert reply.status_code == 403
    assert "takes the case field audit_hold from a service alone" in read(reply).text


def test_an_answer_is_a_packet_page_with_each_claim_its_verdict_and_its_source(running: Running) -> None:
    with browsing(running, "service") as browser:
        reply = browser.fill(FORM, "/ask", **CASE)
        page = browser.see(reply.headers["location"])
        address = next(link for link in page.links if link.startswith("/sources/GW-241?version=3&start="))
        source = browser.see(address)
    assert reply.status_code == 303
    assert reply.headers["location"].startswith("/packets/pk-")
    assert CLAUSE in page.text
    assert "Licensed: the contract allows this sentence for these exact words" in page.text
    assert "in force, unchanged" in page.text
    assert "The record verifies." in page.text
    assert "What to do next." in page.text
    assert source.marks == ["G2 firmware 2.4.1 may stop sending telemetry after a reconnect."]


def test_evidence_that_is_missing_is_named_with_what_to_do(running: Running) -> None:
    with browsing(running, "service") as browser:
        page = browser.see(browser.fill(FORM, "/ask", **(CASE | {"case__firmware": "9.9"})).headers["location"])
    assert "More evidence is needed" in page.text
    assert "known-issue" in page.text
    assert "Add a document that says what is missing" in page.text


def test_what_is_wrong_in_a_form_is_told_beside_it_and_what_was_filled_in_stays(running: Running) -> None:
    with browsing(running, "service") as browser:
        reply = browser.fill(FORM, "/ask", **(CASE | {"case__firmware": "not one version"}))
    assert reply.status_code == 422
    assert "case.firmware" in read(reply).text
    assert 'value="not one version"' in reply.text
    assert 'role="alert"' in reply.text


def test_a_type_that_is_not_there_is_an_outcome_in_words(visitor: Browser) -> None:
    assert "There is no such question type" in visitor.see("/ask/types/nothing-v1", status=404).text
    sent = visitor.send("/ask", {**visitor.see(FORM).fields, "question": "nothing-v1"})
    assert sent.status_code == 200
    assert "No contract has the id" in read(sent).text


def test_open_questions_are_not_offered_where_they_are_not_answered(folder: Path) -> None:
    configured(folder, "[open_question]\nenabled = false\n")
    with served(create_app(opened(folder))) as running, browsing(running, "reader") as browser:
        assert "/ask/open" not in browser.see("/ask").links
        browser.see("/ask/open", status=404)


def test_an_open_question_is_answered_under_its_profile_and_says_that_support_was_not_judged(folder: Path) -> None:
    with drafting(folder) as desk, browsing(desk.running, "reader") as browser:
        page = browser.see(browser.fill("/ask/open", "/ask", **OPEN).headers["location"])
    assert TEXT in page.text
    assert "Whether the passage supports it was not judged." in page.text
    assert "Cited: support was not judged" in page.text


def test_a_model_that_fails_leaves_the_passages_and_says_why_there_is_no_answer(folder: Path) -> None:
    with drafting(folder, "rate_limited") as desk, browsing(desk.running, "reader") as browser:
        page = browser.see(browser.fill("/ask/open", "/ask", **OPEN).headers["location"])
    assert "Passages were found, but there is no answer" in page.text
    assert "takes no more requests for now" in page.text
    assert "G2 firmware 2.4.1 may stop sending telemetry" in page.text


def contradicting(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """A draft whose second claim has another number than its source."""
    (known,) = (item["evidence_id"] for item in question["evidence"] if "2.4.1 may stop" in item["passage"])
    told = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."
    return {"segments": [{"text": text, "evidence_ids": [known]} for text in (told, told.replace("2.4.1", "7.5"))]}


def test_a_withheld_claim_stands_apart_with_its_reason_and_the_words_that_speak_against_it(folder: Path) -> None:
    with drafting(folder, author=contradicting, mode="reviewed") as desk, browsing(desk.running, "reader") as browser:
        shown = browser.get(browser.fill("/ask/open", "/ask", **OPEN).headers["location"])
    answer, _, apart = shown.text.partition("Not part of the answer")
    assert "firmware 2.4.1 may" in answer
    assert "7.5" not in answer
    assert "7.5" in apart
    assert {"firmware 7.5", "firmware 2.4.1"} <= set(read(shown).marks)


def test_why_not_lists_what_the_rules_exclude_and_nothing_that_the_visitor_may_not_see(running: Running) -> None:
    with browsing(running, "service") as browser:
        packet = browser.fill(FORM, "/ask", **CASE).headers["location"]
        page = browser.see(f"{packet}/why-not")
    assert "OLD-240" in page.text
    assert "has to lie in the range" in page.text
    assert "PRIVATE" not in page.text


def test_a_search_shows_passages_and_on_request_which_rule_excludes_the_rest(visitor: Browser) -> None:
    plain = visitor.see("/search?text=telemetry+reconnect&case.model=G2&case.firmware=2.4.1")
    explained = visitor.see("/search?text=telemetry+reconnect&case.model=G2&case.firmware=2.4.1&explain=true")
    assert any(link.startswith("/sources/GW-241?version=3&start=") for link in plain.links)
    assert "OLD-240" not in plain.text
    assert "OLD-240" in explained.text
    assert "PRIVATE" not in explained.text


def test_a_search_that_cannot_be_made_says_why_beside_its_form(visitor: Browser) -> None:
    page = visitor.see("/search?text=telemetry&case.model=G2&case.colour=red", status=422)
    assert "no rule of profile default judges colour" in page.text
    visitor.see("/search?profile=nothing", status=422)
    assert "Nothing was found" in visitor.see("/search?text=zebra&case.model=G9&case.firmware=1").text


@pytest.mark.parametrize("script", ["ok", "rate_limited"])
def test_with_a_script_the_events_come_one_by_one(folder: Path, script: str) -> None:
    with drafting(folder, script) as desk, browsing(desk.running, "reader") as browser:
        form = browser.see("/ask/open").fields | {"text": TEXT, "case.model": "G2", "case.firmware": "2.4.1"}
        reply = browser.send("/ask", form, FROM_HERE | {"Accept": "text/event-stream"})
    events = [line.removeprefix("event: ") for line in reply.text.splitlines() if line.startswith("event: ")]
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert (events[0], events[-1]) == ("search", "outcome")
    assert reply.headers["cache-control"] == "no-store"
    assert "content-security-policy" in reply.headers
