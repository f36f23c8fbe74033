"""Synthetic corpora for the benchmarks: 80-word passages, mostly 20 to a document, and scopes that are levels.

A document of level n is for cases of level n and above, so that a case's level makes a known share of the corpus eligible. Scopes are
numbered as they come: dealt out in turns, those of a share are numbered without a gap; dealt out widely, they lie scattered among all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from common import Words, say
from numpy.typing import NDArray

from toulmin.domain.corpus.document import Passage, Revision
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.evidence.embedding import EmbeddingProfile
from toulmin.domain.question.case import Case, Kind, Value
from toulmin.domain.question.eligibility import Rule, RuleName, Rules
from toulmin.ports.embedder import Vectors
from toulmin.ports.store import Store
from toulmin.testing.builders import descriptor, revision

PASSAGES_PER_DOCUMENT = 20
NOW = datetime(2026, 6, 1, tzinfo=UTC)
_DOCUMENTS_PER_COMMIT = 200
_STEP = 7919
"""A prime: every level comes up before one comes again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Scopes 0 to `count` - 1, dealt out over the documents: in turns, or widely."""

    count: int
    widely: bool = False

    @property
    def rules(self) -> Rules:
        return Rules(rules=(("level", Rule(name=RuleName.VERSION_IN)),))

    def case(self, share: float) -> Case:
        """A case for which this share of the levels, and at least one, is eligible."""
        highest = max(1, round(share * self.count)) - 1
        return Case.of({"level": Value(Kind.VERSION, str(highest))})

    def scope(self, document: int) -> dict[str, str]:
        level = document * (_STEP if self.widely else 1) % self.count
        return {"level": f">={level}"}


class WordVectors:
    """An embedder that needs no model: a text's vector is the mean of its words', which are random and the same each time."""

    on_this_host = True
    profile = EmbeddingProfile(
        name="synthetic", model="synthetic/1", dimension=384, pooling="mean", window="everything"
    )

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)
        self._words: defaultdict[str, NDArray[np.float32]] = defaultdict(self._vector)

    def passages(self, texts: Sequence[str]) -> Vectors:
        rows = np.array([np.sum([self._words[word] for word in text.split()], axis=0) for text in texts], dtype="<f4")
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return Vectors(dimension=self.profile.dimension, data=rows.tobytes())

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)

    def _vector(self) -> NDArray[np.float32]:
        return self._random.standard_normal(self.profile.dimension, dtype=np.float32)


def document(number: int, words: Words, size: int = PASSAGES_PER_DOCUMENT) -> Revision:
    """A document of so many passages."""
    texts = [words.passage() for _ in range(size)]
    passages, start = [], 0
    for text in texts:
        passages.append(Passage(start=start, end=start + len(text)))
        start += len(text) + 2
    return revision(f"D{number}", text="\n\n".join(texts), passages=passages)


def fill(
    store: Store, passages: int, levels: Levels, words: Words, *, first: int = 0, size: int = PASSAGES_PER_DOCUMENT
) -> int:
    """Adds so many passages to a store, `size` to a document; returns the number of the next document."""
    last = first + passages // size
    for batch in _batches(first, last):
        with store.curate() as session:
            for number in batch:
                described = descriptor(scope=levels.scope(number), readers=("public",))
                session.add(document(number, words, size), described, Validity(start=NOW), NOW)
        say(f"  {batch.stop * size} passages")
    return last


def _batches(first: int, last: int) -> Iterator[range]:
    for start in range(first, last, _DOCUMENTS_PER_COMMIT):
        yield range(start, min(start + _DOCUMENTS_PER_COMMIT, last))
