"""A packet as a page: each claim beside its words in their place, what speaks against it, and what to do next."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import PEOPLE, READER, Running
from tests.api.drafting import TEXT, Drafting, drafting
from tests.web.conftest import Browser, browsing, read
from toulmin.application.packets import PacketView
from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import Status
from toulmin.domain.proof.packet import Packet, seal
from toulmin.domain.question.case import Principal
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace
from toulmin.surfaces.web.record import Record

TYPE = "gateway-explain-and-next-step-v1"
CASE = {"case__model": "G2", "case__firmware": "2.4.1", "case__audit_hold": "true"}
OPEN = {"text": TEXT, "case__model": "G2", "case__firmware": "2.4.1"}
PROPOSITION = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."
ODD = (
    "The gateway 👩‍👩‍👧‍👦 stopped sending telemetry after a reconnect\r\n"
    "at the café (cafe\u0301) line שלום, and <b>this</b> & that 🏳️‍🌈."
)


def licensed(browser: Browser) -> str:
    """The address of a licensed answer's page."""
    return browser.fill(f"/ask/types/{TYPE}", "/ask", **CASE).headers["location"]


def asked(browser: Browser) -> str:
    """The address of an open question's page."""
    return browser.fill("/ask/open", "/ask", **OPEN).headers["location"]


