"""Reviewed mode: rounds of drafting and review, until nothing is left to repair, or no round or time is left.

Every round has a closed set and a draft of its own. The one that counts is that with the most accepted claims, of several the first, since
its evidence ranked highest: a round that comes to no more does not cost what an earlier one came to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from toulmin.application.deadline import Deadline
from toulmin.application.delivery import deliver, insufficient, search_only, shortfall
from toulmin.application.drafting import Draft, draft, may_leave_now
from toulmin.application.gather import Gathered, gather
from toulmin.application.parts import Parts
from toulmin.application.review import Reviewed, review_all
from toulmin.application.routing import Routed, routed
from toulmin.domain.claims.draft import Claim
from toulmin.domain.claims.repair import Plan, Step, plan, unreviewed
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.domain.claims.verdict import Judged, Verdict
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.outcome import EvidenceReason, Recorded, SearchOnlyReason
from toulmin.ports.drafter import NotDrafted
from toulmin.ports.judge import NotJudged

Passages = frozenset[tuple[RevisionId, str]]

_SHARE_OF_ROUNDS = 0.9
"""Of the request's time: rounds after the first end by then, so that what they came to can be delivered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What one round did: its closed set, the draft, the verdicts, and what was decided about claims that were not accepted.

    `reviews` are the calls of review that led to the verdicts, in order.
    """

    gathered: Gathered
    drafted: Draft | NotDrafted | None = None
    judged: tuple[Judged, ...] = ()
    routed: Routed | None = None
    reviews: tuple[Reviewed, ...] = ()
    steps: tuple[Step, ...] = ()
    outcome: Recorded | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The rounds of one question in their order, and the place of the one that counts: it has the outcome."""

    rounds: tuple[Round, ...]
    counts: int = 0

    @property
    def counted(self) -> Round:
        return self.rounds[self.counts]

    @property
    def others(self) -> tuple[Round, ...]:
        """The rounds that do not count."""
        return self.rounds[: self.counts] + self.rounds[self.counts + 1 :]


async def reviewed_answer(gathered: Gathered, parts: Parts, deadline: Deadline) -> Answer:
    """The answer to a question in reviewed mode. A round after the first that would take the request beyond its deadline is given up."""
    rounds = [await _round(gathered, parts, {})]
    while len(rounds) <= parts.policy.repair_rounds and not _judge_failed(rounds[-1]):
        step = _plan(rounds[-1], parts, may_retrieve=True)
        kept = _rested_on(rounds[-1])
        if not step.retrieve:
            break
        more = await asyncio.to_thread(gather, gathered.question, parts, seen=_seen(rounds) - kept, kept=len(kept))
        if _passages(more) <= kept:
            break
        rounds[-1] = replace(rounds[-1], steps=step.steps)
        next_round = await deadline.early(_round(more, parts, _known(rounds[-1])), _SHARE_OF_ROUNDS)
        rounds.append(next_round or _given_up(more))
        if next_round is None:
            break
    counts = max(range(len(rounds)), key=lambda at: (*_worth(rounds[at]), -at))
    rounds[counts] = await _finished(rounds[counts], parts)
    return Answer(rounds=tuple(rounds), counts=counts)


def _given_up(gathered: Gathered) -> Round:
    late = NotDrafted(reason=SearchOnlyReason.TIMEOUT, detail="request_deadline")
    return Round(gathered=gathered, drafted=late, outcome=search_only(gathered, late))


def _worth(current: Round) -> tuple[int, bool]:
    return sum(item.verdict.delivered for item in current.judged), bool(current.judged)


def _judge_failed(current: Round) -> bool:
    """Whether a judge gave no opinion in it on which a claim hung: more evidence would be of no help."""
    return any(review.unheard for review in current.reviews)


def _known(current: Round) -> dict[Claim, Verdict]:
    """The verdicts of a round, which need not be asked for again: a citation stands for the same words in every round."""
    return {item.claim: item.verdict for item in current.judged}


