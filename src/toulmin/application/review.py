"""Review: claims beside what they cite, by the deterministic checks and, where those leave it open, by a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
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
    """One verdict for each unit, in their order. `asked` questions were put to the judge; `fault` says why it gave no opinions.

    `unheard` are the claims that its opinion could have had delivered, and that are unresolved for want of it.
    """

    verdicts: tuple[Verdict, ...]
    asked: int = 0
    fault: NotJudged | None = None
    unheard: int = 0
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the checks and the judge have to say about units, before any policy decides; else as `Reviewed`.

    `opinions` are on the questions of all reviews in their order; empty where no judge was asked.
    """

    reviews: tuple[Review, ...]
    opinions: tuple[Opinion, ...] = ()
    asked: int = 0
    fault: NotJudged | None = None
    usage: Usage = NOTHING_USED

    @property
    def by_unit(self) -> Iterator[tuple[Review, tuple[Opinion, ...]]]:
        """Each review with the opinions on its own questions."""
        given = iter(self.opinions)
        return ((item, tuple(islice(given, len(item.questions)))) for item in self.reviews)


async def review_all(
    units: Sequence[ReviewUnit], judge: Judge | None, policy: Policy, *, may_leave: bool = True
) -> Reviewed:
    """The verdict on every unit. A judge that fails leaves its claims unresolved; it never makes any of them fail.

    `may_leave`: the evidence may go to a judge that is not on this host. Where it may not, that judge is not asked.
    """
    heard = await hear(units, judge, policy.provider_deadline_s, may_leave=may_leave)
    verdicts = tuple(item.verdict(opinions, policy) for item, opinions in heard.by_unit)
    unheard = sum(item.hangs_on_judge for item in heard.reviews) if heard.fault is not None else 0
    return Reviewed(verdicts=verdicts, asked=heard.asked, fault=heard.fault, unheard=unheard, usage=heard.usage)


async def hear(units: Sequence[ReviewUnit], judge: Judge | None, deadline_s: float, *, may_leave: bool = True) -> Heard:
    """Everything that a verdict on each unit needs but the policy; `may_leave` as in `review_all`."""
    reviews = await asyncio.to_thread(lambda: tuple(review(unit) for unit in units))
    questions = [question for item in reviews for question in item.questions]
    if judge is None or not questions:
        return Heard(reviews=reviews)
    if not (judge.on_this_host or may_leave):
        return _without(reviews, NotJudged(reason=SearchOnlyReason.EGRESS_DENIED), 0)
    judged = await _opinions(judge, questions, deadline_s)
    if isinstance(judged, NotJudged):
        return _without(reviews, judged, len(questions))
    return Heard(reviews=reviews, opinions=judged.opinions, asked=len(questions), usage=judged.usage)


async def _opinions(judge: Judge, questions: Sequence[ReviewUnit], deadline_s: float) -> Opinions | NotJudged:
    try:
        async with asyncio.timeout(deadline_s):
            return await judge.support(questions)
    except TimeoutError:
        return NotJudged(reason=SearchOnlyReason.TIMEOUT, detail="provider_deadline")


def _without(reviews: tuple[Review, ...], fault: NotJudged, asked: int) -> Heard:
    """What is heard where the judge gave no opinion: every claim that hung on it says why."""
    detail = f" ({fault.detail})" if fault.detail else ""
    why = Opinion(probabilities=None, why=f"the judge gave no opinion: {fault.reason.value}{detail}")
    opinions = tuple(why for item in reviews for _ in item.questions)
    return Heard(reviews=reviews, opinions=opinions, asked=asked, fault=fault, usage=fault.usage)
