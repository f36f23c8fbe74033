"""Answers from a model over real HTTP, through the facade: what is delivered, and what becomes of each fault of the provider."""

from __future__ import annotations

import json
import logging
import re
import socket
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.e2e.cli import called, workspace, write
from tests.samples.pdfs import pdf
from toulmin.domain.claims.citing import NOT_JUDGED
from toulmin.domain.errors import InputError
from toulmin.domain.outcome import (
    Answered,
    AskForEvidence,
    Outcome,
    SearchOnly,
    UnsupportedQuestion,
    Withheld,
)
from toulmin.domain.outcome import SearchOnlyReason as Why
from toulmin.domain.question.contract import Mode
from toulmin.ports.source import Skipped
from toulmin.surfaces.sync import Workspace
from toulmin.testing.provider import BEHAVIOURS, Author, Behaviour, Provider, faithful, rate_limited, waits
from toulmin.wire.outcome import outcome_json

assert openai.__version__  # the vendor's library loads here, and not inside the first draft's deadline

KEY = "canary-key-91c2"
CONTRACT = """\
id: valve
version: 1
case: {winter: {type: boolean, optional: true}}
query: valve pressure tank
k: 3
facts:
  pressure: {proposition: "The valve opens at 3 bar.", clause: "It opens at 3 bar."}
  capacity: {required: false, proposition: "The tank holds 40 l.", clause: "It holds 40 l."}
  frost: {applies: {winter: true}, proposition: "Drain it before frost.", clause: "Please drain it."}
answer: {mode: licensed, drafter: model}
"""
DOCUMENTS: Mapping[str, str | bytes] = {
    "documents/valve.md": "# Valve\n\nThe valve opens at 3 bar.\n",
    "documents/valve.md.meta.yaml": """\
id: VALVE-1
version: "7"
title: The stored title
readers: [public]
spans: [{id: s1, fact: pressure, quote: "The valve opens at 3 bar."}]
""",
    "documents/tank.md": "# Tank\n\nThe tank holds 40 l. Drain it before frost.\n",
    "documents/tank.md.meta.yaml": """\
id: TANK-1
version: "2"
readers: [public]
spans:
  - {id: s1, fact: capacity, quote: "The tank holds 40 l."}
  - {id: s2, fact: frost, quote: "Drain it before frost."}
""",
    "documents/pump.pdf": pdf(
        ["Preface about nothing much at all.", "The pump is primed by hand before the first start."],
        labels="0 << /S /r >> 1 << /S /D /St 5 >>",
    ),
    "documents/pump.pdf.meta.yaml": 'id: PUMP-1\nversion: "1"\nreaders: [public]\n',
}
SETTINGS = """\
[open_question]
mode = "{mode}"
[drafter]
kind = "openai"
base_url = "{url}"
model = "small"
api_key_file = "key.txt"
external = {external}
[cache]
entries = {entries}
"""
POLICY = (
    "version: tests/1\nprovider_deadline_s: {provider}\nretrieval_deadline_s: 100\nrequest_deadline_s: 120\n"
    "concurrent_drafts: {places}\n"
)


@dataclass(frozen=True, slots=True)
class Desk:
    """A workspace whose drafter is a provider on this host."""

    folder: Path
    provider: Provider
    place: Workspace

    def ask(self, *script: Any, case: Mapping[str, str] | None = None) -> tuple[Outcome, int]:
        """The outcome of the licensed question when the provider does this, and how many requests reached it."""
        return self._counted(lambda: self.place.ask("valve", case=case or {}), *script)

    def ask_text(self, *script: Any, text: str = "valve pressure tank") -> tuple[Outcome, int]:
        """The same for an open question."""
        return self._counted(lambda: self.place.ask_text(text), *script)

    def _counted(self, question: Any, *script: Any) -> tuple[Outcome, int]:
        self.provider.script(*script)
        before = len(self.provider.requests)
        return question(), len(self.provider.requests) - before

    def body(self, outcome: Outcome) -> dict[str, Any]:
        """What its packet says."""
        return dict(self.place.packet(packet_of(outcome)).body)


