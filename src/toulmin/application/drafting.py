"""Drafting: asks the drafter over the closed evidence, and takes its answer only when it is structurally sound.

Nothing waits in a queue: a draft has a place at once, or there is none. Identical requests in flight may share one draft, and a
validated draft may be kept; either way a claim's citations are mapped to this request's own ids and validated again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from toulmin.application.gather import Gathered
from toulmin.application.parts import Parts
from toulmin.domain.claims.draft import (
    Citation,
    Claim,
    DraftRequest,
    EvidenceItem,
    LicensedClause,
    Rejected,
    Segment,
    issue_ids,
    validate,
)
from toulmin.domain.corpus.document import Place, RevisionId
from toulmin.domain.evidence.coverage import witnesses
from toulmin.domain.evidence.egress import may_leave
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.domain.proof.identity import draft_key
from toulmin.domain.question.contract import Mode
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A validated draft: its claims with their citations resolved, who wrote it, and what that took. `kept`: from the cache."""

    claims: tuple[Claim, ...]
    profile: str
    usage: Usage
    kept: bool = False


async def draft(gathered: Gathered, parts: Parts) -> Draft | NotDrafted:
    """The draft of a question over its closed evidence, or why there is none."""
    question = gathered.question
    drafter = parts.drafters.get(question.contract.drafter)
    if drafter is None:
        return NotDrafted(reason=SearchOnlyReason.NO_DRAFTER)
    if question.contract.mode is Mode.REVIEWED:
        return NotDrafted(reason=SearchOnlyReason.NO_JUDGE)
    drafting = parts.drafting
    if not may_leave(gathered.evidence, on_this_host=drafter.on_this_host, approved=drafting.external_approved):
        return NotDrafted(reason=SearchOnlyReason.EGRESS_DENIED)
    issued = _issued(gathered)
    fresh = partial(_fresh, gathered, issued, drafter, parts)
    if drafting.cache is None:
        return await fresh()
    key = draft_key(
        principal=question.principal,
        contract=question.contract,
        case=question.case,
        evidence=gathered.evidence,
        policy=parts.policy,
        drafter=drafter.profile,
        question=question.search_text,
    )
    kept = drafting.cache.get(key)
    if kept is not None:
        return _again(Draft(claims=kept, profile=drafter.profile, usage=Usage(), kept=True), issued, parts.policy)
    shared = await drafting.flights.share(key, fresh)
    if isinstance(shared, NotDrafted):
        return shared
    drafting.cache.put(key, shared.claims)
    return _again(shared, issued, parts.policy)


async def _fresh(
    gathered: Gathered, issued: Mapping[str, Citation], drafter: Drafter, parts: Parts
) -> Draft | NotDrafted:
    with parts.drafting.bulkhead.place() as taken:
        if not taken:
            return NotDrafted(reason=SearchOnlyReason.SATURATED)
        try:
            async with asyncio.timeout(parts.policy.provider_deadline_s):
                drafted = await drafter.draft(_request(gathered, issued, parts.policy))
        except TimeoutError:
            return NotDrafted(reason=SearchOnlyReason.TIMEOUT, detail="provider_deadline")
    if isinstance(drafted, NotDrafted):
        return drafted
    return _validated(drafted, issued, drafter.profile, parts.policy)


def _validated(drafted: Drafted, issued: Mapping[str, Citation], profile: str, policy: Policy) -> Draft | NotDrafted:
    claims = validate(drafted.segments, issued, policy)
    if isinstance(claims, Rejected):
        return NotDrafted(reason=SearchOnlyReason.INVALID_OUTPUT, detail=claims.code, usage=drafted.usage)
    return Draft(claims=claims, profile=profile, usage=drafted.usage)


def _again(known: Draft, issued: Mapping[str, Citation], policy: Policy) -> Draft | NotDrafted:
    """A draft of an identical request, mapped to this request's ids and validated again."""
    ids = {citation: evidence_id for evidence_id, citation in issued.items()}
    segments = tuple(
        Segment(
            text=claim.text,
            evidence_ids=tuple(ids.get(citation, "") for citation in claim.citations),
            fact=claim.fact,
            quotes=claim.quotes,
        )
        for claim in known.claims
    )
    found = _validated(Drafted(segments=segments, usage=known.usage), issued, known.profile, policy)
    return (
        found
        if isinstance(found, NotDrafted)
        else Draft(claims=found.claims, profile=known.profile, usage=known.usage, kept=known.kept)
    )


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
