"""Kept approvals: what was requested on packets, and every step that became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from toulmin.domain.proof.approval import Approval, Step


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

    def advance(self, approval: Approval, step: Step) -> Approval:
        """Adds a step to an approval that stands exactly where it was read, whoever may see it by now; the approval after it.

        Raises `Conflict` (`approval_moved`) where another step came in between, and `Refused` for one that may not follow.
        """
