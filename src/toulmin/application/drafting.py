"""Drafting: asks the drafter over the closed evidence, and takes its answer only when it is structurally sound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toulmin.application.gather import Gathered
from toulmin.application.parts import Parts
from toulmin.domain.claims.draft import (
    Citation,
    Claim,
    DraftRequest,
    EvidenceItem,
    LicensedClause,
    Rejected,
    issue_ids,
    validate,
)
from toulmin.domain.corpus.document import Place, RevisionId
from toulmin.domain.evidence.coverage import witnesses
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.domain.question.contract import Mode
from toulmin.ports.drafter import Drafter, NotDrafted


async def draft(gathered: Gathered, drafter: Drafter | None, parts: Parts) -> tuple[Claim, ...] | NotDrafted:
    """The draft's claims with their citations resolved, or why there is none."""
    if drafter is None:
        return NotDrafted(reason=SearchOnlyReason.NO_DRAFTER)
    issued = _issued(gathered)
    drafted = await drafter.draft(_request(gathered, issued, parts.policy))
    if isinstance(drafted, NotDrafted):
        return drafted
    claims = validate(drafted.segments, issued, parts.policy)
    if isinstance(claims, Rejected):
        return NotDrafted(reason=SearchOnlyReason.INVALID_OUTPUT, detail=claims.code)
    return claims


def _issued(gathered: Gathered) -> dict[str, Citation]:
    """Evidence ids of this request, one for each quote of the closed set."""
    citations = [
        Citation(source=source.id, span=quote.span.id)
        for source in gathered.evidence.sources
        for quote in source.quotes
    ]
    return dict(zip(issue_ids(len(citations)), citations, strict=True))


def _request(gathered: Gathered, issued: Mapping[str, Citation], policy: Policy) -> DraftRequest:
    question = gathered.question
    return DraftRequest(
        question=question.search_text,
        case={name: value.text for name, value in question.case.facts},
        evidence=tuple(_item(evidence_id, citation, gathered) for evidence_id, citation in issued.items()),
        licensed=_licensed(gathered, issued) if question.contract.mode is Mode.LICENSED else None,
        output_tokens=policy.output_tokens,
    )


def _item(evidence_id: str, citation: Citation, gathered: Gathered) -> EvidenceItem:
    quote = gathered.quotes[citation.source, citation.span]
    source = gathered.evidence.source(citation.source)
    assert source is not None
    assert quote.words is not None  # an issued id stands for a resolved quote
    assert quote.place is not None
    return EvidenceItem(
        id=evidence_id,
        passage=quote.words,
        title=source.title,
        author=source.author,
        section=_section(citation.source, quote.place, gathered.evidence.passages),
        pages=tuple(page.label or str(page.number) for page in quote.place.pages),
        version=source.id.version,
    )


def _section(source: RevisionId, place: Place, passages: Sequence[Ranked]) -> tuple[str, ...]:
    """The heading path of the selected passage that the words begin in; empty where they stand outside of all of them."""
    within = (p for p in passages if p.id == source and p.passage.start <= place.start < p.passage.end)
    found = next(within, None)
    return found.passage.heading if found else ()


def _licensed(gathered: Gathered, issued: Mapping[str, Citation]) -> tuple[LicensedClause, ...]:
    by_citation = {citation: evidence_id for evidence_id, citation in issued.items()}
    facts = gathered.question.facts
    clauses = {fact.id: fact.clause for fact in facts}
    return tuple(
        LicensedClause(
            fact=witness.fact,
            clause=clauses[witness.fact],
            evidence_id=by_citation[Citation(source=witness.source, span=witness.quote.span.id)],
        )
        for witness in witnesses(gathered.evidence, facts)
    )
