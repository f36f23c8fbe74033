"""Approvals as use cases: requested, decided on and carried out in a world in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from unittest.mock import patch

import pytest

from tests.unit.drafters import Write, Writer
from tests.unit.effects import OneWorker, Scripted
from tests.unit.judges import Scripted as Judge
from tests.unit.judges import opinion
from tests.unit.making import contract, fact, rules
from tests.unit.world import KnownContracts, StillClock, asked, ingest, parts
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.application import approvals
from toulmin.application.approvals import Desk, OperationRequest
from toulmin.application.catchup import catch_up
from toulmin.application.execution import execute
from toulmin.application.impact import make_stale
from toulmin.application.parts import Parts
from toulmin.domain.canonical import text_digest
from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.domain.corpus.document import Span, Standing, Status
from toulmin.domain.errors import Conflict, Forbidden, InputError, NotFound, Refused, ToulminError
from toulmin.domain.outcome import UnsupportedQuestion
from toulmin.domain.policy import Policy, Repair
from toulmin.domain.proof.approval import Approval, Order, Person, Result, State, Worker
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.domain.question.contract import Contract, DrafterKind, Mode, open_question, under_rules
from toulmin.domain.question.eligibility import RuleName
from toulmin.ports.drafter import Drafted
from toulmin.ports.effects import Done, Ending, NotDone, Unknown
from toulmin.ports.embedder import EmbedderFault
from toulmin.ports.store import Changes
from toulmin.testing.builders import ALWAYS, NOW, descriptor, revision

ANN = Principal(id="ann", tenant="a")
REV = Principal(id="rev", tenant="a", roles=("reviewer",))
OPS = Principal(id="ops", tenant="a", roles=("operator",))
WET, DRY = "Water is wet.", "Sand is dry."
LICENSED = contract(fact("wet", WET), query="water")
REVIEWED = contract(query="water", k=1, mode=Mode.REVIEWED)
CITED = contract(query="water", k=1, mode=Mode.CITED)
READERS = ("tenant:a",)


@dataclass
class World:
    """A corpus of two documents, of which the answer rests on one, with a desk for approvals."""

    desk: Desk
    effect: Scripted
    workers: OneWorker
    wet: Standing
    dry: Standing

    @property
    def parts(self) -> Parts:
        return self.desk.parts

    def packet(self, principal: Principal = ANN, *, text: str = "", question: str = "made-up-v1") -> str:
        outcome = asked(self.parts, question, principal=principal, text=text)
        assert not isinstance(outcome, UnsupportedQuestion)
        assert outcome.receipt is not None
        return outcome.receipt.packet

    def request(self, packet: str | None = None, principal: Principal = ANN, **more: object) -> Approval:
        wanted = OperationRequest(packet=packet or self.packet(), operation="send", params={"to": "x"})
        return approvals.request(replace(wanted, **more), principal, self.desk)  # type: ignore[arg-type]

    def approved(self, packet: str | None = None) -> Approval:
        return approvals.approve(self.request(packet).id, REV, self.desk, comment="as agreed")

    def execute(self, known: Approval, principal: Principal = OPS) -> Approval:
        return execute(known.id, principal, self.desk)

    def show(self, known: Approval) -> Approval:
        return approvals.show(known.id, OPS, self.desk)

    def describe(self, standing: Standing, **changes: object) -> None:
        """Replaces a descriptor in one switch."""
        with self.parts.store.curate() as curation:
            described = replace(standing.descriptor, **changes)  # type: ignore[arg-type]
            curation.replace(standing.key, described, standing.validity, superseded=False)

    def with_parts(self, **changes: object) -> World:
        """The same world under other settings."""
        return replace(self, desk=replace(self.desk, parts=replace(self.parts, **changes)))  # type: ignore[arg-type]

    def recorded(self) -> list[Mapping[str, object]]:
        """The ledger's entries on approvals."""
        return [each for each in self.ledger() if "approval" in each]

    def ledger(self) -> list[Mapping[str, object]]:
        """The ledger's entries."""
        with self.parts.store.keep_ledger() as keeping:
            return [{"kind": e.kind, "actor": e.actor, **json.loads(e.facts)} for e in keeping.entries()]


