"""What use cases give back, as JSON: the same shapes on the command line and over HTTP. Those of domain values are in `wire`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toulmin.application.curating import Curatable, Edited
from toulmin.application.documents import Retired
from toulmin.application.impact import Resting
from toulmin.application.ingest import FileReport
from toulmin.application.packets import PacketView
from toulmin.application.passages import PassageView
from toulmin.application.replay import Replay
from toulmin.domain.claims.checks import Finding
from toulmin.domain.corpus.document import Egress, Revision, Standing, Status
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.errors import ToulminError
from toulmin.domain.question.contract import Contract
from toulmin.ports.source import Skipped
from toulmin.wire.outcome import page_json
from toulmin.wire.replay import ReplayJson, now_json, step_json
from toulmin.wire.shapes import (
    ContractJson,
    ContractsCheckJson,
    ContractsJson,
    DescriptorJson,
    DocumentJson,
    DocumentsJson,
    EditedJson,
    FaultJson,
    FileJson,
    ImpactJson,
    IngestJson,
    MetadataJson,
    PacketViewJson,
    PassageJson,
    RestingJson,
    RetiredJson,
    RevisionJson,
    StandingJson,
)


def documents_json(standings: Iterable[Standing]) -> DocumentsJson:
    """Revisions as `toulmin.documents/1`."""
    return {"schema": "toulmin.documents/1", "documents": [standing_json(standing) for standing in standings]}


def document_json(shown: Iterable[tuple[Standing, Revision | None]]) -> DocumentJson:
    """A document's revisions with their passages as `toulmin.document/1`."""
    return {"schema": "toulmin.document/1", "revisions": [_revision(*each) for each in shown]}


def metadata_json(known: Curatable) -> MetadataJson:
    """What describes a revision, as `toulmin.metadata/1`."""
    standing = known.standing
    return {
        "schema": "toulmin.metadata/1",
        "document": standing.id.document,
        "version": standing.id.version,
        "descriptor_sha256": standing.descriptor.digest,
        "metadata": _descriptor(known.metadata),
    }


def edited_json(edited: Edited) -> EditedJson:
    """What an edit came to, as `toulmin.edited/1`."""
    return {
        "schema": "toulmin.edited/1",
        "document": edited.standing.id.document,
        "version": edited.standing.id.version,
        "descriptor_sha256": edited.standing.descriptor.digest,
        "descriptor_changed": edited.changed,
        "supersedes": list(edited.supersedes),
        "warnings": list(edited.warnings),
        "stale": list(edited.stale),
    }


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
        "scope": _scope(descriptor.scope),
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


def passage_json(view: PassageView) -> PassageJson:
    """Words of a document as `toulmin.passage/1`."""
    rid, place = view.standing.id, view.place
    return {
        "schema": "toulmin.passage/1",
        "document": rid.document,
        "version": rid.version,
        "title": view.standing.descriptor.title,
        "passage": view.id,
        "text": view.words,
        "start": place.start,
        "end": place.end,
        "utf16": place.utf16,
        "pages": [page_json(page) for page in place.pages],
        "heading": list(view.heading),
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


def _descriptor(metadata: Metadata) -> DescriptorJson:
    """Metadata of which every key is stated."""
    begins, ends, scope, supersedes = metadata.valid_from, metadata.valid_to, metadata.scope, metadata.supersedes
    return {
        "title": metadata.title,
        "author": metadata.author,
        "language": metadata.language,
        "source_type": metadata.source_type,
        "egress": (metadata.egress or Egress.ANY).value,
        "scope": _scope(scope or Scope()),
        "readers": list(metadata.readers or ()),
        "valid_from": instant_text(begins) if begins else None,
        "valid_to": instant_text(ends) if ends else None,
        "supersedes": None if supersedes is None else list(supersedes),
        "spans": [
            {"id": span.id, "fact": span.fact, "quote": span.quote, "prefix": span.prefix, "suffix": span.suffix}
            for span in metadata.spans or ()
        ],
    }


def _scope(scope: Scope) -> dict[str, str | list[str]]:
    return {name: value if isinstance(value, str) else list(value) for name, value in scope.attributes}


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
