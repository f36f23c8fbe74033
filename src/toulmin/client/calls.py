"""Calls: each request that can be sent, and how its reply is read. Nothing is sent here, so that both clients share all of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, NotRequired, TypeVar
from urllib.parse import quote
from uuid import uuid4

import httpx2
from typing_extensions import TypedDict

from toulmin.client.faults import bad_reply, checked, fault_of
from toulmin.client.outcomes import Outcome, outcome_of
from toulmin.domain.canonical import canonical_json
from toulmin.wire.approval import ApprovalJson, ApprovalsJson, StateName
from toulmin.wire.outcome import SearchJson
from toulmin.wire.packet import PacketFileJson
from toulmin.wire.problem import MEDIA_TYPE as PROBLEM
from toulmin.wire.problem import ProblemJson
from toulmin.wire.replay import ReplayJson
from toulmin.wire.review import ReviewJson
from toulmin.wire.shapes import (
    ContractJson,
    ContractsJson,
    DescriptorJson,
    DocumentJson,
    DocumentsJson,
    EditedJson,
    HealthJson,
    ImpactJson,
    IngestJson,
    MetadataJson,
    PacketViewJson,
    RetiredJson,
)
from toulmin.wire.verification import VerificationJson

T = TypeVar("T")

CaseValues = Mapping[str, str | int | bool]
"""A case: versions and other numbers with a point are texts."""

_NO_CASE: CaseValues = {}
_NO_PARAMS: Mapping[str, str] = {}


class Citation(TypedDict):
    """What a claim cites: a span of a stored version, or its exact words there."""

    document: str
    version: str
    span: NotRequired[str]
    quote: NotRequired[str]


class Pair(TypedDict):
    """A claim beside what it cites."""

    claim: str
    evidence: Sequence[Citation]
    id: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back, whole."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def retry_after_s(self) -> float | None:
        """When the service says to come again."""
        stated = self.headers.get("retry-after", "")
        return float(stated) if stated.isdecimal() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T]):
    """A request, and how the JSON of its reply is read. `repeatable`: sent twice, it does what it does once."""

    method: str
    path: str
    read: Callable[[bytes], T]
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)
    repeatable: bool = False

    def value(self, reply: Reply) -> T:
        """What the reply says; raises the fault that it tells, and `Unreachable` for one that no service gives."""
        if reply.media_type == PROBLEM:
            raise fault_of(checked(ProblemJson, reply.content), reply.retry_after_s)
        if reply.media_type != "application/json":
            raise bad_reply(f"status {reply.status} and {reply.media_type[:80] or 'nothing'}")
        return self.read(reply.content)


def search(
    text: str,
    *,
    case: CaseValues = _NO_CASE,
    profile: str | None = None,
    as_of: datetime | str | None = None,
    k: int | None = None,
    min_score: float | None = None,
    explain: bool = False,
) -> Call[SearchJson]:
    """Eligible passages for a text, and with `explain` why other documents are not among them."""
    body = _given(
        text=text,
        case=dict(case),
        profile=profile,
        as_of=_instant(as_of),
        k=k,
        min_score=min_score,
        explain=explain or None,
    )
    return _post("/v1/search", body, _shape(SearchJson), repeatable=True)


def ask(
    question: str,
    *,
    case: CaseValues = _NO_CASE,
    as_of: datetime | str | None = None,
    k: int | None = None,
    min_score: float | None = None,
) -> Call[Outcome]:
    """How a contract's question ends for a case."""
    body = _given(question=question, case=dict(case), as_of=_instant(as_of), k=k, min_score=min_score)
    return _post("/v1/ask", body, outcome_of)


def ask_text(
    text: str,
    *,
    case: CaseValues = _NO_CASE,
    profile: str | None = None,
    as_of: datetime | str | None = None,
    k: int | None = None,
    min_score: float | None = None,
) -> Call[Outcome]:
    """How an open question ends, under the rules of a profile."""
    body = _given(text=text, case=dict(case), profile=profile, as_of=_instant(as_of), k=k, min_score=min_score)
    return _post("/v1/ask", body, outcome_of)