def world(
    *contracts: Contract,
    effect: Scripted | None = None,
    policy: Policy | None = None,
    opened: Contract | None = None,
    store: MemoryStore | None = None,
) -> World:
    made = parts(
        *(contracts or (LICENSED,)),
        policy=policy,
        open_question=opened,
        store=store,
        drafters={**parts().drafters, DrafterKind.MODEL: Writer()},
    )
    wet = ingest(made, "WET", f"{WET}\n", labels={"wet": WET}, readers=READERS)
    dry = ingest(made, "DRY", f"{DRY}\n", readers=READERS)
    effect, workers = effect or Scripted(), OneWorker()
    desk = Desk(parts=made, effects={"send": lambda: effect}, workers=workers)
    return World(desk=desk, effect=effect, workers=workers, wet=wet, dry=dry)


def fault_of(act: Callable[..., object], *given: object) -> tuple[type[ToulminError], str]:
    with pytest.raises(ToulminError) as caught:
        act(*given)
    return type(caught.value), caught.value.code


# -- requests ------------------------------------------------------------------------------------------------------


def test_an_answer_is_submitted_and_waits() -> None:
    made = world()
    packet = made.packet()
    known = made.request(packet, comment="for the customer")
    assert (known.state, known.packet, known.requester) == (State.REQUESTED, packet, ANN)
    assert known.operation.instance == packet
    assert known.operation.policy == made.parts.policy.digest
    assert known.operation.answer == text_digest("We say wet.")
    assert made.effect.orders == []


def test_the_same_operation_requested_again_is_the_same_approval() -> None:
    made = world()
    packet = made.packet()
    known = made.request(packet)
    assert made.request(packet) == made.request(packet, REV) == known
    approved = approvals.approve(known.id, REV, made.desk)
    assert made.request(packet) == approved
    done = made.execute(approved)
    assert made.request(packet) == done
    assert len(made.recorded()) == 4


def test_another_instance_packet_or_parameter_is_another_operation() -> None:
    made = world()
    packet = made.packet()
    made_up = [
        made.request(packet),
        made.request(packet, instance="2"),
        made.request(packet, params={}),
        made.request(),
    ]
    assert len({known.id for known in made_up}) == len({known.operation_id for known in made_up}) == 4


def test_what_ended_without_effect_may_be_requested_anew() -> None:
    made = world()
    packet = made.packet()
    first = approvals.reject(made.request(packet).id, REV, made.desk)
    second = made.request(packet)
    assert first.operation_id == second.operation_id
    assert (first.id != second.id, second.state) == (True, State.REQUESTED)


def test_what_expired_unseen_may_be_requested_anew() -> None:
    made = world()
    first = made.request()
    later(made, first.expires_at)
    second = made.request(first.packet)
    assert (second.id != first.id, second.state) == (True, State.REQUESTED)
    assert made.show(first).state is State.EXPIRED


def test_only_an_answer_can_be_submitted() -> None:
    made = world(contract(fact("wet", WET), fact("cold", "Water is cold."), query="water"))
    assert fault_of(made.request) == (Refused, "not_answered")
    assert made.recorded() == []


def test_an_answer_that_nobody_judged_is_submitted_only_where_the_policy_says_so() -> None:
    assert fault_of(world(CITED).request) == (Refused, "not_judged")
    assert world(CITED, policy=Policy(approve_cited=True)).request().state is State.REQUESTED


def test_what_cannot_be_requested_is_told_before_anything_is_kept() -> None:
    made = world()
    packet = made.packet()
    assert fault_of(lambda: made.request(packet, operation="sned")) == (InputError, "unknown_operation")
    assert fault_of(lambda: made.request(packet, instance=" ")) == (InputError, "bad_instance")
    assert fault_of(lambda: made.request(packet, params={"": "x"})) == (InputError, "bad_params")
    assert fault_of(lambda: made.request(packet, ANONYMOUS)) == (NotFound, "no_such_packet")
    assert fault_of(lambda: made.request("pk-none")) == (NotFound, "no_such_packet")
    assert made.recorded() == []


def test_an_answer_that_would_not_be_given_any_more_cannot_be_submitted() -> None:
    made = world()
    packet = made.packet()
    retire(made, made.wet)
    with pytest.raises(Refused, match="WET v1 was withdrawn"):
        made.request(packet)
    (entry,) = (each for each in made.ledger() if each["kind"] == "refuse_stale")
    assert (entry["packet"], entry["actor"]) == (packet, Person.of(ANN).digest)


