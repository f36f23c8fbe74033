"""What use cases give back, as JSON: the same shapes on the command line and over HTTP. Those of domain values are in `wire`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic makes schemas of these only, before Python 3.12

from toulmin.application.documents import Retired
from toulmin.application.impact import Resting
from toulmin.application.ingest import FileReport
from toulmin.application.packets import PacketView
from toulmin.application.replay import Replay
from toulmin.domain.claims.checks import Finding
from toulmin.domain.corpus.document import Revision, Standing, Status
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.errors import ToulminError
from toulmin.domain.question.contract import Contract
from toulmin.ports.source import Skipped
from toulmin.wire.replay import ReplayJson, now_json, step_json


class LabelledSpanJson(TypedDict):
    """A curated span of a revision's text, and the fact that it is for."""

    id: str
    fact: str | None
    start: int
    end: int


class StandingJson(TypedDict):
    """A revision with its descriptor, and how it stands."""

    document: str
    version: str
    state: str
    superseded: bool
    valid_from: str
    valid_to: str | None
    title: str | None
    author: str | None
    language: str | None
    source_type: str | None
    egress: str
    scope: dict[str, str | list[str]]
    readers: list[str]
    text_sha256: str
    bytes_sha256: str
    descriptor_sha256: str
    spans: list[LabelledSpanJson]


class CutJson(TypedDict):
    """A passage by its place in the revision's text."""

    id: str
    start: int
    end: int
    heading: list[str]


class RevisionJson(StandingJson):
    """A revision with its passages; what is null, and the passages, went with the text where that was removed."""

    encoding: str | None
    media_type: str | None
    parser: str | None
    passages: list[CutJson]


class DocumentsJson(TypedDict):
    """`toulmin.documents/1`: revisions, by document and version."""

    schema: Literal["toulmin.documents/1"]
    documents: list[StandingJson]


class DocumentJson(TypedDict):
    """`toulmin.document/1`: one document's revisions with their passages."""

    schema: Literal["toulmin.document/1"]
    revisions: list[RevisionJson]


class RetiredRevisionJson(TypedDict):
    """A revision that was taken out of service."""

    document: str
    version: str
    state: str


class RetiredJson(TypedDict):
    """`toulmin.documents/1` after a withdrawal or deletion; `stale` are the approvals that it ended."""

    schema: Literal["toulmin.documents/1"]
    documents: list[RetiredRevisionJson]
    stale: list[str]


class FaultJson(TypedDict):
    """What is wrong with one file."""

    code: str
    message: str
    where: str | None
    remedy: str | None


class FileJson(TypedDict):
    """What became of one file."""

    path: str
    outcome: str
    document: str | None
    version: str | None
    passages: int
    supersedes: list[str]
    descriptor_changed: bool
    read_again: bool
    warnings: list[str]
    stale: list[str]
    fault: FaultJson | None


class SkippedJson(TypedDict):
    """A file that is no document."""

    path: str
    reason: str


class IngestJson(TypedDict):
    """`toulmin.ingest/1`: an outcome for each file."""

    schema: Literal["toulmin.ingest/1"]
    files: list[FileJson]
    skipped: list[SkippedJson]


class SourceJson(TypedDict):
    """A selected source, and what has become of it."""

    document: str
    version: str
    state: str
    text_sha256: str


class PacketViewJson(TypedDict):
    """`toulmin.packet-view/1`: a packet as the caller may see it now."""

    schema: Literal["toulmin.packet-view/1"]
    id: str
    evidence: str
    corpus: str
    body: dict[str, Any]
    texts: dict[str, str]
    sources: list[SourceJson]


class HeldJson(TypedDict):
    """An approval of a packet."""

    id: str
    state: str
    operation: str


class RestingJson(TypedDict):
    """A packet that rests on a document."""

    packet: str
    made_at: str
    evidence: str
    contract: str
    outcome: str
    versions: list[str]
    approvals: list[HeldJson]


