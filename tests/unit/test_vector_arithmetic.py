from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from toulmin.adapters.vectors.merging import MOST_ROWS, Sized, to_merge
from toulmin.adapters.vectors.quantising import Question, quantised
from toulmin.adapters.vectors.ranking import Chosen, best
from toulmin.adapters.vectors.segment import Columns, pack, unpack
from toulmin.domain.errors import StoreFault
from toulmin.ports.store import PassageKey

Matrix = NDArray[np.float32]

KINDS = ("spread", "around one", "spikes", "the same", "with zeros")


def unit(rows: NDArray[np.float64]) -> Matrix:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def vectors(kind: str, count: int, dimension: int, seed: int) -> Matrix:
    """Vectors of the length 1, or 0, that lie in space in one of several ways."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((count, dimension))
    match kind:
        case "around one":
            rows = rows * 0.05 + random.standard_normal(dimension)
        case "spikes":
            rows *= 1e-3
            rows[np.arange(count), random.integers(0, dimension, count)] = random.choice([-1, 1], count)
        case "the same":
            rows[:] = rows[0]
        case "with zeros":
            rows[::2] = 0
    return unit(rows)


def columns(rows: Matrix) -> Columns:
    """The vectors as rows 0, 1, 2 ... of revision 1."""
    whole, count = quantised(rows), len(rows)
    nothing = np.zeros(count, dtype=np.int64)
    return Columns(
        keys=np.array([pack(PassageKey(1, number)) for number in range(count)]),
        valid_from=nothing,
        valid_to=nothing,
        scopes=nothing,
        readers=nothing,
        digests=np.zeros((count, 4), dtype=np.uint64),
        scales=whole.scales,
        errors=whole.errors,
        vectors=rows,
        codes=whole.codes,
    )


def exact(rows: Matrix, question: Matrix, chosen: Sequence[int], limit: int) -> list[tuple[int, float]]:
    """The best rows by every cosine, with those that tie with the last."""
    cosines = rows[list(chosen)].astype(np.float64) @ question.astype(np.float64)
    scored = [(row, round(float(cosine), 5)) for row, cosine in zip(chosen, cosines, strict=True)]
    ranking = sorted(((row, score) for row, score in scored if score > 0), key=lambda item: (-item[1], item[0]))
    cut = ranking[limit - 1][1] if len(ranking) > limit else 0
    return [(row, score) for row, score in ranking if score >= cut]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dimension", [1, 3, 64, 384, 1536])
def test_no_estimate_is_further_off_than_its_bound(kind: str, dimension: int) -> None:
    rows = vectors(kind, 300, dimension, seed=dimension)
    for vector in vectors("spread", 5, dimension, seed=1):
        question, whole = Question.of(vector), quantised(rows)
        off = np.abs(question.estimates(whole.codes, whole.scales) - question.cosines(rows))
        assert (off <= question.bounds(whole.errors)).all()


def test_an_estimate_of_text_like_vectors_is_close() -> None:
    whole = quantised(vectors("around one", 1000, 384, seed=5))
    assert float(whole.errors.max()) < 0.015


@given(
    kind=st.sampled_from(KINDS),
    dimension=st.sampled_from([2, 16, 384]),
    seed=st.integers(0, 2**32),
    share=st.sampled_from([1.0, 0.5, 0.05]),
    limit=st.sampled_from([1, 3, 10, 1000]),
)
def test_the_best_rows_are_those_of_every_exact_score(
    kind: str, dimension: int, seed: int, share: float, limit: int
) -> None:
    rows, random = vectors(kind, 200, dimension, seed), np.random.default_rng(seed)
    split = int(random.integers(1, 199))
    question = vectors("spread", 1, dimension, seed + 1)[0]
    chosen = np.flatnonzero((random.random(200) < share) & rows.any(axis=1))
    if not len(chosen):
        return
    whole = columns(rows)
    fields = {name: getattr(whole, name) for name in Columns.__slots__}
    parts = [
        Chosen(Columns(**{name: value[place] for name, value in fields.items()}), picked - place.start)
        for place in (slice(0, split), slice(split, 200))
        if len(picked := chosen[(chosen >= place.start) & (chosen < place.stop)])
    ]
    hits = best(Question.of(question), parts, limit)
    expected = exact(rows, question, chosen.tolist(), limit)
    assert [(hit.key.ordinal, hit.score) for hit in hits.hits] == expected
    assert hits.exhausted == (len(expected) == len(exact(rows, question, chosen.tolist(), 1000)))


def test_rows_that_may_be_below_nothing_are_looked_at_before_it_is_said_that_nothing_else_matches() -> None:
    rows = unit(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1e-7], [0.001, 1.0]]))
    question = Question.of(np.array([1.0, 0.0], dtype=np.float32))
    assert not best(question, [Chosen(columns(rows), np.arange(4))], 1).exhausted
    assert best(question, [Chosen(columns(rows[:3]), np.arange(3))], 1).exhausted


@pytest.mark.parametrize(
    "key", [PassageKey(0, 0), PassageKey(1, 0), PassageKey(1, 2**20 - 1), PassageKey(2**43 - 1, 7)]
)
def test_a_packed_key_is_the_same_key_unpacked(key: PassageKey) -> None:
    assert unpack(pack(key)) == key


@pytest.mark.parametrize("key", [PassageKey(1, 2**20), PassageKey(2**43, 0)])
def test_a_key_that_does_not_fit_is_refused(key: PassageKey) -> None:
    with pytest.raises(StoreFault, match="beyond what the index can number"):
        pack(key)


class TestMerging:
    def test_a_change_alone_is_a_segment_of_its_own(self) -> None:
        assert to_merge([], 5) == frozenset()
        assert to_merge([Sized(5, 0)] * 6, 5) == frozenset()

    def test_many_of_a_size_become_one(self) -> None:
        assert to_merge([Sized(5, 0)] * 7, 5) == frozenset(range(7))

    def test_a_larger_one_is_not_written_again(self) -> None:
        assert to_merge([Sized(50_000, 0), *[Sized(5, 0)] * 7], 5) == frozenset(range(1, 8))

    def test_one_that_is_mostly_dead_is_written_again_without_its_dead(self) -> None:
        assert to_merge([Sized(50_000, 25_000), Sized(50_000, 25_001)], 5) == frozenset({1})

    def test_there_are_never_many_and_no_row_is_written_often(self) -> None:
        segments: list[Sized] = []
        written = total = 0
        for number in range(3000):
            fresh = 1 + number * 7919 % 512
            merged = to_merge(segments, fresh)
            rows = fresh + sum(segments[place].alive for place in merged)
            segments = [segment for place, segment in enumerate(segments) if place not in merged] + [Sized(rows, 0)]
            written, total = written + rows, total + fresh
            assert rows <= max(MOST_ROWS, fresh)
        assert sum(segment.rows for segment in segments) == total
        assert len(segments) < 60
        assert written < 8 * total