async def _round(gathered: Gathered, parts: Parts, known: Mapping[Claim, Verdict]) -> Round:
    """One round up to its verdicts, or to the outcome that it ends in before there are any. `known` verdicts are not asked for again."""
    may_leave = await asyncio.to_thread(may_leave_now, gathered, parts, approved=parts.judge_approved)
    way = await routed(gathered, parts, may_leave=may_leave)
    begun = Round(gathered=way.gathered, routed=way)
    if isinstance(way.ends, NotJudged):
        return replace(begun, outcome=search_only(way.gathered, way.ends))
    if isinstance(way.ends, EvidenceReason):
        return replace(begun, outcome=insufficient(way.gathered))
    lacking = shortfall(way.gathered)
    if lacking is not None:
        return replace(begun, outcome=lacking)
    drafted = await draft(way.gathered, parts)
    if isinstance(drafted, NotDrafted):
        return replace(begun, drafted=drafted, outcome=search_only(way.gathered, drafted))
    return await _judged(replace(begun, drafted=drafted), drafted.claims, parts, known)


async def _judged(current: Round, claims: Sequence[Claim], parts: Parts, known: Mapping[Claim, Verdict]) -> Round:
    """The round with a verdict on each of the claims: one that is known, or that of a review."""
    open_claims = tuple(claim for claim in dict.fromkeys(claims) if claim not in known)
    may_leave = await asyncio.to_thread(may_leave_now, current.gathered, parts, approved=parts.judge_approved)
    units = [_unit(claim, current.gathered) for claim in open_claims]
    with parts.observer.step("judge") as tell:
        reviewed = await review_all(units, parts.judge, parts.policy, may_leave=may_leave)
        tell(claims=len(units), delivered=sum(verdict.delivered for verdict in reviewed.verdicts), asked=reviewed.asked)
        if reviewed.fault is not None:
            tell(fault=reviewed.fault.reason)
    verdicts = {**known, **dict(zip(open_claims, reviewed.verdicts, strict=True))}
    judged = tuple(Judged(claim=claim, verdict=verdicts[claim]) for claim in claims)
    return replace(current, judged=judged, reviews=(*current.reviews, reviewed))


async def _finished(current: Round, parts: Parts) -> Round:
    """The round with its outcome: repaired, and everything in the answer reviewed as it stands there."""
    if current.outcome is not None:
        return current
    decided = _plan(current, parts, may_retrieve=False)
    known = _known(current)
    current = replace(current, steps=(*current.steps, *decided.steps))
    if unreviewed(decided.claims, current.judged):
        rejected = [item.claim for item in current.judged if not item.verdict.delivered]
        current = await _judged(current, (*decided.claims, *rejected), parts, known)
    outcome: Recorded = deliver(current.judged, current.gathered, permitted=decided.permitted)
    fault = next((review.fault for review in current.reviews if review.unheard), None)
    if fault is not None and not any(item.verdict.delivered for item in current.judged):
        outcome = search_only(current.gathered, replace(fault, detail=fault.detail or "judge"))
    return replace(current, outcome=outcome)


def _plan(current: Round, parts: Parts, *, may_retrieve: bool) -> Plan:
    with parts.observer.step("repair") as tell:
        units = [_unit(item.claim, current.gathered) for item in current.judged]
        decided = plan(current.judged, units, parts.policy, may_retrieve=may_retrieve)
        tell(repaired=len(decided.steps))
        return decided


def _unit(claim: Claim, gathered: Gathered) -> ReviewUnit:
    """What is reviewed of a claim: its text beside the stored words that it cites."""
    return ReviewUnit(
        claim=claim.text,
        passages=tuple(gathered.cited[citation.source, citation.span] for citation in claim.citations),
        quotes=claim.quotes,
        case={name: value.text for name, value in gathered.question.case.facts},
    )


def _passages(gathered: Gathered) -> Passages:
    return frozenset((item.id, item.passage.id) for item in gathered.evidence.passages)


def _seen(rounds: Sequence[Round]) -> Passages:
    return frozenset().union(*(_passages(each.gathered) for each in rounds))


def _rested_on(current: Round) -> Passages:
    """The passages that accepted claims cite: the next round has them again."""
    accepted = [item.claim for item in current.judged if item.verdict.delivered]
    return frozenset((citation.source, citation.span) for claim in accepted for citation in claim.citations)