def test_two_requests_at_once_are_one() -> None:
    """The second comes while the first looks at the evidence."""
    store = Interrupted()
    made = world(store=store)
    packet = made.packet()
    others: list[Approval] = []
    store.before_write = lambda: others.append(made.request(packet))
    known = made.request(packet)
    assert others == [known]


# -- decisions and sight -------------------------------------------------------------------------------------------


def test_each_step_has_an_entry_of_ids_and_digests() -> None:
    made = world()
    known = made.execute(made.approved())
    entries = made.recorded()
    assert [(each["kind"], each["state"]) for each in entries] == [
        ("request", "requested"),
        ("approve", "approved"),
        ("execute", "executing"),
        ("execute", "executed"),
    ]
    assert [each["actor"] for each in entries] == [Person.of(who).digest for who in (ANN, REV, OPS, OPS)]
    for each in entries:
        assert (each["approval"], each["operation"]) == (known.id, known.operation_id)
        assert (each["packet"], each["evidence"]) == (known.packet, known.operation.evidence)
    assert entries[1]["comment"] == text_digest("as agreed")
    assert (entries[3]["result"], entries[3]["output"]) == ("exit_0", text_digest("sent"))
    for word in ("ann", "rev", "ops", "agreed", "sent", "wet", "send"):
        assert f'"{word}' not in json.dumps(entries), word


def test_approvals_are_listed_by_state() -> None:
    made = world()
    first, second = made.request(), made.request()
    approved = approvals.approve(second.id, REV, made.desk)
    assert approvals.listed(REV, made.desk) == (first, approved)
    assert approvals.listed(REV, made.desk, state=State.REQUESTED) == (first,)
    assert approvals.listed(REV, made.desk, state=State.STALE) == ()
    assert approvals.listed(ANONYMOUS, made.desk) == ()


def test_who_may_not_read_the_sources_finds_no_approval() -> None:
    made = world()
    known = made.request()
    stranger = Principal(id="x", tenant="b", roles=("reviewer", "operator"))
    for act in (approvals.approve, approvals.reject, approvals.revoke, approvals.show, execute):
        assert fault_of(act, known.id, stranger, made.desk) == (NotFound, "no_such_approval")


def test_an_approval_expires_when_somebody_looks_and_that_is_recorded_once() -> None:
    made = world()
    known, other = made.approved(), made.request()
    later(made, known.expires_at)
    assert made.show(known).state is State.EXPIRED
    assert [each.state for each in approvals.listed(REV, made.desk, state=State.EXPIRED)] == [State.EXPIRED] * 2
    assert fault_of(made.execute, known) == (Refused, "wrong_state")
    assert fault_of(lambda: approvals.approve(other.id, REV, made.desk)) == (Refused, "wrong_state")
    assert [(each["kind"], each["actor"]) for each in made.recorded()[-2:]] == [("expire", ""), ("expire", "")]
    assert len(made.recorded()) == 5
    assert made.effect.orders == []


def test_revoked_and_rejected_operations_are_not_carried_out() -> None:
    made = world()
    revoked = approvals.revoke(made.approved().id, ANN, made.desk, comment="no longer")
    rejected = approvals.reject(made.request().id, REV, made.desk)
    for known in (revoked, rejected, made.request()):
        assert fault_of(made.execute, known) == (Refused, "wrong_state")
    assert made.effect.orders == []
    assert [each["kind"] for each in made.recorded()].count("revoke") == 1


# -- execution -----------------------------------------------------------------------------------------------------


def test_an_approved_operation_is_carried_out_with_its_key_and_the_answer() -> None:
    made = world()
    known = made.approved()
    done = made.execute(known)
    assert (done.state, done.result) == (State.EXECUTED, Result(code="exit_0", output="sent"))
    assert made.effect.orders == [
        Order(
            key=known.operation_id,
            operation="send",
            params={"to": "x"},
            instance=known.packet,
            approval=known.id,
            packet=known.packet,
            answer="We say wet.",
        )
    ]


def test_an_operation_that_was_carried_out_is_only_shown_again() -> None:
    for ending, state in ((Done(code="exit_0"), State.EXECUTED), (NotDone(code="exit_1", output="no"), State.FAILED)):
        made = world(effect=Scripted(ends=ending_in(ending)))
        done = made.execute(made.approved())
        assert (done.state, done.result) == (state, Result(code=ending.code, output=ending.output))
        assert made.execute(done) == made.execute(done) == done
        assert len(made.effect.orders) == 1
        assert fault_of(made.execute, done, REV) == (Forbidden, "role_missing")