class ImpactJson(TypedDict):
    """`toulmin.impact/1`: what rests on a document, the latest first."""

    schema: Literal["toulmin.impact/1"]
    document: str
    version: str | None
    packets: list[RestingJson]


class FindingJson(TypedDict):
    """What is wrong with a contract over the present corpus."""

    contract: str
    fact: str | None
    code: str
    fatal: bool
    message: str
    remedy: str


class ContractNameJson(TypedDict):
    """A contract by id, label and digest."""

    id: str
    version: str
    digest: str


class ContractsCheckJson(TypedDict):
    """`toulmin.contracts/1` with what was found."""

    schema: Literal["toulmin.contracts/1"]
    contracts: list[ContractNameJson]
    findings: list[FindingJson]


class CaseFieldJson(TypedDict):
    """A field of a contract's case. `trusted`: only a service may set it."""

    name: str
    type: str
    optional: bool
    trusted: bool


class ContractFactJson(TypedDict):
    """A fact that an answer may need."""

    id: str
    required: bool


class ContractJson(ContractNameJson):
    """A contract as whoever asks its question needs it."""

    mode: str
    case: list[CaseFieldJson]
    facts: list[ContractFactJson]


class ContractsJson(TypedDict):
    """`toulmin.contracts/1`: the questions that can be asked."""

    schema: Literal["toulmin.contracts/1"]
    contracts: list[ContractJson]


def documents_json(standings: Iterable[Standing]) -> DocumentsJson:
    """Revisions as `toulmin.documents/1`."""
    return {"schema": "toulmin.documents/1", "documents": [standing_json(standing) for standing in standings]}


def document_json(shown: Iterable[tuple[Standing, Revision | None]]) -> DocumentJson:
    """A document's revisions with their passages as `toulmin.document/1`."""
    return {"schema": "toulmin.document/1", "revisions": [_revision(*each) for each in shown]}


def standing_json(standing: Standing) -> StandingJson:
    """A revision's standing."""
    descriptor, validity = standing.descriptor, standing.validity
    return {
        "document": standing.id.document,
        "version": standing.id.version,
        "state": standing.status.value,
        "superseded": standing.superseded,
        "valid_from": instant_text(validity.start),
        "valid_to": instant_text(validity.end) if validity.end else None,
        "title": descriptor.title,
        "author": descriptor.author,
        "language": descriptor.language,
        "source_type": descriptor.source_type,
        "egress": descriptor.egress.value,
        "scope": {
            name: value if isinstance(value, str) else list(value) for name, value in descriptor.scope.attributes
        },
        "readers": list(descriptor.readers),
        "text_sha256": standing.text_sha256,
        "bytes_sha256": standing.bytes_sha256,
        "descriptor_sha256": descriptor.digest,
        "spans": [{"id": s.id, "fact": s.fact, "start": s.start, "end": s.end} for s in descriptor.spans],
    }


def retired_json(retired: Retired, status: Status) -> RetiredJson:
    """What was taken out of service, as `toulmin.documents/1`."""
    return {
        "schema": "toulmin.documents/1",
        "documents": [
            {"document": each.id.document, "version": each.id.version, "state": status.value}
            for each in retired.revisions
        ],
        "stale": list(retired.stale),
    }


def ingest_json(reports: Iterable[FileReport], skipped: Iterable[Skipped] = ()) -> IngestJson:
    """Reports as `toulmin.ingest/1`."""
    return {
        "schema": "toulmin.ingest/1",
        "files": [_file(report) for report in reports],
        "skipped": [{"path": item.name, "reason": item.reason} for item in skipped],
    }


def packet_view_json(view: PacketView) -> PacketViewJson:
    """A packet as `toulmin.packet-view/1`."""
    return {
        "schema": "toulmin.packet-view/1",
        "id": view.packet.id,
        "evidence": view.packet.evidence,
        "corpus": view.packet.corpus,
        "body": dict(view.body),
        "texts": dict(view.texts),
        "sources": [
            {
                "document": source.id.document,
                "version": source.id.version,
                "state": source.state.value,
                "text_sha256": source.text_sha256,
            }
            for source in view.sources
        ],
    }


