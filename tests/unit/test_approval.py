"""The state machine of approvals: who may take which step, from where, and what time does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from toulmin.domain.errors import InputError, Refused
from toulmin.domain.policy import Policy
from toulmin.domain.proof import approval as machine
from toulmin.domain.proof.approval import Approval, Lease, Operation, Person, Result, State, Step, Worker
from toulmin.domain.question.case import Principal
from toulmin.testing.builders import NOW

ANN = Principal(id="ann", tenant="a", roles=("reader",))
REV = Principal(id="rev", tenant="a", roles=("reviewer",))
OPS = Principal(id="ops", tenant="a", roles=("operator",))
POLICY = Policy()
AT = NOW + timedelta(hours=1)
LEASE = Lease(worker=Worker(host="h", process="1 2"), until=AT + timedelta(seconds=90))
DONE = Result(code="exit_0", output="sent")


def operation(**changes: object) -> Operation:
    usual = Operation(name="send", params=(("to", "x"),), instance="pk-1", evidence="ev-1", policy="p", answer="a")
    return replace(usual, **changes)  # type: ignore[arg-type]


def requested(requester: Principal = ANN, policy: Policy = POLICY) -> Approval:
    return machine.request(
        operation(), approval_id="ap-1", packet="pk-1", principal=requester, at=NOW, policy=policy, comment="please"
    )


def approved() -> Approval:
    return machine.after(requested(), machine.approve(requested(), REV, AT, POLICY))


def executing() -> Approval:
    return machine.after(approved(), machine.begin(approved(), OPS, AT, LEASE, idempotent=False))


def in_doubt() -> Approval:
    step = machine.due(executing(), AT, gone=True)
    assert step is not None
    return machine.after(executing(), step)


def standing_at(state: State) -> Approval:
    """An approval in a state, however it came there."""
    return replace(requested(), history=(Step(state=state, at=NOW, by=None, says=("why",)),))


def test_a_request_waits_until_it_expires() -> None:
    made = requested()
    assert (made.state, made.attempts, made.result, made.changes) == (State.REQUESTED, 0, None, ())
    assert made.expires_at == NOW + timedelta(days=30)
    assert made.last == Step(state=State.REQUESTED, at=NOW, by=Person.of(ANN), comment="please")
    assert requested(policy=Policy(approval_days=1)).expires_at == NOW + timedelta(days=1)


@pytest.mark.parametrize(
    "changed", [{"name": "x"}, {"params": ()}, {"instance": "x"}, {"evidence": "x"}, {"policy": "x"}, {"answer": "x"}]
)
def test_every_part_of_an_operation_makes_another_identity(changed: Mapping[str, object]) -> None:
    assert operation(**changed).id != operation().id
    assert operation().id.startswith("op-")


def test_parameters_have_one_order_and_a_limit() -> None:
    assert (
        machine.parameters({"b": "1", "a": "2"}) == machine.parameters({"a": "2", "b": "1"}) == (("a", "2"), ("b", "1"))
    )
    assert machine.parameters({"a": "x" * (machine.MAX_PARAMS_BYTES - 1)})
    for bad in ({"": "x"}, {"a": "x" * machine.MAX_PARAMS_BYTES}, {"ab": "ü" * (machine.MAX_PARAMS_BYTES // 2)}):
        with pytest.raises(InputError, match="parameters"):
            machine.parameters(bad)


def test_a_reviewer_decides_and_nobody_else() -> None:
    for decide, state in ((machine.approve, State.APPROVED), (machine.reject, State.REJECTED)):
        step = decide(requested(), REV, AT, POLICY, "as agreed")
        assert step == Step(state=state, at=AT, by=Person.of(REV), comment="as agreed")
        for other in (ANN, OPS, replace(REV, roles=("curator", "auditor", "operator"))):
            assert refused(decide, requested(), other, AT, POLICY) == "role_missing"


def test_nobody_decides_on_their_own_request_unless_the_policy_says_so() -> None:
    """The same person may come with other groups and roles than when they asked."""
    own = replace(ANN, roles=("reviewer",), groups=("night",))
    for decide in (machine.approve, machine.reject):
        assert refused(decide, requested(), own, AT, POLICY) == "own_request"
        assert decide(requested(), own, AT, Policy(self_approval=True)).by == Person.of(own)
    namesake = replace(own, tenant="b")
    assert machine.approve(requested(), namesake, AT, POLICY).by == Person.of(namesake)


def test_who_requested_or_reviews_may_revoke() -> None:
    for waiting in (requested(), approved()):
        for who in (ANN, REV, replace(ANN, roles=())):
            assert machine.revoke(waiting, who, AT, "no longer").state is State.REVOKED
        assert refused(machine.revoke, waiting, OPS, AT) == "role_missing"


def test_an_operator_executes_what_is_approved() -> None:
    step = machine.begin(approved(), OPS, AT, LEASE, idempotent=False, comment="go")
    assert (step.state, step.by, step.lease, step.comment) == (State.EXECUTING, Person.of(OPS), LEASE, "go")
    assert refused(machine.begin, approved(), REV, AT, LEASE, idempotent=True) == "role_missing"
    assert refused(machine.begin, requested(), OPS, AT, LEASE, idempotent=True) == "wrong_state"


def test_what_is_in_doubt_is_executed_again_only_if_that_is_harmless() -> None:
    assert refused(machine.begin, in_doubt(), OPS, AT, LEASE, idempotent=False) == "in_doubt"
    again = machine.after(in_doubt(), machine.begin(in_doubt(), OPS, AT, LEASE, idempotent=True))
    assert (again.state, again.attempts) == (State.EXECUTING, 2)


@pytest.mark.parametrize("state", [State.EXECUTED, State.FAILED, State.IN_DOUBT])
def test_the_end_of_an_attempt_is_its_operators_step(state: State) -> None:
    step = machine.ended(executing(), 1, state, DONE, AT)
    assert step == Step(state=state, at=AT, by=Person.of(OPS), result=DONE)


def test_a_late_report_ends_the_doubt_and_no_more() -> None:
    late = machine.ended(in_doubt(), 1, State.EXECUTED, DONE, AT)
    assert late is not None
    assert machine.after(in_doubt(), late).result == DONE
    assert machine.ended(in_doubt(), 1, State.IN_DOUBT, DONE, AT) is None
    again = machine.after(in_doubt(), machine.begin(in_doubt(), OPS, AT, LEASE, idempotent=True))
    assert machine.ended(again, 1, State.EXECUTED, DONE, AT) is None
    resolved = machine.after(in_doubt(), machine.resolve(in_doubt(), State.FAILED, OPS, AT, "asked the desk"))
    assert machine.ended(resolved, 1, State.EXECUTED, DONE, AT) is None


def test_a_person_resolves_a_doubt_and_says_how_they_know() -> None:
    step = machine.resolve(in_doubt(), State.EXECUTED, OPS, AT, "the customer has it")
    assert (step.state, step.by, step.comment) == (State.EXECUTED, Person.of(OPS), "the customer has it")
    assert step.result == Result(code=machine.RESOLVED, output="")
    for silent in (None, "", " \n"):
        with pytest.raises(InputError, match="no comment"):
            machine.resolve(in_doubt(), State.FAILED, OPS, AT, silent)
    with pytest.raises(InputError, match="stale resolves nothing"):
        machine.resolve(in_doubt(), State.STALE, OPS, AT, "x")
    assert refused(machine.resolve, in_doubt(), State.EXECUTED, REV, AT, "x") == "role_missing"
    assert refused(machine.resolve, executing(), State.EXECUTED, OPS, AT, "x") == "wrong_state"


def test_an_approval_expires_at_the_instant_and_not_before() -> None:
    for waiting in (requested(), approved()):
        assert machine.due(waiting, waiting.expires_at - timedelta(microseconds=1), gone=True) is None
        step = machine.due(waiting, waiting.expires_at, gone=False)
        assert step == Step(state=State.EXPIRED, at=waiting.expires_at, by=None, says=("expired 2026-01-31T00:00:00Z",))
    for state in set(State) - {State.REQUESTED, State.APPROVED}:
        assert machine.due(standing_at(state), requested().expires_at, gone=False) is None


@pytest.mark.parametrize(
    ("at", "gone", "says"),
    [
        (AT, False, None),
        (LEASE.until - timedelta(microseconds=1), False, None),
        (LEASE.until, False, "no result was recorded in time"),
        (AT, True, "the process ended before it recorded what came of it"),
    ],
)
def test_an_execution_without_a_result_is_in_doubt(at: datetime, gone: bool, says: str | None) -> None:
    step = machine.due(executing(), at, gone=gone)
    assert (step and step.state, step and step.says) == ((State.IN_DOUBT, (says,)) if says else (None, None))


def test_what_is_stale_says_why() -> None:
    for waiting in (requested(), approved()):
        dead = machine.after(waiting, machine.stale(waiting, OPS, AT, ("GW v1 was withdrawn",)))
        assert (dead.state, dead.changes, dead.last.by) == (State.STALE, ("GW v1 was withdrawn",), Person.of(OPS))
        with pytest.raises(Refused, match=r"is stale: GW v1 was withdrawn; it cannot become approved"):
            machine.approve(dead, REV, AT, POLICY)
    assert refused(machine.stale, executing(), OPS, AT, ("x",)) == "wrong_state"


@pytest.mark.parametrize(
    "state",
    [State.REJECTED, State.EXECUTED, State.FAILED, State.STALE, State.EXPIRED, State.REVOKED],
)
def test_nothing_follows_on_an_end(state: State) -> None:
    for following in State:
        with pytest.raises(Refused) as caught:
            machine.after(standing_at(state), Step(state=following, at=AT, by=None))
        assert caught.value.code == "wrong_state"


def test_an_end_without_effect_leaves_the_operation_free() -> None:
    assert {State.REJECTED, State.REVOKED, State.EXPIRED, State.STALE} == machine.WITHOUT_EFFECT


def test_a_comment_has_words_and_a_limit() -> None:
    assert machine.checked_comment(None) is None
    assert machine.checked_comment(" \n") is None
    assert machine.checked_comment("x" * machine.MAX_COMMENT) == "x" * machine.MAX_COMMENT
    with pytest.raises(InputError, match="2001 characters"):
        machine.approve(requested(), REV, AT, POLICY, "x" * (machine.MAX_COMMENT + 1))


def refused(act: Callable[..., object], *given: object, **named: object) -> str:
    with pytest.raises(Refused) as caught:
        act(*given, **named)
    return caught.value.code
