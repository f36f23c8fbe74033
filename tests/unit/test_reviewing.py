"""Reviewed mode from question to packet: what is delivered, repaired, looked for again, and what is kept of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.drafters import Writer
from tests.unit.judges import Scripted, opinion
from tests.unit.making import contract, fact
from tests.unit.world import asked, ingest, parts
from toulmin.application.documents import retire
from toulmin.application.packets import show_packet
from toulmin.application.parts import Parts
from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.corpus.document import Status
from toulmin.domain.outcome import (
    Answered,
    AskForEvidence,
    EvidenceReason,
    Outcome,
    SearchOnly,
    SearchOnlyReason,
    Withheld,
)
from toulmin.domain.policy import Policy, Repair
from toulmin.domain.question.case import ANONYMOUS, Kind
from toulmin.domain.question.contract import CaseField, DrafterKind, Mode
from toulmin.ports.drafter import Drafted, NotDrafted
from toulmin.ports.judge import Judge, Matter, NotJudged, Query
from toulmin.testing.builders import NOW

LOGS = "Audit logs are kept for at least 30 days."
NIGHT = "Audit backups are made every night."
PUMP = "The audit pump weighs 12 kg."
QUOTED = f'The source says: "{LOGS}"'
QUESTION = contract(query="audit logs backups", k=2, mode=Mode.REVIEWED)


def writes(*sentences: str | tuple[str, int], quotes: tuple[str, ...] = ()) -> Callable[[DraftRequest], Drafted]:
    """A drafter's reply: each sentence cites the passage that has its place in the evidence, or the one given."""

    def write(request: DraftRequest) -> Drafted:
        placed = [item if isinstance(item, tuple) else (item, 0) for item in sentences]
        ids = [item.id for item in (*request.evidence, *request.conflicting)]
        return Drafted(
            segments=tuple(Segment(text=text, evidence_ids=(ids[place],), quotes=quotes) for text, place in placed)
        )

    return write


def in_turn(drafter: Writer, *replies: Callable[[DraftRequest], Drafted]) -> Callable[[DraftRequest], Drafted]:
    """One reply after the other, the last one for all that follow."""

    def write(request: DraftRequest) -> Drafted:
        return replies[min(len(drafter.requests), len(replies)) - 1](request)

    return write


def world(
    drafter: Writer,
    judge: Judge | None = None,
    policy: Policy | None = None,
    lines: Sequence[str] = (LOGS, NIGHT, PUMP),
    k: int = 2,
    **more: Any,
) -> Parts:
    made = parts(replace(QUESTION, k=k), drafters={DrafterKind.MODEL: drafter}, policy=policy)
    for name, words in zip("ABCDEF", lines, strict=False):
        ingest(made, name, f"{words}\n")
    return replace(made, judge=judge, **more)


def body(made: Parts, outcome: Outcome) -> Any:
    assert isinstance(outcome, Answered | Withheld | SearchOnly | AskForEvidence)
    assert outcome.receipt is not None
    return json.loads(show_packet(made.store, outcome.receipt.packet, ANONYMOUS, NOW).packet.body)


def steps(made: Parts, outcome: Outcome, *names: str) -> list[Any]:
    return [step for step in body(made, outcome)["trace"] if step["step"] in names]


