"""Flights: identical requests that are under way share one piece of work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
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

    async def share(self, key: str, start: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, bool]:
        """The result of the work that is under way under a key, or else of `start`; and whether this call started it.

        What the work raises, every waiter raises.
        """
        place = (id(asyncio.get_running_loop()), key)
        flight, own = self._flights.get(place), False
        if flight is None:
            flight = self._flights[place] = _Flight(asyncio.ensure_future(start()))
            flight.task.add_done_callback(partial(self._forget, place, flight))
            own = True
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task), own
        finally:
            flight.waiting -= 1
            if (
                not flight.waiting
            ):  # nobody is left to take it, and whoever comes next must not join what is being cancelled
                self._forget(place, flight)
                flight.task.cancel()  # a task that is done is not touched

    def _forget(self, place: tuple[int, str], flight: _Flight[T], _: object = None) -> None:
        if self._flights.get(place) is flight:
            del self._flights[place]
