"""Ask: from a question and a case to one of the outcomes, with its packet.

Three phases. *Gather* reads, in one transaction, and closes the evidence set. *Draft and judge* holds no transaction while a drafter
works. *Commit* checks once more what may have changed meanwhile, and keeps the packet. `ask` yields events as it goes: the pipeline stands
in one place, and blocking callers drain it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event as Signal

from toulmin.application.deadline import Deadline
from toulmin.application.delivery import deliver, search_only, shortfall
from toulmin.application.drafting import draft
from toulmin.application.gather import Gathered, gather
from toulmin.application.parts import Parts
from toulmin.application.question import AskRequest, typed_question
from toulmin.application.recording import commit
from toulmin.application.reviewing import Answer, Round, reviewed_answer
from toulmin.domain.claims.citing import cite_all
from toulmin.domain.claims.draft import Claim
from toulmin.domain.claims.ground import ground
from toulmin.domain.claims.licence import judge_all
from toulmin.domain.claims.verdict import Judged, VerdictStatus
from toulmin.domain.errors import Overdue
from toulmin.domain.outcome import NAMES, AskForEvidence, Item, Outcome, Recorded, SearchOnly, UnsupportedQuestion
from toulmin.domain.question.contract import Mode
from toulmin.ports.drafter import NotDrafted


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """Evidence was found; sent before anything is drafted."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """The evidence is closed and sufficient; a drafter is at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimJudged:
    """A claim has its verdict; no claim's text is sent before all are judged."""

    index: int
    status: VerdictStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The end, with the outcome."""

    outcome: Outcome


Event = Searched | Drafting | ClaimJudged | Finished


async def ask(request: AskRequest, parts: Parts) -> AsyncIterator[Event]:
    """The events of one question, ending in `Finished`.

    Raises `InputError` for a case that does not fit the contract, `Conflict` when the evidence changes while the answer is made, and
    `Overdue` when the request takes longer than the policy allows; a drafter that does is an outcome, not a fault.
    """
    question = typed_question(request, parts)
    if question is None:
        yield _finished(UnsupportedQuestion(question=request.question), parts)
        return
    deadline = Deadline(parts.policy.request_deadline_s)
    searching = deadline.sooner(parts.policy.retrieval_deadline_s)
    gathered = await searching.over(asyncio.to_thread(gather, question, parts))
    yield Searched(items=gathered.items)

    answer = Answer(rounds=(Round(gathered=gathered, outcome=_shortfall(gathered, parts)),))
    if answer.counted.outcome is None:
        yield Drafting()
        is_reviewed = question.contract.mode is Mode.REVIEWED
        answer = await deadline.over(
            reviewed_answer(gathered, parts, deadline) if is_reviewed else _answer(gathered, parts)
        )
        for place, item in enumerate(answer.counted.judged):
            parts.observer.verdict(item.verdict.status, ground(item.verdict))
            yield ClaimJudged(index=place, status=item.verdict.status)
    yield _finished(await _recorded(partial(commit, answer, parts), deadline), parts)


def _shortfall(gathered: Gathered, parts: Parts) -> AskForEvidence | None:
    with parts.observer.step("cover") as tell:
        lacking = shortfall(gathered)
        tell(missing=len(lacking.missing) if lacking else 0)
        return lacking


def _finished(outcome: Outcome, parts: Parts) -> Finished:
    reason = outcome.reason if isinstance(outcome, AskForEvidence | SearchOnly) else None
    parts.observer.outcome(NAMES[type(outcome)], reason)
    return Finished(outcome=outcome)


async def _recorded(work: Callable[..., Recorded], deadline: Deadline) -> Recorded:
    """The recorded outcome, or `Overdue` and nothing recorded.

    A thread cannot be stopped: the commit asks, once it may write, whether it is still wanted. One that is past this point when the deadline
    passes ends in its outcome.
    """
    given_up = Signal()
    recording = asyncio.ensure_future(asyncio.to_thread(work, given_up=given_up.is_set))
    try:
        return await deadline.over(asyncio.shield(recording))
    except Overdue:
        given_up.set()
        return await recording
    except asyncio.CancelledError:
        given_up.set()
        recording.cancel()
        raise


async def _answer(gathered: Gathered, parts: Parts) -> Answer:
    """The answer to a question in licensed or cited mode: one round."""
    drafted = await draft(gathered, parts)
    if isinstance(drafted, NotDrafted):
        return Answer(rounds=(Round(gathered=gathered, drafted=drafted, outcome=search_only(gathered, drafted)),))
    with parts.observer.step("judge") as tell:
        judged = _judged(drafted.claims, gathered)
        tell(claims=len(judged), delivered=sum(item.verdict.delivered for item in judged))
    outcome = deliver(judged, gathered)
    return Answer(rounds=(Round(gathered=gathered, drafted=drafted, judged=judged, outcome=outcome),))


def _judged(claims: Sequence[Claim], gathered: Gathered) -> tuple[Judged, ...]:
    """Each claim with its verdict, by the licence of the contract, or by its citations alone."""
    question = gathered.question
    if question.contract.mode is Mode.LICENSED:
        return judge_all(claims, gathered.evidence, question.contract.facts, question.case)
    return cite_all(claims, gathered.evidence)
