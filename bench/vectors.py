"""What a search by meaning costs, and whether it loses anything: the index beside numpy alone, under filters that let ever less through.

Usage: vectors.py [PASSAGES...]   (default: 200000 1000000)
Vectors of 384 numbers lie around 400 topics, as those of texts do; questions lie near one of them. Scopes are dealt out in turns, and a filter
names a share of them. The index is filled by its own `apply`, its embedder looks vectors up. "numpy" is one product of the matrix in memory with the
question, or of the eligible rows copied out of it where these are few, and then the ten best.
Times are those that the calling thread was on a processor, the two taken in turns; numpy has one thread like the index. Recall is against
those of numpy's ten best whose cosine is above 0, since others are no match; a row that ties with the tenth counts for it.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is loaded

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from common import in_turns, milliseconds, percentile, report, resident_mib, say
from numpy.typing import NDArray

from toulmin.adapters.vectors.index import VectorIndex
from toulmin.domain.evidence.embedding import EmbeddingProfile
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.embedder import Vectors
from toulmin.testing.index import START, change, changes

_DIMENSION = 384
_TOPICS = 400
_SCOPES = 10_000
_PER_DOCUMENT = 20
_PER_CHANGE = 10_000
_SHARES = (1.0, 0.5, 0.01, 0.0001)
_QUESTIONS = 60
_TOP = 10
_TIE = 1e-5

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LookingUp:
    """An embedder that has the vector of every text: a text is a row's number, a question's begins with q."""

    passage_rows: Matrix
    question_rows: Matrix
    on_this_host: bool = True

    @property
    def profile(self) -> EmbeddingProfile:
        return EmbeddingProfile(
            name="synthetic", model="synthetic/1", dimension=_DIMENSION, pooling="none", window="everything"
        )

    def passages(self, texts: Sequence[str]) -> Vectors:
        rows = self.passage_rows[[int(text) for text in texts]]
        return Vectors(dimension=_DIMENSION, data=rows.tobytes())

    def queries(self, texts: Sequence[str]) -> Vectors:
        rows = self.question_rows[[int(text.removeprefix("q")) for text in texts]]
        return Vectors(dimension=_DIMENSION, data=rows.tobytes())


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or [200_000, 1_000_000]
    table = [row for size in sizes for row in _measure(size)]
    goal = "goal: recall 0.99 everywhere; p50 15 ms at 200,000 all eligible, 60 ms at 1,000,000"
    report("vectors", table, notes=(goal,), questions=_QUESTIONS, dimension=_DIMENSION, scopes=_SCOPES)


def _measure(size: int) -> list[dict[str, Any]]:
    random = np.random.default_rng(7)
    topics = _unit(random.standard_normal((_TOPICS, _DIMENSION), dtype=np.float32))
    matrix = np.empty((size, _DIMENSION), dtype=np.float32)
    for at in range(0, size, _PER_CHANGE):
        matrix[at : at + _PER_CHANGE] = _around(topics, min(_PER_CHANGE, size - at), random)
    questions = _around(topics, _QUESTIONS, random)
    with tempfile.TemporaryDirectory() as folder:
        index = VectorIndex(Path(folder), LookingUp(matrix, questions))
        start = time.thread_time()
        _fill(index, size)
        rate = size / (time.thread_time() - start)
        scopes = np.repeat(np.arange(size // _PER_DOCUMENT) % _SCOPES, _PER_DOCUMENT)
        shared = {
            "passages": size,
            "filled a second": rate,
            "segments": len(index.snapshot().views),
            "bytes a passage": index.examine().size / size,
        }
        return [{**shared, **_row(index, matrix, questions, scopes, share)} for share in _SHARES]


def _fill(index: VectorIndex, size: int) -> None:
    for at in range(0, size, _PER_CHANGE):
        documents = range(at // _PER_DOCUMENT, min(at + _PER_CHANGE, size) // _PER_DOCUMENT)
        batch = [
            change(
                number, *map(str, range(number * _PER_DOCUMENT, (number + 1) * _PER_DOCUMENT)), scope=number % _SCOPES
            )
            for number in documents
        ]
        index.apply(changes(documents.stop, *batch, after=documents.start))
        say(f"  {documents.stop * _PER_DOCUMENT} passages")


def _row(
    index: VectorIndex, matrix: Matrix, questions: Matrix, scopes: NDArray[np.int64], share: float
) -> dict[str, Any]:
    count = max(1, round(share * _SCOPES))
    wanted = Filter(scopes=frozenset(range(count)), readers=frozenset({"public"}), at=START)
    eligible = scopes < count
    snapshot = index.snapshot()
    names = [f"q{number}" for number in range(_QUESTIONS)]
    work = {
        "numpy": [partial(_by_numpy, matrix, question, eligible) for question in questions],
        "index": [partial(snapshot.search, name, wanted, _TOP) for name in names],
    }
    in_turns({name: calls[:3] for name, calls in work.items()})  # what is read for the first time, and caches
    times = in_turns(work, clock=time.thread_time)
    return {
        "eligible": f"{share:.2%}",
        "rows": int(eligible.sum()),
        "numpy p50 ms": milliseconds(times["numpy"]),
        "index p50 ms": milliseconds(times["index"]),
        "index p95 ms": percentile(times["index"], 0.95),
        "ratio": milliseconds(times["numpy"]) / milliseconds(times["index"]),
        "recall@10": _recall(snapshot, matrix, questions, eligible, wanted),
        "resident MiB": resident_mib(),
    }


def _by_numpy(matrix: Matrix, question: Matrix, eligible: NDArray[np.bool_]) -> list[tuple[int, float]]:
    """The ten best eligible rows with their cosines."""
    rows = np.flatnonzero(eligible)
    is_few = len(rows) * 5 < len(matrix)
    cosines = matrix[rows] @ question if is_few else (matrix @ question)[rows]
    top = np.argpartition(cosines, -min(_TOP, len(rows)))[-_TOP:]
    return sorted(((int(rows[at]), float(cosines[at])) for at in top), key=lambda found: -found[1])


def _recall(snapshot: Any, matrix: Matrix, questions: Matrix, eligible: NDArray[np.bool_], wanted: Filter) -> float:
    """The share of numpy's ten best that the index finds; any row that scores as much as the tenth counts."""
    found = total = 0
    for number, question in enumerate(questions):
        exact = [(row, cosine) for row, cosine in _by_numpy(matrix, question, eligible) if cosine > _TIE]
        if not exact:
            continue
        least = exact[-1][1] - _TIE
        hits = snapshot.search(f"q{number}", wanted, _TOP).hits
        rows = [hit.key.revision * _PER_DOCUMENT + hit.key.ordinal for hit in hits]
        found += min(len(exact), sum(float(matrix[row] @ question) >= least and bool(eligible[row]) for row in rows))
        total += len(exact)
    return found / total


def _around(topics: Matrix, count: int, random: np.random.Generator) -> Matrix:
    """Vectors around topics."""
    chosen = topics[random.integers(0, len(topics), count)]
    noise = random.standard_normal((count, _DIMENSION), dtype=np.float32) / np.float32(np.sqrt(_DIMENSION))
    return _unit(chosen + noise)


def _unit(rows: Matrix) -> Matrix:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


if __name__ == "__main__":
    main()
