"""Review: claims beside what they cite, by the deterministic checks and, where those leave it open, by a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from toulmin.domain.claims.opinion import Opinion
from toulmin.domain.claims.review import Review, review
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.domain.claims.verdict import Verdict
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.ports.drafter import NOTHING_USED, Usage
from toulmin.ports.judge import Judge, NotJudged, Opinions


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One verdict for each unit, in their order. `asked` claims were put to the judge; `fault` says why it gave no opinions."""

    verdicts: tuple[Verdict, ...]
    asked: int = 0
    fault: NotJudged | None = None
    usage: Usage = NOTHING_USED


async def review_all(
    units: Sequence[ReviewUnit], judge: Judge | None, policy: Policy, *, may_leave: bool = True
) -> Reviewed:
    """The verdict on every unit. A judge that fails leaves its claims unresolved; it never makes any of them fail.

    `may_leave`: the evidence may go to a judge that is not on this host. Where it may not, that judge is not asked.
    """
    reviews = await asyncio.to_thread(lambda: [review(unit) for unit in units])
    questions = [question for item in reviews for question in item.questions]
    if judge is None or not questions:
        return Reviewed(verdicts=_verdicts(reviews, (), policy))
    if not (judge.on_this_host or may_leave):
        return _without(reviews, NotJudged(reason=SearchOnlyReason.EGRESS_DENIED), 0, policy)
    judged = await _opinions(judge, questions, policy)
    if isinstance(judged, NotJudged):
        return _without(reviews, judged, len(questions), policy)
    verdicts = _verdicts(reviews, judged.opinions, policy)
    return Reviewed(verdicts=verdicts, asked=len(questions), usage=judged.usage)


async def _opinions(judge: Judge, questions: Sequence[ReviewUnit], policy: Policy) -> Opinions | NotJudged:
    try:
        async with asyncio.timeout(policy.provider_deadline_s):
            return await judge.support(questions)
    except TimeoutError:
        return NotJudged(reason=SearchOnlyReason.TIMEOUT, detail="provider_deadline")


def _without(reviews: Sequence[Review], fault: NotJudged, asked: int, policy: Policy) -> Reviewed:
    """The verdicts where the judge gave no opinion: every open claim says why."""
    why = Opinion(probabilities=None, why=f"the judge gave no opinion: {fault.reason.value}")
    opinions = [why for item in reviews for _ in item.questions]
    return Reviewed(verdicts=_verdicts(reviews, opinions, policy), asked=asked, fault=fault, usage=fault.usage)


def _verdicts(reviews: Sequence[Review], opinions: Sequence[Opinion], policy: Policy) -> tuple[Verdict, ...]:
    given = iter(opinions)
    return tuple(item.verdict(tuple(islice(given, len(item.questions))), policy) for item in reviews)