def impact_json(document: str, version: str | None, resting: Iterable[Resting]) -> ImpactJson:
    """What rests on a document, as `toulmin.impact/1`."""
    return {
        "schema": "toulmin.impact/1",
        "document": document,
        "version": version,
        "packets": [_resting(each) for each in resting],
    }


def replay_json(replayed: Replay) -> ReplayJson:
    """A replay as `toulmin.replay/1`."""
    now = replayed.now
    return {
        "schema": "toulmin.replay/1",
        "packet": replayed.packet,
        "reproduces": replayed.reproduces,
        "unchanged": replayed.unchanged,
        "by_requester": replayed.by_requester,
        "then": {"evidence": replayed.evidence, "steps": [step_json(step) for step in replayed.steps]},
        "now": now_json(now.present.at, now.evidence, now.missing, now.differences),
    }


def contracts_check_json(contracts: Iterable[Contract], findings: Sequence[Finding]) -> ContractsCheckJson:
    """What was found wrong with contracts, as `toulmin.contracts/1`."""
    return {
        "schema": "toulmin.contracts/1",
        "contracts": [
            {"id": contract.id, "version": contract.version, "digest": contract.digest} for contract in contracts
        ],
        "findings": [
            {
                "contract": finding.contract,
                "fact": finding.fact,
                "code": finding.code.value,
                "fatal": finding.fatal,
                "message": finding.message,
                "remedy": finding.remedy,
            }
            for finding in findings
        ],
    }


def contracts_json(contracts: Iterable[Contract]) -> ContractsJson:
    """The questions that can be asked, as `toulmin.contracts/1`."""
    return {"schema": "toulmin.contracts/1", "contracts": [contract_json(contract) for contract in contracts]}


def contract_json(contract: Contract) -> ContractJson:
    """A contract as whoever asks its question needs it."""
    return {
        "id": contract.id,
        "version": contract.version,
        "digest": contract.digest,
        "mode": contract.mode.value,
        "case": [
            {"name": each.name, "type": each.kind.value, "optional": each.optional, "trusted": each.trusted}
            for each in contract.schema
        ],
        "facts": [{"id": fact.id, "required": fact.required} for fact in contract.facts],
    }


def _revision(standing: Standing, revision: Revision | None) -> RevisionJson:
    passages = revision.passages if revision else ()
    return {
        **standing_json(standing),
        "encoding": revision.encoding if revision else None,
        "media_type": revision.media_type if revision else None,
        "parser": revision.parser if revision else None,
        "passages": [{"id": p.id, "start": p.start, "end": p.end, "heading": list(p.heading)} for p in passages],
    }


def _file(report: FileReport) -> FileJson:
    return {
        "path": report.name,
        "outcome": report.outcome.value,
        "document": report.revision.document if report.revision else None,
        "version": report.revision.version if report.revision else None,
        "passages": report.passages,
        "supersedes": list(report.supersedes),
        "descriptor_changed": report.described,
        "read_again": report.reread,
        "warnings": list(report.warnings),
        "stale": list(report.stale),
        "fault": None if report.fault is None else _fault(report.fault),
    }


def _fault(fault: ToulminError) -> FaultJson:
    return {"code": fault.code, "message": fault.message, "where": fault.where, "remedy": fault.remedy}


def _resting(resting: Resting) -> RestingJson:
    return {
        "packet": resting.packet.id,
        "made_at": instant_text(resting.packet.made_at),
        "evidence": resting.packet.evidence,
        "contract": resting.contract,
        "outcome": resting.outcome,
        "versions": [rid.version for rid in resting.revisions],
        "approvals": [
            {"id": each.id, "state": each.state.value, "operation": each.operation_id} for each in resting.approvals
        ],
    }
