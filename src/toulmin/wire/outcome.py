"""Outcomes and search results as JSON: `toulmin.outcome/1` and `toulmin.search/1`.

The shapes are typed dictionaries: the type checker sees what is written, and JSON Schemas are generated from them.
"""

from __future__ import annotations

from typing import (
    Literal,
    NotRequired,  # pydantic makes schemas of these only, before Python 3.12
)

from typing_extensions import TypedDict

from toulmin.domain.corpus.document import Page
from toulmin.domain.corpus.scope import AttributeValue
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.outcome import (
    NAMES,
    Answered,
    AskForEvidence,
    CitedQuote,
    Excluded,
    Item,
    Outcome,
    OutcomeName,
    SearchOnly,
    SearchResult,
    ShownClaim,
    UnsupportedQuestion,
    Withheld,
)
from toulmin.domain.question.eligibility import Reason
from toulmin.wire.review import ObjectionJson, objection_json

_SCORE_DIGITS = 4
"""Scores are shown rounded: their last digits hang on corpus statistics and mean nothing."""


AssuranceName = Literal["licensed", "reviewed", "cited"]
StatusName = Literal["licensed", "supported", "cited", "contradicted", "unresolved", "not_licensed"]


class PageJson(TypedDict):
    """A page: index from 0, number from 1, and the label that is printed on it."""

    index: int
    number: int
    label: str | None


class ItemJson(TypedDict):
    """A passage that was found; `conflicting` only where a judge found that it speaks against the question's premise."""

    document: str
    version: str
    passage: str
    text: str
    start: int
    end: int
    utf16: tuple[int, int]
    pages: list[PageJson]
    heading: list[str]
    score: float
    conflicting: NotRequired[bool]


class CitationJson(TypedDict):
    """What a claim rests on; the words and their place are null where the source is not in the selected evidence."""

    document: str
    version: str
    span: str
    quote: str | None
    start: int | None
    end: int | None
    utf16: tuple[int, int] | None
    pages: list[PageJson]


class VerdictJson(TypedDict):
    """What became of a claim."""

    status: StatusName
    reason: str | None
    checks: list[str]
    objections: list[ObjectionJson]


class ClaimJson(TypedDict):
    """A claim with its citations and verdict."""

    text: str
    fact: str | None
    citations: list[CitationJson]
    verdict: VerdictJson


class AnswerJson(TypedDict):
    """The delivered answer."""

    text: str
    claims: list[ClaimJson]


class ReceiptJson(TypedDict):
    """The packet of an outcome."""

    id: str
    evidence: str
    corpus: str


class OutcomeJson(TypedDict):
    """`toulmin.outcome/1`."""

    schema: Literal["toulmin.outcome/1"]
    outcome: OutcomeName
    assurance: AssuranceName | None
    reason: str | None
    detail: str | None
    retry_after_s: float | None
    missing: list[str]
    sufficiency: Literal["sufficient_for_template"] | None
    as_of: str | None
    answer: AnswerJson | None
    withheld: list[ClaimJson]
    search: list[ItemJson]
    packet: ReceiptJson | None


class ReasonJson(TypedDict):
    """Why a document is not eligible."""

    attribute: str
    rule: str | None
    document_value: str | list[str] | None
    case_value: str | None


class ExcludedJson(TypedDict):
    """A document that the caller may see and that is not eligible."""

    document: str
    version: str
    reasons: list[ReasonJson]


class SearchJson(TypedDict):
    """`toulmin.search/1`; `excluded` only where an explanation was asked for."""

    schema: Literal["toulmin.search/1"]
    results: list[ItemJson]
    eligible: int
    excluded: NotRequired[list[ExcludedJson]]


def outcome_json(outcome: Outcome) -> OutcomeJson:
    """An outcome as `toulmin.outcome/1`."""
    shape = OutcomeJson(
        schema="toulmin.outcome/1",
        outcome=NAMES[type(outcome)],
        assurance=None,
        reason=None,
        detail=None,
        retry_after_s=None,
        missing=[],
        sufficiency=None,
        as_of=None,
        answer=None,
        withheld=[],
        search=[],
        packet=None,
    )
    if isinstance(outcome, UnsupportedQuestion):
        return shape
    shape["assurance"] = outcome.assurance.value
    shape["sufficiency"] = "sufficient_for_template" if outcome.sufficient else None
    shape["as_of"] = instant_text(outcome.as_of)
    shape["search"] = [item_json(item) for item in outcome.search]
    if outcome.receipt is not None:
        receipt = outcome.receipt
        shape["packet"] = {"id": receipt.packet, "evidence": receipt.evidence, "corpus": receipt.corpus}
    match outcome:
        case AskForEvidence():
            shape["missing"] = list(outcome.missing)
            shape["reason"] = outcome.reason.value if outcome.reason else None
        case SearchOnly():
            shape["reason"], shape["detail"] = outcome.reason.value, outcome.detail
            shape["retry_after_s"] = outcome.retry_after_s
        case Withheld():
            shape["missing"] = list(outcome.missing)
            shape["withheld"] = [_claim(claim) for claim in outcome.withheld]
        case Answered():
            shape["answer"] = {"text": outcome.text, "claims": [_claim(claim) for claim in outcome.claims]}
            shape["withheld"] = [_claim(claim) for claim in outcome.withheld]
    return shape


def search_json(result: SearchResult, *, explain: bool) -> SearchJson:
    """A search result as `toulmin.search/1`."""
    shape = SearchJson(
        schema="toulmin.search/1", results=[item_json(item) for item in result.items], eligible=result.eligible
    )
    if explain:
        shape["excluded"] = [_excluded(item) for item in result.excluded]
    return shape


def item_json(item: Item) -> ItemJson:
    """One search result."""
    found, place = item.found, item.place
    shape: ItemJson = {
        "document": found.id.document,
        "version": found.id.version,
        "passage": found.passage.id,
        "text": found.text,
        "start": place.start,
        "end": place.end,
        "utf16": place.utf16,
        "pages": [page_json(page) for page in place.pages],
        "heading": list(found.passage.heading),
        "score": round(found.score, _SCORE_DIGITS),
    }
    if item.conflicting:
        shape["conflicting"] = True
    return shape


def _claim(claim: ShownClaim) -> ClaimJson:
    verdict = claim.verdict
    return {
        "text": claim.text,
        "fact": claim.fact,
        "citations": [_citation(citation) for citation in claim.citations],
        "verdict": {
            "status": verdict.status.value,
            "reason": verdict.reason,
            "checks": list(verdict.checks),
            "objections": [objection_json(item) for item in verdict.objections],
        },
    }


def _citation(citation: CitedQuote) -> CitationJson:
    place = citation.place
    return {
        "document": citation.source.document,
        "version": citation.source.version,
        "span": citation.span,
        "quote": citation.words,
        "start": place.start if place else None,
        "end": place.end if place else None,
        "utf16": place.utf16 if place else None,
        "pages": [page_json(page) for page in place.pages] if place else [],
    }


def page_json(page: Page) -> PageJson:
    """One page."""
    return {"index": page.index, "number": page.number, "label": page.label}


def _excluded(item: Excluded) -> ExcludedJson:
    rid = item.standing.id
    return {"document": rid.document, "version": rid.version, "reasons": [_reason(reason) for reason in item.reasons]}


def _reason(reason: Reason) -> ReasonJson:
    return {
        "attribute": reason.attribute,
        "rule": reason.rule,
        "document_value": _stated(reason.document_value),
        "case_value": reason.case_value,
    }


def _stated(value: AttributeValue | None) -> str | list[str] | None:
    return list(value) if isinstance(value, tuple) else value