class TestDelivery:
    def test_a_verbatim_sentence_is_delivered_without_a_judge(self) -> None:
        outcome = asked(world(Writer(write=writes(LOGS))))
        assert isinstance(outcome, Answered)
        assert (outcome.text, outcome.assurance) == (LOGS, Mode.REVIEWED)
        assert outcome.claims[0].verdict.reason == "verbatim"

    def test_the_drafter_is_asked_for_the_source_s_own_words(self) -> None:
        drafter = Writer(write=writes(LOGS))
        asked(world(drafter))
        assert drafter.requests[0].reviewed

    def test_what_the_judge_supports_is_delivered_and_its_probabilities_are_kept(self) -> None:
        made = world(Writer(write=writes("For thirty days or more, audit logs are kept.")), Scripted())
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        kept = body(made, outcome)
        assert kept["claims"][0]["verdict"]["probabilities"]["supported"] == 0.99
        assert kept["versions"]["judge"] == "scripted/1"
        assert kept["versions"]["oracles"]

    def test_the_judge_reads_the_claim_and_the_stored_words_and_nothing_else(self) -> None:
        judge = Scripted()
        asked(world(Writer(write=writes("For thirty days or more, audit logs are kept.")), judge))
        (unit,) = judge.units
        assert [cited.words for cited in unit.passages] == [LOGS]

    def test_a_claim_that_is_not_accepted_never_reaches_the_answer(self) -> None:
        policy = replace(Policy(), repairs=(Repair.REMOVE,))
        outcome = asked(world(Writer(write=writes("Audit logs are kept for 90 days.", (NIGHT, 1))), Scripted(), policy))
        assert isinstance(outcome, Answered)
        assert outcome.text == NIGHT
        assert [claim.text for claim in outcome.withheld] == ["Audit logs are kept for 90 days."]
        assert outcome.withheld[0].verdict.objections

    def test_where_nothing_is_accepted_the_answer_is_withheld(self) -> None:
        policy = replace(Policy(), repairs=(Repair.REMOVE,))
        outcome = asked(world(Writer(write=writes("Audit logs are kept for 90 days.")), Scripted(), policy))
        assert isinstance(outcome, Withheld)

    def test_the_judge_is_told_the_case_and_reads_what_the_quotes_leave(self) -> None:
        judge = Scripted()
        question = contract(
            query="audit", k=1, mode=Mode.REVIEWED, fields=[CaseField(name="winter", kind=Kind.BOOLEAN, optional=True)]
        )
        drafter = Writer(write=writes("There is a third audit.", quotes=("Three audits.",)))
        made = parts(question, drafters={DrafterKind.MODEL: drafter})
        ingest(made, "A", "One audit. Two audits. Three audits. Four audits. Five audits.\n")
        asked(replace(made, judge=judge), case={"winter": "true"})
        (unit,) = judge.units
        assert unit.case == {"winter": "true"}
        assert [cited.words for cited in unit.passages] == ["Two audits. Three audits. Four audits."]

    def test_what_the_oracles_say_stands_beside_the_packet_s_body_and_not_in_it(self) -> None:
        made = world(Writer(write=writes("Audit logs are kept for 90 days.")))
        outcome = asked(made)
        assert isinstance(outcome, Answered | Withheld)
        assert outcome.receipt is not None
        packet = show_packet(made.store, outcome.receipt.packet, ANONYMOUS, NOW).packet
        assert outcome.withheld[0].verdict.objections
        assert "30 days" not in packet.body
        assert outcome.withheld[0].verdict.objections[0].says in packet.texts.values()


class TestRepair:
    def test_the_source_s_own_words_stand_in_for_a_claim_that_was_not_accepted(self) -> None:
        made = world(Writer(write=writes("Audit logs are kept for 90 days.")))
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        assert outcome.text == QUOTED
        assert outcome.claims[0].citations[0].source.document == "A"
        assert [claim.text for claim in outcome.withheld] == ["Audit logs are kept for 90 days."]
        (step,) = steps(made, outcome, "repair")
        assert (step["reason"], step["next"]) == ("unresolved", "quote")
        assert "90 days" not in json.dumps(step)

    def test_where_the_policy_permits_no_repair_nothing_is_delivered(self) -> None:
        made = world(
            Writer(write=writes("Audit logs are kept for 90 days.", (NIGHT, 1))), policy=replace(Policy(), repairs=())
        )
        outcome = asked(made)
        assert isinstance(outcome, Withheld)
        assert {claim.verdict.status for claim in outcome.withheld} == {
            VerdictStatus.UNRESOLVED,
            VerdictStatus.SUPPORTED,
        }
        assert steps(made, outcome, "repair")[0]["next"] is None

    def test_nothing_is_asked_twice(self) -> None:
        judge = Scripted(says=lambda _: opinion(0.5))
        asked(world(Writer(write=writes("Kept are the audit logs, for a month or so.")), judge))
        assert len(judge.units) == len({unit.claim for unit in judge.units})


