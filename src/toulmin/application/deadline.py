"""Deadlines of a request, each inner one sooner than the outer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from toulmin.domain.errors import Overdue

T = TypeVar("T")


class Deadline:
    """A moment of the running event loop, so many seconds from now."""

    def __init__(self, seconds: float) -> None:
        self._start = asyncio.get_running_loop().time()
        self._seconds = seconds

    def sooner(self, seconds: float) -> Deadline:
        """Another deadline from the same start."""
        inner = Deadline(min(seconds, self._seconds))
        inner._start = self._start
        return inner

    async def over(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of the work, if it is there in time; raises `Overdue` otherwise. Cancellation passes through."""
        try:
            async with asyncio.timeout_at(self._start + self._seconds):
                return await work
        except TimeoutError:
            raise Overdue(
                "overdue",
                f"the request took longer than the {self._seconds:g} seconds that the policy allows",
                remedy="try again, or raise the deadlines in the policy",
            ) from None
