"""Deadlines and cancellation of a request: an error and never a success, with nothing recorded."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.drafters import Held, Writer
from tests.unit.making import contract
from tests.unit.world import asked, ingest, parts
from toulmin.adapters.memory.index import OverlapIndex, OverlapSnapshot
from toulmin.adapters.memory.store import MemoryStore, _Session
from toulmin.application.ask import Finished, ask
from toulmin.application.deadline import Deadline
from toulmin.application.parts import Parts
from toulmin.application.question import AskRequest
from toulmin.domain.errors import InputError, Overdue
from toulmin.domain.outcome import Answered, SearchOnly, SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.domain.question.contract import DrafterKind, Mode
from toulmin.ports.drafter import Drafter

MADE = contract(query="water", mode=Mode.CITED)
SHORT = Policy(provider_deadline_s=1, retrieval_deadline_s=2, request_deadline_s=3)
REQUEST = AskRequest(question=MADE.id, principal=ANONYMOUS)


class SlowIndex(OverlapIndex):
    """Looks around only after it was let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def snapshot(self) -> OverlapSnapshot:
        self.go.wait(30)
        return super().snapshot()


class WatchedStore(MemoryStore):
    """A store that lets a commit wait at its door, and says when it got there; counts the packets that it keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.at_the_door, self.go = threading.Event(), threading.Event()
        self.go.set()
        self.inside: Callable[[], None] = lambda: None

    @contextmanager
    def begin(self, principal: Principal, *, write: bool = False) -> Iterator[_Session]:
        if write:
            self.at_the_door.set()
            self.go.wait(30)
        with super().begin(principal, write=write) as session:
            yield session
            if write:
                self.inside()

    @property
    def kept(self) -> int:
        return len(self._present().packets)


def world(drafter: Drafter, *, policy: Policy = SHORT, **ports: Any) -> tuple[Parts, WatchedStore]:
    store = WatchedStore()
    made = parts(MADE, store=store, drafters={DrafterKind.MODEL: drafter}, policy=policy, **ports)
    ingest(made, "A", "Water is wet.\n")
    return made, store


async def finish(made: Parts) -> None:
    async for _ in ask(REQUEST, made):
        pass


def overdue(made: Parts) -> None:
    with pytest.raises(Overdue) as caught:
        asyncio.run(finish(made))
    assert caught.value.code == "overdue"
    assert caught.value.retryable
    assert caught.value.remedy


class TestDeadline:
    def test_work_in_time_gives_its_result(self) -> None:
        async def main() -> str:
            return await Deadline(10).over(asyncio.sleep(0, "done"))

        assert asyncio.run(main()) == "done"

    def test_work_that_is_late_is_cancelled_and_the_fault_names_the_seconds(self) -> None:
        async def main() -> None:
            with pytest.raises(Overdue, match=r"0\.01 seconds"):
                await Deadline(0.01).over(asyncio.sleep(60))

        asyncio.run(main())

    def test_a_sooner_one_counts_from_the_same_start_and_is_never_later(self) -> None:
        async def main() -> None:
            outer = Deadline(0.05)
            await asyncio.sleep(0.06)
            with pytest.raises(Overdue):
                await outer.sooner(0.05).over(asyncio.sleep(60))
            with pytest.raises(Overdue, match=r"0\.05 seconds"):
                await outer.sooner(600).over(asyncio.sleep(60))

        asyncio.run(main())

    def test_a_time_out_of_the_works_own_is_not_taken_for_it(self) -> None:
        async def work() -> None:
            raise TimeoutError("a disk that does not answer")

        async def main() -> None:
            with pytest.raises(TimeoutError, match="disk"):
                await Deadline(60).over(work())

        asyncio.run(main())

    def test_cancellation_passes_through(self) -> None:
        async def main() -> None:
            task = asyncio.ensure_future(Deadline(60).over(asyncio.sleep(60)))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())


@pytest.mark.parametrize("seconds", [(3, 2, 1), (1, 1, 2), (1, 2, 2), (2, 1, 3), (0, 1, 2), (-1, 1, 2)])
def test_deadlines_that_do_not_nest_are_refused(seconds: tuple[int, int, int]) -> None:
    provider, retrieval, request = seconds
    with pytest.raises(InputError) as caught:
        Policy(provider_deadline_s=provider, retrieval_deadline_s=retrieval, request_deadline_s=request)
    assert caught.value.code == "bad_policy"


def test_a_drafter_beyond_the_providers_deadline_leaves_the_search() -> None:
    async def main() -> None:
        drafter = Held()
        made, store = world(drafter)
        *_, end = [event async for event in ask(REQUEST, made)]
        assert isinstance(end, Finished)
        outcome = end.outcome
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail) == (SearchOnlyReason.TIMEOUT, "provider_deadline")
        assert [item.found.text for item in outcome.search] == ["Water is wet."]
        assert (drafter.cancelled, store.kept) == (1, 1)

    asyncio.run(main())


def test_a_search_beyond_its_deadline_is_overdue_and_nothing_is_drafted_or_recorded() -> None:
    index, drafter = SlowIndex(), Writer()
    index.go.set()
    made, store = world(drafter, policy=replace(SHORT, request_deadline_s=60), index=index)
    index.go.clear()
    timer = threading.Timer(2.5, index.go.set)  # after the deadline, so that the thread comes to an end
    timer.start()
    overdue(made)
    timer.join()
    assert (drafter.requests, store.kept) == ([], 0)


def test_a_commit_that_comes_after_the_deadline_records_nothing() -> None:
    made, store = world(Writer())
    store.go.clear()
    timer = threading.Timer(3.5, store.go.set)
    timer.start()
    overdue(made)
    timer.join()
    assert store.at_the_door.is_set()
    assert store.kept == 0


def test_a_commit_that_has_begun_ends_in_its_outcome_although_the_deadline_passes() -> None:
    made, store = world(Writer())
    store.inside = lambda: time.sleep(3.5)
    outcome = asked(made)
    assert isinstance(outcome, Answered)
    assert store.kept == 1


def test_a_caller_that_goes_away_while_a_draft_is_written_ends_it_and_nothing_is_recorded() -> None:
    async def main() -> None:
        drafter = Held()
        made, store = world(drafter)
        task = asyncio.ensure_future(finish(made))
        await drafter.at_work(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (drafter.cancelled, store.kept) == (1, 0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_a_caller_that_goes_away_while_the_commit_waits_has_nothing_recorded() -> None:
    made, store = world(Writer())
    store.go.clear()

    async def main() -> None:
        task = asyncio.ensure_future(finish(made))
        await asyncio.to_thread(store.at_the_door.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        store.go.set()

    asyncio.run(main())  # ends when its threads have
    assert store.kept == 0


def test_a_caller_that_goes_away_while_the_search_runs_has_nothing_drafted_or_recorded() -> None:
    index, drafter = SlowIndex(), Writer()
    index.go.set()
    made, store = world(drafter, index=index)
    index.go.clear()

    async def main() -> None:
        task = asyncio.ensure_future(finish(made))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        index.go.set()

    asyncio.run(main())
    assert (drafter.requests, store.kept) == ([], 0)