RETRIEVE = replace(Policy(), repairs=(Repair.RETRIEVE, Repair.REMOVE))


class TestRounds:
    def test_a_new_round_has_a_new_closed_set_and_a_new_draft_and_counts_where_it_comes_to_more(self) -> None:
        drafter = Writer(write=writes("Elephants never forget."))
        made = world(drafter, policy=RETRIEVE, k=1)
        drafter.write = lambda request: writes(
            "Elephants never forget." if request.evidence[0].passage == LOGS else request.evidence[0].passage
        )(request)
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        assert outcome.text == NIGHT
        first, second = steps(made, outcome, "round")
        assert first["passages"] != second["passages"]
        kept = body(made, outcome)
        assert [item["document"] for item in kept["documents"]] == ["B"]
        assert {"document": "A", "version": "1", "passage": "p0-41", "reason": "earlier_round"} in kept["left_out"]

    def test_there_are_at_most_as_many_rounds_as_the_policy_permits(self) -> None:
        drafter = Writer(write=writes("Elephants never forget."))
        asked(world(drafter, policy=replace(RETRIEVE, repair_rounds=1), k=1))
        assert len(drafter.requests) == 2
        drafter.requests.clear()
        asked(world(drafter, policy=replace(RETRIEVE, repair_rounds=0), k=1))
        assert len(drafter.requests) == 1

    def test_no_new_round_where_there_is_no_other_evidence(self) -> None:
        drafter = Writer(write=writes("Elephants never forget."))
        outcome = asked(world(drafter, policy=RETRIEVE, k=3))
        assert len(drafter.requests) == 1
        assert isinstance(outcome, Withheld)

    def test_a_round_whose_draft_fails_does_not_cost_what_an_earlier_one_came_to(self) -> None:
        drafter = Writer(write=writes(LOGS, "Elephants never forget."))
        made = world(drafter, policy=RETRIEVE, k=1)
        first = drafter.write
        drafter.write = lambda request: (
            first(request)
            if len(drafter.requests) == 1
            else NotDrafted(reason=SearchOnlyReason.PROVIDER_ERROR, detail="status_500")
        )
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        assert outcome.text == LOGS
        assert len(drafter.requests) == 2

    def test_passages_that_accepted_claims_rest_on_are_in_the_next_round_too(self) -> None:
        drafter = Writer(write=writes(LOGS, ("Elephants never forget.", 1)))
        made = world(drafter, policy=RETRIEVE, k=2)
        asked(made)
        sets = [{item.passage for item in request.evidence} for request in drafter.requests]
        assert sets[0] == {LOGS, NIGHT}
        assert sets[1] == {LOGS, PUMP}

    def test_a_later_round_that_comes_to_less_does_not_cost_what_an_earlier_one_came_to(self) -> None:
        drafter = Writer()
        made = world(drafter, policy=RETRIEVE, k=1)
        drafter.write = in_turn(drafter, writes(LOGS, "Elephants never forget."), writes("Elephants forget."))
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        assert outcome.text == LOGS
        rounds = steps(made, outcome, "round")
        assert [(each["number"], each["counts"]) for each in rounds] == [(1, True), (2, False), (3, False)]
        assert [each["next"] for each in steps(made, outcome, "repair")] == ["retrieve", "remove", "retrieve"]

    def test_of_rounds_that_come_to_as_much_the_first_counts_whose_evidence_ranked_highest(self) -> None:
        drafter = Writer()
        made = world(drafter, policy=replace(RETRIEVE, repair_rounds=1), k=1)
        first = writes(LOGS, "Elephants never forget.")
        drafter.write = in_turn(drafter, first, writes((NIGHT, 1), ("Elephants never forget.", 1)))
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        assert outcome.text == LOGS
        assert [each["counts"] for each in steps(made, outcome, "round")] == [True, False]

    def test_a_round_that_takes_too_long_is_given_up_and_what_was_there_is_delivered(self) -> None:
        class Slow(Writer):
            async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
                await asyncio.sleep(60 if self.requests else 2)
                return await super().draft(request)

        policy = replace(RETRIEVE, provider_deadline_s=3, retrieval_deadline_s=4, request_deadline_s=5, repair_rounds=5)
        drafter = Slow(write=writes(LOGS, "Elephants never forget."))
        made = world(drafter, policy=policy, k=1)
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        assert outcome.text == LOGS
        assert [step["fault"] for step in steps(made, outcome, "draft")] == [None, "timeout"]

    def test_the_judge_of_an_earlier_round_whose_verdict_stands_is_named(self) -> None:
        paraphrase = "For thirty days or more, audit logs are kept."
        drafter = Writer()
        judge = Scripted(says=lambda unit: opinion(0.99 if unit.claim == paraphrase else 0.1))
        made = world(drafter, judge, RETRIEVE, k=1)
        other = "Elephants never forget the audit."
        drafter.write = in_turn(drafter, writes(paraphrase, other), writes(paraphrase, (NIGHT, 1)))
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        assert paraphrase in outcome.text
        assert body(made, outcome)["versions"]["judge"] == "scripted/1"
        assert [unit.claim for unit in judge.units].count(paraphrase) == 1

    def test_a_packet_is_for_those_who_may_read_the_passages_of_every_round(self) -> None:
        drafter = Writer()
        made = world(drafter, policy=RETRIEVE, k=1)
        drafter.write = lambda request: writes(
            "Elephants never forget." if request.evidence[0].passage == LOGS else request.evidence[0].passage
        )(request)
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        assert outcome.receipt is not None
        packet = show_packet(made.store, outcome.receipt.packet, ANONYMOUS, NOW).packet
        assert {source.document for source in packet.sources} >= {"A", "B"}