def test_executing_is_kept_before_the_effect_begins() -> None:
    made, states = world(), list[State]()

    def look(order: Order) -> Ending:
        states.append(approvals.show(order.approval, OPS, made.desk).state)
        with pytest.raises(Conflict, match="another process carries"):
            execute(order.approval, OPS, made.desk)
        return Done(code="exit_0")

    made.effect.ends = look
    made.execute(made.approved())
    assert (states, len(made.effect.orders)) == ([State.EXECUTING], 1)


def test_an_operation_whose_effect_is_not_in_the_settings_any_more_waits() -> None:
    made = world()
    known = made.approved()
    made = replace(made, desk=replace(made.desk, effects={}))
    assert fault_of(made.execute, known) == (InputError, "unknown_operation")
    assert made.show(known) == known


Change = Callable[[World], World | None]


def retire(made: World, standing: Standing, status: Status = Status.WITHDRAWN) -> None:
    with made.parts.store.curate() as curation:
        curation.retire(standing.key, status)


def supersede(made: World) -> None:
    with made.parts.store.curate() as curation:
        curation.replace(made.wet.key, made.wet.descriptor, ALWAYS.closed_at(NOW), superseded=True)
        described = replace(made.wet.descriptor, spans=())
        curation.add(revision("WET", "2", "Water is wetter.\n"), described, ALWAYS, NOW)


def relabel(made: World) -> None:
    made.describe(made.wet, spans=(Span(start=0, end=5, id="s1", fact="wet"),))


def second_witness(made: World) -> None:
    with made.parts.store.curate() as curation:
        curation.add(revision("WATER", "1", f"{WET} Water, water.\n"), made.wet.descriptor, ALWAYS, NOW)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda made: retire(made, made.wet), "WET v1 was withdrawn"),
        (lambda made: retire(made, made.wet, Status.DELETED), "WET v1 was deleted"),
        (supersede, "WET v1 is superseded since 2026-01-01T00:00:00Z"),
        (relabel, "span s1 (wet) of WET v1 has other words or another label"),
        (second_witness, "another source now witnesses wet"),
        (
            lambda made: made.describe(made.wet, readers=("public", "tenant:a")),
            "readers of WET v1: tenant:a → public, tenant:a",
        ),
        (lambda made: made.describe(made.wet, scope=descriptor(scope={"m": "G"}).scope), "m of WET v1: not stated → G"),
        (lambda made: made.with_parts(contracts=KnownContracts(())), "there is no contract made-up-v1 any more"),
        (
            lambda made: made.with_parts(contracts=KnownContracts((replace(LICENSED, query="wet water"),))),
            'contract made-up-v1 is another: query "water" → "wet water"',
        ),
        (lambda made: made.with_parts(policy=Policy(claims=7)), "the policy is another: claims 8 → 7"),
    ],
)
def test_an_approval_dies_with_what_it_was_given_for(change: Change, says: str) -> None:
    made = world()
    known = made.approved()
    made = change(made) or made
    dead = made.execute(known)
    assert dead.state is State.STALE
    assert says in dead.changes, dead.changes
    assert made.execute(known) == dead, "and stays dead"
    assert made.effect.orders == []
    last = made.recorded()[-1]
    assert (last["kind"], last["state"], last["actor"]) == ("refuse_stale", "stale", Person.of(OPS).digest)
    assert fault_of(lambda: made.request(known.packet)) == (Refused, "stale")


def test_what_the_answer_does_not_rest_on_may_change() -> None:
    made = world()
    known = made.approved()
    retire(made, made.dry)
    ingest(made.parts, "MORE", "Sand is sand.\n", readers=READERS)
    assert made.execute(known).state is State.EXECUTED


