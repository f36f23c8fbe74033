"""Effects and workers for tests: they keep what they were given, and end as they are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from toulmin.domain.proof.approval import Order, Worker
from toulmin.ports.effects import Done, Ending


def sent(_: Order) -> Ending:
    return Done(code="exit_0", output="sent")


@dataclass
class Scripted:
    """Ends by script at once. `orders` are all that it was given."""

    ends: Callable[[Order], Ending] = sent
    idempotent: bool = False
    timeout_s: float = 30.0
    orders: list[Order] = field(default_factory=list)

    def carry_out(self, order: Order) -> Ending:
        self.orders.append(order)
        return self.ends(order)


@dataclass
class OneWorker:
    """This process is `me`; those in `lost` are gone. `asked` is called whenever somebody asks who this is."""

    asked: Callable[[], object] = lambda: None
    lost: set[Worker] = field(default_factory=set)

    def me(self) -> Worker:
        self.asked()
        return Worker(host="here", process="1 1")

    def is_gone(self, worker: Worker) -> bool:
        return worker in self.lost