class TestAfterDeletion:
    @pytest.mark.parametrize("sentence", [LOGS, "Audit logs are kept for 90 days."])
    def test_a_packet_shows_no_words_of_a_deleted_source_in_whatever_was_made_of_them(self, sentence: str) -> None:
        made = world(Writer(write=writes(sentence, quotes=(LOGS,))))
        outcome = asked(made)
        assert isinstance(outcome, Answered)
        assert outcome.receipt is not None
        packet_id = outcome.receipt.packet
        shown = " ".join(show_packet(made.store, packet_id, ANONYMOUS, NOW).texts.values())
        assert "30 days" in shown
        retire(made.store, "A", None, Status.DELETED, at=NOW)
        shown = " ".join(show_packet(made.store, packet_id, ANONYMOUS, NOW).texts.values())
        assert "30 days" not in shown
        assert "Audit logs" not in shown


class TestAJudgeThatFails:
    def test_is_asked_again_for_nothing_and_no_more_evidence_is_looked_for(self) -> None:
        drafter = Writer(write=writes("Every night there is an audit backup."))
        judge = Scripted(fault=NotJudged(reason=SearchOnlyReason.TIMEOUT))
        asked(world(drafter, judge, RETRIEVE, k=1))
        assert len(drafter.requests) == 1

    @pytest.mark.parametrize(
        ("fault", "retry"),
        [
            (NotJudged(reason=SearchOnlyReason.RATE_LIMITED, retry_after_s=30.0), 30.0),
            (NotJudged(reason=SearchOnlyReason.TIMEOUT), None),
        ],
    )
    def test_leaves_the_search_where_nothing_can_be_delivered(self, fault: NotJudged, retry: float | None) -> None:
        policy = replace(Policy(), repairs=(Repair.REMOVE,))
        made = world(Writer(write=writes("Every night there is an audit backup.")), Scripted(fault=fault), policy)
        outcome = asked(made)
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail, outcome.retry_after_s) == (fault.reason, "judge", retry)
        assert outcome.search

    def test_changes_nothing_where_an_oracle_objects_to_all_that_was_drafted(self) -> None:
        drafter = Writer(write=writes("Audit logs take 40 GB."))
        fault = NotJudged(reason=SearchOnlyReason.PROVIDER_ERROR)
        made = world(drafter, Scripted(fault=fault), RETRIEVE, k=1)
        outcome = asked(made)
        assert isinstance(outcome, Withheld)
        assert len(drafter.requests) == 3
        assert {step["fault"] for step in steps(made, outcome, "ask_judge")} == {"provider_error"}

    def test_costs_only_the_claims_that_needed_it(self) -> None:
        policy = replace(Policy(), repairs=(Repair.REMOVE,))
        fault = NotJudged(reason=SearchOnlyReason.TIMEOUT)
        writer = Writer(write=writes(LOGS, ("Every night there is an audit backup.", 1)))
        outcome = asked(world(writer, Scripted(fault=fault), policy))
        assert isinstance(outcome, Answered)
        assert outcome.text == LOGS


