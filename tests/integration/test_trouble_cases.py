"""Trouble cases: real reports about products of this kind, told as tests of ours, on SQLite and tantivy through the facade.

Each test names its case. What a case says about PDFs, models and the web belongs to later parts of the product.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.vectors.index import VectorIndex
from toulmin.application.gather import gather
from toulmin.application.ingest import FileOutcome, FileReport
from toulmin.application.question import AskRequest, typed_question
from toulmin.domain.claims.draft import Citation, Claim, DraftRequest, Segment
from toulmin.domain.claims.licence import check
from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.corpus.readers import PUBLIC
from toulmin.domain.corpus.text import utf16_range
from toulmin.domain.errors import InputError
from toulmin.domain.outcome import Answered, AskForEvidence, Item, Outcome, SearchOnly, SearchOnlyReason, Withheld
from toulmin.domain.question.case import ANONYMOUS, Principal, read_instant
from toulmin.domain.question.contract import DrafterKind
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.drafter import Drafted
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace
from toulmin.wire.outcome import outcome_json

READ_BY_ALL = Metadata(stated=frozenset({"readers"}), readers=(PUBLIC,))


def opened(
    folder: Path, *, settings: str = "", contracts: Mapping[str, str] | None = None, by: str = "words"
) -> closing[Workspace]:
    """A workspace of its own in a folder, searched by words, by meaning, or by both."""
    (folder / "contracts").mkdir(parents=True)
    (folder / "toulmin.toml").write_text(settings)
    for name, text in (contracts or {}).items():
        (folder / "contracts" / name).write_text(text)
    place = Workspace.open(folder)
    if by == "words":
        return closing(place)
    vectors = VectorIndex(folder / "vectors", WordsEmbedder(dimension=4096))
    if by == "both":
        return closing(Workspace(place.settings, replace(place.parts, meaning=vectors)))
    place.parts.index.close()
    return closing(Workspace(place.settings, replace(place.parts, index=vectors)))


searched = pytest.mark.parametrize("by", ["words", "meaning", "both"])


def ingest(place: Workspace, files: Mapping[str, str | bytes], options: Metadata = READ_BY_ALL) -> list[FileReport]:
    """Ingests files that are written as they are; sidecars are files as well."""
    folder = place.settings.workspace / "incoming"
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(place.ingest(e for e in place.entries([folder], options=options) if isinstance(e, Entry)))


def names(items: Sequence[Item]) -> list[str]:
    return [str(item.found.id) for item in items]


def live(place: Workspace) -> list[Standing]:
    """The revisions in force now."""
    now = place.parts.clock.now()
    return [s for s in place.documents() if s.status is Status.LIVE and s.validity.holds_at(now)]


def text_of(place: Workspace, standing: Standing) -> str:
    revision = place.revision(standing.key)
    assert revision is not None
    return revision.text


def contract(
    identity: str, facts: Mapping[str, tuple[str, str]], *, query: str, k: int = 2, drafter: str = "template"
) -> str:
    """A licensed contract without rules; facts are proposition and clause by id."""
    rows = {name: {"proposition": proposition, "clause": clause} for name, (proposition, clause) in facts.items()}
    return (
        f"id: {identity}\nversion: 1\ncase: {{}}\nquery: {json.dumps(query)}\nk: {k}\neligibility: {{rules: {{}}}}\n"
        f"facts: {json.dumps(rows)}\nanswer: {{mode: licensed, drafter: {drafter}}}\n"
    )


def sidecar(**stated: object) -> str:
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in {"readers": [PUBLIC], **stated}.items())


@dataclass
class Scripted:
    """A drafter that writes what it is told, and keeps what it was given."""

    segments: tuple[Segment, ...] = ()
    given: list[DraftRequest] = field(default_factory=list)
    profile: str = "scripted"
    on_this_host: bool = True

    async def draft(self, request: DraftRequest) -> Drafted:
        self.given.append(request)
        return Drafted(segments=self.segments)


def drafting(place: Workspace, drafter: Scripted) -> Workspace:
    return Workspace(place.settings, replace(place.parts, drafters=dict.fromkeys(DrafterKind, drafter)))


BACKUP = {
    "A1.txt": "Backup window is 02:00 to 04:00 on weekdays.",
    "A1.txt.meta.yaml": sidecar(id="A1", readers=["tenant:acme"], scope={"edition": "2025"}),
    "A0.txt": "Backup window schedule: the backup window is 22:00.",
    "A0.txt.meta.yaml": sidecar(id="A0", readers=["tenant:acme"], scope={"edition": "2023"}),
    "B1.txt": "Backup window schedule, backup window, backup window schedule.",
    "B1.txt.meta.yaml": sidecar(id="B1", readers=["tenant:birch"], scope={"edition": "2025"}),
    "B2.txt": "Backup window schedule and backup window limits.",
    "B2.txt.meta.yaml": sidecar(id="B2", readers=["tenant:birch"], scope={"edition": "2025"}),
}


@searched
def test_the_filter_comes_before_the_best_k_so_that_every_k_finds_the_one_eligible_document(
    tmp_path: Path, by: str
) -> None:
    """O01."""
    settings = '[eligibility.default]\nrules = { edition = "equals" }\n'
    acme = Principal(id="u", tenant="acme")
    with opened(tmp_path, by=by, settings=settings) as place:
        ingest(place, BACKUP)
        for k in (1, 2, 10):
            found = place.search("backup window schedule", case={"edition": "2025"}, principal=acme, k=k)
            assert ([item.found.id.document for item in found.items], found.eligible) == (["A1"], 1)
            outcome = place.ask_text("backup window schedule", case={"edition": "2025"}, principal=acme, k=k)
            assert isinstance(outcome, SearchOnly)
            assert outcome.receipt is not None
            packet = place.packet(outcome.receipt.packet, principal=acme)
            assert packet.body["trace"][0] == {"step": "search", "eligible": 1, "found": 1}
            shown = json.dumps([packet.body, packet.texts, outcome_json(outcome)])
            assert "A1" in shown
            assert not [name for name in ("A0", "B1", "B2", "22:00", "limits") if name in shown]


@searched
def test_the_list_for_more_begins_with_the_list_for_fewer_among_five_hundred(tmp_path: Path, by: str) -> None:
    """O02."""
    settings = '[eligibility.default]\nrules = { tenant = "equals" }\n'
    files: dict[str, str | bytes] = {}
    for number in range(500):
        files[f"d{number}.txt"] = f"note {number} about topic {number % 7}"
        files[f"d{number}.txt.meta.yaml"] = sidecar(scope={"tenant": "t2" if number % 100 else "t1"})
    with opened(tmp_path, settings=settings, by=by) as place:
        ingest(place, files)
        lists = [place.search("note about topic", case={"tenant": "t1"}, k=k).items for k in (3, 5, 10)]
        assert [len(items) for items in lists] == [3, 5, 5]
        assert lists[1] == lists[2]
        assert lists[0] == lists[1][:3]
        scores = [(-item.found.score, item.found.id.document) for item in lists[1]]
        assert scores == sorted(scores)
        assert {document for _, document in scores} == {f"d{number}.txt" for number in range(0, 500, 100)}


@searched
def test_a_filter_that_nothing_passes_finds_nothing(tmp_path: Path, by: str) -> None:
    """O03."""
    settings = (
        '[eligibility.default]\nrules = { product = "equals", lang = "equals" }\n[open_question]\nmode = "cited"\n'
    )
    reader = Scripted()
    with opened(tmp_path, by=by, settings=settings) as place:
        ingest(
            place,
            {
                "D1.txt": "X1 resets with the red key.",
                "D1.txt.meta.yaml": sidecar(scope={"product": "X1", "lang": "en"}),
                "D2.txt": "X2 resets with the blue key.",
                "D2.txt.meta.yaml": sidecar(scope={"product": "X2", "lang": "en"}),
            },
        )
        asking = drafting(place, reader)
        for case in ({"product": "Z9"}, {"product": "Z9", "lang": "en"}, {"lang": "en", "product": "Z9"}, {}):
            found = place.search("how do I reset it, it resets", case=case)
            assert (found.items, found.eligible) == ((), 0)
            outcome = asking.ask_text("how do I reset it, it resets", case=case)
            assert isinstance(outcome, AskForEvidence)
            assert outcome.search == ()
            assert outcome.reason is not None
            assert outcome.reason.value == "no_eligible_evidence"
        with pytest.raises(InputError, match="product"):
            place.search("reset", case={"product": ""})
        assert reader.given == []
        asking.ask_text("resets", case={"product": "X1", "lang": "en"})
        assert [[item.passage for item in request.evidence] for request in reader.given] == [
            ["X1 resets with the red key."]
        ]


@searched
def test_an_empty_allow_list_allows_nobody(tmp_path: Path, by: str) -> None:
    """O03, readers."""
    with opened(tmp_path, by=by) as place:
        ingest(place, {"D1.txt": "X1 resets.", "D1.txt.meta.yaml": "readers: []\n"})
        for who in (ANONYMOUS, Principal(id="u", tenant="acme", groups=("ops",), roles=("auditor",))):
            found = place.search("resets", principal=who, explain=True)
            assert (found.items, found.eligible, found.excluded) == ((), 0, ())
        ingest(place, {"D2.txt": "X2 resets."})
        assert names(place.search("resets").items) == [f"D2.txt v{live(place)[0].id.version}"]
        nobody = place.search("resets", principal=Principal(id="u", active=False))
        assert (nobody.items, nobody.eligible) == ((), 0)
        with pytest.raises(InputError):
            place.search("resets", k=0)


@searched
def test_a_deleted_document_is_neither_found_nor_cited_and_its_old_packet_says_so(tmp_path: Path, by: str) -> None:
    """O05."""
    facts = {"code": ("The gate code is 4410.", "The code of the gate is 4410.")}
    text = "The gate code is 4410.\n\nAsk the guard for the key.\n"
    with opened(tmp_path, by=by, contracts={"gate.yaml": contract("gate", facts, query="gate code")}) as place:
        spans = [{"id": "s1", "fact": "code", "quote": "The gate code is 4410."}]
        ingest(place, {"D1.txt": text, "D1.txt.meta.yaml": sidecar(id="D1", version="1", spans=spans)})
        (standing,) = live(place)
        first = place.ask("gate")
        assert isinstance(first, Answered)
        assert first.receipt is not None
        assert [str(c.source) for claim in first.claims for c in claim.citations] == ["D1 v1"]

        place.retire("D1", Status.DELETED)
        second = place.ask("gate")
        assert isinstance(second, AskForEvidence)
        assert (second.missing, second.search) == (("code",), ())
        assert place.search("guard gate code").items == ()

        view = place.packet(first.receipt.packet)
        (source,) = view.sources
        assert (source.id, source.state) == (RevisionId("D1", "1"), SourceState.DELETED)
        assert source.text_sha256 == standing.text_sha256 == sha256(text.encode()).hexdigest()
        assert "guard" not in json.dumps([view.body, view.texts])

        everything = Filter(scopes=frozenset(range(1, 100)), readers=frozenset({PUBLIC}), at=place.parts.clock.now())
        for index in filter(None, (place.parts.index, place.parts.meaning)):
            assert index.snapshot().search("guard gate code", everything, 10).hits == ()
        assert place.revision(standing.key) is None
        reports = ingest(place, {"D1.txt": text, "D1.txt.meta.yaml": sidecar(id="D1", version="1", spans=spans)})
        assert [report.outcome for report in reports] == [FileOutcome.REFUSED]


FEES = (
    "Delivery costs 4 EUR.\n\nReturns are free.\n\nThe late fee is 15 EUR.",
    "Delivery costs 5 EUR.\n\nReturns are free.",
)
LATE_FEE = {"late": ("The late fee is 15 EUR.", "The late fee is 15 EUR.")}


@searched
def test_after_a_shorter_version_nothing_is_left_of_the_longer_one_but_as_of_its_time(tmp_path: Path, by: str) -> None:
    """O06."""
    then = datetime(2025, 6, 1, tzinfo=UTC)
    spans = [{"id": "s1", "fact": "late", "quote": "The late fee is 15 EUR."}]
    with opened(tmp_path, by=by, contracts={"fee.yaml": contract("fee", LATE_FEE, query="late fee")}) as place:
        old = sidecar(id="fees", version="1", valid_from="2025-01-01", spans=spans)
        new = sidecar(id="fees", version="2", valid_from="2026-01-01")
        ingest(place, {"fees.txt": FEES[0], "fees.txt.meta.yaml": old})
        (report,) = ingest(place, {"fees.txt": FEES[1], "fees.txt.meta.yaml": new})
        assert (report.outcome, report.supersedes) == (FileOutcome.SUPERSEDED, ("1",))

        assert place.search("late fee").items == ()
        now = place.ask("fee")
        assert isinstance(now, AskForEvidence)
        assert now.missing == ("late",)
        assert "15 EUR" not in json.dumps(outcome_json(now))

        before = place.ask("fee", as_of=then)
        assert isinstance(before, Answered)
        assert [str(c.source) for claim in before.claims for c in claim.citations] == ["fees v1"]
        assert before.receipt is not None
        assert [s.state for s in place.packet(before.receipt.packet).sources] == [SourceState.SUPERSEDED]

        (standing,) = live(place)
        revision = place.revision(standing.key)
        assert revision is not None
        everything = place.search("delivery costs returns free late fee 4 5 15 EUR", k=20)
        assert names(everything.items) == ["fees v2"] * len(revision.passages)


def test_a_sentence_that_cites_the_old_version_is_withheld(tmp_path: Path) -> None:
    """O06, what a model may still say."""
    with opened(tmp_path, contracts={"fee.yaml": contract("fee", LATE_FEE, query="delivery")}) as place:
        ingest(place, {"fees.txt": FEES[0], "fees.txt.meta.yaml": sidecar(id="fees", version="1")})
        ingest(place, {"fees.txt": FEES[1], "fees.txt.meta.yaml": sidecar(id="fees", version="2")})
        question = typed_question(AskRequest(question="fee", principal=ANONYMOUS), place.parts)
        assert question is not None
        citation = Citation(source=RevisionId("fees", "1"), span="s1")
        claim = Claim(text="The late fee is 15 EUR.", fact="late", citations=(citation,))
        verdict = check(claim, gather(question, place.parts).evidence, question.facts, question.case)
        assert (verdict.delivered, verdict.reason) == (False, "cited source is not in the selected evidence")


@searched
def test_the_same_bytes_again_change_nothing_and_fill_no_place(tmp_path: Path, by: str) -> None:
    """O07. A fetching time is no key of ours, and refused as one; the title stands for metadata that changes with each fetch."""
    with opened(tmp_path, by=by) as place:
        reports = [ingest(place, {"R1.txt": "Setup needs Python 3.12."})[0] for _ in range(3)]
        assert [report.outcome.value for report in reports] == ["ingested", "unchanged", "unchanged"]
        assert len({report.revision for report in reports}) == 1
        (before,) = place.documents()
        (again,) = ingest(
            place, {"R1.txt": "Setup needs Python 3.12.", "R1.txt.meta.yaml": sidecar(title="fetched at noon")}
        )
        assert (again.revision, again.described) == (before.id, True)
        (after,) = place.documents()
        assert (after.key, after.text_sha256, after.bytes_sha256) == (
            before.key,
            before.text_sha256,
            before.bytes_sha256,
        )
        ingest(place, {"R2.txt": "Setup also needs a C compiler."})
        found = place.search("what does setup need, setup needs", k=2)
        assert sorted(item.found.id.document for item in found.items) == ["R1.txt", "R2.txt"]
        (refused,) = ingest(place, {"R3.txt": "Setup.", "R3.txt.meta.yaml": 'fetched_at: "2026-01-01"\n'})
        assert refused.fault is not None
        assert refused.fault.code == "unknown_key"


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("Line one.\r\nLine two.\r\nLine three.", (11, 33)),
        ("Line one.\rLine two.\rLine three.", (10, 31)),
        ("Line one.\r\n\nLine two.\nLine three.", (12, 33)),
    ],
    ids=["crlf", "cr", "mixed"],
)
def test_line_ends_shift_no_offset(tmp_path: Path, text: str, offsets: tuple[int, int]) -> None:
    """O16."""
    with opened(tmp_path) as place:
        spans = [{"id": "s1", "fact": "f", "quote": "Line two.\nLine three."}]
        ingest(place, {"a.txt": text.encode(), "a.txt.meta.yaml": sidecar(spans=spans)})
        (standing,) = live(place)
        (span,) = standing.descriptor.spans
        assert (span.start, span.end) == offsets
        stored = text_of(place, standing)
        assert (stored, stored[span.start : span.end]) == (text, text[slice(*offsets)])
        assert standing.bytes_sha256 == sha256(text.encode()).hexdigest()
        for item in place.search("line two three", k=20).items:
            assert text[item.place.start : item.place.end] == item.found.text


def test_offsets_are_told_in_code_points_and_in_utf16_units(tmp_path: Path) -> None:
    """O17."""
    text = "🤔🤔 Fee: 5 €. 👩‍👩‍👧 Family plan: 9 €."
    quote = "Family plan: 9 €."
    facts = {"plan": (quote, "The family plan costs 9 €.")}
    with opened(tmp_path, contracts={"plan.yaml": contract("plan", facts, query="family plan")}) as place:
        spans = [{"id": "s1", "fact": "plan", "quote": quote}]
        ingest(place, {"a.txt": text, "a.txt.meta.yaml": sidecar(spans=spans)})
        outcome = place.ask("plan")
        assert isinstance(outcome, Answered)
        assert outcome_json(outcome)["answer"] is not None
        ((citation,),) = [claim.citations for claim in outcome.claims]
        assert citation.place is not None
        start, end = citation.place.start, citation.place.end
        first, last = citation.place.utf16
        assert ((start, end), (first, last)) == ((19, 36), (24, 41))
        assert (len(text[:start].encode()), len(text[:end].encode())) == (40, 59)
        assert text[start:end] == quote
        assert text.encode("utf-16-le")[2 * first : 2 * last].decode("utf-16-le") == quote


def test_no_passage_begins_or_ends_inside_a_joined_emoji(tmp_path: Path) -> None:
    """O17, widening; passages are the only spans that the product sets itself."""
    text = "Family " + "👩‍👩‍👧" * 4_000  # a file without any letter would be refused
    with opened(tmp_path) as place:
        ingest(place, {"a.txt": text})
        revision = place.revision(live(place)[0].key)
        assert revision is not None
        assert len(revision.passages) > 1
        for passage in revision.passages:
            assert "\u200d" not in (text[passage.start], text[passage.end - 1], text[passage.end : passage.end + 1])
            first, last = utf16_range(text, passage.start, passage.end)
            whole = text.encode("utf-16-le")[2 * first : 2 * last].decode("utf-16-le")
            assert whole == text[passage.start : passage.end]


ENCODED = {
    "utf16le.txt": "fffe48006f007300740020006900730020006f00720069006f006e002d003700200069006e0020005a00fc0072006900630068000d000a00",
    "utf16be.txt": "feff0048006f007300740020006900730020006f00720069006f006e002d003700200069006e0020005a00fc0072006900630068000d000a",
    "utf8sig.txt": "efbbbf486f7374206973206f72696f6e2d3720696e205ac3bc726963680d0a",
    "latin1.txt": "486f7374206973206f72696f6e2d3720696e205afc726963680d0a",
    "broken.txt": "fffe41",
}


def test_each_encoding_is_read_as_what_it_is_or_refused(tmp_path: Path) -> None:
    """O20."""
    with opened(tmp_path) as place:
        reports = {r.name: r for r in ingest(place, {name: bytes.fromhex(data) for name, data in ENCODED.items()})}
        found = place.search("orion-7 Zürich", k=20)
        assert sorted(item.found.id.document for item in found.items) == ["utf16be.txt", "utf16le.txt", "utf8sig.txt"]
        assert {item.found.text for item in found.items} == {"Host is orion-7 in Zürich"}
        assert {text_of(place, standing) for standing in live(place)} == {"Host is orion-7 in Zürich\r\n"}
        encodings = {s.id.document: place.revision(s.key) for s in live(place)}
        assert {name: revision and revision.encoding for name, revision in encodings.items()} == {
            "utf16be.txt": "utf-16-be",
            "utf16le.txt": "utf-16-le",
            "utf8sig.txt": "utf-8-sig",
        }
        for name in ("latin1.txt", "broken.txt"):
            fault = reports[name].fault
            assert fault is not None
            assert (fault.code, reports[name].outcome) == ("bad_encoding", FileOutcome.REFUSED)


def test_a_file_without_text_is_refused_and_the_rest_of_the_batch_is_ingested(tmp_path: Path) -> None:
    """O21, text files."""
    files = {"zero.txt": "", "blank.txt": "  \n\t \u200b\ufeff", "full.txt": "Anything at all."}
    with opened(tmp_path) as place:
        reports = {report.name: report for report in ingest(place, files)}
        for name in ("zero.txt", "blank.txt"):
            fault = reports[name].fault
            assert fault is not None
            assert (reports[name].outcome, reports[name].passages, fault.code) == (FileOutcome.REFUSED, 0, "no_text")
        assert reports["full.txt"].outcome is FileOutcome.INGESTED
        assert [item.found.id.document for item in place.search("anything").items] == ["full.txt"]
        assert [standing.id.document for standing in place.documents()] == ["full.txt"]


@pytest.mark.parametrize(("zone", "early"), [("UTC", False), ("Europe/Berlin", True)])
def test_one_instant_in_two_notations_has_one_answer(tmp_path: Path, zone: str, early: bool) -> None:
    """O28, filters."""
    with opened(tmp_path, settings=f'[time]\nzone = "{zone}"\n') as place:
        ingest(place, {"P2.txt": "The portal.", "P2.txt.meta.yaml": sidecar(valid_from="2025-02-01")})
        expected = {"2025-01-31T23:30:00Z": early, "2025-02-01T00:30:00+01:00": early, "2025-02-01": True}
        for text, effective in expected.items():
            at = read_instant(text, place.settings.zone)
            assert at is not None
            assert place.search("portal", as_of=at).eligible == effective
        (standing,) = place.documents()
        assert standing.validity.start == datetime(2025, 2, 1, tzinfo=ZoneInfo(zone)).astimezone(UTC)


TANKS = {
    "forty": ("The tank holds 40 l.", "The tank holds 40 litres."),
    "fifty-five": ("The tank holds 55 l.", "The tank holds 55 litres."),
}


def tanks(place: Workspace) -> None:
    """Two documents of which one's id begins with the other's, and so do their spans' ids."""
    for document, span, fact in (("E1", "s1", "forty"), ("E12", "s12", "fifty-five")):
        text = TANKS[fact][0]
        spans = [{"id": span, "fact": fact, "quote": text}]
        ingest(place, {f"{document}.txt": text, f"{document}.txt.meta.yaml": sidecar(id=document, spans=spans)})