def review(pairs: Sequence[Pair]) -> Call[ReviewJson]:
    """Whether what each claim cites supports it."""
    return _post("/v1/review", {"pairs": list(pairs)}, _shape(ReviewJson), repeatable=True)


def review_text(text: str, packet: str) -> Call[ReviewJson]:
    """The same for a text with citation markers, against the packet that it answers from."""
    return _post("/v1/review", {"text": text, "packet": packet}, _shape(ReviewJson), repeatable=True)


def contracts() -> Call[ContractsJson]:
    """The questions that can be asked, with the fields of their cases."""
    return _get("/v1/contracts", _shape(ContractsJson))


def contract(id: str) -> Call[ContractJson]:  # noqa: A002  # an id is what it is
    """One of them."""
    return _get(f"/v1/contracts/{_quoted(id)}", _shape(ContractJson))


def documents(*, after: str | None = None, limit: int | None = None) -> Call[DocumentsJson]:
    """A page of documents by id, those that come after one; an empty page ends them."""
    return _get("/v1/documents", _shape(DocumentsJson), after=after, limit=None if limit is None else str(limit))


def document(id: str, *, version: str | None = None) -> Call[DocumentJson]:  # noqa: A002
    """A document's revisions with the places of their passages."""
    return _get(f"/v1/documents/{_quoted(id)}", _shape(DocumentJson), version=version)


def ingest(files: Mapping[str, bytes], *, metadata: Mapping[str, object] | None = None) -> Call[IngestJson]:
    """What became of each file: its name is its document's default id, one named FILE.EXT.meta.yaml is a sidecar.

    `metadata` are defaults for what neither states. A file that is refused is no fault of the call, but has one in its entry; a call that is sent
    again finds its documents unchanged.
    """
    form = httpx2.Request(
        "POST",
        "http://form/",
        data={} if metadata is None else {"metadata": json.dumps(metadata)},
        files=[("file", (name, content, "application/octet-stream")) for name, content in files.items()],
    )
    return Call(
        method="POST",
        path="/v1/documents",
        read=_shape(IngestJson),
        headers={"content-type": form.headers["content-type"]},
        body=form.read(),
        repeatable=True,
    )


def withdraw(id: str, *, version: str | None = None) -> Call[RetiredJson]:  # noqa: A002
    """Takes a document, or one version of it, out of service; says which approvals that ended."""
    return _write(f"/v1/documents/{_quoted(id)}/withdraw", _given(version=version), _shape(RetiredJson))


def metadata(id: str, *, version: str) -> Call[MetadataJson]:  # noqa: A002
    """What describes a version of a document, as `edit` takes it."""
    return _get(f"/v1/metadata/{_quoted(id)}", _shape(MetadataJson), version=version)


def edit(id: str, metadata: DescriptorJson, *, version: str, replaces: str) -> Call[EditedJson]:  # noqa: A002
    """Describes a version anew; `replaces` is the digest of the descriptor that this was made from, and `Conflict` says that there is another one."""
    body = {"replaces": replaces, "metadata": metadata}
    call = _write(f"/v1/documents/{_quoted(id)}/metadata", body, _shape(EditedJson))
    return replace(call, method="PUT", query={"version": version})


def packet(id: str) -> Call[PacketViewJson]:  # noqa: A002
    """One decision, and what has become of its sources."""
    return _get(f"/v1/packets/{_quoted(id)}", _shape(PacketViewJson))


def verify(id: str) -> Call[VerificationJson]:  # noqa: A002
    """Whether everything that a kept packet states holds."""
    return _get(f"/v1/packets/{_quoted(id)}/verify", _shape(VerificationJson))


def replay(id: str, *, as_of: datetime | str | None = None) -> Call[ReplayJson]:  # noqa: A002
    """The decision made again, as of then and as of an instant (now, without one)."""
    return _get(f"/v1/packets/{_quoted(id)}/replay", _shape(ReplayJson), as_of=_instant(as_of))


def envelope(id: str) -> Call[bytes]:  # noqa: A002
    """The packet as a file to keep elsewhere, byte for byte as `toulmin packet verify` takes it."""
    return _get(f"/v1/packets/{_quoted(id)}/envelope", _packet_file)


