from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.unit.world import parts
from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.memory.feed import MemoryFeed
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.vectors.index import VectorIndex
from toulmin.application.following import Follower, Following, Pace
from toulmin.application.parts import Parts
from toulmin.domain.errors import Conflict, StoreFault, ToulminError
from toulmin.ports.embedder import EmbedderFault, Vectors
from toulmin.ports.index import IndexUnreadable
from toulmin.ports.store import Changes
from toulmin.testing.ledger import append, event
from toulmin.testing.store import ingest

QUICK = Pace(idle_s=0.05, least_s=0.001, most_s=0.01, seal_s=0.01)
HOURS = Pace(idle_s=3600, least_s=3600, most_s=3600, seal_s=3600)
PATIENCE_S = 10


def until(state: Callable[[], bool]) -> None:
    """Waits for something that has to come."""
    end = time.monotonic() + PATIENCE_S
    while not state():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.002)


def unexpected(fault: ToulminError) -> None:
    raise AssertionError(fault)


@contextmanager
def following(of: Parts, pace: Pace = QUICK) -> Iterator[tuple[Follower, list[ToulminError]]]:
    """A follower at work, and what it reports."""
    reported: list[ToulminError] = []
    follower = Follower(of, reported.append, pace)
    follower.start()
    try:
        yield follower, reported
    finally:
        assert follower.stop(PATIENCE_S)


def sequence(follower: Follower) -> int:
    """How far the index by words is."""
    return follower.state.words.reached.sequence if follower.state.words.reached else -1


class FaultyIndex(OverlapIndex):
    """An index that raises a fault while it has one."""

    def __init__(self, fault: ToulminError | None) -> None:
        super().__init__()
        self.fault = fault

    def apply(self, changes: Changes) -> None:
        if self.fault:
            raise self.fault
        super().apply(changes)


class FaultyStore(MemoryStore):
    """A store whose feed, or whose ledger, raises a fault while there is one."""

    deaf: ToulminError | None = None
    sealed: ToulminError | None = None

    def feed(self) -> MemoryFeed:
        return _FaultyFeed(self, super().feed())  # type: ignore[return-value]

    def keep_ledger(self, *, write: bool = False) -> Any:
        if self.sealed:
            raise self.sealed
        return super().keep_ledger(write=write)


class _FaultyFeed:
    def __init__(self, store: FaultyStore, inner: MemoryFeed) -> None:
        self._store = store
        self._inner = inner
        self.wake, self.close = inner.wake, inner.close

    def wait(self, after: int, most_s: float) -> int:
        if self._store.deaf:
            raise self._store.deaf
        return self._inner.wait(after, most_s)


# Following


def test_a_change_is_followed_without_anybody_asking() -> None:
    world = parts()
    with following(world, HOURS) as (follower, reported):
        until(lambda: sequence(follower) == 0)
        ingest(world.store, "A")
        until(lambda: sequence(follower) == 1)
        assert follower.state.running
        assert follower.state.words.whole
        assert follower.state.words.at == world.clock.now()
        assert follower.state.meaning is None
    assert reported == []


def test_an_index_that_was_behind_from_the_start_is_caught_up() -> None:
    world = parts()
    ingest(world.store, "A")
    with following(world, HOURS) as (follower, _):
        until(lambda: sequence(follower) == 1)


def test_both_indexes_follow(tmp_path: Path) -> None:
    world = replace(parts(), meaning=VectorIndex(tmp_path / "vectors", WordsEmbedder()))
    with following(world, HOURS) as (follower, _):
        ingest(world.store, "A")
        until(lambda: follower.state.meaning is not None and follower.state.meaning.whole and sequence(follower) == 1)
        assert world.meaning is not None
        until(lambda: world.meaning is not None and world.meaning.snapshot().sequence == 1)


def test_a_follower_that_was_never_started_can_be_stopped() -> None:
    follower = Follower(parts(), unexpected)
    assert follower.state == Following(running=False, words=follower.state.words, meaning=None, unsealed=None)
    assert follower.state.words.reached is None
    assert not follower.state.words.whole
    assert follower.stop()


# Faults


@pytest.mark.parametrize(
    "fault",
    [
        StoreFault("store_unreachable", "the server is gone"),
        Conflict("index_busy", "another process builds it"),
        IndexUnreadable("index_damaged", "a file is missing"),
    ],
)
def test_a_fault_ends_nothing_and_is_reported_once_while_it_lasts(fault: ToulminError) -> None:
    index = FaultyIndex(fault)
    world = parts(index=index)
    ingest(world.store, "A")
    with following(world) as (follower, reported):
        until(lambda: follower.state.words.at is not None or bool(reported))
        time.sleep(0.05)
        assert not follower.state.words.whole
        index.fault = None
        until(lambda: follower.state.words.whole)
        assert sequence(follower) == 1
        assert follower.state.words.fault is None
    expected = [] if isinstance(fault, Conflict) else [fault]  # an index that another process writes just lags
    assert reported == expected


