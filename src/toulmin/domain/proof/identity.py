"""Identities: what an answer rests on, as digests that approvals, caches and replays hang on.

All are hex SHA-256 over length-prefixed fields (`domain.canonical`); `docs/reference/digests.md` states each layout with test vectors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from toulmin.domain.canonical import canonical_json, counted, digest, field, fields
from toulmin.domain.canonical import text_digest as _words
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.evidence.selection import EvidenceSet, Quote, Source
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Case, Principal
from toulmin.domain.question.contract import Contract


def evidence_identity(contract: Contract, question: str, case: Case, evidence: EvidenceSet) -> str:
    """The selected-evidence identity `ev-...`: it changes when, and only when, what the answer rests on does.

    `question` is the text of an open question, empty otherwise. Scores, ranks and left-out passages are no part of it.
    """
    return _evidence(
        fields("toulmin.evidence/1", contract.id, contract.digest, question),
        (fields(name, value.lettered) for name, value in case.facts),
        map(_source, evidence.sources),
    )


def recorded_identity(body: Mapping[str, Any], question: str) -> str:
    """The same identity from a packet's body, which has all that it covers but the question's words: an erased text does not matter."""
    contract = body["contract"]
    return _evidence(
        fields("toulmin.evidence/1", contract["id"], contract["digest"], question),
        (fields(fact["name"], fact["value"]) for fact in body["case"]),
        map(_recorded_source, body["documents"]),
    )


def _evidence(asked: bytes, case: Iterable[bytes], sources: Iterable[bytes]) -> str:
    return "ev-" + digest(asked, counted(case), counted(sources))


def operation_identity(
    *, name: str, params: Mapping[str, str], instance: str, evidence: str, policy: str, answer: str
) -> str:
    """The identity `op-...` of an operation on an answer: what an approval binds to, and what has at most one effect.

    `evidence` is the answer's `ev-`, `policy` the digest of the policy that it was made under, `answer` the SHA-256 of its text.
    """
    return "op-" + digest(fields(name, canonical_json(params), instance, evidence, policy, answer))


def draft_key(
    *,
    principal: Principal,
    contract: Contract,
    case: Case,
    evidence: EvidenceSet,
    policy: Policy,
    drafter: str,
    question: str,
    conflicting: Collection[tuple[RevisionId, str]] = (),
) -> str:
    """The key under which a draft may be kept: everything that it may depend on, rights to read and roles included.

    Hex SHA-256 over tag `toulmin.draft-key/1`; the question counts without regard to white space. The evidence identity covers contract,
    case and sources; added to it are the order of the passages and what else a drafter is told of them: descriptors, headings, and which
    are `conflicting`.
    """
    return digest(
        fields("toulmin.draft-key/1", evidence_identity(contract, "", case, evidence), policy.digest, drafter),
        fields(" ".join(question.split())),
        counted(field(token) for token in sorted(principal.tokens, key=str.encode)),
        counted(field(role) for role in sorted(set(principal.roles), key=str.encode)),
        counted(_passage(p) for p in evidence.passages),
        counted(fields(rid.document, rid.version, passage) for rid, passage in sorted(conflicting)),
    )


def _passage(found: Ranked) -> bytes:
    named = fields(found.id.document, found.id.version, found.passage.id, found.standing.descriptor.digest)
    return named + counted(field(title) for title in found.passage.heading)


def principal_digest(principal: Principal) -> str:
    """Hex SHA-256 that stands for a caller in packets, so that they need not name the person."""
    return digest(
        fields("toulmin.principal/1", principal.id, principal.tenant or ""),
        counted(field(group) for group in sorted(set(principal.groups), key=str.encode)),
        counted(field(role) for role in sorted(set(principal.roles), key=str.encode)),
    )


def owner_digest(principal: Principal) -> str:
    """Hex SHA-256 that stands for a caller whatever its groups and roles are: whose idempotency keys are whose."""
    return digest(fields("toulmin.owner/1", principal.id, principal.tenant or ""))


def _source(source: Source) -> bytes:
    return b"".join(
        (
            fields(source.id.document, source.id.version, source.scope.canonical),
            counted(field(reader) for reader in source.readers),
            field(source.text_sha256),
            counted(_quote(quote) for quote in source.quotes),
        )
    )


def _recorded_source(document: Mapping[str, Any]) -> bytes:
    return b"".join(
        (
            fields(document["document"], document["version"], document["scope"]),
            counted(field(reader) for reader in document["readers"]),
            field(document["text_sha256"]),
            counted(
                fields(span["id"], span["fact"] or "", str(span["start"]), str(span["end"]), span["sha256"])
                for span in document["spans"]
            ),
        )
    )


def _quote(quote: Quote) -> bytes:
    span = quote.span
    return fields(span.id, span.fact or "", str(span.start), str(span.end), _words(quote.words))
