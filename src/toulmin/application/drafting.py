"""Drafting: asks the drafter over the closed evidence, and takes its answer only when it is structurally sound.

Nothing waits in a queue: a draft has a place at once, or there is none. Identical requests in flight may share one draft, and a
validated draft may be kept; either way a claim's citations are mapped to this request's own ids and validated again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from toulmin.application.bulkhead import Bulkhead
from toulmin.application.gather import Gathered
from toulmin.application.parts import Drafting, Parts
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
from toulmin.domain.corpus.document import Egress, Place, RevisionId
from toulmin.domain.evidence.coverage import witnesses
from toulmin.domain.evidence.egress import may_leave
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.domain.proof.identity import draft_key
from toulmin.domain.question.contract import DrafterKind, Mode
from toulmin.ports.cache import DraftCache
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted, Usage
from toulmin.ports.observer import Observer


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A validated draft: its claims with their citations resolved, who wrote it, and what that took.

    `kept`: it comes from the cache. `shared`: an identical request asked for it, and its usage is told there.
    """

    claims: tuple[Claim, ...]
    profile: str
    usage: Usage
    kept: bool = False
    shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What is to be drafted, what its evidence ids stand for, by whom, and who is told of it."""

    request: DraftRequest
    issued: Mapping[str, Citation]
    drafter: Drafter
    policy: Policy
    observer: Observer

    def checked(self, drafted: Drafted | NotDrafted) -> Draft | NotDrafted:
        """The draft, if it is structurally sound."""
        if isinstance(drafted, NotDrafted):
            return drafted
        claims = validate(drafted.segments, self.issued, self.policy)
        if isinstance(claims, Rejected):
            return NotDrafted(reason=SearchOnlyReason.INVALID_OUTPUT, detail=claims.code, usage=drafted.usage)
        return Draft(claims=claims, profile=self.drafter.profile, usage=drafted.usage)

    def again(self, claims: Sequence[Claim]) -> Draft | NotDrafted:
        """Claims of an identical request, mapped to this request's ids and validated again."""
        ids = {citation: evidence_id for evidence_id, citation in self.issued.items()}
        segments = tuple(
            Segment(
                text=claim.text,
                evidence_ids=tuple(ids.get(citation, "") for citation in claim.citations),
                fact=claim.fact,
                quotes=claim.quotes,
            )
            for claim in claims
        )
        return self.checked(Drafted(segments=segments))


async def draft(gathered: Gathered, parts: Parts) -> Draft | NotDrafted:
    """The draft of a question over its closed evidence, or why there is none."""
    with parts.observer.step("draft") as tell:
        drafted = await _draft(gathered, parts)
        usage = drafted.usage
        tell(calls=usage.calls, prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)
        if isinstance(drafted, NotDrafted):
            tell(fault=drafted.reason)
        else:
            tell(claims=len(drafted.claims))
        return drafted


async def _draft(gathered: Gathered, parts: Parts) -> Draft | NotDrafted:
    question = gathered.question
    drafter = parts.drafters.get(question.contract.drafter)
    if drafter is None:
        return NotDrafted(reason=SearchOnlyReason.NO_DRAFTER)
    drafting = parts.drafting
    approved = drafting.external_approved
    if not (drafter.on_this_host or await asyncio.to_thread(may_leave_now, gathered, parts, approved=approved)):
        return NotDrafted(reason=SearchOnlyReason.EGRESS_DENIED)
    issued = _issued(gathered)
    request = _request(gathered, issued, parts.policy)
    if request.licensed == ():  # whatever a drafter wrote would be withheld
        return NotDrafted(reason=SearchOnlyReason.NO_DRAFTER, detail="nothing_licensed")
    task = _Task(request=request, issued=issued, drafter=drafter, policy=parts.policy, observer=parts.observer)
    if (
        question.contract.drafter is DrafterKind.TEMPLATE
    ):  # it waits for nobody, and so takes no place from a draft that does
        return task.checked(await drafter.draft(request))
    if drafting.cache is None:
        return await _fresh(task, drafting.bulkhead)
    return await _known_or_fresh(task, _key(gathered, drafter, parts.policy), drafting, drafting.cache)


def may_leave_now(gathered: Gathered, parts: Parts, *, approved: bool) -> bool:
    """Whether the evidence may leave this host, by its labels as of now: like readers, they bind before the index has caught up."""
    if not approved:
        return False
    with parts.store.begin(gathered.question.principal) as session:
        labels = {
            standing.id: standing.descriptor.egress
            for document in {source.id.document for source in gathered.evidence.sources}
            for standing in session.catalogue.standings(document)
        }
    # A source that is not there any more, or may not be read, stays here.
    sources = tuple(replace(s, egress=labels.get(s.id, Egress.LOCAL)) for s in gathered.evidence.sources)
    evidence = replace(gathered.evidence, sources=sources)
    return may_leave(evidence, on_this_host=False, approved=approved)


async def _fresh(task: _Task, bulkhead: Bulkhead) -> Draft | NotDrafted:
    with bulkhead.place() as taken:
        if not taken:
            task.observer.draft("saturated")
            return NotDrafted(reason=SearchOnlyReason.SATURATED)
        try:
            with task.observer.step("ask_drafter"):
                async with asyncio.timeout(task.policy.provider_deadline_s):
                    drafted = await task.drafter.draft(task.request)
        except TimeoutError:
            return NotDrafted(reason=SearchOnlyReason.TIMEOUT, detail="provider_deadline")
    return task.checked(drafted)


async def _known_or_fresh(task: _Task, key: str, drafting: Drafting, cache: DraftCache) -> Draft | NotDrafted:
    """The draft that is kept under a key, else the one that is under way, else a new one, which is then kept."""
    kept = cache.get(key)
    known = None if kept is None else task.again(kept)
    if isinstance(known, Draft):
        task.observer.draft("kept")
        return replace(known, kept=True)

    async def fresh() -> Draft | NotDrafted:
        task.observer.draft("fresh")
        written = await _fresh(task, drafting.bulkhead)
        if isinstance(written, Draft):
            cache.put(key, written.claims)
        return written

    landed: Draft | NotDrafted
    landed, own = await drafting.flights.share(key, fresh)
    if own:
        return landed
    task.observer.draft("shared")
    if isinstance(landed, NotDrafted):
        return replace(landed, usage=Usage())
    joined = task.again(landed.claims)
    return replace(joined, shared=True) if isinstance(joined, Draft) else joined


def _key(gathered: Gathered, drafter: Drafter, policy: Policy) -> str:
    question = gathered.question
    return draft_key(
        principal=question.principal,
        contract=question.contract,
        case=question.case,
        evidence=gathered.evidence,
        policy=policy,
        drafter=drafter.profile,
        question=question.search_text,
        conflicting=gathered.conflicting,
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
        evidence=_items(issued, gathered, conflicting=False),
        conflicting=_items(issued, gathered, conflicting=True),
        licensed=_licensed(gathered, issued) if question.contract.mode is Mode.LICENSED else None,
        reviewed=question.contract.mode is Mode.REVIEWED,
        output_tokens=policy.output_tokens,
    )


def _items(issued: Mapping[str, Citation], gathered: Gathered, *, conflicting: bool) -> tuple[EvidenceItem, ...]:
    """The evidence that speaks against the question's premise, or all other."""
    return tuple(
        _item(evidence_id, citation, gathered)
        for evidence_id, citation in issued.items()
        if ((citation.source, citation.span) in gathered.conflicting) is conflicting
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
