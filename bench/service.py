"""What the service costs over HTTP, and what questions whose model is slow, failing or saturated do to the searches of others.

Usage: service.py [PASSAGES] [ROUNDS]   (default: 20000, 5)
A real `toulmin serve` with one worker, API keys, and a client in a process of its own, which sends plain requests over connections that it
keeps. In turns, for each state of the model: searches while a question is asked every 0.1 s, and the questions themselves. No request may
be lost: each has exactly one response, with a status that the interface names.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from common import Words, milliseconds, percentile, report, say
from synthetic import Levels, fill

sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests are no installed package

from tests.api.processes import SERVER, Server, configured, keys, started
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.domain.question.case import Principal
from toulmin.surfaces.sync import Workspace
from toulmin.testing.provider import BEHAVIOURS, Behaviour, Provider, waits

SETTINGS = """
[eligibility.default]
rules = {{ level = "version_in" }}
[open_question]
mode = "cited"
[drafter]
kind = "openai"
base_url = "{url}"
[server.limits]
per_minute = 1_000_000_000
concurrent = 1024
concurrent_per_principal = 1024
"""
POLICY = "version: bench/1\nconcurrent_drafts: 16\n"
ANYONE = Principal(id="bench", roles=("reader",))
CASE = {"level": "50"}

_STATES: Mapping[str, Behaviour | None] = {
    "no drafts": None,
    "healthy": waits(0.02),
    "slow": waits(0.3),
    "failing": BEHAVIOURS["http_500"],
    "saturated": BEHAVIOURS["hang"],
}
_PLACES = 16
_CONNECTIONS = (1, 16, 64)
_SEARCHES = {1: 200, 16: 400, 64: 640}
_ASKS = {1: 12, 16: 64, 64: 128}
_PACE_S = 0.1
_GOAL_RATIO, _GOAL_MS = 1.5, 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the client is to do: send these bodies, so many in all over so many connections, while questions are asked beside it.

    `held`: so many questions are asked before and never answered.
    """

    host: str
    port: int
    token: str
    path: str
    bodies: Sequence[Mapping[str, Any]]
    connections: int
    requests: int
    asks: bool
    held: int

    def request(self, path: str, body: Mapping[str, Any], accept: str = "application/json") -> bytes:
        """A request as it goes over the wire."""
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nAccept: {accept}\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        return head.encode() + content


@dataclass(slots=True, kw_only=True)
class Done:
    """What came of it: seconds of each request, how they were answered, how long all took, and how the questions beside them were answered."""

    seconds: list[float] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    beside: Counter[str] = field(default_factory=Counter)
    whole_s: float = 0.0


def main() -> None:
    passages = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as place, Provider() as provider:
        folder = Path(place)
        queries = _fill(folder, provider, passages)
        (token,) = keys(folder, [ANYONE])
        with started(folder) as server, ProcessPoolExecutor(1, get_context("spawn")) as client:
            rows = _measured(server, provider, client, token, queries, rounds, folder)
    goals = [_goal_of_cost(rows), *_goals_of_searches(rows)]
    report("service", rows, notes=goals, passages=passages, rounds=rounds, drafts=_PLACES, workers=1, pace_s=_PACE_S)


def _fill(folder: Path, provider: Provider, passages: int) -> list[str]:
    """A workspace over a synthetic corpus; queries that find something in it."""
    (folder / "toulmin.toml").touch()
    configured(
        folder, SERVER.replace("[telemetry]", SETTINGS.format(url=provider.base_url) + "[telemetry]"), policy=POLICY
    )
    words = Words()
    with closing(SqliteStore(folder / ".toulmin/corpus.db")) as store:
        fill(store, passages, Levels(count=100), words)
    with Workspace.open(folder) as desk:
        desk.catch_up()
    return [words.query() for _ in range(100)]


def _measured(
    server: Server,
    provider: Provider,
    client: ProcessPoolExecutor,
    token: str,
    queries: list[str],
    rounds: int,
    folder: Path,
) -> list[dict[str, Any]]:
    host, port = server.address.removeprefix("http://").split(":")
    bodies = [{"text": text, "case": CASE} for text in queries]
    job = partial(Job, host=host, port=int(port), token=token, bodies=bodies)
    done: dict[tuple[str, str, int], list[Done]] = defaultdict(list)
    direct: list[float] = []
    with Workspace.open(folder) as desk:
        for number in range(rounds):
            say(f"  round {number + 1} of {rounds}")
            direct += list(islice(_directly(desk, queries), _SEARCHES[1]))
            for state, behaviour in _STATES.items():
                provider.script(behaviour or "ok")
                held = _PLACES if state == "saturated" else 0
                for connections in _CONNECTIONS:
                    search = job(
                        path="/v1/search",
                        connections=connections,
                        requests=_SEARCHES[connections],
                        asks=behaviour is not None,
                        held=held,
                    )
                    done["search", state, connections].append(client.submit(run, search).result())
                    if behaviour is not None:
                        ask = job(
                            path="/v1/ask", connections=connections, requests=_ASKS[connections], asks=False, held=held
                        )
                        done["ask", state, connections].append(client.submit(run, ask).result())
                provider.forget()
    return [_direct_row(direct), *(_row(*key, runs, done) for key, runs in done.items())]


def _directly(desk: Workspace, queries: list[str]) -> Iterator[float]:
    """Seconds of searches through the use case, in this process."""
    for text in cycle(queries):
        began = time.perf_counter()
        desk.search(text, case=CASE, principal=ANYONE)
        yield time.perf_counter() - began


