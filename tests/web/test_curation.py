"""Curation: words are attached to facts, what follows from it is shown, and only then it is saved, by whom the same may be done over `/v1`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.conftest import Running
from tests.api.test_documents import ACME, sent
from tests.api.test_metadata import metadata, put
from tests.web.conftest import Browser, Read, browsing, read
from toulmin.domain.corpus.document import Descriptor, Status
from toulmin.surfaces.sync import Workspace
from toulmin.surfaces.web.curation import Chunk, _shown
from toulmin.surfaces.web.sources import WINDOW

PAGE = "/curate/GW-241?version=3"
FACT = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."
OTHER = "A restart brings the telemetry back until the next reconnect."
ASK = {
    "question": "gateway-explain-and-next-step-v1",
    "case": {"model": "G2", "firmware": "2.4.1", "audit_hold": True},
}


@pytest.fixture
def keeper(running: Running) -> Iterator[Browser]:
    """The browser of a curator of everything."""
    with browsing(running, "keeper") as browser:
        yield browser


def filled(page: Read) -> dict[str, str]:
    """The fields of the page's form, as a browser would send them when nothing is done to them."""
    chosen, fields, name = "", dict(page.fields), ""
    for tag, given in page.tags:
        match tag:
            case "select":
                name, chosen = given["name"] or "", ""
                fields[name] = ""
            case "option" if "selected" in given or (name == "egress" and not fields[name]):
                fields[name] = given["value"] or chosen
            case "input" if given.get("type") is None:
                fields[given["name"] or ""] = given.get("value") or ""
    return fields


def act(browser: Browser, page: Read, kind: str, address: str = PAGE, **changes: str) -> httpx2.Response:
    """The response to the form of a page with an act; what its text areas held has to be given again."""
    texts = {"scope": "firmware=<2.4.2,>=2.4.1\nmodel=G2", "readers": "public"}
    form = {**filled(page), **texts, "act": kind, **{name.replace("__", "."): value for name, value in changes.items()}}
    return browser.send(address.partition("?")[0], form)


def described(folder: Path, document: str = "GW-241") -> Descriptor:
    with Workspace.open(folder) as desk:
        (standing,) = desk.documents(document=document)
    return standing.descriptor


def previewed(browser: Browser, page: Read, **changes: str) -> Read:
    reply = act(browser, page, "preview", **changes)
    assert reply.status_code == 200, reply.text
    return read(reply)


