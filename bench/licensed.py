"""A question of a closed domain over a synthetic corpus, as the gateway sample asks it: one contract, answered from two documents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC

from synthetic import NOW, Levels

from toulmin.adapters.system import SystemClock
from toulmin.adapters.template import TemplateDrafter
from toulmin.application.ask import Finished, ask
from toulmin.application.bulkhead import Bulkhead
from toulmin.application.flights import Flights
from toulmin.application.parts import Drafting, Parts
from toulmin.application.question import AskRequest
from toulmin.application.scopes import EligibleScopes
from toulmin.domain.corpus.document import Span
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.outcome import Outcome
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Kind, Principal
from toulmin.domain.question.contract import CaseField, Contract, DrafterKind, Fact, Mode
from toulmin.ports.index import PassageIndex
from toulmin.ports.store import Store
from toulmin.testing.builders import descriptor, line_passages, revision

ANYONE = Principal(id="bench")
QUESTION = AskRequest(question="bench-v1", principal=ANYONE, case={"level": "50"})
_FACTS = {"stops": "The reconnect telemetry stops.", "holds": "An audit hold forbids the rollback."}


@dataclass(frozen=True, slots=True)
class Contracts:
    """The one contract."""

    contract: Contract

    def all(self) -> tuple[Contract, ...]:
        return (self.contract,)

    def find(self, contract_id: str) -> Contract | None:
        return self.contract if contract_id == self.contract.id else None


def curate(store: Store) -> None:
    """Adds the documents that the contract is answered from: one for each fact."""
    with store.curate() as session:
        for name, quote in _FACTS.items():
            text = f"{quote}\nMore about the gateway.\n"
            span = Span(start=0, end=len(quote), id="s1", fact=name)
            described = descriptor(scope={"level": "*"}, spans=[span])
            added = revision(name, text=text, passages=line_passages(text))
            session.add(added, described, Validity(start=NOW), NOW)


def parts_over(store: Store, index: PassageIndex, levels: Levels) -> Parts:
    """The parts of a workspace that answers `QUESTION` with the template."""
    contract = Contract(
        id=QUESTION.question,
        version="1",
        schema=(CaseField(name="level", kind=Kind.VERSION),),
        query="reconnect telemetry audit hold rollback",
        k=2,
        rules=levels.rules,
        facts=tuple(Fact(id=name, proposition=quote, clause=quote) for name, quote in _FACTS.items()),
        mode=Mode.LICENSED,
        drafter=DrafterKind.TEMPLATE,
    )
    policy = Policy()
    return Parts(
        store=store,
        index=index,
        contracts=Contracts(contract),
        open_question=None,
        drafters={DrafterKind.TEMPLATE: TemplateDrafter()},
        drafting=Drafting(bulkhead=Bulkhead(policy.concurrent_drafts), flights=Flights()),
        clock=SystemClock(),
        scopes=EligibleScopes(),
        policy=policy,
        zone=UTC,
        versions={"toulmin": "bench"},
    )


async def outcome_of(parts: Parts, request: AskRequest = QUESTION) -> Outcome:
    """What the question comes to."""
    *_, end = [event async for event in ask(request, parts)]
    assert isinstance(end, Finished)
    return end.outcome