def packet_of(outcome: Outcome) -> str:
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    return outcome.receipt.packet


def writing(author: Author) -> Behaviour:
    """A model that writes what this author does."""
    return lambda request, _: BEHAVIOURS["ok"](request, author)


def shown(outcome: Outcome) -> dict[str, Any]:
    """The outcome as JSON."""
    return dict(outcome_json(outcome))


def fitted(
    folder: Path,
    url: str,
    *,
    mode: str = "cited",
    entries: int = 0,
    external: str = "false",
    provider: int = 90,
    places: int = 2,
) -> Path:
    """A workspace with its documents, not yet ingested."""
    settings = SETTINGS.format(url=url, mode=mode, entries=entries, external=external)
    workspace(folder, settings=settings, contracts={"valve.yaml": CONTRACT})
    return write(folder, {**DOCUMENTS, "key.txt": KEY, "policy.yaml": POLICY.format(provider=provider, places=places)})


def ingest(place: Workspace) -> None:
    entries = place.entries([place.settings.workspace / "documents"])
    reports = list(place.ingest(entry for entry in entries if not isinstance(entry, Skipped)))
    assert [report.fault for report in reports] == [None] * 3


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with Provider() as provider:
        folder = fitted(tmp_path_factory.mktemp("desk"), provider.base_url)
        with Workspace.open(folder) as place:
            ingest(place)
            yield Desk(folder, provider, place)


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The same, with a provider's deadline of two seconds: what is transient is given up soon."""
    with Provider() as provider:
        folder = fitted(tmp_path_factory.mktemp("hurried"), provider.base_url, provider=2)
        with Workspace.open(folder) as place:
            ingest(place)
            yield Desk(folder, provider, place)


class TestCited:
    def test_the_answer_is_marked_as_cited_and_as_nothing_better(self, desk: Desk) -> None:
        outcome, requests = desk.ask_text()
        assert requests == 1
        assert isinstance(outcome, Answered)
        assert outcome.text == "Statement 1 rests on its source. Statement 2 rests on its source."
        told = shown(outcome)
        assert (told["assurance"], told["sufficiency"]) == ("cited", None)
        assert {(c["verdict"]["status"], c["verdict"]["reason"]) for c in told["answer"]["claims"]} == {
            ("cited", NOT_JUDGED)
        }

    def test_attribution_comes_from_the_store_whatever_the_model_writes(self, desk: Desk) -> None:
        def author(question: Mapping[str, Any]) -> Mapping[str, Any]:
            (pump,) = (item for item in question["evidence"] if "primed" in item["passage"])
            text = "Page 99 of OTHER-DOC v12, by Somebody Else, says so."
            return {"segments": [{"text": text, "evidence_ids": [pump["evidence_id"]], "quotes": ["no such words"]}]}

        outcome, _ = desk.ask_text(writing(author), text="pump primed by hand")
        ((citation,),) = (claim["citations"] for claim in shown(outcome)["answer"]["claims"])
        assert (citation["document"], citation["version"]) == ("PUMP-1", "1")
        assert citation["quote"].endswith("The pump is primed by hand before the first start.")
        assert citation["pages"] == [
            {"index": 0, "number": 1, "label": "i"},
            {"index": 1, "number": 2, "label": "5"},
        ]

    def test_the_model_is_told_titles_pages_and_versions_of_the_store(self, desk: Desk) -> None:
        desk.ask_text(text="pump primed by hand valve")
        told = {item["version"]: item for item in desk.provider.requests[-1].question["evidence"]}
        assert told["7"]["title"] == "The stored title"
        assert told["7"]["section"] == ["Valve"]
        assert told["1"]["pages"] == ["i", "5"]

    def test_the_packet_tells_what_it_took(self, desk: Desk) -> None:
        outcome, _ = desk.ask_text()
        body = desk.body(outcome)
        (step,) = (step for step in body["trace"] if step["step"] == "draft")
        assert step.pop("seconds") > 0
        assert step == {
            "step": "draft",
            "fault": None,
            "calls": 1,
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "kept": False,
            "shared": False,
        }
        assert body["versions"]["drafter"].startswith("openai/")
        assert body["outcome"]["assurance"] == "cited"

    def test_retries_are_counted(self, desk: Desk) -> None:
        outcome, requests = desk.ask_text("http_503", "ok")
        assert isinstance(outcome, Answered)
        assert requests == 2
        (step,) = (step for step in desk.body(outcome)["trace"] if step["step"] == "draft")
        assert step["calls"] == 2

    def test_the_two_line_form_is_taken_where_json_is_refused(self, desk: Desk) -> None:
        outcome, requests = desk.ask_text("json_mode_refused")
        assert requests == 2
        assert isinstance(outcome, Answered)
        assert outcome.text == "Statement 1 rests on its source."

    def test_a_document_that_gives_orders_is_data(self, desk: Desk) -> None:
        outcome, _ = desk.ask_text("obedient")
        assert isinstance(outcome, Answered)

    def test_without_eligible_evidence_the_provider_is_not_asked(self, desk: Desk) -> None:
        outcome, requests = desk.ask_text(text="xylophone")
        assert isinstance(outcome, AskForEvidence)
        assert requests == 0


