"""A small world for tests of the use cases: stores and indexes in memory, a clock that stands still, contracts in a tuple."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.template import TemplateDrafter
from toulmin.application.ask import Finished, ask
from toulmin.application.bulkhead import Bulkhead
from toulmin.application.catchup import catch_up
from toulmin.application.flights import Flights
from toulmin.application.parts import Drafting, Parts
from toulmin.application.question import AskRequest
from toulmin.application.scopes import EligibleScopes
from toulmin.domain.corpus.document import Passage, Span, Standing
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.outcome import Outcome
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.domain.question.contract import Contract, DrafterKind
from toulmin.ports.drafter import Drafter
from toulmin.ports.index import PassageIndex
from toulmin.ports.store import Store
from toulmin.testing.builders import ALWAYS, NOW, descriptor, revision


@dataclass
class StillClock:
    """Always the same instant; ids count up."""

    at: datetime = NOW
    ids: count[int] = field(default_factory=count)

    def now(self) -> datetime:
        return self.at

    def new_id(self) -> str:
        return f"request-{next(self.ids)}"


@dataclass(frozen=True)
class KnownContracts:
    """The contracts of a tuple."""

    contracts: tuple[Contract, ...]

    def all(self) -> tuple[Contract, ...]:
        return self.contracts

    def find(self, contract_id: str) -> Contract | None:
        return next((item for item in self.contracts if item.id == contract_id), None)


def parts(
    *contracts: Contract,
    store: Store | None = None,
    index: PassageIndex | None = None,
    drafters: Mapping[DrafterKind, Drafter] | None = None,
    open_question: Contract | None = None,
    policy: Policy | None = None,
    drafting: Drafting | None = None,
) -> Parts:
    """The parts of a workspace in memory with these contracts."""
    return Parts(
        store=store or MemoryStore(),
        index=index or OverlapIndex(),
        contracts=KnownContracts(contracts),
        open_question=open_question,
        drafters={DrafterKind.TEMPLATE: TemplateDrafter()} if drafters is None else drafters,
        drafting=drafting or Drafting(bulkhead=Bulkhead(4), flights=Flights()),
        clock=StillClock(),
        scopes=EligibleScopes(),
        policy=policy or Policy(),
        zone=UTC,
        versions={"toulmin": "test"},
    )


def ingest(
    world: Parts,
    document: str,
    text: str,
    *,
    version: str = "1",
    labels: Mapping[str, str] | None = None,
    scope: Mapping[str, str | Sequence[str]] | None = None,
    readers: Iterable[str] = ("public",),
    validity: Validity = ALWAYS,
    passages: Sequence[Passage] | None = None,
) -> Standing:
    """Adds a revision, one passage a line, and catches the index up; `labels` maps facts to the words that carry them."""
    spans = [
        Span(start=text.index(words), end=text.index(words) + len(words), id=f"s{number}", fact=name)
        for number, (name, words) in enumerate((labels or {}).items(), start=1)
    ]
    described = descriptor(scope=scope, readers=readers, spans=spans)
    with world.store.curate() as session:
        standing = session.add(revision(document, version, text, passages=passages), described, validity, NOW)
    catch_up(world.store, world.index)
    return standing


def asked(
    world: Parts,
    question: str = "made-up-v1",
    *,
    case: Mapping[str, str] | None = None,
    principal: Principal = ANONYMOUS,
    text: str = "",
    k: int | None = None,
    min_score: float = 0.0,
) -> Outcome:
    """The outcome of a question."""
    request = AskRequest(question=question, principal=principal, case=case or {}, text=text, k=k, min_score=min_score)

    async def last() -> Outcome:
        events = [event async for event in ask(request, world)]
        assert isinstance(events[-1], Finished)
        return events[-1].outcome

    return asyncio.run(last())
