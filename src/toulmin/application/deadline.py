"""Deadlines of a request, each inner one sooner than the outer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

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

    async def over(self, work: Awaitable[T]) -> T:
        """The result of the work, if it is there in time; raises `Overdue` otherwise. Cancellation passes through."""
        limit = asyncio.timeout_at(self._start + self._seconds)
        try:
            async with limit:
                return await work
        except TimeoutError:
            if not limit.expired():  # a time-out of the work's own, which says nothing about the request
                raise
            raise overdue(self._seconds) from None

    async def early(self, work: Awaitable[T], share: float) -> T | None:
        """The result of the work, if it is there within this share of the time; None otherwise."""
        limit = asyncio.timeout_at(self._start + self._seconds * share)
        try:
            async with limit:
                return await work
        except TimeoutError:
            if not limit.expired():
                raise
            return None


def overdue(seconds: float) -> Overdue:
    """The fault of a request that took longer than it may."""
    return Overdue(
        "overdue",
        f"the request took longer than the {seconds:g} seconds that the policy allows",
        remedy="try again, or raise the deadlines in the policy",
    )