def test_a_reviewed_answer_outlives_a_changed_ranking_which_is_shown() -> None:
    made = world(REVIEWED)
    known = made.approved()
    ingest(made.parts, "AQUA", "water water\n", readers=READERS)
    done = made.execute(known)
    assert done.state is State.EXECUTED
    begun = next(step for step in done.history if step.state is State.EXECUTING)
    assert begun.says == (
        "WET v1 p0-13 is not among the selected passages any more",
        "a passage of another source is selected now",
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda made: retire(made, made.wet), "WET v1 was withdrawn"),
        (supersede, "WET v1 is superseded since 2026-01-01T00:00:00Z"),
        (
            lambda made: made.describe(made.wet, readers=("public", "tenant:a")),
            "readers of WET v1: tenant:a → public, tenant:a",
        ),
    ],
)
def test_a_reviewed_answer_dies_with_any_of_its_sources(change: Change, says: str) -> None:
    made = world(REVIEWED)
    known = made.approved()
    change(made)
    dead = made.execute(known)
    assert (dead.state, says in dead.changes, made.effect.orders) == (State.STALE, True, [])


def test_a_reviewed_answer_dies_with_the_label_of_a_fact_that_it_needs() -> None:
    made = world(contract(fact("wet", WET), query="water", k=1, mode=Mode.REVIEWED))
    known = made.approved()
    made.describe(made.wet, spans=(Span(start=0, end=5, id="s1", fact="wet"), Span(start=0, end=5, id="s2", fact="x")))
    dead = made.execute(known)
    assert (dead.state, made.effect.orders) == (State.STALE, [])
    assert dead.changes == (
        "span s1 (wet) of WET v1 has other words or another label",
        "no selected source witnesses wet any more",
    )


def test_labels_of_facts_that_nobody_asked_for_may_change() -> None:
    made = world(REVIEWED)
    known = made.approved()
    made.describe(made.wet, spans=())
    assert made.execute(known).state is State.EXECUTED


def test_a_changed_label_ends_an_approval_in_the_change_that_makes_it() -> None:
    made = world()
    known = made.approved()
    with made.parts.store.curate() as curation:
        curation.replace(made.wet.key, replace(made.wet.descriptor, spans=()), ALWAYS, superseded=False)
        assert make_stale(curation, ["WET"], NOW) == (known.id,)
    assert made.show(known).changes == ("span s1 (wet) of WET v1 is gone",)


def test_no_step_names_a_revision_that_who_sees_the_approval_may_not_read() -> None:
    birch = Principal(id="ann", tenant=REV.tenant, groups=("birch",))
    made = world(REVIEWED)
    open_to_all = replace(made.wet.descriptor, readers=("public",))
    made.describe(made.wet, readers=("public",))
    catch_up(made.parts.store, made.parts.index)
    first, second = (made.request(made.packet(birch), birch, instance=name) for name in "12")
    hidden = replace(open_to_all, readers=(f"group:{REV.tenant}/birch",))
    with made.parts.store.curate() as curation:
        curation.add(revision("HIDDEN", "1", f"{WET} Water, water.\n"), hidden, ALWAYS, NOW)
    for known in (first, second):
        approvals.approve(known.id, REV, made.desk)
    done = made.execute(first)
    assert "a passage of another source is selected now" in done.history[2].says
    with made.parts.store.curate() as curation:
        curation.replace(made.wet.key, open_to_all, ALWAYS.closed_at(NOW), superseded=True)
        curation.add(revision("WET", "hidden", f"{WET} Water!\n"), hidden, ALWAYS, NOW)
        assert make_stale(curation, ["WET"], NOW) == (second.id,)
    assert made.show(second).changes == ("WET v1 is superseded since 2026-01-01T00:00:00Z",)
    assert "hidden" not in repr([made.show(first).history, made.show(second).history]).lower()


def test_words_of_a_contract_are_not_repeated_where_they_would_outlive_an_erasure() -> None:
    made = world()
    known = made.approved()
    other = contract(fact("wet", "Other."), query="water")
    dead = made.with_parts(contracts=KnownContracts((other,))).execute(known)
    assert "contract made-up-v1 is another: facts.wet.proposition has changed" in dead.changes
    assert WET not in repr(dead.changes)


def told_in_other_words(request: DraftRequest) -> Drafted:
    items = request.evidence
    return Drafted(segments=tuple(Segment(text=f"So: {e.passage.lower()}", evidence_ids=(e.id,)) for e in items))


def half_made_up(request: DraftRequest) -> Drafted:
    first, *others = request.evidence
    made_up = (Segment(text="Nothing is so.", evidence_ids=(e.id,)) for e in others)
    return Drafted(segments=(Segment(text=first.passage, evidence_ids=(first.id,)), *made_up))