class TestLicensed:
    def test_the_clauses_are_delivered_as_licensed_with_their_witnesses(self, desk: Desk) -> None:
        outcome, requests = desk.ask(case={"winter": "true"})
        assert requests == 1
        assert isinstance(outcome, Answered)
        assert {claim.text for claim in outcome.claims} == {"It opens at 3 bar.", "It holds 40 l.", "Please drain it."}
        told = shown(outcome)
        assert (told["assurance"], told["sufficiency"]) == ("licensed", "sufficient_for_template")
        assert {claim["verdict"]["status"] for claim in told["answer"]["claims"]} == {"licensed"}
        by_fact = {claim["fact"]: claim["citations"] for claim in told["answer"]["claims"]}
        assert [(c["document"], c["version"], c["span"]) for c in by_fact["frost"]] == [("TANK-1", "2", "s2")]

    @pytest.mark.parametrize(
        ("name", "value", "reason"),
        [
            ("text", "It opens at 4 bar.", "the rule does not license this sentence"),
            ("fact", "capacity", "the cited span does not carry this fact"),
            ("fact", "warmth", "the contract has no such fact"),
            ("fact", "frost", "this fact does not apply to the case"),
        ],
    )
    def test_a_wrong_sentence_or_fact_is_withheld(self, desk: Desk, name: str, value: str, reason: str) -> None:
        def author(question: Mapping[str, Any]) -> Mapping[str, Any]:
            segments = faithful(question)["segments"]
            return {"segments": [s | {name: value} if s["fact"] == "pressure" else s for s in segments]}

        outcome, _ = desk.ask(writing(author))
        assert isinstance(outcome, Withheld)  # the fact is required
        assert outcome.missing == ("pressure",)
        assert reason in [claim.verdict.reason for claim in outcome.withheld]
        assert desk.body(outcome)["outcome"]["name"] == "Withheld"

    def test_a_fact_that_the_contract_has_not_stands_in_no_packet(self, desk: Desk) -> None:
        def author(question: Mapping[str, Any]) -> Mapping[str, Any]:
            return {"segments": [s | {"fact": "words of a document"} for s in faithful(question)["segments"]]}

        outcome, _ = desk.ask(writing(author))
        assert isinstance(outcome, Withheld)
        assert {c.verdict.reason for c in outcome.withheld} == {"the contract has no such fact"}
        body = desk.body(outcome)
        assert {claim["fact"] for claim in body["withheld"]} == {None}
        assert "words of a document" not in json.dumps(body)

    def test_an_optional_claim_with_a_wrong_citation_falls_and_the_rest_stands(self, desk: Desk) -> None:
        def author(question: Mapping[str, Any]) -> Mapping[str, Any]:
            segments = faithful(question)["segments"]
            (right,) = (s["evidence_ids"] for s in segments if s["fact"] == "pressure")
            return {"segments": [s | {"evidence_ids": right} if s["fact"] == "capacity" else s for s in segments]}

        outcome, _ = desk.ask(writing(author))
        assert isinstance(outcome, Answered)
        assert outcome.text == "It opens at 3 bar."
        assert [c.verdict.reason for c in outcome.withheld] == ["the cited span does not carry this fact"]

    def test_two_lines_are_not_asked_for(self, desk: Desk) -> None:
        outcome, requests = desk.ask("json_mode_refused")
        assert isinstance(outcome, SearchOnly)
        assert requests == 1


