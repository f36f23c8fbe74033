"""What an answer costs beside its search and its commit, and what drafts do to the searches of others.

Usage: pipeline.py [PASSAGES]   (default: 20000)
`ask` runs in licensed mode with the template, over a warm store on disk; each step is timed. Then searches are timed while other questions
are drafted by a model that is healthy, slow, failing or saturated, in turns. There is no HTTP in it.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from threading import Event, Thread
from typing import Any
from unittest.mock import patch

from common import Words, milliseconds, percentile, report, say
from licensed import ANYONE, Contracts, curate, outcome_of, parts_over
from synthetic import NOW, Levels, fill

from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.adapters.template import TemplateDrafter
from toulmin.application import ask as asking
from toulmin.application import gather as gathering
from toulmin.application import recording
from toulmin.application.bulkhead import Bulkhead
from toulmin.application.catchup import catch_up
from toulmin.application.drafting import draft
from toulmin.application.flights import Flights
from toulmin.application.parts import Drafting, Parts
from toulmin.application.search import SearchRequest, search
from toulmin.domain.claims.draft import DraftRequest
from toulmin.domain.outcome import Answered, SearchOnlyReason
from toulmin.domain.question.case import Case
from toulmin.domain.question.contract import DrafterKind
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted

_ASKS = 300
_ROUNDS, _SEARCHES = 7, 100
_PACE_S = 0.1
_GOAL_MS = 0.5
_GOAL_RATIO = 1.5
_CLOSING = ("select", "_curated", "evidence_set", "_resolved")
"""What `gather` does when the search is done."""


def main() -> None:
    passages = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    levels, words = Levels(count=100), Words()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        store, index = SqliteStore(Path(folder) / "corpus.db"), TantivyIndex(Path(folder) / "index")
        stack.callback(store.close)
        stack.callback(index.close)
        fill(store, passages, levels, words)
        curate(store)
        catch_up(store, index)
        parts = parts_over(store, index, levels)
        steps = asyncio.run(_steps(parts))
        report("pipeline", steps, notes=(_goal(steps),), passages=passages, asks=_ASKS, commit="WAL, synchronous FULL")
        queries = [words.query() for _ in range(_SEARCHES)]
        searches = _searches(parts, levels, queries)
        report("pipeline-drafts", searches, notes=(_goal_of_searches(searches),), passages=passages, pace_s=_PACE_S)


# What each step costs


async def _steps(parts: Parts) -> list[dict[str, Any]]:
    for _ in range(20):
        await outcome_of(parts)
    asks: list[dict[str, float]] = []
    spent: dict[str, float] = defaultdict(float)
    with _timed(spent):
        for _ in range(_ASKS):
            spent.clear()
            start = time.perf_counter()
            outcome = await outcome_of(parts)
            asks.append(_shares(spent, time.perf_counter() - start))
            assert isinstance(outcome, Answered)
    return [
        {"step": step, "p50 ms": milliseconds(times), "p95 ms": percentile(times, 0.95)}
        for step, times in ((step, [shares[step] for shares in asks]) for step in asks[0])
    ]


def _shares(spent: Mapping[str, float], whole: float) -> dict[str, float]:
    """Seconds of each step of one question."""
    closing = sum(spent[name] for name in _CLOSING)
    packet = spent["_record"] + spent["sealed"]
    search_, commit = spent["gather"] - closing, spent["commit"] - packet
    own = {
        "read the question": spent["typed_question"],
        "select, close, resolve": closing,
        "draft": spent["draft"],
        "judge": spent["_judged"],
        "deliver": spent["deliver"],
        "build the packet": packet,
    }
    rest = whole - search_ - commit
    return {
        "search": search_,
        "durable commit": commit,
        **own,
        "threads and events": rest - sum(own.values()),
        "all but search and commit": rest,
        "all": whole,
    }


def _goal(rows: list[dict[str, Any]]) -> str:
    own = next(row["p50 ms"] for row in rows if row["step"] == "all but search and commit")
    return f"goal: all but search and commit at most {_GOAL_MS} ms p50: {'met' if own <= _GOAL_MS else 'missed'}"


@contextmanager
def _timed(spent: dict[str, float]) -> Iterator[None]:
    """Adds up the seconds of the steps of `ask` where they are called; the template's `draft` is a coroutine that never waits."""
    places: tuple[tuple[Any, str], ...] = (
        *((asking, name) for name in ("typed_question", "gather", "_judged", "deliver", "commit")),
        *((gathering, name) for name in _CLOSING),
        (recording, "_record"),
        (recording, "sealed"),
    )
    with ExitStack() as stack:
        for place, name in places:
            stack.enter_context(patch.object(place, name, _timing(getattr(place, name), name, spent)))
        stack.enter_context(patch.object(asking, "draft", _timing_async(draft, spent)))
        yield