def impact(document: str, *, version: str | None = None) -> Call[ImpactJson]:
    """The decisions that rest on a document, with their approvals."""
    return _get(f"/v1/impact/{_quoted(document)}", _shape(ImpactJson), version=version)


def approvals(*, state: StateName | None = None) -> Call[ApprovalsJson]:
    """The approvals that the caller may see, in the order of their requests."""
    return _get("/v1/approvals", _shape(ApprovalsJson), state=state)


def approval(id: str) -> Call[ApprovalJson]:  # noqa: A002
    """An approval as it stands."""
    return _get(f"/v1/approvals/{_quoted(id)}", _shape(ApprovalJson))


def request_approval(
    packet: str,
    operation: str,
    *,
    params: Mapping[str, str] = _NO_PARAMS,
    instance: str | None = None,
    comment: str | None = None,
) -> Call[ApprovalJson]:
    """The approval that an operation on a packet's answer waits in; the present one, where it was requested before."""
    body = _given(packet=packet, operation=operation, params=dict(params), instance=instance, comment=comment)
    return _write("/v1/approvals", body, _shape(ApprovalJson))


def approve(id: str, *, comment: str | None = None) -> Call[ApprovalJson]:  # noqa: A002
    """Lets an operation be carried out: a reviewer's decision."""
    return _step(id, "approve", comment=comment)


def reject(id: str, *, comment: str | None = None) -> Call[ApprovalJson]:  # noqa: A002
    """Refuses an operation: a reviewer's decision."""
    return _step(id, "reject", comment=comment)


def revoke(id: str, *, comment: str | None = None) -> Call[ApprovalJson]:  # noqa: A002
    """Takes back what is not yet carried out."""
    return _step(id, "revoke", comment=comment)


def execute(id: str, *, comment: str | None = None) -> Call[ApprovalJson]:  # noqa: A002
    """Carries an approved operation out, at most once; the approval says what came of it, or that it is stale."""
    return _step(id, "execute", comment=comment)


def resolve(id: str, outcome: str, *, comment: str | None = None) -> Call[ApprovalJson]:  # noqa: A002
    """Says what came of an operation in doubt, `executed` or `failed`."""
    return _step(id, "resolve", outcome=outcome, comment=comment)


def health() -> Call[HealthJson]:
    """Whether the service is ready, and what it lacks."""
    return _get("/readyz", _shape(HealthJson))


def _step(approval_id: str, step: str, **body: object) -> Call[ApprovalJson]:
    return _write(f"/v1/approvals/{_quoted(approval_id)}/{step}", _given(**body), _shape(ApprovalJson))


def _get(path: str, read: Callable[[bytes], T], **query: str | None) -> Call[T]:
    return Call(method="GET", path=path, query=_given(**query), read=read, repeatable=True)


def _write(path: str, body: Mapping[str, object], read: Callable[[bytes], T]) -> Call[T]:
    """A write under a key of its own, so that it is carried out once however often it arrives."""
    return _post(path, body, read, headers={"idempotency-key": uuid4().hex}, repeatable=True)


def _post(
    path: str,
    body: Mapping[str, object],
    read: Callable[[bytes], T],
    *,
    headers: Mapping[str, str] = _NO_PARAMS,
    repeatable: bool = False,
) -> Call[T]:
    return Call(
        method="POST",
        path=path,
        read=read,
        headers={"content-type": "application/json", **headers},
        body=json.dumps(body).encode(),
        repeatable=repeatable,
    )


def _shape(shape: Any) -> Callable[[bytes], Any]:
    return lambda content: checked(shape, content)


def _packet_file(content: bytes) -> bytes:
    file: Any = checked(PacketFileJson, content)
    return f"{canonical_json(file)}\n".encode()


def _given(**values: Any) -> dict[str, Any]:
    """The values that are given."""
    return {name: value for name, value in values.items() if value is not None}


def _instant(at: datetime | str | None) -> str | None:
    return at.isoformat() if isinstance(at, datetime) else at


def _quoted(part: str) -> str:
    """An id as one part of a path."""
    return quote(part, safe="")