USABLE = {
    "ok", "two_lines", "fenced", "reasoning_in_front", "words_in_front", "unknown_response_fields", "json_mode_refused",
    "obedient",
}  # fmt: skip
INVALID = {
    "empty": "empty_output", "no_content": "empty_output", "prose": "no_object", "duplicate_key": "duplicate_key",
    "unknown_field": "unknown_field", "not_finite": "not_finite", "wrong_type": "wrong_type", "trailing_data": "trailing_data",
    "malformed": "malformed", "no_claims": "no_claims", "empty_text": "empty_text", "no_citation": "no_citation",
    "unknown_id": "unknown_id", "invented_id": "unknown_id", "repeated_id": "repeated_id", "citation_marker": "citation_marker",
    "too_many_claims": "too_many_claims", "too_many_citations": "too_many_citations", "answer_too_long": "answer_too_long",
    **dict.fromkeys(("control_character", "bidi_control", "line_separator", "replacement_character"), "forbidden_character"),
    "half_a_character": "not_utf8", "several_choices": "several_candidates",
    "not_utf8": "not_utf8",
}  # fmt: skip
FAULTS: dict[str, tuple[Why, str]] = {
    **{name: (Why.INVALID_OUTPUT, code) for name, code in INVALID.items()},
    **dict.fromkeys(("refusal", "refusal_in_words", "content_filter"), (Why.REFUSED, "refused")),
    **dict.fromkeys(("truncated", "ends_early"), (Why.TRUNCATED, "truncated")),
    **dict.fromkeys(("rate_limited", "rate_limited_for_an_hour"), (Why.RATE_LIMITED, "http_429")),
    **{
        f"http_{status}": (Why.PROVIDER_ERROR, f"http_{status}")
        for status in (400, 401, 403, 404, 413, 422, 500, 502, 503, 504)
    },
    "no_choices": (Why.PROVIDER_ERROR, "no_choices"),
    "error_with_status_200": (Why.PROVIDER_ERROR, "bad_reply"),
    "redirect": (Why.PROVIDER_ERROR, "redirect"),
    "not_json": (Why.PROVIDER_ERROR, "bad_json"),
    "not_one_json": (Why.PROVIDER_ERROR, "bad_json"),
    "wrong_content_type": (Why.PROVIDER_ERROR, "bad_content_type"),
    "oversize": (Why.PROVIDER_ERROR, "too_large"),
    "oversize_unannounced": (Why.PROVIDER_ERROR, "too_large"),
    "compressed": (Why.PROVIDER_ERROR, "encoded"),
    "disconnect": (Why.PROVIDER_ERROR, "disconnected"),
    "disconnect_in_the_body": (Why.PROVIDER_ERROR, "disconnected"),
    "hang": (Why.TIMEOUT, "deadline"),
    "slow_drip": (Why.TIMEOUT, "deadline"),
}


