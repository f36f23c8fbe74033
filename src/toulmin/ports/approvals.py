"""Kept approvals: what was requested on packets, and every step that became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from toulmin.domain.proof.approval import Approval, State, Step
from toulmin.domain.question.case import Principal

K = TypeVar("K")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A part of the approvals as they stand at an instant: in one of the states, the latest request first, or the first to expire.

    `operation` is the name of an operation, `requester` the id of who asked for it; None: any. `but`: not those that this principal requested.
    `limit` of them come, after the first `skip`.
    """

    at: datetime
    states: frozenset[State] = frozenset(State)
    operation: str | None = None
    requester: str | None = None
    but: Principal | None = None
    by_deadline: bool = False
    skip: int = 0
    limit: int = 50

    def cut(self, standing: Iterable[tuple[K, State, datetime]]) -> tuple[Sequence[K], Mapping[State, int]]:
        """The keys of the part, and how many there are in each state.

        `standing` are all with the wanted operation and requester, in the order of their requests: a key, the state, and when it expires.
        """
        known = list(standing)
        found = [(key, expires_at) for key, state, expires_at in known if state in self.states]
        if self.by_deadline:
            found.sort(key=lambda each: each[1])
        else:
            found.reverse()
        return [key for key, _ in found[self.skip : self.skip + self.limit]], Counter(state for _, state, _ in known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A part of the approvals, in the wanted order; and how many there are of the wanted operation and requester in each state."""

    approvals: Sequence[Approval]
    counts: Mapping[State, int]


class Approvals(Protocol):
    """Approvals, as one principal may see them: those on packets all of whose sources it may read now, and not another tenant's.

    What is kept of an approval is never changed, but for steps that are added. `Conflict` means that nothing was. An operation (`op-...`)
    has at most one approval that is not in one of the states `WITHOUT_EFFECT`, whoever may see it: so it has at most one effect.
    """

    def add(self, approval: Approval) -> None:
        """Keeps a new approval, on a kept packet. Raises `Conflict` (`operation_taken`) where its operation has one already."""

    def get(self, approval_id: str) -> Approval | None:
        """The approval; None where there is none that the principal may see."""

    def holding(self, operation: str) -> Approval | None:
        """The approval that its operation is kept for; None where it may be requested, or where the principal may not see it."""

    def all(self) -> Sequence[Approval]:
        """All approvals that the principal may see, in the order in which they were requested."""

    def queue(self, wanted: Wanted) -> Queue:
        """Those of them that are wanted. What has expired by then counts as expired, whether or not that is recorded."""

    def advance(self, approval: Approval, step: Step) -> Approval:
        """Adds a step to an approval that stands exactly where it was read, whoever may see it by now; the approval after it.

        Raises `Conflict` (`approval_moved`) where another step came in between, and `Refused` for one that may not follow.
        """
