"""Approvals: requesting an operation on an answer, deciding on it, and looking at what became of it. Carrying it out is `execution`'s."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from toulmin.application.ledger import record
from toulmin.application.looking_again import look_again
from toulmin.application.packets import kept_packet
from toulmin.application.parts import Parts
from toulmin.domain.canonical import Json, text_digest
from toulmin.domain.errors import InputError, NotFound, Refused
from toulmin.domain.policy import Policy
from toulmin.domain.proof import approval as machine
from toulmin.domain.proof.approval import Approval, Operation, State, Step
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.proof.ledger import Event, Kind
from toulmin.domain.proof.recorded import Recorded
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import Mode
from toulmin.domain.question.eligibility import Rules
from toulmin.ports.effects import Effects, Workers
from toulmin.ports.store import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What approvals work with: the workspace's parts, its effects, the processes that carry them out, and the profiles of open questions."""

    parts: Parts
    effects: Effects
    workers: Workers
    profiles: Sequence[Rules] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRequest:
    """What is to be carried out on the answer of a packet. `instance` tells repetitions apart; None: the packet's id."""

    packet: str
    operation: str
    params: Mapping[str, str] = field(default_factory=dict)
    instance: str | None = None
    comment: str | None = None


def request(wanted: OperationRequest, principal: Principal, desk: Desk) -> Approval:
    """The approval that an operation now waits in; the present one, where the same operation was requested before.

    Raises `Refused` for a packet that is not an answer (`not_answered`), an answer whose support nobody judged unless the policy allows it
    (`not_judged`), and one that would not be given any more (`stale`); `InputError` for an operation that is not in the settings.
    """
    known_operation(wanted.operation, desk)
    params = machine.parameters(wanted.params)
    with desk.parts.store.begin(principal) as session:
        recorded = Recorded.of(kept_packet(session, wanted.packet))
        operation = _operation(recorded, wanted, params, desk)
        present = session.approvals.holding(operation.id)
    if present is not None and (stands := settled(present, principal, desk)).state not in machine.WITHOUT_EFFECT:
        return stands
    changes = look_again(recorded, principal, desk.parts, desk.profiles).changes
    if changes:
        record_stale(operation, wanted.packet, principal, desk)
        raise stale_fault(f"the answer of {wanted.packet} would not be given any more", changes)
    new = machine.request(
        operation,
        approval_id=f"ap-{desk.parts.clock.new_id()}",
        packet=wanted.packet,
        principal=principal,
        at=desk.parts.clock.now(),
        policy=desk.parts.policy,
        comment=wanted.comment,
    )
    with desk.parts.store.begin(principal, write=True) as session:
        present = session.approvals.holding(operation.id)
        if present is not None:  # somebody was quicker
            return present
        session.approvals.add(new)
        _record(session, new, new.last, desk)
    return new


def approve(approval_id: str, principal: Principal, desk: Desk, *, comment: str | None = None) -> Approval:
    """Lets an operation be carried out."""
    policy = desk.parts.policy
    return _stepped(
        approval_id, principal, desk, lambda known, at: machine.approve(known, principal, at, policy, comment)
    )


def reject(approval_id: str, principal: Principal, desk: Desk, *, comment: str | None = None) -> Approval:
    """Refuses an operation."""
    policy = desk.parts.policy
    return _stepped(
        approval_id, principal, desk, lambda known, at: machine.reject(known, principal, at, policy, comment)
    )


def revoke(approval_id: str, principal: Principal, desk: Desk, *, comment: str | None = None) -> Approval:
    """Takes back what is not yet carried out."""
    return _stepped(approval_id, principal, desk, lambda known, at: machine.revoke(known, principal, at, comment))


def resolve(
    approval_id: str, state: State, principal: Principal, desk: Desk, *, comment: str | None = None
) -> Approval:
    """Says what came of an operation in doubt."""
    return _stepped(
        approval_id, principal, desk, lambda known, at: machine.resolve(known, state, principal, at, comment)
    )


def show(approval_id: str, principal: Principal, desk: Desk) -> Approval:
    """An approval as it stands now; raises `NotFound` where there is none that the principal may see."""
    with desk.parts.store.begin(principal) as session:
        known = session.approvals.get(approval_id)
    if known is None:
        raise NotFound(
            "no_such_approval",
            f"no approval {approval_id} that you may see",
            remedy="list those that you may see",
        )
    return settled(known, principal, desk)


def listed(principal: Principal, desk: Desk, *, state: State | None = None) -> tuple[Approval, ...]:
    """The approvals that the principal may see, in the order of their requests; only those in a state, where one is given."""
    with desk.parts.store.begin(principal) as session:
        known = session.approvals.all()
    present = (settled(each, principal, desk) for each in known)
    return tuple(each for each in present if state in (None, each.state))


def settled(known: Approval, principal: Principal, desk: Desk) -> Approval:
    """The approval with the step that time has taken, which is recorded on whoever's look finds it first."""
    lease = known.last.lease
    gone = lease is not None and desk.workers.is_gone(lease.worker)
    step = machine.due(known, desk.parts.clock.now(), gone=gone)
    if step is None:
        return known
    with desk.parts.store.begin(principal, write=True) as session:
        present = session.approvals.get(known.id)
        if present is None or present.history != known.history:  # somebody was quicker
            return present or known
        return take(session, known, step, desk)


