"""Following: a process that runs for long keeps its indexes caught up with the corpus, and the ledger sealed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Final

from toulmin.application.catchup import CaughtUp, Step, Tell, catch_up, embed
from toulmin.application.ledger import seal
from toulmin.application.parts import Parts
from toulmin.domain.errors import Conflict, ToulminError
from toulmin.ports.clock import Clock
from toulmin.ports.feed import Feed

Report = Callable[[ToulminError], None]
"""Is told of a fault, from any thread: when it begins, and not again while it lasts."""

_UNKNOWN: Final = -1
"""The sequence number of no corpus: what the store has is news."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long a follower waits, in seconds.

    `idle_s`: for news, before it looks whether its indexes are whole all the same; `least_s`, and each time twice as long up to `most_s`:
    before it tries again what was not possible; `seal_s`: between two checkpoints of the ledger.
    """

    idle_s: float = 5.0
    least_s: float = 0.1
    most_s: float = 10.0
    seal_s: float = 60.0


USUAL: Final = Pace()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pursuit:
    """How far an index has followed the corpus.

    `reached` is what the last round that came to an end came to, and `at` when that was; None before the first: there may be no index to
    search yet. `fault` is what the last round met, None where all went well.
    """

    reached: CaughtUp | None = None
    at: datetime | None = None
    fault: ToulminError | None = None

    @property
    def whole(self) -> bool:
        """Whether the index lacked nothing when it was last looked at."""
        return self.reached is not None and self.reached.lag == 0 and self.fault is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """The state of a follower: of the index by words, of that by meaning (None where there is no embedder), and of the ledger.

    `unsealed` is what kept the ledger from being sealed, None where nothing did. Not `running`: it was not started, it was stopped, or an
    error of the program ended a part of it.
    """

    running: bool
    words: Pursuit
    meaning: Pursuit | None
    unsealed: ToulminError | None


class Follower:
    """Keeps the indexes of a process caught up, and the ledger sealed, from `start` to `stop`; no fault ends it.

    Each index follows in a thread of its own, since embedding may take hours; another one seals. What other processes are at work on, in the
    same files or the same ledger, is left to them.
    """

    def __init__(self, parts: Parts, report: Report, pace: Pace = USUAL) -> None:
        self._parts = parts
        self._report = report
        self._pace = pace
        self._over = Event()
        self._unsealed: ToulminError | None = None
        self._words = self._chase("words", partial(catch_up, parts.store, parts.index, observer=parts.observer))
        self._meaning = None
        if parts.meaning is not None:
            by_meaning = partial(embed, parts.store, parts.meaning, observer=parts.observer)
            self._meaning = self._chase("meaning", by_meaning)
        self._sealer = Thread(target=self._keep_sealed, name="sealing the ledger", daemon=True)

    @property
    def state(self) -> Following:
        """How far it is, for any thread that asks."""
        return Following(
            running=all(thread.is_alive() for thread in self._threads),
            words=self._words.state,
            meaning=None if self._meaning is None else self._meaning.state,
            unsealed=self._unsealed,
        )

    def start(self) -> None:
        """Begins, in threads that do not keep the process from ending."""
        for thread in self._threads:
            thread.start()

    def stop(self, within_s: float = 10.0) -> bool:
        """Ends it after the step that is under way, and seals the ledger; whether all of that was done within so many seconds.

        Where it was not, closing store and indexes ends it as a fault does. Whatever is left is done by the next process that follows.
        """
        end = monotonic() + within_s
        self._over.set()
        for chase in self._chases:
            chase.wake()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, end - monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            return False
        for chase in self._chases:
            chase.close()
        return True

    @property
    def _chases(self) -> tuple[_Chase, ...]:
        return (self._words,) if self._meaning is None else (self._words, self._meaning)

    @property
    def _threads(self) -> tuple[Thread, ...]:
        return (*self._chases, self._sealer)

    def _chase(self, name: str, catch: Callable[[Tell], CaughtUp]) -> _Chase:
        return _Chase(
            f"following by {name}",
            self._parts.store.feed(),
            catch,
            clock=self._parts.clock,
            report=self._report,
            pace=self._pace,
            over=self._over,
        )

    def _keep_sealed(self) -> None:
        while not self._over.wait(self._pace.seal_s):
            self._seal()
        self._seal()

    def _seal(self) -> None:
        """Seals what was recorded; where another process keeps the store busy, that one, or the next time, will do."""
        fault = None
        try:
            with suppress(Conflict):
                seal(self._parts.store, self._parts.clock, self._parts.signer)
        except ToulminError as trouble:
            fault = trouble
        _tell(self._report, fault, before=self._unsealed)
        self._unsealed = fault


class _Over(Exception):
    """The follower is to stop: the work that is under way is left where it is, since each step of it lasts."""


class _Chase(Thread):
    """Keeps one index caught up."""

    def __init__(
        self,
        name: str,
        feed: Feed,
        catch: Callable[[Tell], CaughtUp],
        *,
        clock: Clock,
        report: Report,
        pace: Pace,
        over: Event,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.state = Pursuit()
        self._feed = feed
        self._catch = catch
        self._clock = clock
        self._report = report
        self._pace = pace
        self._over = over
        self._known = _UNKNOWN

    def wake(self) -> None:
        """Ends a wait for news."""
        self._feed.wake()

    def close(self) -> None:
        """Releases what it waited with; it has ended by then."""
        self._feed.close()

    def run(self) -> None:
        pause = self._pace.least_s
        with suppress(_Over):
            while not self._over.is_set():
                if self._follow():
                    pause = self._pace.least_s
                else:
                    self._over.wait(pause)
                    pause = min(2 * pause, self._pace.most_s)

    def _follow(self) -> bool:
        """Waits for news, unless something is left to be done, and follows them; whether the index lacks nothing now."""
        try:
            number = self._feed.wait(self._known, self._pace.idle_s)
            reached = self._catch(self._unless_over)
        except ToulminError as fault:
            self._become(replace(self.state, fault=fault))
            self._known = _UNKNOWN
        else:
            self._become(Pursuit(reached=reached, at=self._clock.now(), fault=reached.fault))
            self._known = number if self.state.whole else _UNKNOWN
        return self.state.whole

    def _unless_over(self, _: Step) -> None:
        if self._over.is_set():
            raise _Over

    def _become(self, state: Pursuit) -> None:
        _tell(self._report, state.fault, before=self.state.fault)
        self.state = state


def _tell(report: Report, fault: ToulminError | None, *, before: ToulminError | None) -> None:
    """Reports a fault that was not there before."""
    if fault is not None and (before is None or fault.code != before.code):
        report(fault)
