"""What a drafter is asked, when it is not asked at all, and what becomes of what it writes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.drafters import TOOK, Held, Writer, faithful
from tests.unit.making import case, contract, fact
from tests.unit.world import asked, ingest, parts
from toulmin.adapters.template import TemplateDrafter
from toulmin.application.ask import ClaimJudged, Drafting, Finished, Searched, ask
from toulmin.application.bulkhead import Bulkhead
from toulmin.application.flights import Flights
from toulmin.application.packets import show_packet
from toulmin.application.parts import Drafting as Shared
from toulmin.application.parts import Parts
from toulmin.application.question import AskRequest
from toulmin.application.search import SearchRequest, search
from toulmin.domain.claims.citing import NOT_JUDGED
from toulmin.domain.claims.draft import DraftRequest, LicensedClause, Segment
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.corpus.document import Egress, Passage
from toulmin.domain.errors import Conflict
from toulmin.domain.outcome import Answered, AskForEvidence, Outcome, SearchOnly, UnsupportedQuestion, Withheld
from toulmin.domain.outcome import SearchOnlyReason as Why
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import ANONYMOUS, Kind
from toulmin.domain.question.contract import CaseField, Contract, DrafterKind, Mode
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted, Usage
from toulmin.testing.builders import NOW

WET = fact("wet", "Water is wet.")
DRY = fact("dry", "Sand is dry.", required=False)
COLD = fact("cold", "Ice is cold.", applies={"winter": True})
SEASON = CaseField(name="winter", kind=Kind.BOOLEAN, optional=True)
LICENSED = replace(contract(WET, DRY, COLD, query="water sand ice", k=3, fields=[SEASON]), drafter=DrafterKind.MODEL)
CITED = contract(query="water sand ice", k=3, mode=Mode.CITED)
LINES = {"wet": "Water is wet.", "dry": "Sand is dry.", "cold": "Ice is cold."}


def world(contracted: Contract, drafter: Drafter, *, only: Sequence[str] = tuple(LINES), **more: Any) -> Parts:
    """A document for each fact, A to C, and one drafter."""
    made = parts(contracted, drafters={DrafterKind.MODEL: drafter}, **more)
    for name, (label, words) in zip("ABC", LINES.items(), strict=True):
        if label in only:
            ingest(made, name, f"{words}\n", labels={label: words})
    return made


def sharing(places: int = 1, *, approved: bool = False) -> Shared:
    return Shared(bulkhead=Bulkhead(places), flights=Flights(), external_approved=approved)


def search_only(outcome: Outcome) -> tuple[Why, str | None]:
    """Why there is no answer, while the whole search is there."""
    assert isinstance(outcome, SearchOnly)
    assert [item.found.text for item in outcome.search] == list(LINES.values())
    return outcome.reason, outcome.detail


def rewriting(**changed: Any) -> Writer:
    """Writes faithfully but for the second segment."""

    def write(request: DraftRequest) -> Drafted:
        first, second, *rest = faithful(request).segments
        return Drafted(segments=(first, replace(second, **changed), *rest), usage=TOOK)

    return Writer(write=write)


class TestWhatIsAsked:
    def test_in_cited_mode_every_selected_passage_under_an_id_and_nothing_licensed(self) -> None:
        drafter = Writer()
        asked(world(CITED, drafter))
        (request,) = drafter.requests
        assert [(item.id, item.passage, item.version) for item in request.evidence] == [
            ("e1", "Water is wet.", "1"),
            ("e2", "Sand is dry.", "1"),
            ("e3", "Ice is cold.", "1"),
        ]
        assert request.licensed is None
        assert request.question == "water sand ice"
        assert request.output_tokens == Policy().output_tokens

    def test_in_licensed_mode_the_clauses_that_apply_each_with_its_witness(self) -> None:
        drafter = Writer()
        asked(world(LICENSED, drafter), case={"winter": "true"})
        asked(world(LICENSED, drafter))
        in_winter, else_ = drafter.requests
        wet, dry, cold = (
            LicensedClause(fact=name, clause=f"We say {name}.", evidence_id=f"e{number}")
            for number, name in enumerate(LINES, start=1)
        )
        assert in_winter.licensed == (wet, dry, cold)
        assert in_winter.case == {"winter": "true"}
        assert else_.licensed == (wet, dry)
        assert [item.passage for item in else_.evidence] == ["Water is wet.", "Sand is dry."]

    def test_a_document_that_is_not_selected_is_not_shown(self) -> None:
        drafter = Writer()
        asked(world(replace(CITED, k=1), drafter))
        assert [item.passage for item in drafter.requests[0].evidence] == ["Water is wet."]

    def test_the_section_is_that_of_the_selected_passage(self) -> None:
        drafter = Writer()
        made = parts(CITED, drafters={DrafterKind.MODEL: drafter})
        ingest(made, "A", "Water is wet.\n", passages=[Passage(start=0, end=13, heading=("Seas", "Salt"))])
        asked(made)
        assert drafter.requests[0].evidence[0].section == ("Seas", "Salt")


class TestWhenNobodyIsAsked:
    def test_a_kind_of_drafter_that_is_not_configured(self) -> None:
        made = replace(world(CITED, Writer()), drafters={DrafterKind.TEMPLATE: TemplateDrafter()})
        assert search_only(asked(made)) == (Why.NO_DRAFTER, None)

    def test_no_evidence(self) -> None:
        drafter = Writer()
        assert isinstance(asked(parts(CITED, drafters={DrafterKind.MODEL: drafter})), AskForEvidence)
        assert drafter.requests == []

    def test_a_required_fact_that_is_not_covered(self) -> None:
        drafter = Writer()
        outcome = asked(world(LICENSED, drafter, only=["dry", "cold"]))
        assert isinstance(outcome, AskForEvidence)
        assert outcome.missing == ("wet",)
        assert drafter.requests == []

    def test_evidence_that_licenses_nothing(self) -> None:
        drafter = Writer()
        made = parts(replace(LICENSED, facts=(DRY,)), drafters={DrafterKind.MODEL: drafter})
        ingest(made, "A", "Sand was dry.\n", labels={"dry": "Sand was dry."})
        outcome = asked(made)
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail) == (Why.NO_DRAFTER, "nothing_licensed")
        assert drafter.requests == []

    def test_a_question_without_a_contract(self) -> None:
        drafter = Writer()
        assert isinstance(asked(world(CITED, drafter), "no-such-v1"), UnsupportedQuestion)
        assert drafter.requests == []


class TestEgress:
    @staticmethod
    def outcome(*, approved: bool, local: bool, on_this_host: bool = False) -> tuple[Outcome, Writer]:
        drafter = Writer(on_this_host=on_this_host)
        made = world(
            CITED, drafter, drafting=Shared(bulkhead=Bulkhead(1), flights=Flights(), external_approved=approved)
        )
        with made.store.curate() as session:
            (standing,) = session.history("B")
            if local:
                kept_here = replace(standing.descriptor, egress=Egress.LOCAL)
                session.replace(standing.key, kept_here, standing.validity, superseded=False)
        return asked(made), drafter

    @pytest.mark.parametrize(("approved", "local"), [(False, False), (False, True), (True, True)])
    def test_what_may_not_leave_reaches_nobody(self, approved: bool, local: bool) -> None:
        outcome, drafter = self.outcome(approved=approved, local=local)
        assert search_only(outcome) == (Why.EGRESS_DENIED, None)
        assert drafter.requests == []

    def test_a_source_that_may_not_be_read_any_longer_does_not_leave(self) -> None:
        drafter = Writer(on_this_host=False)
        made = world(CITED, drafter, drafting=sharing(approved=True))
        with made.store.begin(ANONYMOUS) as session:
            (standing,) = session.catalogue.standings("B")

        async def main() -> None:
            async for event in ask(AskRequest(question=CITED.id, principal=ANONYMOUS), made):
                if isinstance(event, Searched):
                    given = replace(standing.descriptor, readers=("tenant:a",))
                    with made.store.curate() as session:
                        session.replace(standing.key, given, standing.validity, superseded=False)

        with pytest.raises(Conflict):
            asyncio.run(main())
        assert drafter.requests == []

    def test_a_provider_that_was_approved_gets_what_may_leave(self) -> None:
        outcome, drafter = self.outcome(approved=True, local=False)
        assert isinstance(outcome, Answered)
        assert len(drafter.requests) == 1

    @pytest.mark.parametrize("local", [True, False])
    def test_a_provider_on_this_host_gets_everything(self, local: bool) -> None:
        assert isinstance(self.outcome(approved=False, local=local, on_this_host=True)[0], Answered)


class TestWhatBecomesOfIt:
    def test_cited_claims_are_delivered_as_cited_and_as_nothing_better(self) -> None:
        outcome = asked(world(CITED, Writer()))
        assert isinstance(outcome, Answered)
        assert outcome.assurance is Mode.CITED
        assert not outcome.sufficient
        assert {(claim.verdict.status, claim.verdict.reason) for claim in outcome.claims} == {
            (VerdictStatus.CITED, NOT_JUDGED)
        }
        assert [claim.citations[0].words for claim in outcome.claims] == list(LINES.values())

    def test_a_licensed_draft_is_delivered_as_licensed(self) -> None:
        outcome = asked(world(LICENSED, Writer()))
        assert isinstance(outcome, Answered)
        assert outcome.assurance is Mode.LICENSED
        assert outcome.sufficient
        assert outcome.text == "We say wet. We say dry."
        assert {claim.verdict.status for claim in outcome.claims} == {VerdictStatus.LICENSED}

    @pytest.mark.parametrize(
        ("changed", "reason"),
        [
            ({"text": "We say dry!"}, "the rule does not license this sentence"),
            ({"fact": "wet"}, "the cited span does not carry this fact"),
            ({"fact": None}, "the contract has no such fact"),
            ({"fact": "moist"}, "the contract has no such fact"),
            ({"fact": "cold"}, "this fact does not apply to the case"),
            ({"evidence_ids": ("e1",)}, "the cited span does not carry this fact"),
            ({"evidence_ids": ("e2", "e1")}, "the cited span does not carry this fact"),
        ],
    )
    def test_a_licensed_claim_with_something_wrong_is_withheld_and_the_rest_stands(
        self, changed: dict[str, Any], reason: str
    ) -> None:
        outcome = asked(world(LICENSED, rewriting(**changed)))
        assert isinstance(outcome, Answered)
        assert outcome.text == "We say wet."
        assert [claim.verdict.reason for claim in outcome.withheld] == [reason]

    def test_without_a_required_claim_all_is_withheld(self) -> None:
        drafter = Writer(write=lambda request: Drafted(segments=faithful(request).segments[1:]))
        outcome = asked(world(LICENSED, drafter))
        assert isinstance(outcome, Withheld)
        assert outcome.missing == ("wet",)

    @pytest.mark.parametrize("contracted", [CITED, LICENSED])
    @pytest.mark.parametrize(
        ("changed", "code"),
        [
            ({"evidence_ids": ("e9",)}, "unknown_id"),
            ({"evidence_ids": ("e2", "e9")}, "unknown_id"),
            ({"evidence_ids": ("e22",)}, "unknown_id"),
            ({"evidence_ids": ("E2",)}, "unknown_id"),
            ({"evidence_ids": ("e2", "e2")}, "repeated_id"),
            ({"evidence_ids": ()}, "no_citation"),
            ({"text": ""}, "empty_text"),
            ({"text": "So [1]."}, "citation_marker"),
        ],
    )
    def test_a_structural_fault_rejects_all_of_it(
        self, contracted: Contract, changed: dict[str, Any], code: str
    ) -> None:
        outcome = asked(world(contracted, rewriting(**changed)))
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail) == (Why.INVALID_OUTPUT, code)
        assert outcome.search

    @pytest.mark.parametrize("reason", Why)
    def test_a_drafter_that_says_why_it_has_none_is_told_with_what_it_told(self, reason: Why) -> None:
        cause = NotDrafted(reason=reason, detail="some_code", retry_after_s=12.5, usage=TOOK)
        outcome = asked(world(CITED, Writer(write=lambda _: cause)))
        assert search_only(outcome) == (reason, "some_code")
        assert isinstance(outcome, SearchOnly)
        assert outcome.retry_after_s == 12.5


class TestThePacket:
    @staticmethod
    def body(made: Parts) -> dict[str, Any]:
        outcome = asked(made)
        assert not isinstance(outcome, UnsupportedQuestion)
        assert outcome.receipt is not None
        return dict(show_packet(made.store, outcome.receipt.packet, ANONYMOUS, NOW).body)

    def test_it_tells_who_wrote_and_what_that_took(self) -> None:
        body = self.body(world(CITED, Writer()))
        assert body["versions"]["drafter"] == "writer/1"
        assert [step["step"] for step in body["trace"]] == ["search", "select", "draft", "judge"]
        assert body["trace"][2] == {
            "step": "draft",
            "fault": None,
            "calls": 1,
            "seconds": 0.25,
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "kept": False,
            "shared": False,
        }
        assert body["trace"][3] == {"step": "judge", "claims": 3, "delivered": 3}

    @pytest.mark.parametrize(
        ("drafter", "detail"),
        [
            (Writer(write=lambda _: NotDrafted(reason=Why.REFUSED, detail="refused", usage=TOOK)), "refused"),
            (rewriting(text=""), "empty_text"),
        ],
    )
    def test_a_draft_that_is_not_taken_is_counted_too(self, drafter: Writer, detail: str) -> None:
        body = self.body(world(CITED, drafter))
        assert (body["outcome"]["name"], body["outcome"]["detail"]) == ("SearchOnly", detail)
        assert (body["trace"][2]["calls"], body["trace"][2]["completion_tokens"]) == (1, 20)
        assert "drafter" not in body["versions"]

    def test_a_drafter_that_was_not_asked_took_nothing(self) -> None:
        made = world(CITED, Writer(on_this_host=False))
        (step,) = (s for s in self.body(made)["trace"] if s["step"] == "draft")
        assert (step["calls"], step["prompt_tokens"]) == (0, None)


def test_the_events_come_in_order_and_no_claim_is_told_before_all_are_judged() -> None:
    async def events() -> list[object]:
        request = AskRequest(question=CITED.id, principal=ANONYMOUS)
        return [event async for event in ask(request, world(CITED, Writer()))]

    kinds = [type(event) for event in asyncio.run(events())]
    assert kinds == [Searched, Drafting, ClaimJudged, ClaimJudged, ClaimJudged, Finished]


class TestTheBulkhead:
    @staticmethod
    async def outcome(made: Parts) -> Outcome:
        *_, end = [event async for event in ask(AskRequest(question=CITED.id, principal=ANONYMOUS), made)]
        assert isinstance(end, Finished)
        return end.outcome

    def test_with_all_places_taken_the_next_draft_is_saturated_at_once_and_places_come_back(self) -> None:
        async def main() -> None:
            drafter = Held()
            made = world(CITED, drafter, drafting=sharing(3))
            slow = [asyncio.ensure_future(self.outcome(made)) for _ in range(3)]
            await drafter.at_work(3)
            for _ in range(5):
                assert search_only(await asyncio.wait_for(self.outcome(made), 5)) == (Why.SATURATED, None)
            assert len(drafter.requests) == 3
            drafter.go.set()
            assert all(isinstance(outcome, Answered) for outcome in await asyncio.gather(*slow))
            assert isinstance(await self.outcome(made), Answered)

        asyncio.run(main())

    def test_a_search_goes_on_while_all_places_are_taken(self) -> None:
        async def main() -> None:
            drafter = Held()
            made = world(CITED, drafter, drafting=sharing())
            slow = asyncio.ensure_future(self.outcome(made))
            await drafter.at_work(1)
            wanted = SearchRequest(
                text="sand", rules=CITED.rules, case=case(), principal=ANONYMOUS, at=NOW, limit=5, min_score=0.0
            )
            found = await asyncio.to_thread(search, wanted, made.store, made.index, made.scopes)
            assert [item.found.text for item in found.items] == ["Sand is dry."]
            assert not slow.done()
            drafter.go.set()
            await slow

        asyncio.run(main())

    def test_cancellation_and_faults_give_the_place_back(self) -> None:
        async def main() -> None:
            held = Held()
            made = world(CITED, held, drafting=sharing())
            task = asyncio.ensure_future(self.outcome(made))
            await held.at_work(1)
            task.cancel()
            await asyncio.wait([task])
            failing = Writer(write=lambda _: NotDrafted(reason=Why.PROVIDER_ERROR))
            for drafter, reason in ((failing, Why.PROVIDER_ERROR), (rewriting(text=""), Why.INVALID_OUTPUT)):
                again = replace(made, drafters={DrafterKind.MODEL: drafter})
                assert search_only(await self.outcome(again))[0] is reason
            assert isinstance(await self.outcome(replace(made, drafters={DrafterKind.MODEL: Writer()})), Answered)

        asyncio.run(main())

    def test_the_template_needs_no_place_and_waits_for_no_model(self) -> None:
        async def main() -> None:
            drafter = Held()
            made = world(CITED, drafter, drafting=sharing())
            slow = asyncio.ensure_future(self.outcome(made))
            await drafter.at_work(1)
            templated = replace(
                made,
                contracts=parts(replace(LICENSED, drafter=DrafterKind.TEMPLATE)).contracts,
                drafters={DrafterKind.TEMPLATE: TemplateDrafter()},
            )
            assert isinstance(await self.outcome(templated), Answered)
            drafter.go.set()
            await slow

        asyncio.run(main())


def test_usage_is_that_of_the_drafter_even_where_it_told_of_nothing() -> None:
    silent = Writer(write=lambda request: replace(faithful(request), usage=Usage(calls=2, seconds=1)))
    body = TestThePacket.body(world(CITED, silent))
    assert (body["trace"][2]["prompt_tokens"], body["trace"][2]["calls"]) == (None, 2)


def test_a_segment_may_name_several_sources() -> None:
    def write(request: DraftRequest) -> Drafted:
        return Drafted(segments=(Segment(text="All of it.", evidence_ids=tuple(i.id for i in request.evidence)),))

    outcome = asked(world(CITED, Writer(write=write)))
    assert isinstance(outcome, Answered)
    assert [quote.source.document for quote in outcome.claims[0].citations] == ["A", "B", "C"]