def take(session: Session, known: Approval, step: Step, desk: Desk) -> Approval:
    """The approval after a step, which is kept and recorded with it."""
    moved = session.approvals.advance(known, step)
    _record(session, known, step, desk)
    return moved


def known_operation(name: str, desk: Desk) -> None:
    """Raises `InputError` for an operation that the settings do not have."""
    if name not in desk.effects:
        known = ", ".join(sorted(desk.effects)) or "none"
        raise InputError(
            "unknown_operation",
            f"there is no operation {name!r}",
            remedy=f"add [effects.{name}] to toulmin.toml; it has: {known}",
        )


def stale_fault(what: str, changes: tuple[str, ...]) -> Refused:
    """The refusal of what rests on evidence that is no longer so."""
    return Refused("stale", f"{what}: {'; '.join(changes)}", remedy="ask again, and request the new answer's packet")


def record_stale(
    operation: Operation, packet: str, principal: Principal, desk: Desk, *, approval: str | None = None
) -> None:
    """Records that an operation was refused on changed evidence, where that is no step of an approval."""
    facts: dict[str, Json] = {"operation": operation.id, "evidence": operation.evidence, "packet": packet}
    if approval is not None:
        facts["approval"] = approval
    at, actor = desk.parts.clock.now(), principal_digest(principal)
    with desk.parts.store.begin(principal, write=True) as session:
        record(session.ledger, Event(at=at, kind=Kind.REFUSE_STALE, actor=actor, facts=facts), desk.parts.policy)


def _stepped(
    approval_id: str, principal: Principal, desk: Desk, decide: Callable[[Approval, datetime], Step]
) -> Approval:
    known = show(approval_id, principal, desk)
    step = decide(known, desk.parts.clock.now())
    with desk.parts.store.begin(principal, write=True) as session:
        return take(session, known, step, desk)


def _operation(
    recorded: Recorded, wanted: OperationRequest, params: tuple[tuple[str, str], ...], desk: Desk
) -> Operation:
    if wanted.instance is not None and not wanted.instance.strip():
        raise InputError(
            "bad_instance", "the instance is empty", remedy="name it, or leave it out: then the packet's id"
        )
    check_approvable(recorded, desk.parts.policy)
    body = recorded.body
    return Operation(
        name=wanted.operation,
        params=params,
        instance=wanted.packet if wanted.instance is None else wanted.instance,
        evidence=recorded.packet.evidence,
        policy=body["policy"]["digest"],
        answer=body["answer"],
    )


def check_approvable(recorded: Recorded, policy: Policy) -> None:
    """Raises `Refused` for a packet on which no operation can be requested: one of another outcome, or of an answer that nobody judged."""
    check_answered(recorded)
    if recorded.mode is Mode.CITED and not policy.approve_cited:
        raise Refused(
            "not_judged",
            f"nobody judged whether the evidence supports the answer of {recorded.packet.id}",
            remedy="ask in licensed or reviewed mode, or write `approve_cited: true` into the policy",
        )


def check_answered(recorded: Recorded) -> None:
    """Raises `Refused` (`not_answered`) for the packet of any other outcome than `Answered`."""
    name = recorded.body["outcome"]["name"]
    if name != "Answered":
        raise Refused(
            "not_answered", f"{recorded.packet.id} is {name}, not Answered", remedy="submit the packet of an answer"
        )


_KINDS: Mapping[State, Kind] = {
    State.REQUESTED: Kind.REQUEST,
    State.APPROVED: Kind.APPROVE,
    State.REJECTED: Kind.REJECT,
    State.EXECUTING: Kind.EXECUTE,
    State.EXECUTED: Kind.EXECUTE,
    State.FAILED: Kind.EXECUTE,
    State.IN_DOUBT: Kind.EXECUTE,
    State.STALE: Kind.REFUSE_STALE,
    State.EXPIRED: Kind.EXPIRE,
    State.REVOKED: Kind.REVOKE,
}


def _record(session: Session, known: Approval, step: Step, desk: Desk) -> None:
    record(session.ledger, event_of(known, step), desk.parts.policy)


def event_of(known: Approval, step: Step) -> Event:
    """A step as the ledger records it: ids and digests, and no words of documents, answers or people."""
    resolved = step.result is not None and step.result.code == machine.RESOLVED
    facts: dict[str, Json] = {
        "approval": known.id,
        "state": step.state.value,
        "operation": known.operation_id,
        "evidence": known.operation.evidence,
        "packet": known.packet,
    }
    if step.comment is not None:
        facts["comment"] = text_digest(step.comment)
    if step.result is not None:
        facts |= {"result": step.result.code, "output": text_digest(step.result.output or "")}
    return Event(
        at=step.at,
        kind=Kind.RESOLVE if resolved else _KINDS[step.state],
        actor=step.by.digest if step.by else "",
        facts=facts,
    )
