"""The judge that is a model on this host."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from toulmin.adapters.onnx.folder import LocalModel
from toulmin.adapters.onnx.windows import combined, plain, windows
from toulmin.domain.claims.opinion import Opinion
from toulmin.domain.claims.oracles.statement import Pair, Statement
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.errors import ToulminError
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.ports.drafter import Usage
from toulmin.ports.judge import Answers, NotJudged, Opinions, Query, Worth

if TYPE_CHECKING:
    from toulmin.adapters.onnx.engine import Engine

T = TypeVar("T")

_MOST_THREADS = 4
_AT_ONCE = 64
"""Claims that wait for a thread; more wait unread."""

NOTHING_TO_JUDGE = Opinion(probabilities=None, why="there is no claim, or no passage to judge it by")
CLAIM_TOO_LONG = Opinion(probabilities=None, why="the claim is longer than the judge reads")
EVIDENCE_TOO_LONG = Opinion(
    probabilities=None, why="the sentence that the claim is about is longer than the judge reads"
)
OTHER_LANGUAGE = Opinion(probabilities=None, why="the passage is in a language that the judge does not read")


class LocalJudge:
    """Judges with one model, loaded with the first judgement. It needs no closing and serves any thread and event loop.

    At most `threads` claims are judged at once, each by one thread; `deadline_s` bounds a judgement, waiting included. A model that cannot
    be used is why there is no judgement, with the fault's code as its detail; `load` tells it in words.
    """

    def __init__(self, model: LocalModel, *, deadline_s: float, threads: int | None = None) -> None:
        self._model = model
        self._deadline_s = deadline_s
        self._threads = ThreadPoolExecutor(
            threads or min(_MOST_THREADS, os.cpu_count() or 1), thread_name_prefix="toulmin-judge"
        )
        self._loading = Lock()
        self._engine: Engine | None = None

    @property
    def profile(self) -> str:
        return self._model.profile

    @property
    def worth(self) -> Worth | None:
        """What the model was measured to be worth, where its manifest says so."""
        return self._model.worth

    @property
    def on_this_host(self) -> bool:
        return True

    def load(self) -> Engine:
        """The model, loaded now if it is not yet; raises `ToulminError` where it cannot be used, see `Engine`."""
        from toulmin.adapters.onnx.engine import Engine

        with self._loading:
            if self._engine is None:
                self._engine = Engine(self._model)
            return self._engine

    async def support(self, units: Sequence[ReviewUnit]) -> Opinions | NotJudged:
        start = time.monotonic()
        found: list[Opinion] = []
        try:
            async with asyncio.timeout(self._deadline_s):
                for first in range(0, len(units), _AT_ONCE):
                    engine = await self._in_a_thread(self.load)
                    part = units[first : first + _AT_ONCE]
                    found += await asyncio.gather(
                        *(self._in_a_thread(partial(self._opinion, engine, unit)) for unit in part)
                    )
        except TimeoutError:
            return _not_judged(SearchOnlyReason.TIMEOUT, "deadline", start)
        except ToulminError as fault:
            return _not_judged(SearchOnlyReason.PROVIDER_ERROR, fault.code, start)
        return Opinions(opinions=tuple(found), usage=_since(start))

    async def answer(self, queries: Sequence[Query]) -> Answers | NotJudged:
        return Answers(yes=(None,) * len(queries))

    async def _in_a_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _opinion(self, engine: Engine, unit: ReviewUnit) -> Opinion:
        """An opinion on one claim; a model that fails on it has none on this one."""
        claim = plain(unit.claim)
        passages = [(number, cited) for number, cited in enumerate(unit.passages) if cited.words.strip()]
        if not claim or not passages:
            return NOTHING_TO_JUDGE
        read = [(number, cited) for number, cited in passages if self._reads(cited)]
        if not read:
            return OTHER_LANGUAGE
        room = engine.room(claim)
        if room < self._model.max_tokens // 2:
            return CLAIM_TOO_LONG
        try:
            return _by_windows(engine, claim, room, read, Pair.of(unit).aligned)
        except ToulminError as fault:
            return Opinion(probabilities=None, why=fault.message)

    def _reads(self, cited: Cited) -> bool:
        """Whether the model reads the passage's language; one that is not known is tried."""
        known = self._model.languages
        return known is None or cited.language is None or cited.language.partition("-")[0].lower() in known


def _by_windows(
    engine: Engine, claim: str, room: int, passages: Sequence[tuple[int, Cited]], aligned: Sequence[Statement]
) -> Opinion:
    """What all windows of the passages come to. None of them joins two passages: an "it" would find another meaning."""
    readings = []
    for number, cited in passages:
        for window in windows(cited.words, engine.measure, room):
            is_aligned = any(item.passage == number and window.holds(item.start, item.end) for item in aligned)
            if window.fits:
                readings.append((engine.probabilities(window.text, claim), is_aligned))
            elif is_aligned:
                return EVIDENCE_TOO_LONG
    return Opinion(probabilities=combined(readings)) if readings else EVIDENCE_TOO_LONG


def _since(start: float) -> Usage:
    return Usage(seconds=time.monotonic() - start)


def _not_judged(reason: SearchOnlyReason, detail: str, start: float) -> NotJudged:
    return NotJudged(reason=reason, detail=detail, usage=_since(start))
