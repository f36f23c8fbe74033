from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.postgres import KEY, Server
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.application.parts import Parts
from toulmin.domain.outcome import Answered, AskForEvidence, Recorded, UnsupportedQuestion
from toulmin.domain.question.case import Principal
from toulmin.ports.source import Skipped
from toulmin.surfaces import wiring
from toulmin.surfaces.demo import CASE, QUESTION, worked_example
from toulmin.surfaces.sample import write_sample
from toulmin.surfaces.settings import Settings, load
from toulmin.surfaces.sync import Workspace

QUERY = "Gateway G2 telemetry reconnect audit hold rollback"
EV = r"ev-[0-9a-f]{64}"
LINES = [
    r"K=2 take-then-filter: \[\]  filter-then-take: \[GW-241, HOLD-7\]  missing=\[\]",
    r"K=1 take-then-filter: \[\]  filter-then-take: \[GW-241\]  missing=\[audit-constraint\]",
    r"K=3 filter-then-take: \[GW-241, HOLD-7, G2-USB\]  missing=\[\]",
    r"changed quote, old label: missing=\[audit-constraint\]",
    rf"version bump only: missing=\[\]  ({EV}) -> ({EV})",
    r"question gateway-free-question: UnsupportedQuestion",
    r"claims: 2 licensed, 1 withheld: the rule does not license this sentence",
    r"claim citing HOLD-9: withheld: cited source is not in the selected evidence",
]
ISSUE = "Firmware 2.4.1 on G2 gateways may stop sending telemetry after a reconnect."
HOLD = "Because an audit hold is active, please send us a diagnostic export; we will not roll back the firmware."
TERMS = {"OLD-240": 7, "PRIVATE": 7, "GW-241": 4, "HOLD-7": 4, "G2-USB": 2, "BILL-42": 0}
ADAPTERS = ("memory", "sqlite and tantivy", "postgres and tantivy")


@dataclass(frozen=True)
class Wired:
    """Makes workspaces on one set of adapters; each gets a store and index of its own."""

    adapters: str
    server: Server | None = None

    def __call__(self, settings: Settings, _: Parts) -> Workspace:
        return Workspace(settings, self.parts(settings))

    def parts(self, settings: Settings) -> Parts:
        if self.adapters == "memory":
            return wiring.assembled(settings, MemoryStore(), OverlapIndex())
        folder = settings.workspace / ".toulmin"
        folder.mkdir()
        store = PostgresStore(self.server.new_store(), KEY) if self.server else SqliteStore(folder / "corpus.db")
        return wiring.assembled(settings, store, TantivyIndex(folder / "index"))


@pytest.fixture(params=ADAPTERS)
def wired(request: pytest.FixtureRequest) -> Wired:
    server = request.getfixturevalue("postgres") if request.param.startswith("postgres") else None
    return Wired(request.param, server)


@pytest.fixture
def sample(wired: Wired, tmp_path: Path) -> Iterator[Workspace]:
    """The sample, ingested."""
    with opened(wired, tmp_path / "workspace") as place:
        yield place


@contextmanager
def opened(wired: Wired, root: Path) -> Iterator[Workspace]:
    write_sample(root)
    settings = load(root)
    with Workspace(settings, wired.parts(settings)) as place:
        ingest(place)
        yield place


def ingest(place: Workspace) -> None:
    entries = place.entries([place.settings.workspace / "documents"])
    reports = list(place.ingest(entry for entry in entries if not isinstance(entry, Skipped)))
    assert [report.fault for report in reports] == [None] * 6


def edit(place: Workspace, name: str, change: Callable[[str], str]) -> None:
    """Changes a document's file and ingests the folder again."""
    path = place.settings.workspace / "documents" / name
    before = path.read_text()
    assert change(before) != before
    path.write_text(change(before))
    ingest(place)


def recorded(place: Workspace, **changes: str) -> Recorded:
    outcome = place.ask(QUESTION, case={**CASE, **changes})
    assert not isinstance(outcome, UnsupportedQuestion)
    return outcome


def identities(place: Workspace) -> tuple[str, str]:
    """The evidence identity and corpus fingerprint of the answer."""
    receipt = recorded(place).receipt
    assert receipt is not None
    return receipt.evidence, receipt.corpus


def run(wired: Wired) -> tuple[list[str], Answered]:
    *lines, answer = worked_example(wired)
    assert isinstance(answer, Answered)
    return [str(line) for line in lines], answer


