"""Routing: what a judge says about the selected passages before anything is drafted from them. No boundary of security, only of sense."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from toulmin.application.gather import Gathered
from toulmin.application.parts import Parts
from toulmin.domain.evidence.selection import LeftOut
from toulmin.domain.outcome import EvidenceReason, SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.ports.drafter import NOTHING_USED, Usage
from toulmin.ports.judge import Judge, Matter, NotJudged, Query

_ROUTES = (Matter.RELEVANT, Matter.CONTAINS_EVIDENCE, Matter.CONTRADICTS_PREMISE, Matter.CONTAINS_INSTRUCTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """The evidence as the judge left it. `ends` says why nothing is drafted from it: it does not suffice, or could not be judged."""

    gathered: Gathered
    ends: EvidenceReason | NotJudged | None = None
    asked: int = 0
    usage: Usage = NOTHING_USED


async def routed(gathered: Gathered, parts: Parts, *, may_leave: bool) -> Routed:
    """The evidence less the passages that the judge finds useless, and whether what is left answers the question.

    Only what the policy has a threshold for is asked. A gate that cannot be asked stays closed: `ends` is then why.
    """
    policy, judge = parts.policy, parts.judge
    if (policy.routing is None and policy.sufficiency is None) or not gathered.evidence.passages:
        return Routed(gathered=gathered)
    if judge is None:
        return Routed(gathered=gathered, ends=NotJudged(reason=SearchOnlyReason.NO_JUDGE))
    if not (judge.on_this_host or may_leave):
        return Routed(gathered=gathered, ends=NotJudged(reason=SearchOnlyReason.EGRESS_DENIED, detail="judge"))
    try:
        with parts.observer.step("route") as tell:
            async with asyncio.timeout(policy.provider_deadline_s):
                result = await _sorted_out(Routed(gathered=gathered), judge, policy)
                result = result if result.ends is not None else await _sufficient(result, judge, policy)
                tell(asked=result.asked)
                return result
    except TimeoutError:
        ends = NotJudged(reason=SearchOnlyReason.TIMEOUT, detail="judge")
        return Routed(gathered=gathered, ends=ends)


async def _sorted_out(before: Routed, judge: Judge, policy: Policy) -> Routed:
    if policy.routing is None:
        return before
    passages = before.gathered.evidence.passages
    question = before.gathered.question.search_text
    queries = [Query(matter=matter, question=question, passages=(p.text,)) for p in passages for matter in _ROUTES]
    answers = await judge.answer(queries)
    if isinstance(answers, NotJudged):
        return replace(before, ends=answers, asked=len(queries), usage=answers.usage)
    yes = [each for each in answers.yes if each is not None]
    if len(yes) < len(queries):
        ends = NotJudged(reason=SearchOnlyReason.NO_JUDGE, detail="routing")
        return replace(before, ends=ends, asked=len(queries), usage=answers.usage)
    given = iter(yes)
    told = {passage: _Route({matter: next(given) for matter in _ROUTES}, policy.routing) for passage in passages}
    useless = {passage: why for passage, route in told.items() if (why := route.useless) is not None}
    gathered = before.gathered.without(useless)
    conflicting = frozenset((p.id, p.passage.id) for p, route in told.items() if route.conflicting and p not in useless)
    items = tuple(
        replace(item, conflicting=(item.found.id, item.found.passage.id) in conflicting) for item in gathered.items
    )
    gathered = replace(gathered, conflicting=conflicting, items=items)
    return replace(before, gathered=gathered, asked=len(queries), usage=answers.usage)


async def _sufficient(before: Routed, judge: Judge, policy: Policy) -> Routed:
    gathered = before.gathered
    if policy.sufficiency is None or not gathered.evidence.passages:
        return before
    query = Query(
        matter=Matter.SUFFICIENT,
        question=gathered.question.search_text,
        passages=tuple(passage.text for passage in gathered.evidence.passages),
    )
    answers = await judge.answer([query])
    asked = before.asked + 1
    if isinstance(answers, NotJudged):
        return replace(before, ends=answers, asked=asked, usage=before.usage.plus(answers.usage))
    usage, yes = before.usage.plus(answers.usage), answers.yes[0]
    if yes is None:
        ends = NotJudged(reason=SearchOnlyReason.NO_JUDGE, detail="sufficiency")
        return replace(before, ends=ends, asked=asked, usage=usage)
    enough = yes >= policy.sufficiency
    return replace(before, ends=None if enough else EvidenceReason.INSUFFICIENT, asked=asked, usage=usage)


@dataclass(frozen=True, slots=True)
class _Route:
    """What a judge's probabilities of yes say about one passage, by one threshold."""

    yes: Mapping[Matter, float]
    threshold: float

    @property
    def useless(self) -> LeftOut | None:
        """Why nothing should be drafted from the passage."""
        if self._is(Matter.CONTAINS_INSTRUCTIONS):
            return LeftOut.INSTRUCTIONS
        if self.conflicting:  # what speaks against the premise is of use, though it may answer nothing
            return None
        if self._is_not(Matter.RELEVANT):
            return LeftOut.IRRELEVANT
        return LeftOut.NO_EVIDENCE if self._is_not(Matter.CONTAINS_EVIDENCE) else None

    @property
    def conflicting(self) -> bool:
        return self._is(Matter.CONTRADICTS_PREMISE)

    def _is(self, matter: Matter) -> bool:
        return self.yes[matter] >= self.threshold

    def _is_not(self, matter: Matter) -> bool:
        return 1 - self.yes[matter] >= self.threshold