def _direct_row(seconds: list[float]) -> dict[str, Any]:
    return {
        "what": "use case",
        "drafter": "no drafts",
        "connections": 0,
        "p50 ms": milliseconds(seconds),
        "p95 ms": percentile(seconds, 0.95),
        "per second": len(seconds) / sum(seconds),
        "p95 to none": None,
        "p95 to healthy": None,
        "lost": 0,
        "endings": "",
    }


def _row(
    what: str, state: str, connections: int, runs: list[Done], done: Mapping[tuple[str, str, int], list[Done]]
) -> dict[str, Any]:
    """Medians over the rounds; ratios are taken in each round, to what the same number of connections met in it."""
    endings = sum((run.endings for run in runs), Counter[str]())
    beside = sum((run.beside for run in runs), Counter[str]())
    return {
        "what": what,
        "drafter": state,
        "connections": connections,
        "p50 ms": median(milliseconds(run.seconds) for run in runs),
        "p95 ms": median(percentile(run.seconds, 0.95) for run in runs),
        "per second": median(len(run.seconds) / run.whole_s for run in runs),
        "p95 to none": _p95_to(done["search", "no drafts", connections], runs) if what == "search" else None,
        "p95 to healthy": _p95_to(done["search", "healthy", connections], runs) if what == "search" else None,
        "lost": endings["lost"] + beside["lost"],
        "endings": ", ".join(f"{number} {ending}" for ending, number in sorted(endings.items())),
    }


def _p95_to(others: list[Done], runs: list[Done]) -> float:
    return median(
        percentile(run.seconds, 0.95) / percentile(other.seconds, 0.95) for run, other in zip(runs, others, strict=True)
    )


def _goal_of_cost(rows: Sequence[Mapping[str, Any]]) -> str:
    direct, over_http = (row["p50 ms"] for row in rows[:2])
    cost = over_http - direct
    met = "met" if cost <= _GOAL_MS else "missed"
    return f"goal: a search over HTTP at most {_GOAL_MS:g} ms p50 above the use case: {met} ({cost:.2f} ms)"


def _goals_of_searches(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Against no questions at all, and against as many of them with a healthy drafter: what a question computes itself is in the first alone."""
    saturated = [row for row in rows if row["what"] == "search" and row["drafter"] == "saturated"]
    for base, column in (("no questions", "p95 to none"), ("as many with a healthy drafter", "p95 to healthy")):
        ratios = [row[column] for row in saturated]
        met = "met" if max(ratios) <= _GOAL_RATIO else "missed"
        shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        yield f"goal: search p95 with a saturated drafter within {_GOAL_RATIO}x of {base}: {met} ({shown})"
    lost = sum(row["lost"] for row in rows)
    yield f"goal: no request lost: {'missed' if lost else 'met'} ({lost})"


# The client, in its own process


def run(job: Job) -> Done:
    """Does a job."""
    return asyncio.run(_run(job))


async def _run(job: Job) -> Done:
    done = Done()
    left = iter(list(islice(cycle(job.bodies), job.requests)))
    async with _held(job), _asking(job, done):
        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(job.connections):
                group.create_task(_connection(job, left, done))
        done.whole_s = time.perf_counter() - began
    return done


async def _connection(job: Job, left: Iterator[Mapping[str, Any]], done: Done) -> None:
    async with _connected(job) as (reader, writer):
        for body in left:
            request = job.request(job.path, body)
            began = time.perf_counter()
            writer.write(request)
            done.endings[await _ending(reader)] += 1
            done.seconds.append(time.perf_counter() - began)


@asynccontextmanager
async def _connected(job: Job) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(job.host, job.port, limit=2**20)
    try:
        yield reader, writer
    finally:
        writer.close()


async def _ending(reader: asyncio.StreamReader) -> str:
    """What a response says: its outcome, the kind of its document, or that there was none."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.split("content-length: ")[1].split("\r\n")[0])
        content = json.loads(await reader.readexactly(length))
    except (ConnectionError, asyncio.IncompleteReadError, IndexError, ValueError):
        return "lost"
    return str(content.get("reason") or content.get("outcome") or content.get("code") or content["schema"])


@asynccontextmanager
async def _held(job: Job) -> AsyncIterator[None]:
    """In this block so many questions are under way, in streams that are left at its end."""
    streams = [await asyncio.open_connection(job.host, job.port) for _ in range(job.held)]
    for number, (reader, writer) in enumerate(streams):
        writer.write(job.request("/v1/ask", job.bodies[number], "text/event-stream"))
        await reader.readuntil(b"event: drafting")
    try:
        yield
    finally:
        for _, writer in streams:
            writer.close()


@asynccontextmanager
async def _asking(job: Job, done: Done) -> AsyncIterator[None]:
    """In this block a question is asked every now and then, if the job says so; all of them have ended with it."""
    asked: list[asyncio.Task[None]] = []

    async def ask(body: Mapping[str, Any]) -> None:
        async with _connected(job) as (reader, writer):
            writer.write(job.request("/v1/ask", body))
            done.beside[await _ending(reader)] += 1

    async def keep_asking() -> None:
        for body in cycle(job.bodies):
            asked.append(asyncio.create_task(ask(body)))
            await asyncio.sleep(_PACE_S)

    asking = asyncio.create_task(keep_asking()) if job.asks else None
    try:
        yield
    finally:
        if asking is not None:
            asking.cancel()
        await asyncio.gather(*asked)


if __name__ == "__main__":
    main()
