"""The long runs: canaries that must not get out, kills at any moment, questions to a provider with every fault in turn, and a service's day.

Usage: soak.py [--cases N] [--kills N] [--requests N] [--service N] [--minutes M] [--seed S]
(default: 10000 cases, 80 kills, 3000 requests without and 5000 with HTTP, a day for each, seed 1)
The cases, kills and faults are those of the tests; here are more of them. They come in batches, each with a seed of its own: a run that
was stopped goes on with the seed that it named last, and one that failed fails again with that.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from common import report, resident_mib, say

# Each part imports what it needs by itself: every process that is killed reads this file again.
# ruff: noqa: PLC0415

sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests are no installed package

_AT_ONCE = 16
_DEADLINE_S = 2

Batch = Callable[[int, int], Counter[str]]
"""Does so many with a seed, and counts what they came to; raises `AssertionError` for one that went wrong."""

Part = Callable[[Path], AbstractContextManager[tuple[Batch, Callable[[], float]]]]
"""Makes ready in an empty folder; beside what does the work, it gives the MiB that whatever is tried holds now."""


def main() -> None:
    parser = ArgumentParser(description="long runs of what the tests do a little of")
    parser.add_argument("--cases", type=int, default=10_000, help="generated corpora with canaries")
    parser.add_argument("--kills", type=int, default=80, help="killed processes, every second one in an ingest")
    parser.add_argument("--requests", type=int, default=3_000, help="questions to a provider with each fault in turn")
    parser.add_argument("--service", type=int, default=5_000, help="requests to a real server, with mixed faults")
    parser.add_argument("--minutes", type=float, default=24 * 60, help="for each of these at most; the rest is left")
    parser.add_argument("--seed", type=int, default=1, help="of the first batch; the next ones count on")
    asked = parser.parse_args()
    parts = (
        ("cases", asked.cases, 500, _cases),
        ("kills", asked.kills, 20, _kills),
        ("requests", asked.requests, 300, _requests),
    )
    until = 60 * asked.minutes
    notes, settings = ("nothing went wrong: what does ends the run",), {"first_seed": asked.seed}
    rows = [_row(name, number, at_once, part, asked.seed, until) for name, number, at_once, part in parts if number]
    if rows:
        report("soak", rows, notes=notes, **settings)
    if asked.service:
        row = _row("service", asked.service, 1_000, _service, asked.seed, until)
        report("soak-service", [row], notes=notes, **settings)


def _row(name: str, number: int, at_once: int, part: Part, seed: int, seconds: float) -> dict[str, Any]:
    """Does a number of a part's work in batches, as long as there is time, and tells how the memory was after the first of them and after the last."""
    begun, done = monotonic(), 0
    resident: list[float] = []
    said = Counter[str]()
    with tempfile.TemporaryDirectory() as folder, part(Path(folder)) as (batch, memory):
        while done < number and monotonic() - begun < seconds:
            say(f"  {name}: {done} of {number}, next seed {seed}")
            size = min(at_once, number - done)
            said.update(batch(size, seed))
            resident.append(memory())
            done, seed = done + size, seed + 1
    return {
        "part": name,
        "asked": number,
        "done": done,
        "last seed": seed - 1,
        "seconds": monotonic() - begun,
        "MiB first": resident[0],
        "MiB half": resident[len(resident) // 2],
        "MiB last": resident[-1],
        "of these": ", ".join(f"{number} {what}" for what, number in said.items()),
    }


@contextmanager
def _cases(folder: Path) -> Iterator[tuple[Batch, Callable[[], float]]]:
    """Corpora with canaries, and questions before and after something becomes of the documents; one case in nine goes over HTTP."""
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis import strategies as st

    from tests.integration import test_wire_canaries as wire
    from toulmin.testing.provider import Provider

    with Provider(author=wire.repeat) as provider, wire.at_a_desk(folder / "desk", provider) as desk:
        model = wire.drafter_of(desk)

        def batch(size: int, number: int) -> Counter[str]:
            said = Counter[str]()

            @seed(number)
            @settings(
                max_examples=size,
                database=None,
                deadline=None,
                phases=(Phase.generate, Phase.shrink),
                suppress_health_check=list(HealthCheck),
            )
            @given(case=wire.CASES_TO_TRY, way=st.integers(0, 8))
            def tried(case: wire.Case, way: int) -> None:
                if way:
                    wire.tried_without_a_wire(case, desk)
                else:
                    wire.tried_over_http(case, desk, provider, model)
                said["tried"] += 1
                said["over HTTP"] += not way

            tried()
            provider.forget()
            return said

        yield batch, resident_mib


@contextmanager
def _kills(folder: Path) -> Iterator[tuple[Batch, Callable[[], float]]]:
    """Processes that are killed at any moment of an ingest, and of a rebuild."""
    from tests.integration import test_crashes as crashes

    run = crashes.uninterrupted(folder)

    def batch(size: int, number: int) -> Counter[str]:
        chance = random.Random(number)
        with tempfile.TemporaryDirectory() as place:
            ingests, rebuilds = size - size // 2, size // 2
            crashes.kill_ingests(run, Path(place), ingests, chance)
            midst = crashes.kill_rebuilds(run, Path(place), rebuilds, chance)
        return Counter({"in an ingest": ingests, "in or between rebuilds": rebuilds, "in the midst of one": midst})

    yield batch, resident_mib


@contextmanager
def _requests(folder: Path) -> Iterator[tuple[Batch, Callable[[], float]]]:
    """Open questions, each to a provider that does what the question's last word says."""
    from tests.integration import test_model_answers as answers
    from toulmin.application.ask import Finished, ask
    from toulmin.application.question import AskRequest
    from toulmin.domain.outcome import Answered, SearchOnly, SearchOnlyReason
    from toulmin.domain.question.case import ANONYMOUS
    from toulmin.domain.question.contract import OPEN_QUESTION
    from toulmin.surfaces.sync import Workspace
    from toulmin.testing.provider import BEHAVIOURS, Author, Provider, Received, Response

    def obeys(request: Received, author: Author) -> Response:
        return BEHAVIOURS[request.question["question"].split()[-1]](request, author)

    async def one(place: Workspace, fault: str, turn: asyncio.Semaphore, said: Counter[str]) -> None:
        request = AskRequest(question=OPEN_QUESTION, text=f"valve pressure tank {fault}", principal=ANONYMOUS)
        async with turn:
            *_, end = [event async for event in ask(request, place.parts)]
        assert isinstance(end, Finished)
        outcome, expected = end.outcome, answers.FAULTS.get(fault)
        assert isinstance(outcome, SearchOnly | Answered), f"{fault}: {outcome}"
        ending = (outcome.reason, outcome.detail) if isinstance(outcome, SearchOnly) else None
        busy = isinstance(outcome, SearchOnly) and outcome.reason is SearchOnlyReason.TIMEOUT
        assert ending == expected or busy, f"{fault}: {ending}"
        said["answered" if ending is None else "search only" if ending == expected else "late on a busy machine"] += 1

    async def all_of(place: Workspace, size: int, number: int, said: Counter[str]) -> None:
        chance, turn = random.Random(number), asyncio.Semaphore(_AT_ONCE)
        faults = [*BEHAVIOURS] * (size // len(BEHAVIOURS) + 1)
        chosen = chance.sample(faults, size)
        await asyncio.gather(*(one(place, fault, turn, said) for fault in chosen))

    with Provider(obeys) as provider:
        desk = answers.fitted(folder / "desk", provider.base_url, provider=_DEADLINE_S, places=_AT_ONCE)
        with Workspace.open(desk) as place:
            answers.ingest(place)

            def batch(size: int, number: int) -> Counter[str]:
                said = Counter[str]()
                asyncio.run(all_of(place, size, number, said))
                provider.forget()
                return said

            yield batch, resident_mib


@contextmanager
def _service(folder: Path) -> Iterator[tuple[Batch, Callable[[], float]]]:
    """Requests to a real `toulmin serve`, whose model fails in every way, from callers who are wrong or leave; the memory is the server's."""
    from tests.api.traffic import sample, traffic

    with traffic(sample(folder / "desk")) as service:
        yield service.send, service.server.resident_mib
        assert service.server.end() == 0, service.server.said()


if __name__ == "__main__":
    main()