class TestLooking:
    def test_shows_the_text_with_the_spans_and_the_facts(self, keeper: Browser) -> None:
        page = keeper.see(PAGE)
        assert OTHER in page.text
        assert ("span", "s1") in {(tag, given.get("data-names")) for tag, given in page.tags}
        assert "These are the words of the fact in gateway-explain-and-next-step-v1." in page.text
        assert "While an audit hold is active, collect a diagnostic export" in page.text
        assert PAGE in keeper.see("/sources/GW-241?version=3").links

    def test_is_for_curators_alone_and_for_what_is_theirs(self, running: Running, visitor: Browser) -> None:
        visitor.see(PAGE, status=403)
        assert PAGE not in visitor.see("/sources/GW-241?version=3").links
        assert visitor.send("/curate/GW-241", {"version": "3"}).status_code == 403
        with browsing(running, "curator") as curator:
            assert "you may not curate it" in curator.see(PAGE, status=403).text
        with browsing(running, "keeper") as keeper:
            for address in ("/curate/PRIVATE?version=1", "/curate/GW-241?version=9", "/curate/NONE?version=1"):
                keeper.see(address, status=404)

    def test_of_what_is_out_of_service_there_is_nothing_to_curate(self, keeper: Browser, folder: Path) -> None:
        with Workspace.open(folder) as desk:
            desk.retire("GW-241", Status.WITHDRAWN)
        keeper.see(PAGE, status=404)

    def test_a_form_from_elsewhere_is_refused(self, keeper: Browser, folder: Path) -> None:
        before = described(folder)
        page = previewed(keeper, keeper.see(PAGE), title="New")
        form = {**filled(page), "act": "save", "readers": "public", "title": "New"}
        assert keeper.send("/curate/GW-241", {**form, "token": "0" * 64}).status_code == 403
        away = {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
        assert keeper.send("/curate/GW-241", form, headers=away).status_code == 403
        assert described(folder) == before

    @pytest.mark.parametrize("text", ["a\r\nb\r\n\r\nc", "cafe\u0301 👩‍🚀 x", "\r\n", "abc", "a\r\n" * WINDOW])
    def test_stretches_are_the_text_and_no_line_end_is_inside_of_one(self, text: str) -> None:
        here, chunks = 0, list[Chunk]()
        while here < len(text):
            shown = _shown(text, [], here)
            assert (shown.start, shown.earlier is None) == (here, here == 0)
            chunks += shown.chunks
            here = shown.later or len(text)
        assert "".join(chunk.text for chunk in chunks) == text
        assert all(text[chunk.start :].startswith(chunk.text) for chunk in chunks)
        assert all("\r\n" not in chunk.text[:-2] for chunk in chunks)
        assert not any(chunk.text.startswith("\n") and text[chunk.start - 1] == "\r" for chunk in chunks if chunk.start)


class TestAttaching:
    def test_words_are_attached_and_not_saved(self, keeper: Browser, folder: Path) -> None:
        before = described(folder)
        page = read(act(keeper, keeper.see(PAGE), "attach", quote=OTHER, fact="audit-constraint", id="odd"))
        assert "The words are attached, and not saved yet." in page.text
        assert ("span", "odd") in {(tag, given.get("data-names")) for tag, given in page.tags}
        assert "the fact has other words: there, these show nothing." in page.text
        assert [each["id"] for each in json.loads(page.fields["kept"])["spans"]] == ["s1", "odd"]
        assert described(folder) == before

    def test_the_fact_is_the_one_that_the_words_are_the_proposition_of(self, keeper: Browser) -> None:
        page = read(act(keeper, keeper.see(PAGE), "attach", quote=FACT.replace(" ", "  ")))
        assert [each["fact"] for each in json.loads(page.fields["kept"])["spans"]] == ["known-issue", "known-issue"]
        assert [each["id"] for each in json.loads(page.fields["kept"])["spans"]] == ["s1", "s2"]

    def test_a_place_gets_the_words_around_it_that_it_takes(self, keeper: Browser) -> None:
        with_text = keeper.client.get("/v1/texts/GW-241?version=3", headers={"Authorization": "Bearer keeper"})
        start = with_text.text.rindex("reconnect")
        page = keeper.see(PAGE)
        place = {"start": str(start), "end": str(start + 9), "quote": "reconnect", "fact": "known-issue"}
        (_, span) = json.loads(read(act(keeper, page, "attach", **place)).fields["kept"])["spans"]
        assert (span["quote"], span["prefix"], span["suffix"]) == ("reconnect", "next ", None)
        other = act(keeper, page, "attach", **{**place, "quote": "restart"})
        assert "other words stand at the place that was selected" in read(other).text
        front = act(keeper, page, "attach", **{**place, "start": "4", "end": "11", "quote": "toulmin"})
        assert "no words of the document" in read(front).text

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"quote": "It never stops."}, "the words are no fact's proposition"),
            ({"quote": "It never stops.", "fact": "known-issue"}, "does not occur in the text"),
            ({"quote": "reconnect", "fact": "known-issue"}, "occurs 2 times"),
            ({"quote": OTHER, "fact": "known-issue", "id": "s1"}, "a span is called s1 already"),
        ],
    )
    def test_a_fault_is_told_beside_the_form_which_keeps_what_was_entered(
        self, keeper: Browser, changes: dict[str, str], says: str
    ) -> None:
        reply = act(keeper, keeper.see(PAGE), "attach", title="Kept", **changes)
        page = read(reply)
        assert reply.status_code == 422
        assert says in page.text
        assert changes["quote"] in page.text
        assert ("input", "Kept") in {(tag, given.get("value")) for tag, given in page.tags}

    def test_words_are_removed_again(self, keeper: Browser) -> None:
        page = previewed(keeper, keeper.see(PAGE), remove__0="yes")
        assert "the fact known-issue loses its source" in page.text
        assert json.loads(page.fields["kept"])["spans"] == []

    def test_a_place_that_no_form_of_ours_names_removes_nothing(self, keeper: Browser) -> None:
        reply = act(keeper, keeper.see(PAGE), "preview", **{"remove__" + "1" * 5000: "on"})
        assert reply.status_code == 200

    def test_looking_at_another_part_of_the_text_loses_nothing(self, keeper: Browser, running: Running) -> None:
        long = b"# Long\n\n" + b"The pump runs well.\n" * 1000 + b"It stops at last.\n"
        sent(running, {"l.md": long}, {"id": "L", "version": "1", "readers": ["public"]}, "keeper")
        page = keeper.see("/curate/L?version=1")
        assert "It stops at last." not in page.text
        form = {**filled(page), "readers": "public", "title": "Kept", "quote": "Half a sentence", "offset": str(WINDOW)}
        page = read(keeper.send("/curate/L", form))
        assert "It stops at last." in page.text
        assert "Half a sentence" in page.text
        assert page.fields["here"] == str(WINDOW)
        assert ("input", "Kept") in {(tag, given.get("value")) for tag, given in page.tags}


