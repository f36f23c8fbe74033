"""The queue of approvals, for those who decide on them and carry them out: what waits, and what somebody may make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from toulmin.application.approvals import Desk, known_operation, settled
from toulmin.application.packets import PacketView, show_packet
from toulmin.domain.errors import InputError, Refused
from toulmin.domain.proof import approval as machine
from toulmin.domain.proof.approval import Approval, State
from toulmin.domain.question.case import Principal
from toulmin.ports.approvals import Queue, Wanted


class Act(StrEnum):
    """What people may make of an approval."""

    APPROVE = "approve"
    REJECT = "reject"
    REVOKE = "revoke"
    EXECUTE = "execute"
    RESOLVE = "resolve"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An approval with the packet that it rests on, as one principal may see both now."""

    approval: Approval
    view: PacketView


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A part of the approvals with their packets; and how many there are of the wanted operation and requester in each state."""

    rows: tuple[Waiting, ...]
    counts: Mapping[State, int]


def queue(wanted: Wanted, principal: Principal, desk: Desk) -> Listed:
    """The wanted part of the approvals that the principal may see. Steps that time has taken of them are recorded with this look."""
    found = _found(wanted, principal, desk)
    looked_at = [*found.approvals, *_executing(found, wanted, principal, desk)]
    if [settled(each, principal, desk) for each in looked_at] != looked_at:
        found = _found(wanted, principal, desk)
    store = desk.parts.store
    rows = (
        Waiting(approval=each, view=show_packet(store, each.packet, principal, wanted.at)) for each in found.approvals
    )
    return Listed(rows=tuple(rows), counts=found.counts)


def choices(known: Approval, principal: Principal, desk: Desk) -> Mapping[Act, Refused | InputError | None]:
    """What people may make of the approval as it stands, each with what keeps the principal from it; None: nothing does."""
    anybody = Principal(id=f"not {known.requester.id}", roles=(machine.REVIEWER, machine.OPERATOR))
    return {act: _refusal(act, known, principal, desk) for act in Act if _refusal(act, known, anybody, desk) is None}


def _found(wanted: Wanted, principal: Principal, desk: Desk) -> Queue:
    with desk.parts.store.begin(principal) as session:
        return session.approvals.queue(wanted)


def _executing(found: Queue, wanted: Wanted, principal: Principal, desk: Desk) -> Sequence[Approval]:
    """Those that are being carried out: where the process is gone they are in doubt, which may be what is wanted."""
    number = found.counts.get(State.EXECUTING, 0)
    if not number:
        return ()
    begun = replace(wanted, states=frozenset({State.EXECUTING}), skip=0, limit=number)
    return _found(begun, principal, desk).approvals


def _refusal(act: Act, known: Approval, who: Principal, desk: Desk) -> Refused | InputError | None:
    """Why somebody may not take a step; the rules are asked themselves, so that no page knows others."""
    at, policy = desk.parts.clock.now(), desk.parts.policy
    try:
        match act:
            case Act.APPROVE:
                machine.approve(known, who, at, policy)
            case Act.REJECT:
                machine.reject(known, who, at, policy)
            case Act.REVOKE:
                machine.revoke(known, who, at)
            case Act.EXECUTE:
                known_operation(known.operation.name, desk)
                machine.may_execute(known, who, idempotent=desk.effects[known.operation.name]().idempotent)
            case Act.RESOLVE:
                machine.resolve(known, State.EXECUTED, who, at, comment="how they found out")
    except (Refused, InputError) as refusal:
        return refusal
    return None