@pytest.mark.parametrize(
    ("writer", "judge", "policy"),
    [
        (told_in_other_words, Judge(), Policy()),
        (half_made_up, Judge(says=lambda _: opinion(0.1)), Policy(repairs=(Repair.RETRIEVE, Repair.REMOVE))),
    ],
    ids=["a judge's word", "several rounds"],
)
def test_no_judge_or_drafter_is_asked_when_an_answer_is_looked_at_again(
    writer: Write, judge: Judge, policy: Policy
) -> None:
    model = Writer(writer)
    made = world(contract(query="water", k=2, mode=Mode.REVIEWED), policy=policy)
    made = made.with_parts(judge=judge, drafters={DrafterKind.MODEL: model})
    ingest(made.parts, "ICE", "Ice is frozen water.\n", readers=READERS)
    ingest(made.parts, "SEA", "The sea is salt water and waves.\n", readers=READERS)
    packet = made.packet()
    asked_before = len(model.requests), len(judge.units)
    assert asked_before[0] >= 1
    assert made.execute(made.approved(packet)).state is State.EXECUTED
    assert (len(model.requests), len(judge.units)) == asked_before


def test_an_open_question_is_looked_at_again_under_its_own_profile() -> None:
    usual = open_question(rules(m=RuleName.EQUALS), mode=Mode.REVIEWED, min_score=0.0, k=1)
    other = rules()
    made = world(opened=under_rules(usual, other))
    packet = made.packet(text="wet water", question=usual.id)
    profiles = (rules(n=RuleName.EQUALS), other)
    made = replace(made, desk=replace(made.desk, profiles=profiles)).with_parts(open_question=usual)
    assert made.execute(made.approved(packet)).state is State.EXECUTED
    made = replace(made, desk=replace(made.desk, profiles=profiles[:1]))
    assert fault_of(lambda: made.request(packet, instance="2")) == (Refused, "stale")


def test_the_requesters_rights_are_those_of_now() -> None:
    """Somebody else may still read the document, and the requester, whose answer it would be, may not."""
    made = world()
    known = made.approved()
    made.describe(made.wet, readers=("group:a/night",))
    dead = made.execute(known, replace(OPS, groups=("night",)))
    assert dead.changes == ("not all of its sources may be read any more by whoever requested it",)
    assert made.effect.orders == []


def test_a_change_that_comes_in_between_is_looked_at() -> None:
    made = world()
    known = made.approved()
    changes = iter([made.dry, made.wet])
    made.workers.asked = lambda: retire(made, next(changes))
    dead = made.execute(known)
    assert (dead.state, dead.changes[0]) == (State.STALE, "WET v1 was withdrawn")
    assert made.effect.orders == []
    assert next(changes, None) is None, "the first change did not matter, and was looked at all the same"


def test_a_corpus_that_keeps_changing_is_not_waited_for_without_end() -> None:
    made = world()
    known = made.approved()
    made.workers.asked = lambda: made.describe(made.dry)
    assert fault_of(made.execute, known) == (Conflict, "corpus_busy")
    assert (made.show(known), made.effect.orders) == (known, [])


def test_an_index_that_lags_behind_proves_nothing() -> None:
    made = world()
    known = made.approved()
    supersede(made)
    with patch.object(OverlapIndex, "apply", side_effect=Conflict("index_busy", "busy")):
        assert fault_of(made.execute, known) == (Conflict, "index_behind")
    assert made.show(known) == known
    assert made.execute(known).state is State.STALE


class Speechless(OverlapIndex):
    """An index by meaning whose embedder does not answer."""

    def apply(self, _: Changes) -> None:
        raise EmbedderFault("embedder_down", "it does not answer")


def test_an_answer_does_not_die_of_a_model_that_is_not_there() -> None:
    made = world()
    first, second = made.approved(), made.approved()
    made = made.with_parts(meaning=Speechless())
    assert made.execute(first).state is State.EXECUTED, "the same evidence is selected, whatever could not be asked"
    second_witness(made)
    with pytest.raises(Conflict, match=r"could not be asked \(embedder_down\)") as caught:
        made.execute(second)
    assert caught.value.code == "index_incomplete"
    assert made.show(second) == second
    retire(made, made.wet)
    assert made.execute(second).state is State.STALE, "what a source itself shows needs no search"


