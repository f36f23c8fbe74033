"""The state machine of approvals under every sequence of steps that people, processes and time may try."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain.errors import Refused
from toulmin.domain.policy import Policy
from toulmin.domain.proof import approval as machine
from toulmin.domain.proof.approval import Approval, Lease, Operation, Result, State, Step, Worker
from toulmin.domain.question.case import Principal
from toulmin.testing.builders import NOW

ROLES = ("reader", "reviewer", "operator")
PEOPLE = [
    Principal(id=name, tenant="a", roles=roles)
    for name in ("ann", "bob")
    for roles in ((), ("reviewer",), ("operator",), ROLES)
]
ENDS = frozenset({State.REJECTED, State.EXECUTED, State.FAILED, State.STALE, State.EXPIRED, State.REVOKED})
RESULT = Result(code="c", output="")

Act = tuple[str, Principal, int, bool]
"""What is tried, by whom, how many days after the request, and a choice."""
NAMES = ("approve", "reject", "revoke", "begin", "end", "fail", "lose", "stale", "time", "resolve")
ACTS = st.tuples(st.sampled_from(NAMES), st.sampled_from(PEOPLE), st.integers(0, 40), st.booleans())


def requested(requester: Principal) -> Approval:
    operation = Operation(name="send", params=(), instance="i", evidence="ev-", policy="p", answer="a")
    return machine.request(operation, approval_id="ap-1", packet="pk-1", principal=requester, at=NOW, policy=Policy())


def tried(known: Approval, act: Act, policy: Policy, *, idempotent: bool) -> Step | None:
    """The step that an act comes to."""
    name, who, days, choice = act
    at = NOW + timedelta(days=days)
    lease = Lease(worker=Worker(host="h", process="1"), until=at + timedelta(days=1))
    match name:
        case "approve":
            return machine.approve(known, who, at, policy)
        case "reject":
            return machine.reject(known, who, at, policy)
        case "revoke":
            return machine.revoke(known, who, at)
        case "begin":
            return machine.begin(known, who, at, lease, idempotent=idempotent)
        case "end":
            return machine.ended(known, known.attempts if choice else 1, State.EXECUTED, RESULT, at)
        case "fail":
            return machine.ended(known, known.attempts, State.FAILED, RESULT, at)
        case "lose":
            return machine.ended(known, known.attempts, State.IN_DOUBT, RESULT, at)
        case "stale":
            return machine.stale(known, who, at, ("changed",))
        case "time":
            return machine.due(known, at, gone=choice)
        case _:
            return machine.resolve(known, State.EXECUTED if choice else State.FAILED, who, at, "looked")


@given(st.lists(ACTS, max_size=25), st.sampled_from(PEOPLE), st.booleans(), st.booleans())
def test_no_path_executes_twice_or_without_approval_and_ends_stay(
    acts: list[Act], requester: Principal, self_approval: bool, idempotent: bool
) -> None:
    policy = Policy(self_approval=self_approval)
    known = requested(requester)
    for act in acts:
        try:
            step = tried(known, act, policy, idempotent=idempotent)
        except Refused:
            continue
        if step is None:
            continue
        assert known.state not in ENDS, f"{known.state} was left for {step.state}"
        known = machine.after(known, step)
    check_history(known, policy, idempotent=idempotent)


def check_history(known: Approval, policy: Policy, *, idempotent: bool) -> None:
    states = [step.state for step in known.history]
    assert states.count(State.APPROVED) <= 1
    assert known.attempts <= 1 or idempotent, "begun twice, and it matters"
    for place, step in enumerate(known.history):
        if step.state is State.EXECUTING:
            assert State.APPROVED in states[:place]
            assert states[place - 1] in (State.APPROVED, State.IN_DOUBT)
        if step.state in (State.EXECUTED, State.FAILED, State.IN_DOUBT):
            assert State.EXECUTING in states[:place]
        if step.state in (State.APPROVED, State.REJECTED):
            assert step.by is not None
            assert policy.self_approval or step.by.id != known.requester.id
    assert not any(state in ENDS for state in states[:-1])
