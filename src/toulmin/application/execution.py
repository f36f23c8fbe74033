"""Execution: carries an approved operation out, at most once.

The evidence is looked at again with the requester's rights, and what it comes to is committed together with `executing`, before the effect
begins: no change of the corpus comes in between. What the effect comes to is committed after it. A process that ends before leaves an
operation in doubt, which is carried out again only where the effect is declared idempotent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from toulmin.application.approvals import Desk, known_operation, record_stale, show, stale_fault, take
from toulmin.application.looking_again import Look, look_again
from toulmin.application.packets import kept_packet
from toulmin.domain.errors import Conflict, Refused
from toulmin.domain.proof import approval as machine
from toulmin.domain.proof.approval import Approval, Lease, Result, State, Step
from toulmin.domain.proof.recorded import Recorded
from toulmin.domain.question.case import Principal
from toulmin.ports.effects import Done, Effect, Ending, NotDone, Unknown

_GRACE_S = 60.0
"""Beyond the effect's timeout: from then on an execution without a result has come to an end without one."""
_TRIES = 5

_STATES: dict[type[Ending], State] = {Done: State.EXECUTED, NotDone: State.FAILED, Unknown: State.IN_DOUBT}


def execute(approval_id: str, principal: Principal, desk: Desk, *, comment: str | None = None) -> Approval:
    """The approval after its operation was carried out; or as it stands, where that has happened before, or where it turned stale.

    Raises `Refused` for what may not be carried out, `Conflict` where another process is at it, or the corpus keeps changing.
    """
    known = show(approval_id, principal, desk)
    machine.check_operator(principal)
    if known.state in (State.EXECUTED, State.FAILED, State.STALE):
        return known
    if known.state is State.EXECUTING:
        raise Conflict("executing", f"another process carries {known.id} out", remedy="look at it again in a while")
    known_operation(known.operation.name, desk)
    effect = desk.effects[known.operation.name]()
    machine.may_execute(known, principal, idempotent=effect.idempotent)
    return _Attempt(known=known, effect=effect, principal=principal, desk=desk, comment=comment).made()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """One attempt of an operator to carry an operation out."""

    known: Approval
    effect: Effect
    principal: Principal
    desk: Desk
    comment: str | None

    def made(self) -> Approval:
        """The approval after it."""
        for _ in range(_TRIES):
            recorded = self._recorded()
            look = look_again(recorded, self.known.requester, self.desk.parts, self.desk.profiles)
            if look.changes and self.known.state is State.IN_DOUBT:  # when it began, nothing had changed
                raise self._refusal(look)
            begun = self._taken(self._first_step(look), look)
            if begun is not None:
                return begun if look.changes else self._carried_out(begun, recorded)
        raise Conflict("corpus_busy", "the corpus keeps changing", remedy="try again in a while")

    def _refusal(self, look: Look) -> Refused:
        """The refusal of a second attempt, which is recorded, and leaves the doubt as it is."""
        known = self.known
        record_stale(known.operation, known.packet, self.principal, self.desk, approval=known.id)
        return stale_fault(f"{known.id} is not carried out again", look.changes)

    def _recorded(self) -> Recorded:
        """The approval's packet, as read by the operator, who sees the approval."""
        with self.desk.parts.store.begin(self.principal) as session:
            return Recorded.of(kept_packet(session, self.known.packet))

    def _first_step(self, look: Look) -> Step:
        at = self.desk.parts.clock.now()
        if look.changes:
            return machine.stale(self.known, self.principal, at, look.changes)
        until = at + timedelta(seconds=self.effect.timeout_s + _GRACE_S)
        lease = Lease(worker=self.desk.workers.me(), until=until)
        idempotent = self.effect.idempotent
        step = machine.begin(self.known, self.principal, at, lease, idempotent=idempotent, comment=self.comment)
        return replace(step, says=look.notes)

    def _taken(self, step: Step, look: Look) -> Approval | None:
        """The approval after a step that rests on a look; None where the corpus has changed since."""
        with self.desk.parts.store.begin(self.principal, write=True) as session:
            if session.corpus.sequence() != look.sequence:
                return None
            return take(session, self.known, step, self.desk)

    def _carried_out(self, begun: Approval, recorded: Recorded) -> Approval:
        answer = recorded.words(begun.operation.answer)
        return self._reported(begun, self.effect.carry_out(begun.order(answer)))

    def _reported(self, begun: Approval, ending: Ending) -> Approval:
        """The approval with what came of its effect, unless a person has said so meanwhile, or it was begun again."""
        desk, result = self.desk, Result(code=ending.code, output=ending.output)
        known, tries = begun, 0
        while step := machine.ended(known, begun.attempts, _STATES[type(ending)], result, desk.parts.clock.now()):
            try:
                with desk.parts.store.begin(self.principal, write=True) as session:
                    return take(session, known, step, desk)
            except Conflict as conflict:
                tries += 1
                if tries == _TRIES:
                    raise
                if conflict.code == "approval_moved":
                    known = show(begun.id, self.principal, desk)
        return known
