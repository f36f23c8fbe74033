"""Where contracts come from."""

from __future__ import annotations

from typing import Protocol

from toulmin.domain.question.contract import Contract


class ContractSource(Protocol):
    """The contracts of a workspace, as they are now: each call sees the latest edit.

    Both methods raise `InputError` where any contract cannot be read, or where two have one id: a question that might be
    supported is never answered as unsupported.
    """

    def all(self) -> tuple[Contract, ...]:
        """Every contract, in a stable order; none where nothing was written yet."""

    def find(self, contract_id: str) -> Contract | None:
        """The contract with exactly this id; None: there is none."""