def knows(**yes: float) -> Callable[[Query], float | None]:
    """The probability of yes by matter; a passage that is named in the key `instructions_in` tells a model what to do."""
    return lambda query: yes.get(query.matter.value, 0.9 if query.matter is not Matter.CONTAINS_INSTRUCTIONS else 0.1)


class TestGates:
    SUFFICIENT = replace(Policy(), sufficiency=0.8)
    ROUTED = replace(Policy(), routing=0.8)

    def test_evidence_that_does_not_answer_the_question_ends_before_any_draft(self) -> None:
        drafter = Writer(write=writes(LOGS))
        outcome = asked(world(drafter, Scripted(knows=lambda _: 0.79), self.SUFFICIENT))
        assert isinstance(outcome, AskForEvidence)
        assert outcome.reason is EvidenceReason.INSUFFICIENT
        assert drafter.requests == []

    def test_evidence_that_does_is_drafted_from(self) -> None:
        judge = Scripted(knows=lambda _: 0.8)
        assert isinstance(asked(world(Writer(write=writes(LOGS)), judge, self.SUFFICIENT)), Answered)
        (query,) = judge.queries
        assert (query.matter, query.passages) == (Matter.SUFFICIENT, (LOGS, NIGHT))

    def test_without_a_threshold_nobody_is_asked(self) -> None:
        judge = Scripted(knows=lambda _: 0.0)
        assert isinstance(asked(world(Writer(write=writes(LOGS)), judge)), Answered)
        assert judge.queries == []

    @pytest.mark.parametrize("judge", [None, Scripted(knows=lambda _: None)])
    def test_a_gate_that_nobody_can_answer_for_stays_closed(self, judge: Judge | None) -> None:
        for policy in (self.SUFFICIENT, self.ROUTED):
            outcome = asked(world(Writer(write=writes(LOGS)), judge, policy))
            assert isinstance(outcome, SearchOnly)
            assert outcome.reason is SearchOnlyReason.NO_JUDGE
            assert outcome.search

    def test_a_judge_elsewhere_is_not_asked_about_evidence_that_may_not_leave(self) -> None:
        judge = Scripted(knows=lambda _: 0.9, on_this_host=False)
        outcome = asked(world(Writer(write=writes(LOGS)), judge, self.SUFFICIENT))
        assert isinstance(outcome, SearchOnly)
        assert outcome.reason is SearchOnlyReason.EGRESS_DENIED
        assert judge.queries == []
        allowed = world(Writer(write=writes(LOGS)), judge, self.SUFFICIENT, judge_approved=True)
        assert isinstance(asked(allowed), Answered)

    def test_conflicting_evidence_goes_in_a_block_of_its_own_and_is_shown(self) -> None:
        def against(query: Query) -> float:
            return {
                Matter.CONTAINS_INSTRUCTIONS: 0.1,
                Matter.CONTRADICTS_PREMISE: 0.9 if query.passages == (NIGHT,) else 0.1,
            }.get(query.matter, 0.9)

        drafter = Writer(write=writes(LOGS, (NIGHT, 1)))
        outcome = asked(world(drafter, Scripted(knows=against), self.ROUTED))
        (request,) = drafter.requests
        assert [item.passage for item in request.evidence] == [LOGS]
        assert [item.passage for item in request.conflicting] == [NIGHT]
        assert isinstance(outcome, Answered)
        assert [item.conflicting for item in outcome.search] == [False, True]
        assert outcome.text == f"{LOGS} {NIGHT}"

    @pytest.mark.parametrize(
        ("matter", "yes", "reason"),
        [
            (Matter.RELEVANT, 0.1, "irrelevant"),
            (Matter.CONTAINS_EVIDENCE, 0.1, "no_evidence"),
            (Matter.CONTAINS_INSTRUCTIONS, 0.9, "instructions"),
        ],
    )
    def test_useless_passages_are_left_out_with_the_reason(self, matter: Matter, yes: float, reason: str) -> None:
        def knows(query: Query) -> float:
            usual = {Matter.CONTAINS_INSTRUCTIONS: 0.1, Matter.CONTRADICTS_PREMISE: 0.1}.get(query.matter, 0.9)
            return yes if query.matter is matter and query.passages == (NIGHT,) else usual

        drafter = Writer(write=writes(LOGS))
        made = world(drafter, Scripted(knows=knows), self.ROUTED)
        outcome = asked(made)
        assert [item.passage for item in drafter.requests[0].evidence] == [LOGS]
        left_out = {(item["document"], item["reason"]) for item in body(made, outcome)["left_out"]}
        assert ("B", reason) in left_out