class TestFaults:
    def test_every_behaviour_of_the_provider_has_its_outcome(self) -> None:
        assert FAULTS.keys() | USABLE == BEHAVIOURS.keys()
        assert not FAULTS.keys() & USABLE

    @pytest.mark.parametrize("name", FAULTS)
    def test_each_leaves_the_whole_search_and_says_why_there_is_no_answer(self, hurried: Desk, name: str) -> None:
        outcome, requests = hurried.ask_text(name)
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail) == FAULTS[name]
        assert outcome.retry_after_s == (3600 if name == "rate_limited_for_an_hour" else None)
        assert {item.found.id.document for item in outcome.search} == {"VALVE-1", "TANK-1"}
        body = hurried.body(outcome)
        assert body["outcome"]["reason"] == FAULTS[name][0]
        (step,) = (step for step in body["trace"] if step["step"] == "draft")
        assert step["calls"] == requests >= 1

    @pytest.mark.parametrize("name", sorted(USABLE))
    def test_what_is_usable_is_used(self, desk: Desk, name: str) -> None:
        assert isinstance(desk.ask_text(name)[0], Answered)

    @pytest.mark.parametrize("name", ["unknown_id", "truncated", "http_401", "refusal", "no_claims", "not_utf8"])
    def test_in_licensed_mode_too(self, hurried: Desk, name: str) -> None:
        outcome, _ = hurried.ask(name)
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail) == FAULTS[name]
        assert outcome.sufficient

    def test_a_provider_that_is_not_there_leaves_the_search(self, tmp_path: Path) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
            with Workspace.open(fitted(tmp_path, url, provider=2)) as place:
                ingest(place)
                outcome = place.ask_text("valve pressure")
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail) == (Why.PROVIDER_ERROR, "connect")

    def test_nothing_of_the_documents_and_no_key_is_in_what_a_fault_says(
        self, hurried: Desk, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.DEBUG):
            for name in ("http_400", "http_401", "rate_limited", "not_json", "redirect"):
                outcome, _ = hurried.ask_text(name)
                assert isinstance(outcome, SearchOnly)
                assert KEY not in json.dumps(outcome_json(outcome)) + json.dumps(hurried.body(outcome))
                assert "3 bar" not in f"{outcome.detail}"
        assert KEY not in caplog.text


class TestModesAndRights:
    def test_a_reviewed_answer_without_a_judge_is_the_source_s_own_words(self, tmp_path: Path) -> None:
        sentence = "The valve opens at 3 bar."

        def copies(question: Mapping[str, Any]) -> Mapping[str, Any]:
            ids = [item["evidence_id"] for item in question["evidence"] if sentence in item["passage"]]
            return {"segments": [{"text": sentence, "evidence_ids": ids, "quotes": [sentence]}]}

        with (
            Provider(author=copies) as provider,
            Workspace.open(fitted(tmp_path, provider.base_url, mode="reviewed")) as place,
        ):
            ingest(place)
            outcome = place.ask_text("valve pressure")
            assert isinstance(outcome, Answered)
            assert (outcome.text, outcome.assurance) == (sentence, Mode.REVIEWED)
            assert outcome.claims[0].verdict.reason == "verbatim"

    def test_a_claim_that_its_source_does_not_support_gives_way_to_the_source_s_words(self, tmp_path: Path) -> None:
        def exaggerates(question: Mapping[str, Any]) -> Mapping[str, Any]:
            ids = [item["evidence_id"] for item in question["evidence"] if "3 bar" in item["passage"]]
            return {"segments": [{"text": "The valve opens at 5 bar.", "evidence_ids": ids}]}

        with Provider(author=exaggerates) as provider:
            folder = fitted(tmp_path, provider.base_url, mode="reviewed")
            assert called("ingest", "documents", at=folder).code == 0
            told = called("ask", "--text", "valve pressure", "--json", at=folder).json
            assert told["answer"]["text"] == 'The source says: "The valve opens at 3 bar."'
            (withheld,) = told["withheld"]
            assert withheld["verdict"]["status"] in {"unresolved", "contradicted"}
            objection = withheld["verdict"]["objections"][0]
            assert withheld["text"][slice(*objection["claim_span"])] == "5 bar"
            quote = withheld["citations"][objection["citation"]]["quote"]
            assert "3 bar" in quote[slice(*objection["evidence_span"])]
            shown = called("packet", "show", told["packet"]["id"], at=folder).out
            assert "next quote" in shown

    @pytest.mark.parametrize(("external", "label"), [("false", "any"), ("false", "local"), ("true", "local")])
    def test_evidence_that_may_not_leave_this_host_does_not(self, tmp_path: Path, external: str, label: str) -> None:
        folder = fitted(tmp_path, "http://provider.invalid/v1", external=external)
        with (folder / "documents/valve.md.meta.yaml").open("a") as sidecar:
            sidecar.write(f"egress: {label}\n")
        with Workspace.open(folder) as place:
            ingest(place)
            started = time.monotonic()
            for outcome in (place.ask_text("valve pressure"), place.ask("valve")):
                assert isinstance(outcome, SearchOnly)
                assert (outcome.reason, outcome.detail) == (Why.EGRESS_DENIED, None)
                assert outcome.search
                (step,) = (s for s in place.packet(packet_of(outcome)).body["trace"] if s["step"] == "draft")
                assert step["calls"] == 0
            assert time.monotonic() - started < 30

    def test_an_approved_provider_that_is_elsewhere_is_tried(self, tmp_path: Path) -> None:
        with Workspace.open(fitted(tmp_path, "http://provider.invalid/v1", external="true", provider=2)) as place:
            ingest(place)
            outcome = place.ask_text("valve pressure")
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail) == (Why.PROVIDER_ERROR, "connect")

    def test_on_this_host_a_local_document_may_be_read_by_the_model(self, tmp_path: Path) -> None:
        with Provider() as provider:
            folder = fitted(tmp_path, provider.base_url)
            with (folder / "documents/valve.md.meta.yaml").open("a") as sidecar:
                sidecar.write("egress: local\n")
            with Workspace.open(folder) as place:
                ingest(place)
                assert isinstance(place.ask("valve"), Answered)

    def test_deadlines_that_do_not_nest_are_refused_at_the_start(self, tmp_path: Path) -> None:
        folder = fitted(tmp_path, "http://127.0.0.1:9/v1", provider=110)
        with pytest.raises(InputError) as caught:
            Workspace.open(folder)
        assert caught.value.code == "bad_policy"