def test_an_index_by_meaning_that_is_being_built_proves_nothing() -> None:
    made = world()
    known = made.approved()
    second_witness(made)
    made = made.with_parts(meaning=OverlapIndex())
    with patch(
        "toulmin.application.looking_again.EMBEDDED", 0
    ):  # more passages are missing than are embedded on the way
        assert fault_of(made.execute, known) == (Conflict, "index_incomplete")
    assert made.execute(known).state is State.STALE


@pytest.mark.parametrize("changed", ["body", "answer", "more"])
def test_a_packet_that_was_tampered_with_is_not_carried_out(changed: str) -> None:
    made = world()
    known = made.approved()
    tamper(made, known.packet, changed)
    dead = made.execute(known)
    assert (dead.state, made.effect.orders) == (State.STALE, [])
    assert dead.changes[0].startswith(("packet: ", "its record cannot be read: "))


def tamper(made: World, packet_id: str, changed: str) -> None:
    store = made.parts.store
    assert isinstance(store, MemoryStore)
    state = store._present()
    packet = state.packets[packet_id]
    answer = json.loads(packet.body)["answer"]
    if changed == "body":
        packet = replace(packet, body=packet.body.replace('"k":2', '"k":3'))
    else:
        key = answer if changed == "answer" else json.loads(packet.body)["contract"]["snapshot"]
        packet = replace(packet, texts={**packet.texts, key: "Something else."})
    store._switch(replace(state, packets={**state.packets, packet_id: packet}))


# -- doubt ---------------------------------------------------------------------------------------------------------


def ending_in(ending: Ending) -> Callable[[Order], Ending]:
    return lambda _: ending


def test_an_effect_that_may_have_happened_is_not_repeated() -> None:
    made = world(effect=Scripted(ends=ending_in(Unknown(code="timeout"))))
    doubted = made.execute(made.approved())
    assert (doubted.state, doubted.result) == (State.IN_DOUBT, Result(code="timeout", output=""))
    assert fault_of(made.execute, doubted) == (Refused, "in_doubt")
    assert made.request(doubted.packet) == doubted
    resolved = approvals.resolve(doubted.id, State.EXECUTED, OPS, made.desk, comment="it came")
    assert resolved.state is State.EXECUTED
    assert made.execute(resolved) == resolved
    assert len(made.effect.orders) == 1
    assert made.recorded()[-1]["kind"] == "resolve"


def test_an_idempotent_effect_is_tried_again_with_the_same_key() -> None:
    endings: Iterator[Ending] = iter(
        [Unknown(code="timeout"), Unknown(code="timeout"), Done(code="http_200", output="ok")]
    )
    made = world(effect=Scripted(ends=lambda _: next(endings), idempotent=True))
    known = made.approved()
    assert [made.execute(known).state for _ in range(3)] == [State.IN_DOUBT, State.IN_DOUBT, State.EXECUTED]
    assert len({order.key for order in made.effect.orders}) == 1
    assert (len(made.effect.orders), made.show(known).attempts) == (3, 3)


def test_nothing_in_doubt_is_tried_again_on_changed_evidence_and_the_doubt_stays() -> None:
    made = world(effect=Scripted(ends=ending_in(Unknown(code="timeout")), idempotent=True))
    doubted = made.execute(made.approved())
    retire(made, made.wet)
    with pytest.raises(Refused, match=r"not carried out again: WET v1 was withdrawn"):
        made.execute(doubted)
    assert (made.show(doubted), len(made.effect.orders)) == (doubted, 1)
    assert made.recorded()[-1]["kind"] == "refuse_stale"


class Killed(BaseException):
    """Ends a process as a signal would: nothing after it runs."""


def killed(_: Order) -> Ending:
    raise Killed


def test_a_process_that_ends_before_it_records_leaves_a_doubt() -> None:
    made = world(effect=Scripted(ends=killed))
    known = made.approved()
    with pytest.raises(Killed):
        made.execute(known)
    assert made.show(known).state is State.EXECUTING, "as long as it may be at work"
    assert fault_of(made.execute, known) == (Conflict, "executing")
    made.workers.lost.add(Worker(host="here", process="1 1"))
    doubted = made.show(known)
    assert (doubted.state, doubted.last.by) == (State.IN_DOUBT, None)
    assert made.show(known) == doubted
    assert fault_of(made.execute, known) == (Refused, "in_doubt")
    assert [(each["kind"], each["state"]) for each in made.recorded()][-1] == ("execute", "in_doubt")
    assert len(made.recorded()) == 4
    assert len(made.effect.orders) == 1


