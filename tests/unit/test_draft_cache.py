"""Drafts that are kept and shared: never across rights, never for evidence that has changed, and validated each time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.unit.drafters import TOOK, Held, Writer, faithful
from tests.unit.making import contract, fact, rules
from tests.unit.world import asked, ingest, parts
from toulmin.adapters.memory.cache import MemoryDraftCache
from toulmin.application.ask import Finished, ask
from toulmin.application.bulkhead import Bulkhead
from toulmin.application.catchup import catch_up
from toulmin.application.documents import retire
from toulmin.application.flights import Flights
from toulmin.application.parts import Drafting, Parts
from toulmin.application.question import AskRequest
from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.corpus.document import Descriptor, RevisionId, Status
from toulmin.domain.outcome import Answered, AskForEvidence, Outcome, SearchOnly, UnsupportedQuestion
from toulmin.domain.outcome import SearchOnlyReason as Why
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.domain.question.contract import Contract, DrafterKind, Mode, open_question
from toulmin.domain.question.eligibility import RuleName, Rules
from toulmin.ports.cache import DraftCache
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted
from toulmin.testing.builders import NOW
from toulmin.wire.outcome import outcome_json

ANN = Principal(id="ann", tenant="acme", groups=("ops",))
BEN = Principal(id="ben", tenant="birch")
ACME = "The renewal price for your contract is 41 EUR per seat."
BIRCH = "The renewal price for your contract is 77 EUR per seat."
OPEN = open_question(Rules(), mode=Mode.CITED, min_score=0.0, k=8)
LICENSED = replace(contract(fact("price", ACME), query="renewal price"), drafter=DrafterKind.MODEL)
WORDS = "what is the renewal price for our contract"


@dataclass
class Recording:
    """A cache that keeps everything, and tells of it."""

    entries: dict[str, tuple[Claim, ...]] = field(default_factory=dict)
    hits: int = 0

    def get(self, key: str) -> tuple[Claim, ...] | None:
        found = self.entries.get(key)
        self.hits += found is not None
        return found

    def put(self, key: str, claims: tuple[Claim, ...]) -> None:
        self.entries[key] = claims

    def forget(self, sources: Collection[RevisionId]) -> None:
        cites = {
            key
            for key, claims in self.entries.items()
            for claim in claims
            if {c.source for c in claim.citations} & {*sources}
        }
        self.entries = {key: claims for key, claims in self.entries.items() if key not in cites}


def world(drafter: Drafter, cache: DraftCache | None, *contracts: Contract, open_: Contract = OPEN) -> Parts:
    drafting = Drafting(bulkhead=Bulkhead(4), flights=Flights(), cache=cache)
    return parts(*contracts, drafters={DrafterKind.MODEL: drafter}, open_question=open_, drafting=drafting)


def two_tenants(drafter: Drafter, cache: DraftCache | None, *contracts: Contract) -> Parts:
    made = world(drafter, cache, *contracts)
    ingest(made, "A", f"{ACME}\n", readers=["tenant:acme"], labels={"price": ACME})
    ingest(made, "B", f"{BIRCH}\n", readers=["tenant:birch"], labels={"price": BIRCH})
    return made


def shared(text: str, drafter: Drafter, cache: DraftCache | None) -> Parts:
    """One public document."""
    made = world(drafter, cache)
    ingest(made, "A", f"{text}\n")
    return made


def asked_text(made: Parts, text: str = WORDS, principal: Principal = ANONYMOUS, **more: Any) -> Outcome:
    return asked(made, OPEN.id, text=text, principal=principal, **more)


def answer(outcome: Outcome) -> str:
    assert isinstance(outcome, Answered), outcome
    return outcome.text


def traced(made: Parts, outcome: Outcome) -> Mapping[str, Any]:
    """The draft's step in an outcome's packet."""
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    with made.store.begin(ANONYMOUS) as session:
        packet = session.packets.get(outcome.receipt.packet)
    assert packet is not None
    step: Mapping[str, Any] = next(s for s in json.loads(packet.body)["trace"] if s["step"] == "draft")
    return step


def change(made: Parts, document: str, edit: Callable[[Descriptor], Descriptor]) -> None:
    with made.store.curate() as session:
        (standing,) = session.history(document)
        session.replace(standing.key, edit(standing.descriptor), standing.validity, superseded=False)
    catch_up(made.store, made.index)


def test_it_is_off_unless_there_is_one() -> None:
    drafter = Writer()
    made = shared(ACME, drafter, None)
    for _ in range(2):
        assert answer(asked_text(made)) == ACME
    assert len(drafter.requests) == 2


def test_an_identical_question_is_answered_from_it_with_a_packet_of_its_own() -> None:
    drafter = Writer()
    made = shared(ACME, drafter, MemoryDraftCache(entries=8, max_age_s=60))
    first, second = asked_text(made), asked_text(made, f"  {WORDS.replace(' ', '   ')}\n")
    assert answer(first) == answer(second) == ACME
    assert len(drafter.requests) == 1
    assert isinstance(first, Answered)
    assert isinstance(second, Answered)
    assert first.receipt is not None
    assert second.receipt is not None
    assert first.receipt.packet != second.receipt.packet
    assert (traced(made, first)["kept"], traced(made, first)["calls"]) == (False, 1)
    assert (traced(made, second)["kept"], traced(made, second)["calls"]) == (True, 0)


def test_a_kept_draft_is_judged_again() -> None:
    drafter, cache = Writer(), Recording()
    made = world(drafter, cache, LICENSED)
    ingest(made, "A", f"{ACME}\n", labels={"price": ACME})
    assert answer(asked(made)) == "We say price."
    ((key, claims),) = cache.entries.items()
    cache.entries[key] = (replace(claims[0], text="We say something else."),)
    outcome = asked(made)
    assert cache.hits == 1
    assert outcome_json(outcome)["withheld"][0]["verdict"]["reason"] == "the rule does not license this sentence"


class TestO04:
    """The case of a cache that was shared between tenants."""

    @staticmethod
    def nothing_of_acme(outcome: Outcome) -> bool:
        shown = json.dumps(outcome_json(outcome))
        return "41 EUR" not in shown and '"A"' not in shown

    def test_open_questions(self) -> None:
        drafter, cache = Writer(), Recording()
        made = two_tenants(drafter, cache)
        assert answer(asked_text(made, principal=ANN)) == ACME
        for words in (WORDS, "what's the renewal price in our contract?"):
            outcome = asked_text(made, words, principal=BEN)
            assert answer(outcome) == BIRCH
            assert self.nothing_of_acme(outcome)
        assert len(drafter.requests) == len(cache.entries) == 3
        change(made, "A", lambda d: replace(d, readers=("group:acme/legal",)))
        outcome = asked_text(made, principal=ANN)
        assert isinstance(outcome, AskForEvidence)
        assert outcome.search == ()
        assert cache.hits == 0

    def test_licensed_questions(self) -> None:
        drafter, cache = Writer(), Recording()
        made = two_tenants(drafter, cache, LICENSED)
        assert answer(asked(made, principal=ANN)) == "We say price."
        outcome = asked(made, principal=BEN)  # B says another price, which the contract does not know
        assert isinstance(outcome, AskForEvidence)
        assert outcome.missing == ("price",)
        assert self.nothing_of_acme(outcome)
        change(made, "A", lambda d: replace(d, readers=("group:acme/legal",)))
        assert isinstance(asked(made, principal=ANN), AskForEvidence)
        assert (len(drafter.requests), cache.hits) == (1, 0)


PUBLIC = Principal(id="p")
OTHERS = {
    "tenant": (ANN, BEN),
    "no tenant": (ANN, PUBLIC),
    "a group less": (ANN, replace(ANN, groups=())),
    "a group more": (ANN, replace(ANN, groups=("ops", "legal"))),
    "a role": (ANN, replace(ANN, roles=("auditor",))),
}


@pytest.mark.parametrize("who", OTHERS)
def test_other_rights_never_share_a_draft_even_over_the_same_public_document(who: str) -> None:
    drafter, cache = Writer(), Recording()
    made = shared(ACME, drafter, cache)
    for principal in OTHERS[who]:
        asked_text(made, principal=principal)
    assert (len(drafter.requests), cache.hits) == (2, 0)


def test_the_same_rights_do() -> None:
    drafter = Writer()
    made = shared(ACME, drafter, Recording())
    for name in ("ann", "art"):
        asked_text(made, principal=replace(ANN, id=name))
    assert len(drafter.requests) == 1


@pytest.mark.parametrize("other", ["contract", "policy", "drafter", "question", "case"])
def test_another_question_is_another_draft(other: str) -> None:
    drafter, cache = Writer(), Recording()
    ruled = rules(model=RuleName.EQUALS)
    first = world(drafter, cache, open_=open_question(ruled, mode=Mode.CITED, min_score=0.0, k=8))
    ingest(first, "A", f"{ACME}\n", scope={"model": "*"})
    others = {
        "contract": replace(first, open_question=open_question(ruled, mode=Mode.CITED, min_score=0.0, k=7)),
        "policy": replace(first, policy=Policy(claims=7)),
        "drafter": replace(first, drafters={DrafterKind.MODEL: Writer(profile="writer/2", requests=drafter.requests)}),
    }
    asked_text(first, case={"model": "G2"})
    asked_text(
        others.get(other, first),
        WORDS if other != "question" else f"{WORDS} now",
        case={"model": "G3" if other == "case" else "G2"},
    )
    assert (len(drafter.requests), cache.hits) == (2, 0)


class TestAChangedCorpus:
    @pytest.fixture
    def drafter(self) -> Writer:
        return Writer()

    @pytest.fixture
    def made(self, drafter: Writer) -> Parts:
        made = shared(ACME, drafter, MemoryDraftCache(entries=8, max_age_s=60))
        assert answer(asked_text(made)) == ACME
        return made

    @pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
    def test_what_was_retired_is_not_served(self, made: Parts, drafter: Writer, status: Status) -> None:
        retire(made.store, "A", None, status, at=NOW)
        assert isinstance(asked_text(made), AskForEvidence)
        ingest(made, "B", f"{ACME}\n")
        assert isinstance(asked_text(made), Answered)
        assert len(drafter.requests) == 2

    def test_another_version_with_the_same_words_is_another_draft(self, made: Parts, drafter: Writer) -> None:
        retire(made.store, "A", None, Status.WITHDRAWN, at=NOW)
        ingest(made, "A", f"{ACME}\n", version="2")
        outcome = asked_text(made)
        assert isinstance(outcome, Answered)
        assert outcome.claims[0].citations[0].source == RevisionId("A", "2")
        assert len(drafter.requests) == 2

    def test_a_document_that_joins_the_evidence_makes_another_draft(self, made: Parts, drafter: Writer) -> None:
        ingest(made, "B", f"{BIRCH}\n")
        assert BIRCH in answer(asked_text(made))
        assert len(drafter.requests) == 2

    def test_a_document_that_does_not_leaves_it(self, made: Parts, drafter: Writer) -> None:
        ingest(made, "B", "Dry sand.\n")
        assert answer(asked_text(made)) == ACME
        assert len(drafter.requests) == 1

    @pytest.mark.parametrize("changed", [{"title": "Prices"}, {"author": "Ann"}, {"language": "en"}])
    def test_a_descriptor_that_was_changed_makes_another_draft(
        self, made: Parts, drafter: Writer, changed: dict[str, str]
    ) -> None:
        change(made, "A", lambda described: replace(described, **changed))  # type: ignore[arg-type]
        assert answer(asked_text(made)) == ACME
        assert len(drafter.requests) == 2


def test_a_kept_draft_that_is_not_valid_for_this_request_is_no_hit() -> None:
    drafter = Writer()
    strange = (Claim(text="Prices rise.", citations=(Citation(source=RevisionId("Z", "9"), span="p0-9"),)),)

    cache = Recording()
    made = shared(ACME, drafter, cache)
    asked_text(made)
    cache.entries = dict.fromkeys(cache.entries, strange)
    assert answer(asked_text(made)) == ACME
    assert (len(drafter.requests), cache.hits) == (2, 1)


def test_a_hit_is_mapped_to_the_ids_of_its_request_and_validated_under_its_limits() -> None:
    cache = Recording()
    made = shared(ACME, Writer(), cache)
    asked_text(made)
    ((key, (claim,)),) = cache.entries.items()
    cache.entries[key] = (claim,) * (Policy().claims + 1)
    drafter = Writer()
    assert answer(asked_text(replace(made, drafters={DrafterKind.MODEL: drafter}))) == ACME
    assert len(drafter.requests) == 1, "a draft over the limits must not be taken from the cache either"


@pytest.mark.parametrize(
    "write",
    [
        lambda _: NotDrafted(reason=Why.PROVIDER_ERROR),
        lambda _: NotDrafted(reason=Why.TRUNCATED),
        lambda request: Drafted(segments=faithful(request).segments * 2000),
        lambda _: Drafted(segments=()),
    ],
)
def test_only_valid_drafts_are_kept(write: Any) -> None:
    cache = Recording()
    assert isinstance(asked_text(shared(ACME, Writer(write=write), cache)), SearchOnly)
    assert cache.entries == {}


def test_it_holds_claims_with_references_and_no_packet_and_no_passage() -> None:
    cache = Recording()
    short = Writer(write=lambda request: Drafted(segments=(replace(faithful(request).segments[0], text="So much."),)))
    asked_text(shared(ACME, short, cache))
    ((key, claims),) = cache.entries.items()
    assert len(key) == 64
    assert claims == (Claim(text="So much.", citations=(Citation(source=RevisionId("A", "1"), span="p0-55"),)),)
    assert "41 EUR" not in repr(cache.entries)


class TestAge:
    def test_what_is_too_old_is_gone(self) -> None:
        now = [0.0]
        cache = MemoryDraftCache(entries=8, max_age_s=10, clock=lambda: now[0])
        drafter = Writer()
        made = shared(ACME, drafter, cache)
        for at, drafts in ((0.0, 1), (9.9, 1), (10.0, 2), (19.9, 2), (20.0, 3)):
            now[0] = at
            asked_text(made)
            assert len(drafter.requests) == drafts, at

    def test_a_hit_does_not_make_it_younger(self) -> None:
        now = [0.0]
        cache = MemoryDraftCache(entries=8, max_age_s=10, clock=lambda: now[0])
        cache.put("a", ())
        now[0] = 9.0
        assert cache.get("a") == ()
        now[0] = 10.0
        assert cache.get("a") is None


async def outcome_of(made: Parts, principal: Principal = ANONYMOUS) -> Outcome:
    request = AskRequest(question=OPEN.id, text=WORDS, principal=principal)
    *_, end = [event async for event in ask(request, made)]
    assert isinstance(end, Finished)
    return end.outcome


async def all_waiting(made: Parts, number: int) -> None:
    """Until so many requests wait for one draft."""
    for _ in range(2_000):
        if sum(flight.waiting for flight in made.drafting.flights._flights.values()) == number:
            return
        await asyncio.sleep(0.002)
    raise AssertionError("the requests never came together")


class TestRequestsAtOnce:
    def test_identical_ones_share_one_draft_and_its_usage_is_told_once(self) -> None:
        async def main() -> None:
            drafter = Held()
            made = shared(ACME, drafter, Recording())
            waiting = [asyncio.ensure_future(outcome_of(made)) for _ in range(6)]
            await all_waiting(made, 6)
            drafter.go.set()
            outcomes = await asyncio.gather(*waiting)
            assert {answer(outcome) for outcome in outcomes} == {ACME}
            assert len(drafter.requests) == 1
            steps = [traced(made, outcome) for outcome in outcomes]
            assert sorted(step["calls"] for step in steps) == [0, 0, 0, 0, 0, TOOK.calls]
            assert sum(step["shared"] for step in steps) == 5

        asyncio.run(main())

    def test_they_take_one_place(self) -> None:
        async def main() -> None:
            drafter = Held()
            made = shared(ACME, drafter, Recording())
            made = replace(made, drafting=replace(made.drafting, bulkhead=Bulkhead(1)))
            waiting = [asyncio.ensure_future(outcome_of(made)) for _ in range(6)]
            await all_waiting(made, 6)
            drafter.go.set()
            assert {answer(outcome) for outcome in await asyncio.gather(*waiting)} == {ACME}

        asyncio.run(main())

    def test_other_rights_do_not_share(self) -> None:
        async def main() -> None:
            drafter = Held()
            made = shared(ACME, drafter, Recording())
            waiting = [asyncio.ensure_future(outcome_of(made, who)) for who in (ANN, BEN, ANONYMOUS)]
            await drafter.at_work(3)
            drafter.go.set()
            await asyncio.gather(*waiting)

        asyncio.run(main())

    def test_without_a_cache_nothing_is_shared(self) -> None:
        async def main() -> None:
            drafter = Held()
            made = shared(ACME, drafter, None)
            waiting = [asyncio.ensure_future(outcome_of(made)) for _ in range(3)]
            await drafter.at_work(3)
            drafter.go.set()
            await asyncio.gather(*waiting)

        asyncio.run(main())

    def test_waiters_whose_leader_failed_degrade_with_it_and_nothing_is_kept(self) -> None:
        async def main() -> None:
            cause = NotDrafted(reason=Why.RATE_LIMITED, detail="http_429", retry_after_s=60, usage=TOOK)
            drafter, cache = Held(write=lambda _: cause), Recording()
            made = shared(ACME, drafter, cache)
            waiting = [asyncio.ensure_future(outcome_of(made)) for _ in range(3)]
            await all_waiting(made, 3)
            drafter.go.set()
            outcomes = await asyncio.gather(*waiting)
            for outcome in outcomes:
                assert isinstance(outcome, SearchOnly)
                assert (outcome.reason, outcome.detail, outcome.retry_after_s) == (Why.RATE_LIMITED, "http_429", 60)
                assert len(outcome.search) == 1
            assert sorted(traced(made, outcome)["calls"] for outcome in outcomes) == [0, 0, 1]
            assert cache.entries == {}

        asyncio.run(main())

    def test_one_that_is_cancelled_takes_nothing_from_the_others(self) -> None:
        async def main() -> None:
            drafter = Held()
            made = shared(ACME, drafter, Recording())
            for leaves in (0, 2):
                waiting = [asyncio.ensure_future(outcome_of(made)) for _ in range(3)]
                await all_waiting(made, 3)
                waiting[leaves].cancel()
                await asyncio.wait([waiting[leaves]])
                assert waiting[leaves].cancelled()
                drafter.go.set()
                stayed = await asyncio.gather(*(w for w in waiting if w is not waiting[leaves]))
                assert [answer(outcome) for outcome in stayed] == [ACME, ACME]
                drafter.go.clear()
                made = replace(made, drafting=replace(made.drafting, cache=Recording()))
            assert (len(drafter.requests), drafter.cancelled) == (2, 0)

        asyncio.run(main())

    def test_when_the_last_one_is_cancelled_the_draft_ends_and_its_place_comes_back(self) -> None:
        async def main() -> None:
            drafter, cache = Held(), Recording()
            made = shared(ACME, drafter, cache)
            made = replace(made, drafting=replace(made.drafting, bulkhead=Bulkhead(1)))
            waiting = [asyncio.ensure_future(outcome_of(made)) for _ in range(3)]
            await all_waiting(made, 3)
            for waiter in waiting:
                waiter.cancel()
            await asyncio.wait(waiting)
            await asyncio.sleep(0)
            assert drafter.cancelled == 1
            assert cache.entries == {}
            drafter.go.set()
            assert answer(await outcome_of(made)) == ACME

        asyncio.run(main())
