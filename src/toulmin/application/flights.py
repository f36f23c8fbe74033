"""Flights: identical requests that are under way share one piece of work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class Flights(Generic[T]):
    """Work under way, by key and event loop. A waiter that goes away takes nothing from the others; the last one to go ends the work."""

    def __init__(self) -> None:
        self._flights: dict[tuple[int, str], _Flight[T]] = {}

    async def share(self, key: str, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the work that is under way under a key, or else of `start`; what it raises, every waiter raises."""
        place = (id(asyncio.get_running_loop()), key)
        flight = self._flights.get(place)
        if flight is None:
            flight = self._flights[place] = _Flight(asyncio.ensure_future(start()))
            flight.task.add_done_callback(lambda _: self._flights.pop(place, None))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                flight.task.cancel()  # nobody is left to take it; a task that is done is not touched
