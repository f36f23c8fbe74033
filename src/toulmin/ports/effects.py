"""Effects: what carries an approved operation out; and the processes that see to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.proof.approval import Order, Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """It was carried out, by its own word. `output` is what it said, cut to a limit."""

    code: str
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDone:
    """It was not carried out: it never began, or said itself that it failed."""

    code: str
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """It may have been carried out or not: it began, and nothing says how it ended."""

    code: str
    output: str = ""


Ending = Done | NotDone | Unknown


class Effect(Protocol):
    """Carries out one kind of operation, and blocks while it does."""

    @property
    def idempotent(self) -> bool:
        """Whether carrying an order out twice is declared to be the same as once."""

    @property
    def timeout_s(self) -> float:
        """Within how many seconds `carry_out` returns, give or take a few."""

    def carry_out(self, order: Order) -> Ending:
        """Carries an order out, once. Every fault is a value, the timeout among them: after it, nothing of it goes on in this process."""


Effects = Mapping[str, Callable[[], Effect]]
"""The effects by their operations' names, made when they are needed: that raises `InputError` where their secrets are not there."""


class Workers(Protocol):
    """Processes that carry operations out."""

    def me(self) -> Worker:
        """This process."""

    def is_gone(self, worker: Worker) -> bool:
        """Whether a process is known to have ended; one that cannot be seen from here is not."""