def test_a_process_that_nobody_can_see_is_given_up_after_its_time() -> None:
    made = world(effect=Scripted(ends=killed, timeout_s=5))
    known = made.approved()
    with pytest.raises(Killed):
        made.execute(known)
    later(made, NOW + timedelta(seconds=64.999))
    assert made.show(known).state is State.EXECUTING
    later(made, NOW + timedelta(seconds=65))
    assert made.show(known).state is State.IN_DOUBT


def test_a_report_that_comes_late_ends_the_doubt() -> None:
    made = world()

    def slow(order: Order) -> Ending:
        made.workers.lost.add(Worker(host="here", process="1 1"))
        assert approvals.show(order.approval, REV, made.desk).state is State.IN_DOUBT
        return Done(code="exit_0", output="sent")

    made.effect.ends = slow
    done = made.execute(made.approved())
    assert [step.state for step in done.history[-3:]] == [State.EXECUTING, State.IN_DOUBT, State.EXECUTED]
    assert done.result == Result(code="exit_0", output="sent")


def test_what_a_person_has_said_meanwhile_stands() -> None:
    made = world()

    def slow(order: Order) -> Ending:
        made.workers.lost.add(Worker(host="here", process="1 1"))
        approvals.resolve(order.approval, State.FAILED, OPS, made.desk, comment="it did not come")
        return Done(code="exit_0", output="sent")

    made.effect.ends = slow
    done = made.execute(made.approved())
    assert (done.state, done.last.comment) == (State.FAILED, "it did not come")


def test_a_result_is_kept_whatever_the_operator_may_read_by_then() -> None:
    made = world()

    def hide(_: Order) -> Ending:
        made.describe(made.wet, readers=("tenant:b",))
        return Done(code="exit_0", output="sent")

    made.effect.ends = hide
    known = made.approved()
    assert made.execute(known).state is State.EXECUTED
    assert fault_of(made.show, known) == (NotFound, "no_such_approval")


# -- stores that are busy ------------------------------------------------------------------------------------------


class Interrupted(MemoryStore):
    """Something happens before the next session that writes; or others keep it busy, so many times."""

    def __init__(self) -> None:
        super().__init__()
        self.before_write: Callable[[], object] | None = None
        self.busy = 0

    @contextmanager
    def begin(self, principal: Principal, *, write: bool = False) -> Iterator[object]:  # type: ignore[override]
        if write and self.busy:
            self.busy -= 1
            raise Conflict("store_busy", "busy")
        if write and (first := self.before_write):
            self.before_write = None
            first()
        with super().begin(principal, write=write) as session:
            yield session


def then_busy(store: Interrupted, times: int) -> Callable[[Order], Ending]:
    """An effect that is done, in a store that others keep busy from then on."""

    def done(_: Order) -> Ending:
        store.busy = times
        return Done(code="exit_0")

    return done


def test_a_result_is_recorded_again_and_again_while_others_write() -> None:
    store = Interrupted()
    made = world(store=store)
    known = made.approved()
    made.effect.ends = then_busy(store, 4)
    assert made.execute(known).state is State.EXECUTED
    made.effect.ends = then_busy(store, 5)
    second = made.approved()
    assert fault_of(made.execute, second) == (Conflict, "store_busy")
    assert made.show(second).state is State.EXECUTING


def test_whoever_finds_an_expired_approval_second_finds_the_same() -> None:
    store = Interrupted()
    made = world(store=store)
    known = made.request()
    later(made, known.expires_at)
    others: list[Approval] = []
    store.before_write = lambda: others.append(made.show(known))
    assert made.show(known) == others[0]
    assert len(made.recorded()) == 2


def test_of_two_decisions_at_once_one_counts() -> None:
    store = Interrupted()
    made = world(store=store)
    known = made.request()
    store.before_write = lambda: approvals.reject(known.id, REV, made.desk)
    assert fault_of(lambda: approvals.approve(known.id, REV, made.desk)) == (Conflict, "approval_moved")
    assert made.show(known).state is State.REJECTED


def later(made: World, at: datetime) -> None:
    clock = made.parts.clock
    assert isinstance(clock, StillClock)
    clock.at = at
