"""Delivery: which outcome gathered evidence and judged claims come to. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.application.gather import Gathered
from toulmin.domain.claims.draft import Citation, answer_text
from toulmin.domain.claims.verdict import Judged
from toulmin.domain.evidence.coverage import Witness, unwitnessed, witnesses, witnesses_in_passages
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
from toulmin.ports.judge import NotJudged


def shortfall(gathered: Gathered) -> AskForEvidence | None:
    """What the closed set lacks for an answer; None: it is sufficient."""
    lacking = unwitnessed(witnesses_of(gathered), gathered.question.facts)
    if lacking:
        return AskForEvidence(missing=lacking, basis=_basis(gathered))
    if gathered.evidence.passages:
        return None
    return AskForEvidence(missing=(), reason=_why_nothing(gathered), basis=_basis(gathered))


def insufficient(gathered: Gathered) -> AskForEvidence:
    """The closed set was judged not to answer the question."""
    return AskForEvidence(missing=(), reason=EvidenceReason.INSUFFICIENT, basis=_basis(gathered))


def search_only(gathered: Gathered, cause: NotDrafted | NotJudged) -> SearchOnly:
    """Evidence without an answer: generation or judgement failed, the search result survives."""
    return SearchOnly(
        reason=cause.reason,
        detail=cause.detail,
        retry_after_s=cause.retry_after_s,
        sufficient=_covers_the_template(gathered),
        basis=_basis(gathered),
    )


def deliver(judged: Sequence[Judged], gathered: Gathered, *, permitted: bool = True) -> Answered | Withheld:
    """The claims that passed, in their order; nothing at all when none did, or when a required fact is left unsaid.

    `permitted`: the answer may be given without the claims that did not pass.
    """
    delivered = [item for item in judged if item.verdict.delivered]
    said = {item.claim.fact for item in delivered} | _established(delivered, gathered)
    unsaid = tuple(fact.id for fact in gathered.question.facts if fact.required and fact.id not in said)
    if not delivered or unsaid or not permitted:
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


def witnesses_of(gathered: Gathered) -> tuple[Witness, ...]:
    """What witnesses the question's facts: curated spans in licensed mode, else the selected passages that hold one whole."""
    question = gathered.question
    find = witnesses if question.contract.mode is Mode.LICENSED else witnesses_in_passages
    return find(gathered.evidence, question.facts)


def _established(delivered: Sequence[Judged], gathered: Gathered) -> set[str]:
    """The facts whose curated words a claim rests on that was reviewed and found supported."""
    return {
        witness.fact
        for witness in witnesses_in_passages(gathered.evidence, gathered.question.facts)
        if any(_rests_on(item, witness, gathered) for item in delivered)
    }


def _rests_on(item: Judged, witness: Witness, gathered: Gathered) -> bool:
    span = witness.quote.span
    for number, start, end in item.verdict.rests_on:
        citation = item.claim.citations[number]
        quote = gathered.evidence.quote(citation.source, citation.span)
        if quote is not None and citation.source == witness.source:
            first = quote.span.start
            if first + start < span.end and span.start < first + end:
                return True
    return False


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
        question=question.contract.id,
        assurance=question.contract.mode,
        as_of=question.at,
        search=gathered.items,
        left_out=gathered.found.left_out,
    )


def _shown(item: Judged, gathered: Gathered) -> ShownClaim:
    claim = item.claim
    citations = tuple(_resolved(citation, gathered) for citation in claim.citations)
    return ShownClaim(text=claim.text, fact=claim.fact, citations=citations, verdict=item.verdict)


def _resolved(citation: Citation, gathered: Gathered) -> CitedQuote:
    unknown = CitedQuote(source=citation.source, span=citation.span, words=None, place=None)
    return gathered.quotes.get((citation.source, citation.span), unknown)
