"""The JSON of what use cases give back, for whoever writes and reads it; `surfaces.shapes` makes it of their values."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic makes schemas of these only, before Python 3.12

from toulmin.wire.outcome import PageJson


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


class QuotedSpanJson(TypedDict):
    """A curated span by its words, and those around it where they occur elsewhere too."""

    id: str
    fact: str
    quote: str
    prefix: str | None
    suffix: str | None


class DescriptorJson(TypedDict):
    """What describes a revision, as metadata state it: with the keys of a sidecar, all of them."""

    title: str | None
    author: str | None
    language: str | None
    source_type: str | None
    egress: str
    scope: dict[str, str | list[str]]
    readers: list[str]
    valid_from: str | None
    valid_to: str | None
    supersedes: list[str] | None
    spans: list[QuotedSpanJson]


class MetadataJson(TypedDict):
    """`toulmin.metadata/1`: what describes a revision."""

    schema: Literal["toulmin.metadata/1"]
    document: str
    version: str
    descriptor_sha256: str
    metadata: DescriptorJson


class EditedJson(TypedDict):
    """`toulmin.edited/1`: how a revision is described after an edit; `stale` are the approvals that it ended."""

    schema: Literal["toulmin.edited/1"]
    document: str
    version: str
    descriptor_sha256: str
    descriptor_changed: bool
    supersedes: list[str]
    warnings: list[str]
    stale: list[str]


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


class PassageJson(TypedDict):
    """`toulmin.passage/1`: words of a document, exactly, with their place."""

    schema: Literal["toulmin.passage/1"]
    document: str
    version: str
    title: str | None
    passage: str
    text: str
    start: int
    end: int
    utf16: tuple[int, int]
    pages: list[PageJson]
    heading: list[str]


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


class HealthJson(TypedDict):
    """Whether a service is ready, and what it lacks."""

    status: Literal["ready", "waiting"]
    lacking: list[str]