def answered(place: Workspace, *segments: Segment) -> Outcome:
    return drafting(place, Scripted(segments)).ask("tank")


def segment(fact: str, *ids: str) -> Segment:
    return Segment(text=TANKS[fact][1], evidence_ids=ids, fact=fact)


def test_ids_resolve_whole_or_not_at_all(tmp_path: Path) -> None:
    """O34, ids."""
    with opened(tmp_path, contracts={"tank.yaml": contract("tank", TANKS, query="tank holds")}) as place:
        tanks(place)
        reader = Scripted()
        drafting(place, reader).ask("tank")
        issued = {item.passage: item.id for item in reader.given[0].evidence}
        forty, fifty = issued["The tank holds 40 l."], issued["The tank holds 55 l."]
        assert not forty.casefold().startswith(fifty.casefold())
        assert not fifty.casefold().startswith(forty.casefold())

        right = answered(place, segment("forty", forty), segment("fifty-five", fifty))
        assert isinstance(right, Answered)
        assert [claim.citations[0].source.document for claim in right.claims] == ["E1", "E12"]

        swapped = answered(place, segment("forty", forty), segment("fifty-five", forty))
        assert isinstance(swapped, Withheld)
        assert swapped.missing == ("fifty-five",)
        assert {claim.verdict.reason for claim in swapped.withheld} == {None, "the cited span does not carry this fact"}

        for invented in (forty[:1], f"{forty}3", forty.upper(), "E1", "E12", f" {forty}", ""):
            outcome = answered(place, segment("forty", forty), segment("fifty-five", fifty, invented))
            assert isinstance(outcome, SearchOnly)
            assert (outcome.reason, outcome.detail) == (SearchOnlyReason.INVALID_OUTPUT, "unknown_id")
        twice = answered(place, segment("forty", forty, forty), segment("fifty-five", fifty))
        assert isinstance(twice, SearchOnly)
        assert twice.detail == "repeated_id"


def test_two_things_cannot_have_one_id(tmp_path: Path) -> None:
    """O34, ids that are given twice."""
    with opened(tmp_path) as place:
        spans = [{"id": "E2", "fact": "f", "quote": "red"}, {"id": "E2", "fact": "f", "quote": "blue"}]
        (report,) = ingest(place, {"a.txt": "red and blue", "a.txt.meta.yaml": sidecar(spans=spans)})
        assert report.fault is not None
        assert report.fault.code == "duplicate_span"
        red, blue = ingest(
            place,
            {
                "red.txt": "red",
                "red.txt.meta.yaml": sidecar(id="E2", version="1"),
                "blue.txt": "blue",
                "blue.txt.meta.yaml": sidecar(id="E2", version="1"),
            },
        )[::-1]
        assert (red.outcome, blue.outcome) == (FileOutcome.REFUSED, FileOutcome.INGESTED)
        assert red.fault is not None
        assert red.fault.code == "other_bytes"
        assert [item.found.text for item in place.search("red blue").items] == ["blue"]