class TestRequiredFacts:
    """A contract in reviewed mode may require facts: their curated words have to be in the evidence, and a delivered claim to rest on them."""

    KEPT = fact("kept", LOGS)

    def world(self, drafter: Writer, *, words: str = LOGS) -> Parts:
        question = contract(self.KEPT, query="audit logs backups", k=2, mode=Mode.REVIEWED)
        made = parts(
            question, drafters={DrafterKind.MODEL: drafter}, policy=replace(Policy(), repairs=(Repair.REMOVE,))
        )
        ingest(made, "A", f"{words}\n", labels={"kept": words})
        ingest(made, "B", f"{NIGHT}\n")
        return replace(made, judge=Scripted())

    def test_evidence_without_the_curated_words_is_not_drafted_from(self) -> None:
        drafter = Writer(write=writes(NIGHT))
        outcome = asked(self.world(drafter, words="Audit logs are kept for at least 90 days."))
        assert isinstance(outcome, AskForEvidence)
        assert outcome.missing == ("kept",)
        assert drafter.requests == []

    @pytest.mark.parametrize("sentence", [LOGS, "For thirty days or more, audit logs are kept."])
    def test_a_supported_claim_that_rests_on_them_establishes_the_fact(self, sentence: str) -> None:
        assert isinstance(asked(self.world(Writer(write=writes(sentence)))), Answered)

    def test_without_such_a_claim_nothing_is_delivered_and_the_fact_is_named(self) -> None:
        outcome = asked(self.world(Writer(write=writes("Audit logs are kept for 90 days.", (NIGHT, 1)))))
        assert isinstance(outcome, Withheld)
        assert outcome.missing == ("kept",)
