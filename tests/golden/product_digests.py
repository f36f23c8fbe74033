"""The product's digests of the plain inputs that `digest_vectors.json` stores, through the product's own values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tests.golden.second_digests import Plain, numbered_revisions
from toulmin.domain.canonical import canonical_json, text_digest
from toulmin.domain.corpus.document import Descriptor, Egress, Passage, RevisionId, Span, Standing, Status
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.evidence.selection import EvidenceSet, Quote, evidence_set
from toulmin.domain.policy import Policy, Repair
from toulmin.domain.proof.approval import Operation, parameters
from toulmin.domain.proof.fingerprint import fingerprint_of
from toulmin.domain.proof.identity import evidence_identity, principal_digest
from toulmin.domain.proof.packet import seal
from toulmin.domain.question.case import Case, Kind, Principal, Value, read_value
from toulmin.domain.question.contract import CaseField, Contract, DrafterKind, Fact, Mode
from toulmin.domain.question.eligibility import Rule, RuleName, Rules
from toulmin.testing import builders


def value(plain: Plain) -> Value:
    """The case value of {type, value}, read from text as the command line and contract files give it."""
    stated = plain["value"]
    return read_value(Kind(plain["type"]), stated if isinstance(stated, str) else json.dumps(stated), UTC)


def contract(plain: Plain) -> Contract:
    eligibility, answer = plain.get("eligibility", {}), plain["answer"]
    mode = Mode(answer["mode"])
    usual = DrafterKind.TEMPLATE if mode is Mode.LICENSED else DrafterKind.MODEL
    return Contract(
        id=plain["id"],
        version=plain.get("version", "1"),
        schema=tuple(
            CaseField(
                name=name,
                kind=Kind(field["type"]),
                optional=field.get("optional", False),
                trusted=field.get("trusted", False),
            )
            for name, field in plain.get("case", {}).items()
        ),
        query=plain["query"],
        k=plain.get("k", 5),
        min_score=plain.get("min_score", 0.0),
        rules=Rules(
            tuple((name, _rule(rule)) for name, rule in eligibility.get("rules", {}).items()),
            missing=frozenset(eligibility.get("missing", ())),
            ignore=frozenset(eligibility.get("ignore", ())),
        ),
        facts=tuple(_fact(fact) for fact in plain.get("facts", ())),
        mode=mode,
        drafter=DrafterKind(answer.get("drafter", usual)),
    )


def _rule(plain: Plain) -> Rule:
    return Rule(
        name=RuleName(plain["rule"]), scheme=plain.get("scheme", "dotted"), levels=tuple(plain.get("levels", ()))
    )


def _fact(plain: Plain) -> Fact:
    return Fact(
        id=plain["id"],
        proposition=plain["proposition"],
        clause=plain["clause"],
        required=plain.get("required", True),
        applies=tuple((name, value(each)) for name, each in plain.get("applies", {}).items()),
    )


def descriptor(plain: Plain) -> Descriptor:
    return builders.descriptor(
        title=plain.get("title"),
        author=plain.get("author"),
        language=plain.get("language"),
        source_type=plain.get("source_type"),
        egress=Egress(plain.get("egress", "any")),
        scope=plain.get("scope", {}),
        readers=plain.get("readers", ()),
        valid_from=_instant(plain.get("valid_from")),
        valid_to=_instant(plain.get("valid_to")),
        supersedes=None if plain.get("supersedes") is None else tuple(plain["supersedes"]),
        spans=[_span(span) for span in plain.get("spans", ())],
    )


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _span(plain: Plain) -> Span:
    return Span(start=plain["start"], end=plain["end"], id=plain["id"], fact=plain.get("fact"))


def standing(revision: Plain, described: Descriptor) -> Standing:
    """The live revision of {id, version, text}."""
    return Standing(
        key=1,
        id=RevisionId(revision["id"], revision["version"]),
        text_sha256=text_digest(revision["text"]),
        bytes_sha256=text_digest(revision["text"]),
        descriptor=described,
        validity=builders.ALWAYS,
        superseded=False,
        status=Status.LIVE,
        since=1,
        ingested_at=builders.NOW,
    )


def evidence(documents: Sequence[Plain], mode: Mode) -> EvidenceSet:
    """The closed set of selected documents: of their curated spans in licensed mode, of their passages in the others."""
    taken: list[Ranked] = []
    curated: dict[RevisionId, list[Quote]] = {}
    for document in documents:
        stands = standing(document, builders.descriptor(scope=document["scope"], readers=document["readers"]))
        text: str = document["text"]
        spans = [_span(span) for span in document["spans"]]
        curated[stands.id] = [Quote(span=span, words=text[span.start : span.end]) for span in spans]
        places = [(0, len(text))] if mode is Mode.LICENSED else [(span.start, span.end) for span in spans]
        taken += [
            Ranked(standing=stands, passage=Passage(start=start, end=end), text=text[start:end], score=1.0)
            for start, end in places
        ]
    return evidence_set(taken, curated if mode is Mode.LICENSED else None)


def evidence_digest(plain: Plain) -> str:
    question = contract(plain["contract"])
    case = Case.of({name: value(each) for name, each in plain["case"].items()})
    return evidence_identity(question, plain["question"], case, evidence(plain["documents"], question.mode))


def policy(plain: Plain) -> Policy:
    lists = {"repairs": tuple(map(Repair, plain["repairs"])), "retention_days": tuple(plain["retention_days"].items())}
    return Policy(**{**plain, **lists})


def principal(plain: Plain) -> Principal:
    return Principal(
        id=plain["id"],
        tenant=plain.get("tenant"),
        groups=tuple(plain.get("groups", ())),
        roles=tuple(plain.get("roles", ())),
    )


def corpus_fingerprint(revisions: Sequence[Plain]) -> str:
    return fingerprint_of([standing(revision, descriptor(revision["descriptor"])) for revision in revisions])


def operation_digest(plain: Plain) -> str:
    return Operation(
        name=plain["name"],
        params=parameters(plain.get("params", {})),
        instance=plain["instance"],
        evidence=plain["evidence"],
        policy=plain["policy"],
        answer=text_digest(plain["answer"]),
    ).id


def packet_digest(body: Plain) -> str:
    return seal(body, texts={}, sources=(), requester="", evidence="", corpus="", made_at=builders.NOW).id


RESULTS: Mapping[str, Callable[[Any], str]] = {
    "canonical json": canonical_json,
    "contract": lambda plain: contract(plain).digest,
    "corpus": corpus_fingerprint,
    "descriptor": lambda plain: descriptor(plain).digest,
    "evidence": evidence_digest,
    "numbered corpus": lambda count: corpus_fingerprint(numbered_revisions(count)),
    "operation": operation_digest,
    "packet": packet_digest,
    "policy": lambda plain: policy(plain).digest,
    "principal": lambda plain: principal_digest(principal(plain)),
}
"""What a vector's kind is computed with."""