class TestCache:
    def test_it_is_off_unless_configured(self, desk: Desk) -> None:
        assert [desk.ask_text()[1] for _ in range(2)] == [1, 1]

    def test_a_kept_draft_saves_the_request_until_the_document_changes(self, tmp_path: Path) -> None:
        with Provider() as provider, Workspace.open(fitted(tmp_path, provider.base_url, entries=8)) as place:
            ingest(place)
            desk = Desk(tmp_path, provider, place)
            first, second = desk.ask(), desk.ask()
            assert (first[1], second[1]) == (1, 0)
            assert packet_of(first[0]) != packet_of(second[0])
            assert outcome_json(first[0])["answer"] == outcome_json(second[0])["answer"]
            (step,) = (s for s in desk.body(second[0])["trace"] if s["step"] == "draft")
            assert (step["kept"], step["calls"]) == (True, 0)
            sidecar = tmp_path / "documents/valve.md.meta.yaml"
            sidecar.write_text(sidecar.read_text().replace("stored", "new"))
            ingest(place)
            assert desk.ask()[1] == 1

    def test_no_fault_is_kept(self, tmp_path: Path) -> None:
        with Provider() as provider, Workspace.open(fitted(tmp_path, provider.base_url, entries=8)) as place:
            ingest(place)
            desk = Desk(tmp_path, provider, place)
            assert isinstance(desk.ask("empty", "ok")[0], SearchOnly)
            assert isinstance(desk.ask()[0], Answered)


