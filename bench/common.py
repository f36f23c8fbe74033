"""What the benchmarks share: synthetic text, interleaved timing, and the results file.

Machines are shared and noisy: what is compared is timed in turns, in one run, and reported as medians and ratios.
"""

from __future__ import annotations

import json
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

RESULTS = Path(__file__).parent / "results"
_VOCABULARY = 50_000
_ZIPF = 1.07
_TOPICS = 400
_TOPIC_WORDS = 150
_TOPIC_SHARE = 0.3
_PACKAGES = ("toulmin", "tantivy", "pydantic", "kreuzberg", "pypdfium2", "numpy", "numkong")


class Words:
    """A made-up language: Zipf-distributed words, and passages that burst with the words of a topic. The seed fixes it all."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = [f"{_syllables(number)}" for number in range(_VOCABULARY)]
        self._weights = list(accumulate(1 / (rank**_ZIPF) for rank in range(1, _VOCABULARY + 1)))
        self._topics = [self._random.sample(self._words[200:], _TOPIC_WORDS) for _ in range(_TOPICS)]

    def passage(self, words: int = 80) -> str:
        """One passage."""
        topic = self._random.choice(self._topics)
        common = self._random.choices(self._words, cum_weights=self._weights, k=words)
        return " ".join(self._random.choice(topic) if self._random.random() < _TOPIC_SHARE else word for word in common)

    def query(self, words: int = 5) -> str:
        """A query of different words, of one topic and of the language at large."""
        topic = self._random.choice(self._topics)
        chosen = self._random.sample(topic, words - 2) + self._random.choices(self._words[50:5000], k=2)
        return " ".join(dict.fromkeys(chosen))


def _syllables(number: int) -> str:
    """A pronounceable word that no other number has; stemming leaves most of them apart."""
    consonants, vowels = "bdfgklmnprtvz", "aeiou"
    word = ""
    number += 37
    while number:
        number, place = divmod(number, len(consonants) * len(vowels))
        word += consonants[place // len(vowels)] + vowels[place % len(vowels)]
    return word + "x"


def in_turns(
    work: Mapping[str, Sequence[Callable[[], Any]]], clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Seconds of each call, the alternatives taken in turns: first call of each, second call of each, ..."""
    times: dict[str, list[float]] = {name: [] for name in work}
    for calls in zip(*work.values(), strict=True):
        for name, call in zip(work, calls, strict=True):
            start = clock()
            call()
            times[name].append(clock() - start)
    return times


def milliseconds(times: Sequence[float]) -> float:
    """The median in milliseconds."""
    return median(times) * 1000


def percentile(times: Sequence[float], share: float) -> float:
    """A percentile in milliseconds."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


def peak_memory_mib() -> float:
    """The most memory that this process has held, in MiB."""
    import resource  # noqa: PLC0415 - not on every platform

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def resident_mib() -> float:
    """The memory that this process holds now, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def cells(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The rows as lines of a table, columns as wide as they need."""
    columns = list(rows[0])
    shown = [[_shown(row[column]) for column in columns] for row in rows]
    widths = [max(len(column), *(len(row[place]) for row in shown)) for place, column in enumerate(columns)]
    yield "  ".join(column.ljust(width) for column, width in zip(columns, widths, strict=True))
    for row in shown:
        yield "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def report(name: str, rows: Sequence[Mapping[str, Any]], *, notes: Sequence[str] = (), **settings: Any) -> None:
    """Prints the table and writes `bench/results/NAME.json`, with what it was measured on."""
    print(f"\n{name}")
    for line in cells(rows):
        print(line)
    for note in notes:
        print(note)
    RESULTS.mkdir(exist_ok=True)
    result = {
        "name": name,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {"cpu": _cpu(), "cores": _cores(), "python": platform.python_version()},
        "versions": {package: _version(package) for package in _PACKAGES},
        "settings": settings,
        "rows": list(rows),
        "notes": list(notes),
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except ImportError:
        return None


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _cores() -> int:
    import os  # noqa: PLC0415

    return len(os.sched_getaffinity(0))


def say(text: str) -> None:
    """A word on what is going on, on stderr."""
    print(text, file=sys.stderr, flush=True)
