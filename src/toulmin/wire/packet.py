"""Packets as JSON: the body `toulmin.packet/1`, and the file that a packet is exported to.

The shapes are strict: an unknown key is refused, since it would be a part of the record that nobody checks.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from toulmin.domain.canonical import canonical_json
from toulmin.domain.errors import InputError
from toulmin.domain.outcome import OutcomeName
from toulmin.domain.proof.envelope import EnvelopeSignature, Exported
from toulmin.wire.outcome import AssuranceName, StatusName


class RequestJson(TypedDict):
    """The request: its id, when its packet was made, and as of when it was answered."""

    id: str
    made_at: str
    as_of: str


class ContractRecordJson(TypedDict):
    """The contract; `snapshot` is the digest of its canonical JSON."""

    id: str
    version: str
    digest: str
    snapshot: str


class FactJson(TypedDict):
    """A fact of the case; the value begins with its type letter."""

    name: str
    value: str


class BudgetJson(TypedDict):
    """How much could be selected."""

    passages: int
    passage_bytes: int
    context_bytes: int
    documents: int | None
    min_score: float


class PolicyRecordJson(TypedDict):
    """The policy; `snapshot` is the digest of its canonical JSON."""

    version: str
    digest: str
    snapshot: str


class CorpusJson(TypedDict):
    """The corpus as the search saw it."""

    fingerprint: str
    sequence: int


class LabelJson(TypedDict):
    """A curated span."""

    id: str
    fact: str | None
    start: int
    end: int


class SpanJson(LabelJson):
    """A span of the evidence, with the digest of its words."""

    sha256: str


class DocumentJson(TypedDict):
    """A selected source."""

    document: str
    version: str
    parser: str
    scope: str
    readers: list[str]
    text_sha256: str
    spans: list[SpanJson]


class PassageNameJson(TypedDict):
    """A passage by its revision and its id there."""

    document: str
    version: str
    passage: str


class PassageJson(PassageNameJson):
    """A selected passage, with the curated spans inside of it."""

    start: int
    end: int
    score: float
    sha256: str
    spans: list[LabelJson]


class LeftOutJson(PassageNameJson):
    """A passage that was found and not selected."""

    reason: str


class CandidateJson(PassageNameJson):
    """A passage that was found, with all that selection decides by."""

    start: int
    end: int
    score: float
    sha256: str
    words: str
    bytes: int
    heading: str
    curated: bool


class EndingJson(TypedDict):
    """How the question ended."""

    name: OutcomeName
    assurance: AssuranceName
    sufficient: bool
    reason: str | None
    detail: str | None


class CitationRecordJson(TypedDict):
    """What a claim cites; `sha256` is null where it is not in the evidence."""

    document: str
    version: str
    span: str
    sha256: str | None


class ObjectionRecordJson(TypedDict):
    """What an oracle holds against a claim."""

    oracle: str
    strength: Literal["contradicts", "unsettles"]
    claim: tuple[int, int]
    passage: int
    evidence: tuple[int, int]
    says: str


class ProbabilitiesJson(TypedDict):
    """What a judge gave."""

    supported: float
    contradicted: float
    unresolved: float


class VerdictRecordJson(TypedDict):
    """A claim's verdict; `rests_on` is number of the citation, start and end in its words."""

    status: StatusName
    reason: str | None
    checks: list[str]
    objections: list[ObjectionRecordJson]
    probabilities: ProbabilitiesJson | None
    rests_on: list[tuple[int, int, int]]


class ClaimRecordJson(TypedDict):
    """A claim: digests of its sentence and of the words that it quotes."""

    text: str
    fact: str | None
    quotes: list[str]
    citations: list[CitationRecordJson]
    verdict: VerdictRecordJson


class PacketJson(TypedDict):
    """`toulmin.packet/1`: the body of a packet, all digests and no words. `docs/reference/packet.md` says what its keys hold."""

    schema: Literal["toulmin.packet/1"]
    request: RequestJson
    requester: str
    contract: ContractRecordJson
    question: str | None
    case: list[FactJson]
    k: int
    budget: BudgetJson
    policy: PolicyRecordJson
    corpus: CorpusJson
    evidence: str
    documents: list[DocumentJson]
    passages: list[PassageJson]
    left_out: list[LeftOutJson]
    candidates: list[CandidateJson]
    missing: list[str]
    outcome: EndingJson
    answer: str | None
    claims: list[ClaimRecordJson]
    withheld: list[ClaimRecordJson]
    versions: dict[str, str]
    trace: list[dict[str, Any]]


class SignatureJson(TypedDict):
    """A signature in base64, and the id of its key."""

    keyid: str
    sig: str


class EnvelopeJson(TypedDict):
    """A DSSE envelope; the payload is the body in base64."""

    payload: str
    payloadType: Literal["application/vnd.toulmin.packet+json"]
    signatures: list[SignatureJson]


class PacketFileJson(TypedDict):
    """A packet file: the envelope, and beside it the words that its digests stand for."""

    envelope: EnvelopeJson
    texts: dict[str, str]


def read_packet_file(data: bytes) -> Exported:
    """The content of a packet file. Raises `InputError` (`bad_packet`) for bytes that are not exactly what such a file has."""
    text = _utf8(data)
    value = _checked(PacketFileJson, text)
    if canonical_json(value) + "\n" != text:
        raise _bad("it is not in canonical form: some byte of it was changed")
    envelope = value["envelope"]
    signatures = [
        EnvelopeSignature(key=made["keyid"], signature=_unbased(made["sig"], "a signature"))
        for made in envelope["signatures"]
    ]
    return Exported(
        body=_utf8(_unbased(envelope["payload"], "the payload")), signatures=signatures, texts=value["texts"]
    )


def read_packet_body(body: str) -> dict[str, Any]:
    """A packet's body. Raises `InputError` (`bad_packet`) for a text that is no `toulmin.packet/1` in canonical form."""
    value = _checked(PacketJson, body)
    if canonical_json(value) != body:
        raise _bad("it is not in canonical form")
    return value


def _checked(shape: Any, text: str) -> dict[str, Any]:
    """The JSON object of a text, of a shape."""
    try:
        _adapter(shape).validate_json(text, strict=True, extra="forbid")
        value: dict[str, Any] = json.loads(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise _bad(f"{where}: {first['msg']}" if where else first["msg"]) from None
    return value


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def _utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _bad("it is not UTF-8 text") from None


def _unbased(text: str, what: str) -> bytes:
    """The bytes of a base64 text, which must be the one that base64 has for them."""
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        raise _bad(f"{what} is not base64") from None
    if b64encode(data).decode() != text:
        raise _bad(f"{what} is not base64 in its one form")
    return data


def _bad(why: str) -> InputError:
    return InputError("bad_packet", why, remedy="export the packet again")
