"""Approvals in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.proof.approval import WITHOUT_EFFECT, Approval, Person, Step, after
from toulmin.ports.approvals import Queue, Wanted


class MemoryApprovals:
    """`Approvals` over what is kept by id; `may_see` judges each. `kept` is what there is after the session."""

    def __init__(self, kept: Mapping[str, Approval], may_see: Callable[[Approval], bool], *, writable: bool) -> None:
        self.kept = dict(kept)
        self._may_see = may_see
        self._writable = writable

    def add(self, approval: Approval) -> None:
        self._check_writable()
        if self._holding(approval.operation_id) is not None:
            raise Conflict(
                "operation_taken", "this operation has an approval already", remedy="look at it, or give an instance"
            )
        self.kept[approval.id] = approval

    def get(self, approval_id: str) -> Approval | None:
        return self._seen(self.kept.get(approval_id))

    def holding(self, operation: str) -> Approval | None:
        return self._seen(self._holding(operation))

    def all(self) -> Sequence[Approval]:
        return [approval for approval in self.kept.values() if self._may_see(approval)]

    def queue(self, wanted: Wanted) -> Queue:
        seen = [each for each in self.all() if _is_of(each, wanted)]
        approvals, counts = wanted.cut((each, each.state_at(wanted.at), each.expires_at) for each in seen)
        return Queue(approvals=approvals, counts=counts)

    def advance(self, approval: Approval, step: Step) -> Approval:
        self._check_writable()
        moved = after(approval, step)
        if self.kept[approval.id].history != approval.history:
            raise Conflict("approval_moved", f"{approval.id} changed meanwhile", remedy="look at it again")
        self.kept[approval.id] = moved
        return moved

    def _holding(self, operation: str) -> Approval | None:
        live = (known for known in self.kept.values() if known.state not in WITHOUT_EFFECT)
        return next((known for known in live if known.operation_id == operation), None)

    def _seen(self, approval: Approval | None) -> Approval | None:
        return approval if approval is not None and self._may_see(approval) else None

    def _check_writable(self) -> None:
        if not self._writable:
            raise StoreFault("read_only_session", "this session keeps no approval", remedy="begin it with write=True")


def _is_of(approval: Approval, wanted: Wanted) -> bool:
    """Whether it is of the wanted operation and requester."""
    return (
        wanted.operation in (None, approval.operation.name)
        and wanted.requester in (None, approval.requester.id)
        and (wanted.but is None or not Person.of(approval.requester).is_same_as(wanted.but))
    )