def test_the_eight_lines_come_out_as_published(wired: Wired) -> None:
    lines, _ = run(wired)
    for line, pattern in zip(lines, LINES, strict=True):
        assert re.fullmatch(pattern, line), line


def test_a_new_version_label_makes_another_evidence_identity(wired: Wired) -> None:
    found = re.search(rf"({EV}) -> ({EV})", run(wired)[0][4])
    assert found
    assert found[1] != found[2]


def test_the_answer_is_the_licensed_clauses_with_their_citations(wired: Wired) -> None:
    _, answer = run(wired)
    assert answer.text == f"{ISSUE} {HOLD}"
    assert answer.sufficient
    assert answer.withheld == ()
    cited = [(str(quote.source), quote.words) for claim in answer.claims for quote in claim.citations]
    assert cited == [
        ("GW-241 v3", "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."),
        ("HOLD-7 v2", "While an audit hold is active, collect a diagnostic export and do not roll back firmware"),
    ]


def test_all_sets_of_adapters_say_the_same(wired: Wired) -> None:
    (lines, answer), (other_lines, other_answer) = run(Wired(ADAPTERS[0])), run(wired)
    assert lines == other_lines, "the evidence identities too"
    assert (answer.text, answer.claims) == (other_answer.text, other_answer.claims)
    assert answer.receipt is not None
    assert other_answer.receipt is not None
    assert answer.receipt.evidence == other_answer.receipt.evidence
    assert answer.receipt.corpus == other_answer.receipt.corpus


def test_the_bodies_hold_as_many_query_terms_as_the_example_needs(tmp_path: Path) -> None:
    write_sample(tmp_path / "workspace")
    terms = set(QUERY.casefold().split())
    assert len(terms) == 7
    found = {
        path.stem: len(terms & set(re.findall(r"\w+", path.read_text().split("---\n", 2)[2].casefold())))
        for path in (tmp_path / "workspace" / "documents").iterdir()
    }
    assert found == TERMS


def test_the_query_is_that_of_the_example(sample: Workspace) -> None:
    contract = sample.parts.contracts.find(QUESTION)
    assert contract is not None
    assert contract.query.replace("{model}", "G2") == QUERY


def test_without_an_audit_hold_its_sentence_is_not_in_the_answer(sample: Workspace) -> None:
    outcome = recorded(sample, audit_hold="false")
    assert isinstance(outcome, Answered)
    assert outcome.text == ISSUE
    assert outcome.withheld == ()


def test_another_firmware_gets_no_answer_from_this_ones_documents(sample: Workspace) -> None:
    outcome = recorded(sample, firmware="2.4.0")
    assert isinstance(outcome, AskForEvidence)
    assert outcome.missing == ("known-issue",)
    assert "GW-241" not in {item.found.id.document for item in outcome.search}


def test_another_tenants_document_shows_nowhere(sample: Workspace) -> None:
    found = sample.search(QUERY, case={"model": "G2", "firmware": "2.4.1"}, k=20, explain=True)
    seen = {item.found.id.document for item in found.items} | {item.standing.id.document for item in found.excluded}
    assert seen == {"GW-241", "HOLD-7", "G2-USB", "OLD-240"}
    assert found.eligible == 4, "with BILL-42, which shares no word"
    birch = Principal(id="bo", tenant="birch")
    theirs = sample.search(QUERY, case={"model": "G2", "firmware": "2.4.1"}, k=20, principal=birch)
    assert theirs.items[0].found.id.document == "PRIVATE"
    assert theirs.eligible == 5


def test_a_change_of_an_unused_document_changes_the_corpus_and_not_the_evidence(sample: Workspace) -> None:
    evidence, corpus = identities(sample)
    edit(sample, "BILL-42.md", lambda text: text.replace("thirty", "forty").replace('version: "1"', 'version: "2"'))
    assert identities(sample)[0] == evidence
    assert identities(sample)[1] != corpus


def test_ingesting_the_same_files_again_changes_nothing(sample: Workspace) -> None:
    before = identities(sample)
    ingest(sample)
    assert identities(sample) == before


def test_a_new_version_of_a_used_document_changes_both(sample: Workspace) -> None:
    evidence, corpus = identities(sample)
    edit(sample, "HOLD-7.md", lambda text: text.replace('version: "2"', 'version: "3"'))
    after = identities(sample)
    assert after[0] != evidence
    assert after[1] != corpus
    assert isinstance(recorded(sample), Answered)