class TestCommandLine:
    def test_the_exit_code_tells_the_outcome(self, desk: Desk) -> None:
        def run(script: Any, *arguments: str) -> tuple[int, str]:
            desk.provider.script(script)
            done = called("ask", *arguments, "--json", at=desk.folder)
            return done.code, done.json["outcome"]

        def misread(question: Mapping[str, Any]) -> Mapping[str, Any]:
            return {"segments": [s | {"text": "Something else."} for s in faithful(question)["segments"]]}

        assert run("ok", "--text", "valve pressure") == (0, "Answered")
        assert run("ok", "valve") == (0, "Answered")
        assert run("refusal", "--text", "valve pressure") == (6, "SearchOnly")
        assert run(writing(misread), "valve") == (5, "Withheld")
        assert run("ok", "--text", "xylophone") == (3, "AskForEvidence")
        assert run("ok", "no-such") == (4, "UnsupportedQuestion")

    def test_in_words_it_says_why_there_is_no_answer_and_shows_the_passages(self, desk: Desk) -> None:
        desk.provider.script("unknown_id")
        done = called("ask", "--text", "valve pressure", at=desk.folder)
        assert "SearchOnly: evidence found, no answer: invalid_output (unknown_id)" in done.out
        assert "The valve opens at 3 bar." in done.out

    @pytest.mark.parametrize(
        ("script", "next_step"),
        [
            (rate_limited("3600"), "read the passages, and ask again in 1 hour"),
            (rate_limited("100"), "read the passages, and ask again in 100 seconds"),
            (rate_limited("200.5"), "read the passages, and ask again in 4 minutes"),
            ("rate_limited", "read the passages"),
            ("truncated", "read the passages"),
        ],
    )
    def test_it_says_when_a_provider_may_be_asked_again(self, desk: Desk, script: Any, next_step: str) -> None:
        desk.provider.script(script)
        done = called("ask", "--text", "valve pressure", at=desk.folder)
        assert f"next: {next_step}\n" in done.out

    def test_it_shows_title_version_and_pages_of_what_is_cited_from_the_store(self, desk: Desk) -> None:
        desk.provider.script("ok")
        done = called("ask", "valve", at=desk.folder)
        assert '[1] VALVE-1 v7 (The stored title), s1: "The valve opens at 3 bar."' in done.out
        done = called("ask", "--text", "pump primed by hand", at=desk.folder)
        assert re.search(r"\] PUMP-1 v1 \(.*page i, page 5\), p\d+-\d+: ", done.out)