def _timing(function: Callable[..., Any], name: str, spent: dict[str, float]) -> Callable[..., Any]:
    def timed(*arguments: Any, **named: Any) -> Any:
        start = time.perf_counter()
        result = function(*arguments, **named)
        spent[name] += time.perf_counter() - start
        return result

    return timed


def _timing_async(function: Callable[..., Any], spent: dict[str, float]) -> Callable[..., Any]:
    async def timed(*arguments: Any) -> Any:
        start = time.perf_counter()
        result = await function(*arguments)
        spent["draft"] += time.perf_counter() - start
        return result

    return timed


# What drafts do to searches


@dataclass(frozen=True, slots=True)
class _Model:
    """Writes as the template does after some seconds, or fails after them."""

    seconds: float
    fails: bool = False
    profile: str = "bench/1"
    on_this_host: bool = True

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        await asyncio.sleep(self.seconds)
        if self.fails:
            return NotDrafted(reason=SearchOnlyReason.PROVIDER_ERROR)
        return await TemplateDrafter().draft(request)


_STATES: Mapping[str, Drafter | None] = {
    "no drafts": None,
    "healthy": _Model(0.02),
    "slow": _Model(0.3),
    "failing": _Model(0.0, fails=True),
    "saturated": _Model(3600.0),
}


def _searches(parts: Parts, levels: Levels, queries: list[str]) -> list[dict[str, Any]]:
    case = levels.case(0.5)
    calls = [partial(search, _request(text, levels, case), parts.store, parts.index, parts.scopes) for text in queries]
    times: dict[str, list[float]] = {name: [] for name in _STATES}
    endings: dict[str, list[str]] = {name: [] for name in _STATES}
    for number in range(_ROUNDS):
        say(f"  round {number + 1} of {_ROUNDS}")
        for name, drafter in _STATES.items():
            with _asking(parts, drafter, endings[name]):
                times[name] += [_seconds(call) for call in islice(cycle(calls), _SEARCHES)]
    base = {share: percentile(times["no drafts"], share) for share in (0.5, 0.95)}
    return [
        {
            "drafter": name,
            "search p50 ms": milliseconds(taken),
            "search p95 ms": percentile(taken, 0.95),
            "ratio p50": milliseconds(taken) / base[0.5],
            "ratio p95": percentile(taken, 0.95) / base[0.95],
            "asked": len(endings[name]),
            "saturated": endings[name].count("saturated"),
        }
        for name, taken in times.items()
    ]


def _goal_of_searches(rows: list[dict[str, Any]]) -> str:
    saturated = next(row["ratio p95"] for row in rows if row["drafter"] == "saturated")
    met = "met" if saturated <= _GOAL_RATIO else "missed"
    return f"goal: search p95 with a saturated drafter at most {_GOAL_RATIO} times that without drafts: {met}"


def _request(text: str, levels: Levels, case: Case) -> SearchRequest:
    return SearchRequest(text=text, rules=levels.rules, case=case, principal=ANYONE, at=NOW, limit=10)


def _seconds(call: Callable[[], Any]) -> float:
    time.sleep(0.01)  # searches come one by one, and meet the drafts at any point
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@contextmanager
def _asking(parts: Parts, drafter: Drafter | None, endings: list[str]) -> Iterator[None]:
    """Questions to a model at a steady pace, in a thread with an event loop of its own; those that are not done at the end are cancelled."""
    if drafter is None:
        yield
        return
    contract = replace(parts.contracts.all()[0], drafter=DrafterKind.MODEL)
    asked = replace(
        parts,
        contracts=Contracts(contract),
        drafters={DrafterKind.MODEL: drafter},
        drafting=Drafting(bulkhead=Bulkhead(parts.policy.concurrent_drafts), flights=Flights()),
    )
    stop, begun = Event(), Event()
    thread = Thread(target=lambda: asyncio.run(_ask_at_a_pace(asked, endings, stop, begun)))
    thread.start()
    begun.wait()
    yield
    stop.set()
    thread.join()


async def _ask_at_a_pace(parts: Parts, endings: list[str], stop: Event, begun: Event) -> None:

    async def one() -> None:
        outcome = await outcome_of(parts)
        endings.append(getattr(outcome, "reason", None) or "answered")

    tasks = [asyncio.ensure_future(one()) for _ in range(parts.policy.concurrent_drafts)]
    await asyncio.sleep(_PACE_S)
    begun.set()
    while not stop.is_set():
        tasks.append(asyncio.ensure_future(one()))
        await asyncio.sleep(_PACE_S)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


if __name__ == "__main__":
    main()