def drafts(*claims: Callable[[str], str], about: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """An author of claims made of the passage that some words stand in, which they cite."""

    def author(question: Mapping[str, Any]) -> Mapping[str, Any]:
        (known,) = (item for item in question["evidence"] if about in item["passage"])
        return {
            "segments": [{"text": make(known["passage"]), "evidence_ids": [known["evidence_id"]]} for make in claims]
        }

    return author


def in_place(page: str) -> list[str]:
    """The words that are marked in their place, as they are written in a page's source."""
    found = re.findall(r'<mark class="span">(.*?)</mark>(?=[^<]*</div>)', page, re.DOTALL)
    return [unescape(re.sub(r"<sup.*?</sup>|</?mark[^>]*>", "", words)) for words in found]


def test_each_claim_has_its_words_in_their_place_beside_it(running: Running) -> None:
    with browsing(running, "service") as browser:
        shown = browser.get(licensed(browser))
    page = read(shown)
    assert in_place(shown.text) == [
        PROPOSITION,
        "While an audit hold is active, collect a diagnostic export and do not roll back firmware",
    ]
    assert [tag for tag, _ in page.tags].count("details") == 3  # and what was not selected
    assert "Telemetry stops" in page.text
    assert "The gateway itself\nstays reachable." in page.text.partition("Passages of the evidence")[0]
    assert "Gateway telemetry after reconnect" in page.text


def test_words_in_their_place_are_exact_whatever_they_are_made_of(folder: Path) -> None:
    path = folder / "documents" / "odd.md"
    head = "---\r\ntoulmin: {id: ODD, version: '1', readers: [public], scope: {model: '*', firmware: '*'}}\r\n---\r\n"
    path.write_bytes(f"{head}# Odd 🧭\r\n\r\n{ODD}\r\n\r\n# Next\r\n\r\nMore.\r\n".encode())
    with Workspace.open(folder) as desk:
        (report,) = desk.ingest(each for each in desk.entries([path]) if isinstance(each, Entry))
        assert report.fault is None, report.fault
    with (
        drafting(folder, author=drafts(lambda _: "It did.", about="שלום")) as service,
        browsing(service.running, "reader") as browser,
    ):
        shown = browser.get(asked(browser)).text
    assert in_place(shown) == [ODD]
    assert 'dir="auto"' in shown


def test_an_objection_has_its_number_on_the_words_of_both_sides(folder: Path) -> None:
    claims = [lambda _: PROPOSITION, lambda _: PROPOSITION.replace("2.4.1", "7.5")]
    with (
        drafting(folder, author=drafts(*claims, about="2.4.1 may stop"), mode="reviewed") as service,
        browsing(service.running, "reader") as browser,
    ):
        answer, _, apart = browser.get(asked(browser)).text.partition("Not part of the answer")
    number = '<sup class="number"><span class="unseen">objection </span>1</sup>'
    assert "disputed" not in answer
    assert apart.count('<mark class="disputed">firmware 7.5</mark>' + number) == 1
    assert apart.count('<mark class="disputed">firmware 2.4.1</mark>' + number) == 2  # the quote, and in its place
    assert "<strong>Leaves it open:</strong>" in apart


def test_words_of_a_source_that_is_gone_are_told_to_be_gone(folder: Path, running: Running) -> None:
    with browsing(running, "service") as browser, Workspace.open(folder) as desk:
        address = licensed(browser)
        desk.retire("GW-241", Status.DELETED)
        shown = browser.get(address)
    assert "This source was deleted since: there is no text left to read the words in." in read(shown).text
    assert in_place(shown.text) == [
        "While an audit hold is active, collect a diagnostic export and do not roll back firmware"
    ]


def kept(service: Drafting, address: str, who: Principal = READER) -> PacketView:
    """The packet of a page."""
    return service.service.workspace.packet(address.removeprefix("/packets/"), principal=who)


def told(packet: Packet, change: Callable[[dict[str, Any]], None]) -> Packet:
    """A packet of another body."""
    body = json.loads(packet.body)
    change(body)
    return seal(
        body,
        texts=packet.texts,
        sources=packet.sources,
        requester=packet.requester,
        evidence=packet.evidence,
        corpus=packet.corpus,
        made_at=packet.made_at,
    )


def test_words_of_a_text_that_changed_are_those_of_then(folder: Path) -> None:
    with drafting(folder) as service, browsing(service.running, "reader") as browser:
        view = kept(service, asked(browser))
    changed = replace(view, sources=tuple(replace(each, state=SourceState.CHANGED) for each in view.sources))
    (first, *_) = Record(view=changed).claims
    assert first.citations[0].address is not None
    assert "start=" not in first.citations[0].address
    assert first.citations[0].excerpt is None
    assert first.citations[0].state is SourceState.CHANGED


def test_a_citation_that_was_not_in_the_evidence_has_no_words(folder: Path) -> None:
    with drafting(folder) as service, browsing(service.running, "reader") as browser:
        view = kept(service, asked(browser))

        def unknown(body: dict[str, Any]) -> None:
            body["claims"][0]["citations"][0] |= {"sha256": None, "document": "ELSEWHERE", "span": "p1-2"}

        packet = told(view.packet, unknown)
        with service.service.parts.store.begin(READER, write=True) as session:
            session.packets.add(packet)
        page = browser.see(f"/packets/{packet.id}")
    assert "p1-2 is not in the selected evidence." in page.text


def test_passages_that_disagree_with_the_question_are_told_as_a_conflict(folder: Path) -> None:
    with drafting(folder) as service, browsing(service.running, "reader") as browser:
        address = asked(browser)
        assert "disagree" not in browser.see(address).text
        view = kept(service, address)
        named = [{key: item[key] for key in ("document", "version", "passage")} for item in view.body["passages"]]

        def conflict(body: dict[str, Any]) -> None:
            body["trace"] += [
                {"step": "round", "number": 1, "counts": False, "passages": named},
                {"step": "route", "asked": 4, "conflicting": named},
                {"step": "round", "number": 2, "counts": True, "passages": named},
                {"step": "route", "asked": 4, "conflicting": named[:1]},
            ]

        packet = told(view.packet, conflict)
        with service.service.parts.store.begin(READER, write=True) as session:
            session.packets.add(packet)
        page = browser.see(f"/packets/{packet.id}")
    assert "These passages disagree with what the question takes for granted." in page.text
    assert page.text.count("Disagrees with what the question takes for granted.") == 1


def test_who_was_told_to_wait_is_told_until_when(folder: Path) -> None:
    with drafting(folder, "rate_limited_for_an_hour") as service, browsing(service.running, "reader") as browser:
        address = asked(browser)
        made = kept(service, address.partition("?")[0]).body["request"]["made_at"]
        page, later = browser.see(address), browser.see(address.partition("?")[0])
        browser.see(f"{address}0000000000000", status=422)
        browser.see(f"{address}000000")
    assert address.endswith("?again_after_s=3600")
    hour = f"{(int(made[11:13]) + 1) % 24:02}"
    assert re.search(rf"An answer may be there from \S+ {hour}{made[13:19]} UTC on\.", page.text)
    assert "An answer may be there" not in later.text


def test_an_answer_does_not_say_when_to_ask_again(running: Running) -> None:
    with browsing(running, "service") as browser:
        assert "may be there" not in browser.see(licensed(browser) + "?again_after_s=10").text


def test_ask_again_has_the_case_of_then_filled_in(running: Running, folder: Path) -> None:
    with browsing(running, "service") as browser:
        packet = licensed(browser).removeprefix("/packets/")
        again = browser.get(f"/ask/again/{packet}")
        assert f"/ask/again/{packet}" in browser.see(f"/packets/{packet}").links
        contract = next((folder / "contracts").iterdir())
        contract.write_text(contract.read_text().replace("k: ", "k: 1"))
        changed = browser.see(f"/ask/again/{packet}")
        contract.unlink()
        gone = browser.see(f"/ask/again/{packet}", status=404)
    assert 'value="2.4.1"' in again.text
    assert 'value="true" selected' in again.text
    assert "has changed since" not in read(again).text
    assert "has changed since" in changed.text
    assert "There is no such question type" in gone.text


def test_ask_again_has_the_words_and_the_profile_of_then(folder: Path) -> None:
    settings = folder / "toulmin.toml"
    settings.write_text(
        settings.read_text() + '\n[eligibility.other]\nrules = { model = "equals", firmware = "equals" }\n'
    )
    with drafting(folder) as service, browsing(service.running, "reader") as browser:
        sent = {**browser.see("/ask/open?profile=other").fields, "text": TEXT, "case.model": "G2"}
        packet = browser.send("/ask", sent).headers["location"].removeprefix("/packets/")
        again = browser.get(f"/ask/again/{packet}")
    assert read(again).fields["profile"] == "other"
    assert TEXT in read(again).text
    assert 'value="G2"' in again.text
    assert "has changed since" not in again.text


def test_a_form_takes_what_its_address_states(visitor: Browser) -> None:
    assert 'value="G2"' in visitor.get(f"/ask/types/{TYPE}?case.model=G2").text


@pytest.mark.parametrize(
    ("roles", "may_ask", "may_request"),
    [
        (("reader",), True, True),
        (("reviewer",), False, True),
        (("operator",), False, True),
        (("auditor",), False, False),
    ],
)
def test_a_packet_leads_on_to_what_the_visitor_may_do(
    running: Running, monkeypatch: pytest.MonkeyPatch, roles: tuple[str, ...], *, may_ask: bool, may_request: bool
) -> None:
    monkeypatch.setitem(PEOPLE, "somebody", replace(READER, id="sam", roles=roles))
    with browsing(running, "service") as browser, browsing(running, "somebody") as other:
        packet = licensed(browser).removeprefix("/packets/")
        lacking = browser.fill(f"/ask/types/{TYPE}", "/ask", **(CASE | {"case__firmware": "9.9"})).headers["location"]
        links = set(other.see(f"/packets/{packet}").links)
        if "reader" in roles:
            assert not any(link.startswith("/approvals/new") for link in other.see(lacking).links)
    assert (f"/ask/again/{packet}" in links) is may_ask
    assert (f"/approvals/new?packet={packet}" in links) is may_request
    assert f"/packets/{packet}/replay" in links
    assert (f"/packets/{packet}/why-not" in links) is bool({"reader", "reviewer"} & set(roles))


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("OLD-240", "has to lie in the range"),
        ("GW-241", "It is among the selected passages."),
        ("G2-USB", "It was found, and not selected: others matched better."),
        ("PRIVATE", "There is no document PRIVATE that you may see."),
        ("ABSENT", "There is no document ABSENT that you may see."),
    ],
)
def test_why_not_says_of_one_document_what_became_of_it(running: Running, document: str, says: str) -> None:
    with browsing(running, "service") as browser:
        page = browser.see(f"{licensed(browser)}/why-not?document={document}")
        browser.see(f"{licensed(browser)}/why-not?colour=red", status=422)
    assert says in page.text


