from __future__ import annotations

import asyncio
from contextlib import ExitStack
from threading import Barrier, Thread

import pytest

from toulmin.application.bulkhead import Bulkhead


def free(bulkhead: Bulkhead, of: int) -> int:
    """How many places are free."""
    with ExitStack() as stack:
        return sum(stack.enter_context(bulkhead.place()) for _ in range(of))


def test_so_many_have_a_place_and_the_next_has_none_at_once() -> None:
    bulkhead = Bulkhead(2)
    with bulkhead.place() as first, bulkhead.place() as second, bulkhead.place() as third:
        assert (first, second, third) == (True, True, False)


def test_a_place_is_given_back_and_one_that_was_not_taken_is_not() -> None:
    bulkhead = Bulkhead(2)
    for _ in range(3):
        assert free(bulkhead, 5) == 2


def test_a_fault_gives_the_place_back() -> None:
    bulkhead = Bulkhead(1)
    with pytest.raises(ValueError, match="broken"), bulkhead.place():
        raise ValueError("broken")
    assert free(bulkhead, 3) == 1


def test_cancellation_gives_the_place_back() -> None:
    bulkhead = Bulkhead(1)

    async def wait() -> None:
        with bulkhead.place():
            await asyncio.sleep(60)

    async def main() -> None:
        task = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        assert free(bulkhead, 3) == 0
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(main())
    assert free(bulkhead, 3) == 1


def test_threads_share_the_places() -> None:
    bulkhead, together, taken = Bulkhead(3), Barrier(8), list[bool]()

    def take() -> None:
        together.wait(10)
        with bulkhead.place() as mine:
            taken.append(mine)
            together.wait(10)

    threads = [Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(taken) == [False] * 5 + [True] * 3
    assert free(bulkhead, 8) == 3