class TestDoctor:
    @staticmethod
    def check(folder: Path, name: str = "drafter", *more: str) -> tuple[int, dict[str, Any]]:
        """Doctor's exit code, and one of its checks."""
        done = called("doctor", "--json", *more, at=folder)
        (found,) = (check for check in done.json["checks"] if check["name"] == name)
        return done.code, found

    def test_a_model_that_keeps_to_the_form_works(self, desk: Desk) -> None:
        desk.provider.script("ok")
        code, found = self.check(desk.folder)
        assert (code, found["grade"]) == (0, "well")
        assert "all modes work" in found["message"]
        assert found["facts"]["seconds"] > 0

    @pytest.mark.parametrize("script", [("json_mode_refused",), ("two_lines",), ("prose", "two_lines")])
    def test_one_that_writes_two_lines_only_serves_open_questions(self, desk: Desk, script: tuple[str, ...]) -> None:
        desk.provider.script(*script)
        code, found = self.check(desk.folder)
        assert (code, found["grade"]) == (0, "warning")
        assert "licensed mode it fails" in found["message"]
        assert "drafter: template" in found["remedy"]

    def test_one_that_writes_json_and_copies_nothing_too(self, desk: Desk) -> None:
        def misread(question: Mapping[str, Any]) -> Mapping[str, Any]:
            return {"segments": [s | {"text": "It opens."} for s in faithful(question)["segments"]]}

        desk.provider.script(writing(misread))
        assert self.check(desk.folder)[1]["grade"] == "warning"

    @pytest.mark.parametrize(
        ("name", "said", "remedy"),
        [
            ("http_401", "provider_error (http_401)", "API key"),
            ("http_404", "provider_error (http_404)", "chat/completions"),
            ("not_json", "provider_error (bad_json)", "base_url"),
            ("redirect", "provider_error (redirect)", "redirect"),
            ("rate_limited_for_an_hour", "rate_limited (http_429)", "per_minute"),
            ("hang", "timeout (deadline)", "busy"),
            ("no_claims", "invalid_output (no_claims)", "another model"),
            ("refusal", "refused;", "another model"),
            ("http_500", "provider_error (http_500)", "own log"),
        ],
    )
    def test_a_fault_is_said_in_words_with_a_remedy(self, hurried: Desk, name: str, said: str, remedy: str) -> None:
        hurried.provider.script(name)
        code, found = self.check(hurried.folder)
        assert (code, found["grade"]) == (8, "wrong")
        assert said in found["message"]
        assert remedy in found["remedy"]

    def test_nothing_of_a_document_goes_to_the_provider(self, desk: Desk) -> None:
        desk.provider.script("ok")
        before = len(desk.provider.requests)
        self.check(desk.folder)
        (request,) = desk.provider.requests[before:]
        assert "The stored title" not in request.raw.decode()
        assert [item["title"] for item in request.question["evidence"]] == ["Valves"]

    def test_offline_it_asks_nobody(self, desk: Desk) -> None:
        before = len(desk.provider.requests)
        code, found = self.check(desk.folder, "drafter", "--offline")
        assert (code, found["grade"], len(desk.provider.requests)) == (0, "well", before)
        assert "not asked" in found["message"]

    def test_a_provider_elsewhere_that_nobody_approved_is_not_asked(self, tmp_path: Path) -> None:
        code, found = self.check(fitted(tmp_path, "http://provider.invalid/v1"))
        assert (code, found["grade"]) == (0, "warning")
        assert "egress_denied" in found["message"]
        assert "external = true" in found["remedy"]

    def test_what_drafts_took_is_summed(self, tmp_path: Path) -> None:
        with Provider() as provider, Workspace.open(fitted(tmp_path, provider.base_url, entries=8)) as place:
            ingest(place)
            assert "no packet has a draft" in self.check(tmp_path, "drafts", "--offline")[1]["message"]
            desk = Desk(tmp_path, provider, place)
            desk.ask_text("http_503", "ok")
            desk.ask_text()
            desk.ask_text("empty", text="tank")
            desk.ask_text(text="xylophone")
            _, found = self.check(tmp_path, "drafts", "--offline")
        facts = found["facts"]
        assert 0 < facts.pop("slowest_s") <= facts.pop("seconds")
        assert facts == {
            "drafts": 2,
            "calls": 4,
            "prompt_tokens": 300,
            "completion_tokens": 60,
            "kept": 1,
            "shared": 0,
        }
        assert "2 in 4 calls, 2 of them repeated" in found["message"]

    def test_what_judges_took_is_summed(self, tmp_path: Path) -> None:
        def paraphrases(question: Mapping[str, Any]) -> Mapping[str, Any]:
            ids = [item["evidence_id"] for item in question["evidence"] if "3 bar" in item["passage"]]
            return {"segments": [{"text": "At 3 bar the valve will open.", "evidence_ids": ids}]}

        with Provider(author=paraphrases) as provider:
            folder = fitted(tmp_path, provider.base_url, mode="reviewed")
            settings = (folder / "toulmin.toml").read_text()
            judge = f'[judge]\nkind = "llm"\nbase_url = "{provider.base_url}"\nmodel = "m"\napi_key_file = "key.txt"\n'
            (folder / "toulmin.toml").write_text(f"{settings}\n{judge}")
            assert called("ingest", "documents", at=folder).code == 0
            assert "no packet has an opinion" in self.check(folder, "judgements", "--offline")[1]["message"]
            assert called("ask", "--text", "valve pressure", at=folder).code == 0
            _, found = self.check(folder, "judgements", "--offline")
        assert (found["facts"]["asked"], found["facts"]["calls"]) == (1, 1)


def test_slow_drafts_take_the_places_and_the_next_is_saturated_while_search_goes_on(desk: Desk) -> None:
    desk.provider.script(waits(3.0))
    before = len(desk.provider.requests)
    with ThreadPoolExecutor(2) as pool:
        slow = [pool.submit(desk.place.ask_text, "valve pressure") for _ in range(2)]
        while len(desk.provider.requests) < before + 2:
            time.sleep(0.01)
        started = time.monotonic()
        outcome = desk.place.ask_text("tank")
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail) == (Why.SATURATED, None)
        assert desk.place.search("valve").items
        took = time.monotonic() - started
        assert not any(future.done() for future in slow), f"neither may wait for a draft ({took:.1f} s)"
        assert all(isinstance(future.result(), Answered) for future in slow)
    assert isinstance(desk.ask_text()[0], Answered)
