"""Approvals: what people, and what follows from the evidence, may make of an operation on an answer; a pure state machine.

```text
requested ──> approved ──> executing ──> executed
    │             │            ├───────> failed
    │             │            └───────> in_doubt ──> executed, failed   a person found out which
    │             │                          └──────> executing          only where doing it twice is doing it once
    ├─────────────┴──> revoked, expired, stale
    └──> rejected
```

An approval binds to one operation (`op-...`): its name, parameters and instance, the evidence, the policy and the text of the answer. Every step is
kept with who took it, when and why, and none is ever changed. A function of this module gives the next step, or raises `Refused`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property

from toulmin.domain.corpus.readers import of_another_tenant
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.errors import Forbidden, InputError, Refused
from toulmin.domain.policy import Policy
from toulmin.domain.proof.identity import operation_identity, principal_digest
from toulmin.domain.question.case import Principal

MAX_COMMENT = 2_000
"""Characters of a comment."""
MAX_PARAMS_BYTES = 8_192
"""Bytes of all names and values of an operation's parameters."""

RESOLVED = "resolved"
"""The code of a result that a person stated."""

REVIEWER = "reviewer"
OPERATOR = "operator"
"""The roles that decide on operations, and that have them carried out."""


class State(StrEnum):
    """Where an approval stands."""

    REQUESTED = "requested"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXECUTING = "executing"
    EXECUTED = "executed"
    FAILED = "failed"
    IN_DOUBT = "in_doubt"
    STALE = "stale"
    EXPIRED = "expired"
    REVOKED = "revoked"


def state_of(text: str) -> State:
    """The state with a name; raises `InputError` where there is none."""
    if text not in State.__members__.values():
        raise InputError("usage", f"{text!r} is no state of an approval", remedy=f"write one of {', '.join(State)}")
    return State(text)


_NEXT: Mapping[State, frozenset[State]] = {
    State.REQUESTED: frozenset({State.APPROVED, State.REJECTED, State.REVOKED, State.EXPIRED, State.STALE}),
    State.APPROVED: frozenset({State.EXECUTING, State.REVOKED, State.EXPIRED, State.STALE}),
    State.EXECUTING: frozenset({State.EXECUTED, State.FAILED, State.IN_DOUBT}),
    State.IN_DOUBT: frozenset({State.EXECUTED, State.FAILED, State.EXECUTING}),
}
"""The states that may follow each; every other state is final."""

WITHOUT_EFFECT = frozenset({State.REJECTED, State.REVOKED, State.EXPIRED, State.STALE})
"""Ends in which the operation was not carried out, so that it may be requested anew. All others keep it for this approval alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What is to be done with an answer: a name from the settings, parameters by name, and the instance that tells repetitions apart.

    `evidence` is the answer's `ev-`, `policy` the digest of the policy that it was made under, `answer` the SHA-256 of its text.
    """

    name: str
    params: tuple[tuple[str, str], ...]
    instance: str
    evidence: str
    policy: str
    answer: str

    @property
    def id(self) -> str:
        """The operation's identity `op-...`."""
        return operation_identity(
            name=self.name,
            params=dict(self.params),
            instance=self.instance,
            evidence=self.evidence,
            policy=self.policy,
            answer=self.answer,
        )


