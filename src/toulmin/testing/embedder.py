"""The contract of an embedder: a test suite that every `Embedder` passes.

```python
class TestMyEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return MyEmbedder()
```

How good an embedder is, is measured and not tested: the suite asks for one vector a text, of length 1, the same whatever else is asked.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from toulmin.ports.embedder import NUMBER_BYTES, Embedder, Vectors

TEXTS = (
    "The valve opens at 3 bar.",
    "The tank holds 40 l of water.",
    "Das Ventil öffnet bei 3 bar; 阀门在三巴打开。",
    "The valve opens at 3 bar. " * 60 + "The tank holds 40 l of water.",
    "one\ntwo\tthree \x00 four",
)
"""Texts of several kinds: short, of other languages, longer than any model reads, with white space and control characters."""

Row = tuple[float, ...]


def rows(vectors: Vectors) -> list[Row]:
    """The numbers of each vector."""
    size = vectors.dimension * NUMBER_BYTES
    form = f"<{vectors.dimension}f"
    return [struct.unpack(form, vectors.data[at : at + size]) for at in range(0, len(vectors.data), size)]


def cosine(one: Row, other: Row) -> float:
    """How far two vectors of length 1 point the same way."""
    return sum(a * b for a, b in zip(one, other, strict=True))


class EmbedderContract:
    """What every embedder does."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        """The embedder under test."""
        raise NotImplementedError("give the suite an embedder")

    def test_its_profile_is_one_line_and_stays_the_same(self, embedder: Embedder) -> None:
        before = embedder.profile
        assert str(before).isprintable()
        embedder.passages(TEXTS[:1])
        assert embedder.profile == before
        assert embedder.profile.digest == before.digest

    def test_every_text_has_one_vector_of_the_profiles_dimension(self, embedder: Embedder) -> None:
        for vectors in (embedder.passages(TEXTS), embedder.queries(TEXTS)):
            assert vectors.dimension == embedder.profile.dimension
            assert len(vectors) == len(TEXTS)

    def test_vectors_have_the_length_1(self, embedder: Embedder) -> None:
        for row in (*rows(embedder.passages(TEXTS)), *rows(embedder.queries(TEXTS))):
            assert math.hypot(*row) == pytest.approx(1, abs=1e-5)

    @pytest.mark.parametrize("text", ["", " \n\t ", "\u3000"])
    def test_a_text_that_says_nothing_points_nowhere(self, embedder: Embedder, text: str) -> None:
        for vectors in (embedder.passages([text]), embedder.queries([text])):
            assert set(rows(vectors)[0]) == {0.0}

    def test_no_texts_have_no_vectors(self, embedder: Embedder) -> None:
        assert len(embedder.passages(())) == len(embedder.queries(())) == 0

    def test_a_text_has_the_same_vector_alone_and_among_others(self, embedder: Embedder) -> None:
        together = rows(embedder.passages(TEXTS))
        backwards = rows(embedder.passages(TEXTS[::-1]))[::-1]
        alone = [row for text in TEXTS for row in rows(embedder.passages([text]))]
        assert _same(together, alone)
        assert _same(backwards, alone)
        assert _same(rows(embedder.passages(["", TEXTS[1]]))[1:], alone[1:2])

    def test_the_same_text_twice_has_the_same_vector_twice(self, embedder: Embedder) -> None:
        one, other = rows(embedder.passages([TEXTS[0], TEXTS[0]]))
        assert one == other

    def test_different_texts_have_different_vectors(self, embedder: Embedder) -> None:
        one, other = rows(embedder.passages(TEXTS[:2]))
        assert cosine(one, other) < 0.999

    def test_the_end_of_a_long_text_counts(self, embedder: Embedder) -> None:
        without = TEXTS[3].removesuffix(TEXTS[1])
        one, other = rows(embedder.passages([TEXTS[3], without]))
        assert one != other

    def test_threads_do_not_mix(self, embedder: Embedder) -> None:
        expected = rows(embedder.passages(TEXTS))
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda text: rows(embedder.passages([text]))[0], TEXTS * 3))
        assert _same(found, expected * 3)


def _same(some: Sequence[Row], others: Sequence[Row]) -> bool:
    return len(some) == len(others) and all(cosine(*pair) > 0.999 for pair in zip(some, others, strict=True))
