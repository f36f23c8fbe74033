from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Barrier, Thread
from typing import Any

import pytest

from toulmin.application.flights import Flights


class Work:
    """Work that counts how often it was begun and ended early, and is done when it is let go."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.go = asyncio.Event()
        self.begun = self.cancelled = 0
        self._fault = fault

    async def __call__(self) -> str:
        self.begun += 1
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self._fault is not None:
            raise self._fault
        return f"result {self.begun}"


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(main)


def test_requests_under_one_key_share_the_work_and_one_of_them_owns_it() -> None:
    async def main() -> None:
        flights, work = Flights[str](), Work()
        waiting = [asyncio.ensure_future(flights.share("a", work)) for _ in range(5)]
        await settled()
        work.go.set()
        assert sorted(await asyncio.gather(*waiting)) == [("result 1", False)] * 4 + [("result 1", True)]
        assert work.begun == 1

    run(main())


def test_another_key_is_other_work() -> None:
    async def main() -> None:
        flights, work = Flights[str](), Work()
        work.go.set()
        results = await asyncio.gather(flights.share("a", work), flights.share("b", work))
        assert [own for _, own in results] == [True, True]
        assert work.begun == 2

    run(main())


def test_work_that_is_done_is_not_shared_any_more() -> None:
    async def main() -> None:
        flights, work = Flights[str](), Work()
        work.go.set()
        assert await flights.share("a", work) == ("result 1", True)
        assert await flights.share("a", work) == ("result 2", True)
        assert not flights._flights

    run(main())


def test_a_waiter_that_is_cancelled_does_not_cancel_the_leader() -> None:
    async def main() -> None:
        flights, work = Flights[str](), Work()
        leader, waiter = (asyncio.ensure_future(flights.share("a", work)) for _ in range(2))
        await settled()
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        work.go.set()
        assert await leader == ("result 1", True)

    run(main())


def test_a_leader_that_is_cancelled_leaves_the_work_to_the_others() -> None:
    async def main() -> None:
        flights, work = Flights[str](), Work()
        leader, waiter = (asyncio.ensure_future(flights.share("a", work)) for _ in range(2))
        await settled()
        leader.cancel()
        await settled()
        work.go.set()
        assert await waiter == ("result 1", False)
        assert (work.begun, work.cancelled) == (1, 0)

    run(main())


def test_the_last_one_to_leave_ends_the_work() -> None:
    async def main() -> None:
        flights, work = Flights[str](), Work()
        waiting = [asyncio.ensure_future(flights.share("a", work)) for _ in range(3)]
        await settled()
        for left, waiter in enumerate(waiting, start=1):
            assert work.cancelled == 0
            waiter.cancel()
            await settled()
            assert work.cancelled == (left == 3)
        assert not flights._flights
        assert asyncio.all_tasks() - {asyncio.current_task()} == set()

    run(main())


def test_who_comes_as_the_last_one_leaves_gets_work_of_its_own() -> None:
    async def main() -> None:
        flights, work = Flights[str](), Work()
        first = asyncio.ensure_future(flights.share("a", work))
        await settled()
        first.cancel()
        second = asyncio.ensure_future(
            flights.share("a", work)
        )  # its turn comes while the first one's work is being cancelled
        await settled()
        work.go.set()
        assert await second == ("result 2", True)

    run(main())


def test_what_the_work_raises_every_waiter_raises_and_the_next_one_starts_anew() -> None:
    async def main() -> None:
        flights, work = Flights[str](), Work(ValueError("broken"))
        waiting = [asyncio.ensure_future(flights.share("a", work)) for _ in range(3)]
        await settled()
        work.go.set()
        for waiter in waiting:
            with pytest.raises(ValueError, match="broken"):
                await waiter
        again = Work()
        again.go.set()
        assert await flights.share("a", again) == ("result 1", True)

    run(main())


def test_event_loops_do_not_share_work() -> None:
    flights, together, results = Flights[str](), Barrier(2), list[tuple[str, bool]]()

    async def work() -> str:
        await asyncio.to_thread(together.wait, 10)
        return "done"

    def ask() -> None:
        results.append(asyncio.run(flights.share("a", work)))

    threads = [Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert results == [("done", True)] * 2