def parameters(given: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Parameters by name; raises `InputError` for an empty name, and for more than `MAX_PARAMS_BYTES`."""
    size = sum(len(text.encode()) for pair in given.items() for text in pair)
    if not all(given) or size > MAX_PARAMS_BYTES:
        raise InputError(
            "bad_params",
            f"the operation's parameters have {size} bytes, or one of them has no name",
            remedy=f"give names, and at most {MAX_PARAMS_BYTES} bytes together",
        )
    return tuple(sorted(given.items(), key=lambda pair: pair[0].encode()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who took a step. `digest` stands for them where no names are kept."""

    id: str
    tenant: str | None
    digest: str

    @classmethod
    def of(cls, principal: Principal) -> Person:
        return cls(id=principal.id, tenant=principal.tenant, digest=principal_digest(principal))

    def is_same_as(self, other: Principal) -> bool:
        """Whether both are one person, whatever groups and roles they come with."""
        return (self.id, self.tenant) == (other.id, other.tenant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A process that carries an operation out. `host` is empty where processes cannot be told apart from outside."""

    host: str
    process: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Who is carrying an operation out, and the instant at which they have long since ended, one way or the other."""

    worker: Worker
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of the effect: a stable code, and what it said, cut to a limit. `output` None: it is not kept any more."""

    code: str
    output: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be carried out. `key` is the operation's `op-...`: the same operation always comes with the same one, and no other does."""

    key: str
    operation: str
    params: Mapping[str, str]
    instance: str
    approval: str
    packet: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One transition, into `state`. `by` None: nobody took it, it came of time or of a process that is gone.

    `says` are reasons in words, without words of documents.
    """

    state: State
    at: datetime
    by: Person | None
    comment: str | None = None
    says: tuple[str, ...] = ()
    lease: Lease | None = None
    result: Result | None = None


@dataclass(frozen=True, kw_only=True)
class Approval:
    """A request to carry an operation out, with all that became of it; `history` begins with the request.

    `requester` is the principal whose rights to read count when the evidence is looked at again.
    """

    id: str
    operation: Operation
    packet: str
    requester: Principal
    expires_at: datetime
    history: tuple[Step, ...]

    @property
    def last(self) -> Step:
        return self.history[-1]

    @property
    def state(self) -> State:
        return self.last.state

    def state_at(self, at: datetime) -> State:
        """Where it stands at an instant, also where nobody has recorded yet that it expired."""
        is_open = self.state in (State.REQUESTED, State.APPROVED)
        return State.EXPIRED if is_open and self.expires_at <= at else self.state

    @property
    def attempts(self) -> int:
        """How often the effect was begun."""
        return sum(step.state is State.EXECUTING for step in self.history)

    @property
    def result(self) -> Result | None:
        """What came of the effect; None where it has not ended, or nobody knows how."""
        return self.last.result

    def open_to(self, tokens: frozenset[str]) -> bool:
        """Whether a principal with these reader tokens may see it: nobody of another tenant, whose matters its parameters tell of."""
        tenant = self.requester.tenant
        return tenant is None or not of_another_tenant(tenant, tokens)

    def order(self, answer: str) -> Order:
        """The order to carry the operation out, with the words of the answer."""
        operation = self.operation
        return Order(
            key=self.operation_id,
            operation=operation.name,
            params=dict(operation.params),
            instance=operation.instance,
            approval=self.id,
            packet=self.packet,
            answer=answer,
        )

    @property
    def changes(self) -> tuple[str, ...]:
        """What is otherwise than it was, where the approval is stale."""
        return self.last.says if self.state is State.STALE else ()

    @cached_property
    def operation_id(self) -> str:
        return self.operation.id


def request(
    operation: Operation,
    *,
    approval_id: str,
    packet: str,
    principal: Principal,
    at: datetime,
    policy: Policy,
    comment: str | None = None,
) -> Approval:
    """A new approval, to be decided before it expires."""
    step = Step(state=State.REQUESTED, at=at, by=Person.of(principal), comment=checked_comment(comment))
    return Approval(
        id=approval_id,
        operation=operation,
        packet=packet,
        requester=principal,
        expires_at=at + timedelta(days=policy.approval_days),
        history=(step,),
    )


def approve(approval: Approval, principal: Principal, at: datetime, policy: Policy, comment: str | None = None) -> Step:
    """A reviewer lets the operation be carried out; its requester only where the policy says so."""
    _check_reviewer(approval, principal, policy, "approve operations")
    return checked(approval, _taken(State.APPROVED, principal, at, comment))


def reject(approval: Approval, principal: Principal, at: datetime, policy: Policy, comment: str | None = None) -> Step:
    """A reviewer refuses the operation; its requester, who may revoke it, only where the policy says so."""
    _check_reviewer(approval, principal, policy, "reject operations")
    return checked(approval, _taken(State.REJECTED, principal, at, comment))


def _check_reviewer(approval: Approval, principal: Principal, policy: Policy, what: str) -> None:
    _check_role(principal, REVIEWER, what)
    if Person.of(approval.requester).is_same_as(principal) and not policy.self_approval:
        raise Refused(
            "own_request",
            f"{approval.id} is your own request",
            remedy="have another reviewer decide it; you may revoke it",
        )


def revoke(approval: Approval, principal: Principal, at: datetime, comment: str | None = None) -> Step:
    """The requester, or a reviewer, takes back what is not yet carried out."""
    if not Person.of(approval.requester).is_same_as(principal):
        _check_role(principal, REVIEWER, "revoke what others requested")
    return checked(approval, _taken(State.REVOKED, principal, at, comment))


def begin(
    approval: Approval,
    principal: Principal,
    at: datetime,
    lease: Lease,
    *,
    idempotent: bool,
    comment: str | None = None,
) -> Step:
    """An operator has the operation carried out.

    Where nobody knows whether it already was, only if it is `idempotent`: declared to be the same done twice as done once.
    """
    may_execute(approval, principal, idempotent=idempotent)
    return replace(_taken(State.EXECUTING, principal, at, comment), lease=lease)


def may_execute(approval: Approval, principal: Principal, *, idempotent: bool) -> None:
    """Raises `Refused` where `begin` would."""
    check_operator(principal)
    if approval.state is State.IN_DOUBT and not idempotent:
        raise Refused(
            "in_doubt",
            f"nobody knows whether {approval.operation.name} of {approval.id} was carried out",
            remedy="find out, then resolve it as executed or failed, and say in the comment how you found out",
        )
    _check_next(approval, State.EXECUTING)


def check_operator(principal: Principal) -> None:
    """Raises `Refused` for who may not have operations carried out, nor be told what came of that."""
    _check_role(principal, OPERATOR, "execute operations")


def ended(approval: Approval, attempt: int, state: State, result: Result, at: datetime) -> Step | None:
    """What the process that made an attempt reports in the end; None where nothing is left to be told.

    That is so once a person has resolved the attempt, or another one was begun. A report that comes after the attempt was thought lost still
    counts: it ends the doubt.
    """
    doubted = approval.state is State.IN_DOUBT and state is not State.IN_DOUBT
    if approval.attempts != attempt or not (approval.state is State.EXECUTING or doubted):
        return None
    begun = next(step for step in reversed(approval.history) if step.state is State.EXECUTING)
    return checked(approval, Step(state=state, at=at, by=begun.by, result=result))


def stale(approval: Approval, principal: Principal, at: datetime, says: tuple[str, ...]) -> Step:
    """The evidence, contract, policy or text is not what the approval was requested for."""
    return checked(approval, Step(state=State.STALE, at=at, by=Person.of(principal), says=says))


def due(approval: Approval, at: datetime, *, gone: bool) -> Step | None:
    """The step that time has taken, if any: an approval expired, or an execution whose end nobody recorded.

    `gone`: the process that carries the operation out is known to have ended. Whether it had its effect before, nobody knows.
    """
    if approval.state_at(at) is not approval.state:
        return Step(state=State.EXPIRED, at=at, by=None, says=(f"expired {instant_text(approval.expires_at)}",))
    lease = approval.last.lease
    if lease is not None and (gone or lease.until <= at):
        why = "the process ended before it recorded what came of it" if gone else "no result was recorded in time"
        return Step(state=State.IN_DOUBT, at=at, by=None, says=(why,))
    return None


def resolve(approval: Approval, state: State, principal: Principal, at: datetime, comment: str | None) -> Step:
    """An operator says what came of an operation in doubt, `EXECUTED` or `FAILED`, and how they know."""
    _check_role(principal, OPERATOR, "resolve operations")
    if state not in (State.EXECUTED, State.FAILED):
        raise InputError("usage", f"{state} resolves nothing", remedy="say executed or failed")
    if not (comment or "").strip():
        raise InputError("comment_missing", "there is no comment", remedy="say in the comment how you found out")
    if approval.state is not State.IN_DOUBT:
        raise _wrong_state(approval, "resolved")
    return checked(approval, replace(_taken(state, principal, at, comment), result=Result(code=RESOLVED, output="")))


def checked(approval: Approval, step: Step) -> Step:
    """The step, where it may follow on the approval's last one; raises `Refused` (`wrong_state`)."""
    _check_next(approval, step.state)
    return step


def after(approval: Approval, step: Step) -> Approval:
    """The approval with one step more."""
    return replace(approval, history=(*approval.history, checked(approval, step)))


def checked_comment(comment: str | None) -> str | None:
    """The comment; None for one without words. Raises `InputError` for more than `MAX_COMMENT` characters."""
    if comment is None or not comment.strip():
        return None
    if len(comment) > MAX_COMMENT:
        raise InputError(
            "bad_comment",
            f"the comment has {len(comment)} characters",
            remedy=f"say it in {MAX_COMMENT}, or name where the rest is",
        )
    return comment


def _taken(state: State, principal: Principal, at: datetime, comment: str | None) -> Step:
    return Step(state=state, at=at, by=Person.of(principal), comment=checked_comment(comment))


def _check_role(principal: Principal, role: str, what: str) -> None:
    if role not in principal.roles:
        raise Forbidden(
            "role_missing", f"{principal.id} may not {what}", remedy=f"do it as somebody with the role {role}"
        )


def _check_next(approval: Approval, state: State) -> None:
    if state not in _NEXT.get(approval.state, ()):
        raise _wrong_state(approval, state.value)


def _wrong_state(approval: Approval, wanted: str) -> Refused:
    why = f": {'; '.join(approval.last.says)}" if approval.last.says else ""
    return Refused(
        "wrong_state",
        f"{approval.id} is {approval.state}{why}; it cannot become {wanted}",
        remedy="look at the approval: it says what became of it",
    )
