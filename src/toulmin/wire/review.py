"""Reviews: the rows that are reviewed, and `toulmin.review/1`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator
from typing_extensions import TypedDict

from toulmin.domain.claims.objection import Objection
from toulmin.domain.claims.opinion import Probabilities
from toulmin.domain.claims.report import CitedSource, ReviewedClaim, ReviewReport, TextFinding
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.corpus.document import RevisionId
from toulmin.wire.model import Strict
from toulmin.wire.scalars import Identifier, Text, fault

_STATUS: Mapping[VerdictStatus, Literal["supported", "contradicted", "unresolved"]] = {
    VerdictStatus.SUPPORTED: "supported",
    VerdictStatus.CONTRADICTED: "contradicted",
    VerdictStatus.UNRESOLVED: "unresolved",
}

_DIGITS = 4
"""Probabilities are shown rounded: what is behind hangs on the machine."""


class Cites(Strict):
    """What a pair cites: a span of a stored revision, or its words there."""

    document: Identifier
    version: Identifier
    span: Identifier | None = None
    quote: Text | None = None

    @property
    def source(self) -> RevisionId:
        return RevisionId(self.document, self.version)

    def checked(self) -> Self:
        if (self.span is None) == (self.quote is None):
            raise fault("missing_key", "a citation names a span or a quote, and not both", "give one of span, quote")
        if self.quote is not None and not self.quote.strip():
            raise fault("wrong_type", "a quote has no words", "give the exact words of the source")
        return self


class _Evidence(Strict):
    text: Text | None = None
    cites: tuple[Annotated[Cites, AfterValidator(Cites.checked)], ...] | None = None


def _named(value: object) -> object:
    """A text and a list of citations as what they are; anything else as it is, which is then refused."""
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, list | tuple):
        return {"cites": tuple(value)}
    raise fault("wrong_type", "evidence is neither a text nor a list of citations", 'write "evidence": "the text"')


EvidenceField = Annotated[_Evidence, BeforeValidator(_named)]
"""The evidence of a row: a text, or a list of `{"document": ..., "version": ..., "span" | "quote": ...}`."""


class ProbabilitiesJson(TypedDict):
    """What a judge gave."""

    supported: float
    contradicted: float
    unresolved: float


class ObjectionJson(TypedDict):
    """What a deterministic check holds against a claim: the words on both sides, half-open in code points.

    `evidence_span` is a range of the text of citation number `citation`, from 0.
    """

    oracle: str
    strength: Literal["contradicts", "unsettles"]
    claim_span: tuple[int, int]
    citation: int
    evidence_span: tuple[int, int]
    says: str


class CitedJson(TypedDict):
    """A citation with what has become of its source."""

    document: str
    version: str
    span: str
    state: Literal["current", "superseded", "not_in_force", "changed", "withdrawn", "deleted", "erased"]


class ReviewedJson(TypedDict):
    """A reviewed claim."""

    id: str
    claim: str
    verdict: Literal["supported", "contradicted", "unresolved"]
    reason: str | None
    checks: list[str]
    probabilities: ProbabilitiesJson | None
    objections: list[ObjectionJson]
    citations: list[CitedJson]


class TextFindingJson(TypedDict):
    """Something wrong with the reviewed text itself, such as a marker that resolves to nothing."""

    span: tuple[int, int]
    says: str


class ReviewJson(TypedDict):
    """`toulmin.review/1`; `judge_fault` says why the judge gave no opinion on some claims, null where it did not fail."""

    schema: Literal["toulmin.review/1"]
    policy: str
    judge_fault: str | None
    results: list[ReviewedJson]
    findings: list[TextFindingJson]


def review_json(report: ReviewReport) -> ReviewJson:
    """A report as `toulmin.review/1`."""
    return {
        "schema": "toulmin.review/1",
        "policy": report.policy,
        "judge_fault": report.fault,
        "results": [_reviewed(item) for item in report.claims],
        "findings": [_finding(item) for item in report.findings],
    }


def objection_json(item: Objection) -> ObjectionJson:
    """One objection."""
    return {
        "oracle": item.oracle,
        "strength": item.strength.value,
        "claim_span": item.claim,
        "citation": item.passage,
        "evidence_span": item.evidence,
        "says": item.says,
    }


def _reviewed(item: ReviewedClaim) -> ReviewedJson:
    verdict = item.verdict
    given = verdict.probabilities
    return {
        "id": item.id,
        "claim": item.claim,
        "verdict": _STATUS[verdict.status],
        "reason": verdict.reason,
        "checks": list(verdict.checks),
        "probabilities": _probabilities(given) if given else None,
        "objections": [objection_json(objection) for objection in verdict.objections],
        "citations": [_cited(citation) for citation in item.citations],
    }


def _probabilities(given: Probabilities) -> ProbabilitiesJson:
    return {
        "supported": round(given.supported, _DIGITS),
        "contradicted": round(given.contradicted, _DIGITS),
        "unresolved": round(given.unresolved, _DIGITS),
    }


def _cited(item: CitedSource) -> CitedJson:
    return {
        "document": item.source.document,
        "version": item.source.version,
        "span": item.span,
        "state": item.state.value,
    }


def _finding(item: TextFinding) -> TextFindingJson:
    return {"span": (item.start, item.end), "says": item.says}
