"""The async face of a workspace: what the service, agents and pages ask of it, without blocking the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import tzinfo

from toulmin.application.ask import Event, Finished, ask
from toulmin.application.catchup import EMBEDDED
from toulmin.application.deadline import Deadline
from toulmin.application.packets import PacketView
from toulmin.application.parts import Parts
from toulmin.application.passages import PassageView, show_passage
from toulmin.application.question import AskRequest
from toulmin.application.reviews import Cite, ClaimPair, review_pairs, review_text
from toulmin.domain.claims.report import ReviewReport
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.outcome import Outcome, SearchResult
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import OPEN_QUESTION, Contract
from toulmin.surfaces.sync import Workspace
from toulmin.wire.requests import AskBody, PairBody, ReviewBody, SearchBody

Tell = Callable[[Event], Awaitable[None]]
"""Hears of an event."""

_SERVICE = "service"


async def _nobody(event: Event) -> None:
    """Hears nothing."""


async def outcome_of(events: AsyncIterator[Event], tell: Tell = _nobody) -> Outcome:
    """The outcome that a question's events end in; `tell` hears of each of them."""
    async with aclosing(events):  # type: ignore[type-var]  # ask is an asynchronous generator
        async for event in events:
            await tell(event)
            if isinstance(event, Finished):
                return event.outcome
    raise AssertionError("a question ends in an outcome")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Questions to a workspace, as requests state them. Every method reads as the principal that it is given, and raises the faults of `domain.errors`.

    `follows`: the indexes are brought up with the corpus before each search and question, as the command line does; where something else
    follows the changes, they need not be.
    """

    workspace: Workspace
    follows: bool

    @property
    def parts(self) -> Parts:
        """What the use cases are given."""
        return self.workspace.parts

    @property
    def zone(self) -> tzinfo:
        """Where a date without a time begins."""
        return self.workspace.settings.zone

    async def search(self, body: SearchBody, who: Principal) -> SearchResult:
        """The best passages, among those eligible for the case under the profile."""
        await self._follow()
        found = asyncio.to_thread(
            self.workspace.search,
            body.text,
            case=body.case,
            profile=body.profile,
            principal=who,
            as_of=body.as_of,
            k=body.k,
            min_score=body.min_score,
            explain=body.explain,
        )
        return await Deadline(self.parts.policy.retrieval_deadline_s).over(found)

    async def events(self, body: AskBody, who: Principal) -> AsyncIterator[Event]:
        """The events of a question; see `application.ask.ask`. Case fields that a contract trusts are taken from services alone."""
        await self._follow()
        request = AskRequest(
            question=body.question or OPEN_QUESTION,
            text=body.text or "",
            rules=None if body.profile is None else self.workspace.profile(body.profile),
            case=body.case,
            principal=who,
            as_of=body.as_of,
            k=body.k,
            min_score=body.min_score,
            trusted=_SERVICE in who.roles,
        )
        async with aclosing(ask(request, self.parts)) as events:  # type: ignore[type-var]  # it is a generator
            async for event in events:
                yield event

    async def ask(self, body: AskBody, who: Principal, tell: Tell = _nobody) -> Outcome:
        """The outcome of a question; `tell` hears of each event on the way."""
        return await outcome_of(self.events(body, who), tell)

    async def review(self, body: ReviewBody, who: Principal) -> ReviewReport:
        """The verdict on each claim: beside what it cites, or of a text against a packet."""
        if body.text is not None and body.packet is not None:
            return await review_text(body.text, body.packet, who, self.parts)
        pairs = tuple(_pair(each, number) for number, each in enumerate(body.pairs or (), start=1))
        return await review_pairs(pairs, who, self.parts)

    async def packet(self, packet_id: str, who: Principal) -> PacketView:
        """A packet, with what has become of its sources."""
        return await asyncio.to_thread(self.workspace.packet, packet_id, principal=who)

    async def passage(self, source: RevisionId, name: str, who: Principal) -> PassageView:
        """A passage or curated span of a revision, with its words."""
        return await asyncio.to_thread(show_passage, self.parts.store, source, name, who)

    async def contracts(self) -> Sequence[Contract]:
        """The questions that can be asked, the open one included where it is switched on."""
        known = await asyncio.to_thread(self.parts.contracts.all)
        return known if self.parts.open_question is None else (*known, self.parts.open_question)

    async def _follow(self) -> None:
        if self.follows:
            await asyncio.to_thread(self._catch_up)

    def _catch_up(self) -> None:
        self.workspace.catch_up()
        self.workspace.embed(most=EMBEDDED)


def _pair(body: PairBody, number: int) -> ClaimPair:
    """A claim to be reviewed; one without an id has its number."""
    cites = tuple(Cite(source=each.source, span=each.span, quote=each.quote) for each in body.evidence)
    return ClaimPair(id=body.id or str(number), claim=body.claim, evidence=cites)
