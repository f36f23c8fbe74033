"""Drafting: asks the drafter over the closed evidence, and takes its answer only when it is structurally sound."""

from __future__ import annotations

from collections.abc import Mapping

from toulmin.application.gather import Gathered
from toulmin.application.parts import Parts
from toulmin.domain.claims.draft import Citation, Claim, DraftRequest, LicensedClause, Rejected, issue_ids, validate
from toulmin.domain.evidence.coverage import witnesses
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.ports.drafter import Drafter, NotDrafted


async def draft(gathered: Gathered, drafter: Drafter | None, parts: Parts) -> tuple[Claim, ...] | NotDrafted:
    """The draft's claims with their citations resolved, or why there is none."""
    if drafter is None:
        return NotDrafted(reason=SearchOnlyReason.NO_DRAFTER)
    issued = _issued(gathered)
    drafted = await drafter.draft(_request(gathered, issued))
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


def _request(gathered: Gathered, issued: Mapping[str, Citation]) -> DraftRequest:
    question = gathered.question
    by_citation = {citation: evidence_id for evidence_id, citation in issued.items()}
    clauses = {fact.id: fact.clause for fact in question.facts}
    return DraftRequest(
        question=question.search_text,
        case={name: value.text for name, value in question.case.facts},
        evidence={
            evidence_id: gathered.quotes[citation.source, citation.span].words or ""
            for evidence_id, citation in issued.items()
        },
        licensed=tuple(
            LicensedClause(
                fact=witness.fact,
                clause=clauses[witness.fact],
                evidence_id=by_citation[Citation(source=witness.source, span=witness.quote.span.id)],
            )
            for witness in witnesses(gathered.evidence, question.facts)
        ),
    )
