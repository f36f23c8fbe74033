"""Delivery: which outcome gathered evidence and judged claims come to. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.application.gather import Gathered
from toulmin.domain.claims.draft import Citation, answer_text
from toulmin.domain.claims.verdict import Judged
from toulmin.domain.evidence.coverage import missing, witnesses
from toulmin.domain.evidence.selection import LeftOut
from toulmin.domain.outcome import (
    Answered,
    AskForEvidence,
    Basis,
    CitedQuote,
    EvidenceReason,
    SearchOnly,
    ShownClaim,
    Withheld,
)
from toulmin.domain.question.contract import Mode
from toulmin.ports.drafter import NotDrafted


def shortfall(gathered: Gathered) -> AskForEvidence | None:
    """What the closed set lacks for an answer; None: it is sufficient."""
    lacking = missing(gathered.evidence, gathered.question.facts)
    if lacking:
        return AskForEvidence(missing=lacking, basis=_basis(gathered))
    if gathered.evidence.passages:
        return None
    return AskForEvidence(missing=(), reason=_why_nothing(gathered), basis=_basis(gathered))


def search_only(gathered: Gathered, cause: NotDrafted) -> SearchOnly:
    """Evidence without an answer: generation failed, the search result survives."""
    return SearchOnly(
        reason=cause.reason,
        detail=cause.detail,
        retry_after_s=cause.retry_after_s,
        sufficient=_covers_the_template(gathered),
        basis=_basis(gathered),
    )


def deliver(judged: Sequence[Judged], gathered: Gathered) -> Answered | Withheld:
    """The claims that passed, in their order; nothing at all when none did, or when a required fact is left unsaid."""
    delivered = [item for item in judged if item.verdict.delivered]
    said = {item.claim.fact for item in delivered}
    unsaid = tuple(fact.id for fact in gathered.question.facts if fact.required and fact.id not in said)
    if not delivered or unsaid:
        shown = tuple(_shown(item, gathered) for item in judged)
        sufficient = _covers_the_template(gathered)
        return Withheld(withheld=shown, missing=unsaid, sufficient=sufficient, basis=_basis(gathered))
    return Answered(
        text=answer_text([item.claim.text for item in delivered]),
        claims=tuple(_shown(item, gathered) for item in delivered),
        withheld=tuple(_shown(item, gathered) for item in judged if not item.verdict.delivered),
        sufficient=_covers_the_template(gathered),
        basis=_basis(gathered),
    )


def _why_nothing(gathered: Gathered) -> EvidenceReason:
    if gathered.found.eligible == 0:
        return EvidenceReason.NO_ELIGIBLE_EVIDENCE
    reasons = {reason for _, reason in gathered.selection.left_out}
    unfit = reasons - {LeftOut.BELOW_MINIMUM_SCORE}  # passages matched, and none could be used
    return EvidenceReason.INSUFFICIENT if unfit else EvidenceReason.BELOW_MINIMUM_SCORE


def _covers_the_template(gathered: Gathered) -> bool:
    """Whether evidence without a shortfall is sufficient for a template: a licensed contract's, with something to say."""
    question = gathered.question
    return question.contract.mode is Mode.LICENSED and bool(witnesses(gathered.evidence, question.facts))


def _basis(gathered: Gathered) -> Basis:
    question = gathered.question
    return Basis(
        question=question.contract.id, assurance=question.contract.mode, as_of=question.at, search=gathered.items
    )


def _shown(item: Judged, gathered: Gathered) -> ShownClaim:
    claim = item.claim
    citations = tuple(_resolved(citation, gathered) for citation in claim.citations)
    return ShownClaim(text=claim.text, fact=claim.fact, citations=citations, verdict=item.verdict)


def _resolved(citation: Citation, gathered: Gathered) -> CitedQuote:
    unknown = CitedQuote(source=citation.source, span=citation.span, words=None, place=None)
    return gathered.quotes.get((citation.source, citation.span), unknown)