def test_another_fault_is_reported_as_well_and_the_same_one_again_after_it_was_over() -> None:
    index = FaultyIndex(StoreFault("one", "one"))
    world = parts(index=index)
    ingest(world.store, "A")
    with following(world) as (follower, reported):
        until(lambda: len(reported) == 1)
        index.fault = StoreFault("two", "two")
        until(lambda: len(reported) == 2)
        index.fault = None
        until(lambda: follower.state.words.whole)
        index.fault = StoreFault("two", "two")
        ingest(world.store, "B")
        until(lambda: len(reported) == 3)
        assert sequence(follower) == 1, "what it had reached stands"
    assert [fault.code for fault in reported] == ["one", "two", "two"]


def test_a_store_that_cannot_be_waited_for_is_tried_again() -> None:
    store = FaultyStore()
    store.deaf = StoreFault("store_unreachable", "the server is gone")
    world = parts(store=store)
    with following(world) as (follower, reported):
        until(lambda: reported == [store.deaf])
        assert follower.state.words.reached is None
        store.deaf = None
        until(lambda: follower.state.words.whole)


def test_what_cannot_be_embedded_is_told_and_left_for_later(tmp_path: Path) -> None:
    class Down(WordsEmbedder):
        def passages(self, texts: Any) -> Vectors:
            if not up.is_set():
                raise EmbedderFault("connect", "the embedder cannot be reached", remedy="start it")
            return super().passages(texts)

    up = Event()
    world = replace(parts(), meaning=VectorIndex(tmp_path / "vectors", Down()))
    ingest(world.store, "A")
    with following(world) as (follower, reported):
        until(lambda: bool(reported))
        until(lambda: sequence(follower) == 1)
        assert follower.state.meaning is not None
        assert isinstance(follower.state.meaning.fault, EmbedderFault)
        up.set()
        until(lambda: follower.state.meaning is not None and follower.state.meaning.whole)
    assert [fault.code for fault in reported] == ["connect"]


def test_an_error_of_the_program_shows_in_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    index = FaultyIndex(None)
    world = parts(index=index)
    with following(world) as (follower, _):
        until(lambda: follower.state.running and follower.state.words.whole)
        index.fault = ZeroDivisionError()  # type: ignore[assignment]
        ingest(world.store, "A")
        until(lambda: not follower.state.running)


# Stopping


def test_it_stops_in_the_middle_of_a_long_build_after_the_step_under_way() -> None:
    class Slow(OverlapIndex):
        def apply(self, changes: Changes) -> None:
            begun.set()
            stopping.wait(PATIENCE_S)
            super().apply(changes)

    begun, stopping = Event(), Event()
    index = Slow()
    world = parts(index=index)
    ingest(world.store, "A")
    follower = Follower(world, unexpected, HOURS)
    follower.start()
    begun.wait(PATIENCE_S)
    assert not follower.stop(0.01), "it cannot be stopped in the middle of a step"
    stopping.set()
    assert follower.stop(PATIENCE_S)
    assert follower.state.words.reached is None, "the round did not come to its end"


def test_it_stops_at_once_while_nothing_happens() -> None:
    with following(parts(), HOURS) as (follower, _):
        until(lambda: follower.state.words.whole)
        start = time.monotonic()
        assert follower.stop(PATIENCE_S)
        assert time.monotonic() - start < 1


# The ledger


def test_what_is_recorded_is_sealed_now_and_then_and_at_the_end() -> None:
    world = parts()
    append(world.store, event())
    with following(world):
        until(lambda: sealed(world) == 1)
        append(world.store, event(number=2))
        until(lambda: sealed(world) == 2)
    with following(world, HOURS):
        append(world.store, event(number=3))
    assert sealed(world) == 3


def test_a_ledger_that_another_process_seals_is_no_fault_and_one_that_cannot_be_sealed_is() -> None:
    store = FaultyStore()
    store.sealed = Conflict("store_busy", "another writer keeps the store busy")
    world = parts(store=store)
    with following(world) as (follower, reported):
        time.sleep(0.05)
        assert follower.state.unsealed is None
        store.sealed = StoreFault("store_full", "the disk is full")
        until(lambda: follower.state.unsealed is store.sealed)
        time.sleep(0.05)
        assert reported == [store.sealed]
        store.sealed = None
        until(lambda: follower.state.unsealed is None)


def sealed(world: Parts) -> int:
    """The number of the last entry that is sealed."""
    with world.store.keep_ledger() as keeping:
        last = keeping.tail().last
    return last.sequence if last else 0