class TestSaving:
    def test_what_was_previewed_is_saved_and_what_follows_is_what_was_said(
        self, running: Running, keeper: Browser, folder: Path
    ) -> None:
        with running.client("service") as client:
            assert client.post("/v1/ask", json=ASK).json()["outcome"] == "Answered"
        page = previewed(keeper, keeper.see(PAGE), remove__0="yes", title="Told anew")
        for words in ("What this would change", "Told anew", "1 answer rests on it", "No approval ends."):
            assert words in page.text
        assert described(folder).title == "Gateway telemetry after reconnect"
        done = read(act(keeper, page, "save"))
        assert "From now on it is described like this" in done.text
        assert (described(folder).title, described(folder).spans) == ("Told anew", ())
        with running.client("service") as client:
            assert client.post("/v1/ask", json=ASK).json()["outcome"] == "AskForEvidence"
        again = read(act(keeper, page, "save"))
        assert "It was described like this already." in again.text

    def test_what_was_not_previewed_like_this_is_shown_first(self, keeper: Browser, folder: Path) -> None:
        before = described(folder)
        page = previewed(keeper, keeper.see(PAGE), title="New")
        moved = read(act(keeper, page, "save", title="Newer"))
        assert "The form was changed after the preview, so nothing is saved yet." in moved.text
        assert described(folder) == before
        act(keeper, moved, "save")
        assert described(folder).title == "Newer"

    def test_every_field_is_saved_as_it_is_shown(self, running: Running, keeper: Browser) -> None:
        fields = {
            "title": "T", "author": "A", "language": "de", "source_type": "manual", "egress": "local",
            "valid_from": "2026-02-01", "valid_to": "2027-02-01T12:00:00Z", "readers": "public, tenant:acme",
            "scope": 'model=["G2", "G3"]\nnote="[draft]"\nfirmware=>=2,<3',
        }  # fmt: skip
        page = previewed(keeper, keeper.see(PAGE), **fields)
        assert "Applies to note" in page.text
        act(keeper, page, "save", **fields)
        with running.client("keeper") as client:
            known: dict[str, Any] = client.get("/v1/metadata/GW-241?version=3").json()["metadata"]
        assert known["scope"] == {"model": ["G2", "G3"], "note": "[draft]", "firmware": "<3,>=2"}
        assert known["readers"] == ["public", "tenant:acme"]
        shown = {**filled(keeper.see(PAGE)), "readers": "public tenant:acme"}
        again = keeper.send("/curate/GW-241", {**shown, "act": "preview", "scope": fields["scope"]})
        assert "Nothing: the version is described like this already." in read(again).text

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"scope": "model"}, "is no attribute with its value"),
            ({"scope": "model=G2\nmodel=G3"}, "is no attribute with its value"),
            ({"scope": 'model=["G2"'}, "scope"),
            ({"readers": "everybody"}, "everybody"),
            ({"valid_from": "soon"}, "soon"),
            ({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "valid_to is not after valid_from"),
        ],
    )
    def test_a_fault_is_told_and_nothing_is_changed(
        self, keeper: Browser, folder: Path, changes: dict[str, str], says: str
    ) -> None:
        before = described(folder)
        reply = act(keeper, keeper.see(PAGE), "preview", **changes)
        assert (reply.status_code, says in read(reply).text) == (422, True)
        assert described(folder) == before

    def test_somebody_who_was_quicker_is_not_overwritten(self, running: Running, keeper: Browser, folder: Path) -> None:
        page = previewed(keeper, keeper.see(PAGE), title="Mine")
        with running.client("keeper") as client:
            known = client.get("/v1/metadata/GW-241?version=3").json()
            body = {"replaces": known["descriptor_sha256"], "metadata": {**known["metadata"], "title": "Theirs"}}
            client.put("/v1/documents/GW-241/metadata?version=3", json=body)
        reply = act(keeper, page, "save")
        assert reply.status_code == 409
        assert "Begin anew from what is there now" in read(reply).text
        assert described(folder).title == "Theirs"

    def test_who_gives_a_document_away_is_told_so(self, keeper: Browser) -> None:
        page = previewed(keeper, keeper.see(PAGE), readers="tenant:acme")
        done = read(act(keeper, page, "save", readers="tenant:acme"))
        assert "You are not among its readers any more." in done.text
        keeper.see(PAGE, status=404)

    def test_a_curator_of_a_tenant_gives_no_readers_of_others(self, running: Running) -> None:
        sent(running, {"p.md": b"# P\n\nWords.\n"}, {**ACME, "id": "P", "version": "1"})
        with browsing(running, "curator") as curator:
            address = "/curate/P?version=1"
            reply = act(curator, curator.see(address), "preview", address, readers="public", scope="model=*")
        assert (reply.status_code, "you may not curate it" in read(reply).text) == (403, True)
        with running.client("curator") as client:
            assert metadata(client, "P")["metadata"]["readers"] == ["tenant:acme"]
            assert put(client, metadata(client, "P"), "P", title="Mine").status_code == 200


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", '"><img src=x>', "{{ 7 * 7 }}"])
def test_words_of_documents_and_forms_are_nothing_but_words(keeper: Browser, running: Running, words: str) -> None:
    text = f"# P\n\nIt says {words} here.\n".encode()
    sent(running, {"p.md": text}, {"id": "P", "version": "1", "readers": ["public"]}, "keeper")
    address = "/curate/P?version=1"
    form = {"quote": words, "fact": "known-issue", "title": words, "readers": "public", "scope": f"note={words}"}
    page = read(act(keeper, keeper.see(address), "attach", address, **form))
    assert words in page.text
    assert not {tag for tag, given in page.tags if tag in ("img", "alert") or (tag == "script" and "src" not in given)}
    for tag, given in page.tags:
        if given.get("name") == "kept":
            assert tag == "input"
            assert json.loads(given["value"] or "")["spans"][0]["quote"] == words
