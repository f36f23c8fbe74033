"""Ask: from a question and a case to one of the outcomes, with its packet.

Three phases. *Gather* reads, in one transaction, and closes the evidence set. *Draft and judge* holds no transaction while a drafter
works. *Commit* checks once more what may have changed meanwhile, and keeps the packet. `ask` yields events as it goes: the pipeline stands
in one place, and blocking callers drain it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite

from toulmin.application.delivery import deliver, search_only, shortfall
from toulmin.application.drafting import draft
from toulmin.application.gather import Question, gather
from toulmin.application.parts import Parts
from toulmin.application.recording import commit
from toulmin.domain.claims.licence import judge_all
from toulmin.domain.claims.verdict import Judged, VerdictStatus
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.ranking import positive
from toulmin.domain.outcome import Item, Outcome, Recorded, UnsupportedQuestion
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import OPEN_QUESTION, Contract, under_rules
from toulmin.domain.question.eligibility import Rules
from toulmin.domain.question.reading import contract_case
from toulmin.ports.drafter import NotDrafted


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question by its contract's id, with its case as texts by field.

    `text` holds an open question's own words, `rules` a profile to judge it by in place of the workspace's. `k` replaces the contract's; `min_score` may only raise it; `as_of` None means now.
    """

    question: str
    principal: Principal
    case: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    rules: Rules | None = None
    as_of: datetime | None = None
    k: int | None = None
    min_score: float = 0.0


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

    Raises `InputError` for a case that does not fit the contract, and `Conflict` when the evidence changes while the answer is made.
    """
    question = typed_question(request, parts)
    if question is None:
        yield Finished(outcome=UnsupportedQuestion(question=request.question))
        return
    contract = question.contract
    gathered = await asyncio.to_thread(gather, question, parts)
    yield Searched(items=gathered.items)

    drafter = parts.drafters.get(contract.drafter)
    judged: tuple[Judged, ...] = ()
    outcome: Recorded | None = shortfall(gathered)
    if outcome is None:
        yield Drafting()
        drafted = await draft(gathered, drafter, parts)
        if isinstance(drafted, NotDrafted):
            outcome = search_only(gathered, drafted)
        else:
            judged = judge_all(drafted, gathered.evidence, contract.facts, question.case)
            for place, item in enumerate(judged):
                yield ClaimJudged(index=place, status=item.verdict.status)
            outcome = deliver(judged, gathered)
    profile = drafter.profile if drafter and judged else None
    yield Finished(outcome=await asyncio.to_thread(commit, outcome, judged, gathered, profile, parts))


def typed_question(request: AskRequest, parts: Parts) -> Question | None:
    """The question of a request, read and typed; None where no contract supports it."""
    contract = _contract(request, parts)
    return None if contract is None else _question(request, contract, parts)


def _contract(request: AskRequest, parts: Parts) -> Contract | None:
    """The contract of a question; the built-in one for an open question, where the workspace allows them."""
    if request.question == OPEN_QUESTION:
        known = parts.open_question
        return known if known is None or request.rules is None else under_rules(known, request.rules)
    return parts.contracts.find(request.question)


def _question(request: AskRequest, contract: Contract, parts: Parts) -> Question:
    if contract.open_question and not request.text.strip():
        raise InputError("empty_question", "the question has no words", remedy="give the question's text")
    if not isfinite(request.min_score):  # every comparison with NaN is false, so that it would read as no minimum
        raise InputError("bad_min_score", f"the minimum score is {request.min_score}", remedy="give a finite number")
    return Question(
        contract=contract,
        text=request.text.strip() if contract.open_question else "",
        case=contract_case(contract, request.case, parts.zone),
        principal=request.principal,
        at=request.as_of or parts.clock.now(),
        k=contract.k if request.k is None else positive(request.k),
        min_score=max(contract.min_score, request.min_score),
    )