def test_why_not_says_that_the_search_did_not_find_a_document(folder: Path, running: Running) -> None:
    path = folder / "documents" / "later.md"
    path.write_text(
        '---\ntoulmin: {id: LATER, version: "1", readers: [public], valid_from: 2026-01-01, '
        'scope: {model: "*", firmware: "*"}}\n---\n# Zebras\n\nZebras cross.\n'
    )
    with browsing(running, "service") as browser, Workspace.open(folder) as desk:
        address = licensed(browser)
        list(desk.ingest(each for each in desk.entries([path]) if isinstance(each, Entry)))
        page = browser.see(f"{address}/why-not?document=LATER")
        desk.retire("LATER", Status.DELETED)
        deleted = browser.see(f"{address}/why-not?document=LATER")
    assert "the search did not find it" in page.text
    assert any(link.startswith("/sources/LATER") for link in page.links)
    assert "has to be in service" in deleted.text
    assert not any(link.startswith("/sources/LATER") for link in deleted.links)


def test_who_may_not_look_at_documents_sees_the_record_and_nothing_else_of_its_sources(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PEOPLE, "auditor", replace(READER, id="aud", roles=("auditor",)))
    with browsing(running, "service") as browser:
        packet = licensed(browser)
        assert f"{packet}/why-not" in browser.see(packet).links
    with running.client("auditor") as client, browsing(running, "auditor") as auditor:
        assert client.get("/v1/documents").status_code == 403
        shown = auditor.get(packet).text
        assert PROPOSITION in shown
        assert in_place(shown) == []
        assert "The gateway itself\nstays reachable." not in shown.partition("Passages of the evidence")[0]
        assert f"{packet}/why-not" not in read(auditor.get(packet)).links
        auditor.see(f"{packet}/why-not", status=403)
