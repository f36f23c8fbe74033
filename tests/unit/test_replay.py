"""Replay: as of then from the packet alone, as of now from the corpus."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.unit.drafters import Writer
from tests.unit.judges import Scripted, opinion
from tests.unit.making import contract, fact, rules
from tests.unit.test_reviewing import LOGS, NIGHT, PUMP, writes
from tests.unit.test_reviewing import world as reviewing
from tests.unit.world import KnownContracts, asked, ingest, parts
from toulmin.application.catchup import catch_up
from toulmin.application.parts import Parts
from toulmin.application.replay import Replay, replay
from toulmin.domain.canonical import canonical_json, text_digest
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.errors import InputError, NotFound
from toulmin.domain.outcome import Answered, UnsupportedQuestion
from toulmin.domain.policy import Policy, Repair, policy_of
from toulmin.domain.proof.identity import recorded_identity
from toulmin.domain.proof.packet import Packet, packet_id
from toulmin.domain.proof.recorded import Recorded
from toulmin.domain.proof.replay import Kind, differences, of_sources
from toulmin.domain.proof.rerun import Result, rerun
from toulmin.domain.question.case import ANONYMOUS, Principal, Value
from toulmin.domain.question.case import Kind as Kinds
from toulmin.domain.question.contract import (
    OPEN_QUESTION,
    CaseField,
    Contract,
    DrafterKind,
    Mode,
    contract_of,
    open_question,
    under_rules,
)
from toulmin.domain.question.eligibility import Rule, RuleName
from toulmin.ports.judge import Matter, Query
from toulmin.testing.builders import NOW, revision

WORDS = "Water is wet."
MADE = contract(fact("wet", WORDS), judged=rules(model=RuleName.EQUALS), query="water")
CASE = {"model": "G1"}
STEPS = ("packet", "contract", "policy", "selection", "evidence", "coverage", "verdicts", "answer")


def world(made: Contract = MADE) -> tuple[Parts, Standing]:
    place = parts(made)
    standing = ingest(place, "A", f"{WORDS}\nWater is more.\n", labels={"wet": WORDS}, scope={"model": "G1"})
    ingest(place, "B", "Water too.\n", scope={"model": "G1"})
    return place, standing


def packet_of(place: Parts, **asking: Any) -> str:
    outcome = asked(place, case=CASE, **asking)
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    return outcome.receipt.packet


def again(place: Parts, kept: str, **more: Any) -> Replay:
    return replay(kept, ANONYMOUS, place, **more)


def kinds(replayed: Replay) -> list[str]:
    return [difference.kind.value for difference in replayed.now.differences]


def change(place: Parts, standing: Standing, **changes: Any) -> None:
    new = replace(standing, **changes)
    with place.store.curate() as session:
        session.replace(new.key, new.descriptor, new.validity, superseded=new.superseded)


def kept_packet(place: Parts, name: str) -> Packet:
    with place.store.begin(ANONYMOUS) as session:
        packet = session.packets.get(name)
    assert packet is not None
    return packet


def spoiled(packet: Packet, spoil: Callable[[Any], None], texts: Mapping[str, str] | None = None) -> Recorded:
    """The packet with another body, under the id that this body has."""
    body = json.loads(packet.body)
    spoil(body)
    written = canonical_json(body)
    other = replace(packet, id=packet_id(written), body=written, texts=packet.texts if texts is None else dict(texts))
    return Recorded.of(other)


class TestAsOfThen:
    def test_a_kept_decision_reproduces(self) -> None:
        place, _ = world()
        replayed = again(place, packet_of(place))
        assert [step.name for step in replayed.steps] == list(STEPS)
        assert {step.result for step in replayed.steps} == {Result.REPRODUCED}
        assert replayed.reproduces
        assert replayed.unchanged
        assert replayed.now.differences == ()
        assert replayed.by_requester

    @pytest.mark.parametrize(
        ("step", "spoil"),
        [
            ("contract", lambda body: body["contract"].update(digest="0" * 64)),
            ("policy", lambda body: body["policy"].update(digest="0" * 64)),
            ("selection", lambda body: body["candidates"].reverse() or body["candidates"][0].update(score=99)),
            ("selection", lambda body: body["budget"].update(documents=2)),
            ("selection", lambda body: body["left_out"].clear()),
            ("evidence", lambda body: body["documents"][0].update(scope="{}")),
            ("evidence", lambda body: body["documents"].pop()),
            ("coverage", lambda body: body["documents"][0]["spans"][0].update(fact="dry")),
            ("verdicts", lambda body: body["claims"][0]["verdict"].update(status="not_licensed")),
            ("verdicts", lambda body: body["claims"][0].update(fact=None)),
            ("answer", lambda body: body.update(answer=None)),
            ("answer", lambda body: body["claims"][0]["verdict"].update(status="not_licensed")),
            ("answer", lambda body: body["outcome"].update(name="Withheld")),
            ("budget", lambda body: body["candidates"][0].pop("bytes")),
        ],
    )
    def test_what_does_not_follow_from_the_record_is_told_by_its_step(
        self, step: str, spoil: Callable[[Any], None]
    ) -> None:
        place, _ = world(replace(MADE, k=1))
        steps = rerun(spoiled(kept_packet(place, packet_of(place)), spoil), ())
        differing = {each.name: each.says for each in steps if each.result is Result.DIFFERS}
        assert {"budget": "selection"}.get(step, step) in differing
        assert all(differing.values())

    def test_another_body_under_the_same_id_is_found(self) -> None:
        place, _ = world()
        packet = kept_packet(place, packet_of(place))
        first, *_ = rerun(Recorded.of(replace(packet, body=packet.body.replace('"k":2', '"k":3'))), ())
        assert (first.name, first.result) == ("packet", Result.DIFFERS)

    def test_other_words_beside_a_digest_are_found(self) -> None:
        place, _ = world()
        packet = kept_packet(place, packet_of(place))
        texts = {**packet.texts, text_digest(WORDS): "Water is dry."}
        first, *_ = rerun(Recorded.of(replace(packet, texts=texts)), ())
        assert (first.name, first.result) == ("packet", Result.DIFFERS)

    def test_words_that_are_missing_count_against_a_record_unless_a_source_was_erased(self) -> None:
        place, standing = world()
        packet = kept_packet(place, packet_of(place))
        recorded = Recorded.of(replace(packet, texts={}))
        without = {each.name: each.result for each in rerun(recorded, ())}
        erased = {each.name: each.result for each in rerun(recorded, [standing.id])}
        assert without["coverage"] is without["answer"] is Result.DIFFERS
        assert erased["coverage"] is erased["answer"] is Result.ERASED
        assert erased["selection"] is erased["evidence"] is Result.REPRODUCED, "neither needs any words"

    def test_an_outcome_without_an_answer_reproduces(self) -> None:
        place = parts(MADE)
        ingest(place, "B", "Water too.\n", scope={"model": "G1"})
        replayed = again(place, packet_of(place))
        assert replayed.reproduces
        assert replayed.now.missing == ("wet",)

    def test_a_packet_of_an_earlier_version_is_refused(self) -> None:
        place, _ = world()
        packet = kept_packet(place, packet_of(place))
        body = json.loads(packet.body)
        del body["budget"]
        old = spoiled(packet, lambda made: made.pop("budget")).packet
        with place.store.begin(ANONYMOUS, write=True) as session:
            session.packets.add(old)
        with pytest.raises(InputError) as refused:
            again(place, old.id)
        assert refused.value.code == "old_packet"

    def test_an_unknown_packet_is_not_found(self) -> None:
        place, _ = world()
        with pytest.raises(NotFound):
            again(place, "pk-unknown")


class TestAsOfNow:
    def test_nothing_of_it_asks_a_model_or_keeps_a_packet(self) -> None:
        place, _ = world()
        kept = packet_of(place)
        again(replace(place, drafters={}), kept)

    def test_another_caller_is_told_that_somebody_else_asked(self) -> None:
        place, _ = world()
        kept = packet_of(place)
        assert not replay(kept, Principal(id="ben"), place).by_requester

    def test_a_withdrawn_source_is_gone_and_its_witness_lost(self) -> None:
        place, standing = world()
        kept = packet_of(place)
        with place.store.curate() as session:
            session.retire(standing.key, Status.WITHDRAWN)
        replayed = again(place, kept)
        assert replayed.reproduces, "as of then nothing has changed"
        assert kinds(replayed)[:2] == ["source_gone", "witness_lost"]
        assert replayed.now.differences[0].says == "A v1 was withdrawn"
        assert replayed.now.missing == ("wet",)
        assert not replayed.unchanged

    def test_a_superseded_source_is_told_with_its_successor(self) -> None:
        place, standing = world()
        kept = packet_of(place)
        end = NOW + timedelta(days=1)
        change(place, standing, validity=standing.validity.closed_at(end), superseded=True)
        ingest(
            place,
            "A",
            f"{WORDS}\nWater is new.\n",
            version="2",
            labels={"wet": WORDS},
            scope={"model": "G1"},
            validity=Validity(start=end),
        )
        assert again(place, kept).unchanged, "not yet"
        replayed = again(place, kept, at=end)
        says = {each.kind: each for each in replayed.now.differences}
        assert says[Kind.SUPERSEDED].says == "A v1 is superseded by A v2 since 2026-01-02T00:00:00Z"
        assert (says[Kind.NEW_WITNESS].source, says[Kind.NEW_WITNESS].fact) == (RevisionId("A", "2"), "wet")
        assert replayed.now.missing == ()

    def test_a_source_that_is_not_in_force_is_told(self) -> None:
        place, standing = world()
        kept = packet_of(place)
        change(place, standing, validity=Validity(start=NOW, end=NOW + timedelta(days=1)))
        replayed = again(place, kept, at=NOW + timedelta(days=2))
        assert "not_in_force" in kinds(replayed)

    def test_other_readers_and_another_scope_are_told_by_what_they_were(self) -> None:
        place, standing = world()
        kept = packet_of(place)
        described = replace(
            standing.descriptor, readers=("public", "tenant:a"), scope=Scope.of({"model": ["G1", "G2"]})
        )
        change(place, standing, descriptor=described)
        says = {each.kind: each for each in again(place, kept).now.differences}
        assert says[Kind.READERS_CHANGED].says == "readers of A v1: public → public, tenant:a"
        assert says[Kind.SCOPE_CHANGED].says == "model of A v1: G1 → G1, G2"
        assert says[Kind.ELIGIBILITY_CHANGED].attribute == "model", "`equals` takes one value"

    def test_another_reading_of_a_source_has_other_words(self) -> None:
        place, standing = world()
        kept = packet_of(place)
        content = revision("A", "1", f"New.\n{WORDS}\nWater is more.\n")
        moved = tuple(replace(span, start=span.start + 5, end=span.end + 5) for span in standing.descriptor.spans)
        with place.store.curate() as session:
            described = replace(standing.descriptor, spans=moved)
            session.replace(standing.key, described, standing.validity, superseded=False, content=content)
        catch_up(place.store, place.index)
        found = kinds(again(place, kept))
        assert "words_changed" in found
        assert "witness_lost" not in found

    def test_a_relabelled_span_is_told(self) -> None:
        place, standing = world()
        kept = packet_of(place)
        other = tuple(replace(span, end=span.end - 1) for span in standing.descriptor.spans)
        change(place, standing, descriptor=replace(standing.descriptor, spans=other))
        catch_up(place.store, place.index)
        found = {each.kind: each for each in again(place, kept).now.differences}
        assert found[Kind.SPANS_CHANGED].says == "span s1 (wet) of A v1 has other words or another label"
        assert found[Kind.WITNESS_LOST].fact == "wet"

    def test_another_ranking_is_told_by_its_passages(self) -> None:
        place, _ = world()
        kept = packet_of(place)
        ingest(place, "C", "Water Water.\n", scope={"model": "G1"})
        ingest(place, "AA", f"{WORDS} Water.\n", labels={"wet": WORDS}, scope={"model": "G1"})
        replayed = again(place, kept)
        assert "ranking_changed" in kinds(replayed)
        assert not replayed.unchanged

    def test_another_policy_and_another_contract_are_told_by_what_differs(self) -> None:
        place, _ = world()
        kept = packet_of(place)
        other = contract(
            fact("wet", WORDS), fact("dry", required=False), judged=rules(model=RuleName.EQUALS), query="water"
        )
        changed = replace(place, policy=Policy(version="ours/1", claims=4), contracts=KnownContracts((other,)))
        says = {each.kind: each.says for each in again(changed, kept).now.differences}
        assert says[Kind.POLICY_CHANGED] == ('the policy is another: claims 8 → 4; version "built-in/4" → "ours/1"')
        assert says[Kind.CONTRACT_CHANGED] == "contract made-up-v1 is another: facts.dry has changed"

    def test_a_contract_that_is_gone_is_told_and_nothing_is_searched(self) -> None:
        place, _ = world()
        kept = packet_of(place)
        replayed = again(replace(place, contracts=KnownContracts(())), kept)
        assert kinds(replayed) == ["contract_gone"]
        assert replayed.now.evidence is None

    def test_a_case_that_does_not_fit_any_more_is_told(self) -> None:
        place, _ = world()
        kept = packet_of(place)
        other = contract(fact("wet", WORDS), query="water")
        replayed = again(replace(place, contracts=KnownContracts((other,))), kept)
        assert kinds(replayed) == ["contract_changed", "case_refused"]

    def test_k_is_the_contracts_unless_another_was_asked_for(self) -> None:
        place, _ = world(replace(MADE, k=1))
        plain, asked_for = packet_of(place), packet_of(place, k=2)
        wider = replace(place, contracts=KnownContracts((replace(MADE, k=2),)))
        assert "ranking_changed" in kinds(again(wider, plain))
        assert "ranking_changed" not in kinds(again(wider, asked_for))
        assert again(place, asked_for).unchanged


def routes(query: Query) -> float:
    """A judge to whom a pump is irrelevant, and everything else of use."""
    useless = query.passages[0] == PUMP
    return 0.01 if useless or query.matter in (Matter.CONTRADICTS_PREMISE, Matter.CONTAINS_INSTRUCTIONS) else 0.99


def reviewed(case: str) -> tuple[Parts, str]:
    """A world in reviewed or cited mode with a packet of it."""
    paraphrase = "For thirty days or more, audit logs are kept."
    drafter = Writer()
    made: Parts
    match case:
        case "verbatim":
            drafter.write, made = writes(LOGS), reviewing(drafter)
        case "judged":
            drafter.write, made = writes(paraphrase), reviewing(drafter, Scripted())
        case "objected":
            drafter.write = writes("Audit logs are kept for 90 days.", (NIGHT, 1))
            made = reviewing(drafter, Scripted(), replace(Policy(), repairs=(Repair.REMOVE,)))
        case "doubted":
            drafter.write = writes(paraphrase, (NIGHT, 1))
            made = reviewing(drafter, Scripted(says=lambda _: opinion(0.2)))
        case "contradicted":
            drafter.write = writes(paraphrase, (NIGHT, 1))
            made = reviewing(drafter, Scripted(says=lambda _: opinion(0.1, 0.9)))
        case "no judge":
            drafter.write, made = writes(paraphrase), reviewing(drafter, policy=replace(Policy(), repairs=()))
        case "rounds":
            drafter.write = lambda request: writes(
                "Elephants never forget." if request.evidence[0].passage == LOGS else request.evidence[0].passage
            )(request)
            made = reviewing(drafter, policy=replace(Policy(), repairs=(Repair.RETRIEVE, Repair.REMOVE)), k=1)
        case "rounds that keep":
            drafter.write = writes(LOGS, ("Elephants never forget.", 1))
            made = reviewing(drafter, policy=replace(Policy(), repairs=(Repair.RETRIEVE, Repair.REMOVE)))
        case "routed":
            drafter.write = writes(LOGS)
            made = reviewing(drafter, Scripted(knows=routes), replace(Policy(), routing=0.8), k=3)
        case _:
            drafter.write = writes(paraphrase)
            made = parts(contract(query="audit logs", k=2, mode=Mode.CITED), drafters={DrafterKind.MODEL: drafter})
            ingest(made, "A", f"{LOGS}\n")
    outcome = asked(made)
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    return made, outcome.receipt.packet


@pytest.mark.parametrize(
    "case",
    [
        "verbatim",
        "judged",
        "objected",
        "doubted",
        "contradicted",
        "no judge",
        "rounds",
        "rounds that keep",
        "routed",
        "cited",
    ],
)
def test_every_mode_reproduces_without_asking_a_model_again(case: str) -> None:
    made, kept = reviewed(case)
    replayed = again(replace(made, judge=None, drafters={}), kept)
    assert [(step.name, step.says) for step in replayed.steps if step.result is not Result.REPRODUCED] == []
    if case != "rounds that keep":  # which has a passage of the first round once more
        assert replayed.unchanged
        assert replayed.now.differences == ()


@pytest.mark.parametrize("case", ["verbatim", "judged", "objected", "doubted", "contradicted", "no judge", "cited"])
def test_a_verdict_that_does_not_follow_from_what_is_recorded_is_found(case: str) -> None:
    made, kept = reviewed(case)
    others = {
        "supported": "contradicted",
        "contradicted": "unresolved",
        "cited": "unresolved",
        "unresolved": "supported",
    }

    def spoil(body: Any) -> None:
        first = [*body["withheld"], *body["claims"]][0]
        first["verdict"]["status"] = others[first["verdict"]["status"]]

    found = {step.name: step.result for step in rerun(spoiled(kept_packet(made, kept), spoil), ())}
    assert found["verdicts"] is Result.DIFFERS


def test_an_evidence_of_other_spans_than_the_selected_passages_is_found() -> None:
    made, kept = reviewed("verbatim")

    def spoil(body: Any) -> None:
        body["documents"][0]["spans"][0]["end"] += 1
        body["evidence"] = recorded_identity(body, "")

    recorded = spoiled(kept_packet(made, kept), spoil)
    other = Recorded.of(replace(recorded.packet, evidence=recorded.body["evidence"]))
    found = {step.name: step.says for step in rerun(other, ()) if step.result is Result.DIFFERS}
    assert found["evidence"] == "the evidence has other spans than the selected passages"


def test_coverage_outside_of_licensed_mode_is_by_the_labelled_spans_inside_of_passages() -> None:
    question = contract(fact("logs", LOGS), query="audit logs", k=1, mode=Mode.REVIEWED)
    drafter = Writer(write=writes(LOGS))
    made = parts(question, drafters={DrafterKind.MODEL: drafter})
    ingest(made, "A", f"{LOGS}\n", labels={"logs": LOGS})
    outcome = asked(made)
    assert isinstance(outcome, Answered)
    assert outcome.receipt is not None
    packet = kept_packet(made, outcome.receipt.packet)
    assert again(made, packet.id).reproduces
    unlabelled = spoiled(packet, lambda body: body["passages"][0]["spans"].clear())
    found = {step.name: step.says for step in rerun(unlabelled, ()) if step.result is Result.DIFFERS}
    assert found["coverage"] == "facts without a witness: logs; recorded: none"


class TestOpenQuestions:
    PROFILE = rules(missing=["model"], model=RuleName.EQUALS)

    def test_an_open_question_is_asked_again_under_the_profile_that_it_was_asked_under(self) -> None:
        known = open_question(rules(), mode=Mode.CITED, min_score=0.0, k=2)
        drafter = Writer(write=writes(LOGS))
        made = parts(open_question=known, drafters={DrafterKind.MODEL: drafter})
        ingest(made, "A", f"{LOGS}\n")
        under = replace(made, open_question=under_rules(known, self.PROFILE))
        outcome = asked(under, OPEN_QUESTION, text="audit logs")
        assert isinstance(outcome, Answered)
        assert outcome.receipt is not None
        kept = outcome.receipt.packet
        assert again(made, kept, profiles=[rules(), self.PROFILE]).unchanged
        assert kinds(again(made, kept)) == ["contract_changed"]
        assert kinds(again(replace(made, open_question=None), kept)) == ["contract_gone"]


class TestSnapshots:
    @pytest.mark.parametrize("text", ["{}", "[]", "1", '{"id": "x"}'])
    def test_a_text_that_is_no_snapshot_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="no contract of this version"):
            contract_of(text)
        with pytest.raises(ValueError, match="no policy of this version"):
            policy_of(text)

    def test_a_snapshot_gives_its_policy_back(self) -> None:
        policy = replace(Policy(), version="ours/1", routing=0.8, retention_days=(("chat", 30), ("mail", 90)))
        assert policy_of(policy.canonical) == policy

    def test_a_snapshot_with_something_more_is_refused(self) -> None:
        stated = json.loads(Policy().canonical)
        with pytest.raises(ValueError, match="no policy of this version"):
            policy_of(canonical_json({**stated, "more": 1}))
        stated = json.loads(MADE.canonical)
        with pytest.raises(ValueError, match="no contract of this version"):
            contract_of(canonical_json({**stated, "more": 1}))

    def test_a_snapshot_gives_its_contract_and_typed_case_back(self) -> None:
        fields = [CaseField(name=kind.value, kind=kind, optional=True) for kind in Kinds]
        made = contract(
            fact("wet", WORDS, applies={"boolean": True, "string": "x"}),
            judged=rules(
                missing=["string"],
                ignore=["other"],
                string=RuleName.ONE_OF,
                version=Rule(name=RuleName.VERSION_IN, scheme="pep440"),
                number=Rule(name=RuleName.AT_LEAST, levels=("1", "2")),
            ),
            fields=fields,
        )
        again = contract_of(made.canonical)
        assert (again.canonical, again.digest, again.facts) == (made.canonical, made.digest, made.facts)
        assert dict(again.rules.rules) == dict(made.rules.rules)
        given = {"boolean": "btrue", "date": "d2026-01-31", "version": "v1.2"}
        assert made.recorded_case(given).get("date") == Value(Kinds.DATE, "2026-01-31")
        with pytest.raises(ValueError, match="no case field"):
            made.recorded_case({"unknown": "sx"})
        with pytest.raises(ValueError, match="not the letter"):
            made.recorded_case({"boolean": "strue"})


class TestDifferences:
    def test_the_same_passages_in_another_order_are_told(self) -> None:
        place, _ = world()
        kept = packet_of(place)
        present = again(place, kept).now.present
        recorded = Recorded.of(kept_packet(place, kept))
        assert differences(recorded, present) == ()
        (told,) = differences(recorded, replace(present, taken=tuple(reversed(present.taken))))
        assert (told.kind, told.says) == (Kind.RANKING_CHANGED, "the selected passages come in another order")

    def test_what_an_erased_snapshot_said_is_not_told(self) -> None:
        place, _ = world()
        kept = packet_of(place)
        with place.store.curate() as session:
            packet = session.dependents.packet(kept)
            assert packet is not None
            session.dependents.forget(kept, [json.loads(packet.body)["contract"]["snapshot"]])
        other = replace(place, contracts=KnownContracts((replace(MADE, k=1),)))
        told = again(other, kept).now.differences[0]
        assert told.says == "contract made-up-v1 is another: what it was is not kept any more"

    def test_an_attribute_that_excludes_a_source_now_is_told_with_both_values(self) -> None:
        place, standing = world()
        kept = packet_of(place)
        change(place, standing, descriptor=replace(standing.descriptor, scope=Scope.of({"model": "G2"})))
        told = {each.kind: each.says for each in again(place, kept).now.differences}
        assert told[Kind.ELIGIBILITY_CHANGED] == "A v1 is not eligible any more: its model is G2, the case's G1"
        change(place, standing, descriptor=replace(standing.descriptor, scope=Scope()))
        told = {each.kind: each.says for each in again(place, kept).now.differences}
        assert told[Kind.ELIGIBILITY_CHANGED] == "A v1 is not eligible any more: the document does not state model"
        assert told[Kind.SCOPE_CHANGED] == "model of A v1: G1 → not stated"

    def test_a_source_that_may_not_be_read_by_whoever_looks_is_not_there(self) -> None:
        place, standing = world()
        kept = packet_of(place)
        recorded = Recorded.of(kept_packet(place, kept))
        assert of_sources(recorded, {}, NOW)[0].says == f"{standing.id} is not there any more"


def test_a_snapshot_of_another_mode_is_found() -> None:
    place, _ = world()
    other = spoiled(kept_packet(place, packet_of(place)), lambda body: body["outcome"].update(assurance="cited"))
    found = {step.name: step.says for step in rerun(other, ()) if step.result is Result.DIFFERS}
    assert found["contract"] == "the contract's snapshot is of another question or mode"


def test_evidence_of_other_sources_than_the_selection_is_found() -> None:
    place, _ = world()

    def spoil(body: Any) -> None:
        body["documents"].pop()
        body["evidence"] = recorded_identity(body, "")

    recorded = spoiled(kept_packet(place, packet_of(place)), spoil)
    other = Recorded.of(replace(recorded.packet, evidence=recorded.body["evidence"]))
    found = {step.name: step.says for step in rerun(other, ()) if step.result is Result.DIFFERS}
    assert found["evidence"] == "the evidence has other sources than the selected passages"


def test_a_status_that_no_review_gives_does_not_follow() -> None:
    made, kept = reviewed("verbatim")

    def spoil(body: Any) -> None:
        body["claims"][0]["verdict"]["status"] = "licensed"

    found = {step.name: step.result for step in rerun(spoiled(kept_packet(made, kept), spoil), ())}
    assert found["verdicts"] is Result.DIFFERS
