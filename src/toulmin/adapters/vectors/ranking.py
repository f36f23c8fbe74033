"""Ranking: the best of chosen rows, as exact as if every one of them had been scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toulmin.adapters.vectors.quantising import Floats, Question, Rows
from toulmin.adapters.vectors.segment import Columns, Integers, unpack
from toulmin.ports.index import Hit, Hits

DECIMALS = 5
"""Of a score: what lies beyond depends on the order of adding up."""

_WITHIN = 2 * 10.0**-DECIMALS
"""Two cosines that are further apart than this never round to the same score."""

_CHUNK = 16_384
"""Rows that are scored exactly at a time, which bounds the memory."""

_FEW = 5
"""Where fewer than one in so many rows are chosen, copying them first costs less than estimating all."""

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Rows of one segment, some at least."""

    columns: Columns
    rows: Rows

    def estimates(self, question: Question) -> Floats:
        """The estimated cosine of each row."""
        codes, scales = self.columns.codes, self.columns.scales
        if len(self.rows) == len(self.columns):
            return question.estimates(codes, scales)
        if len(self.rows) * _FEW < len(self.columns):
            return question.estimates(codes[self.rows], scales[self.rows])
        return question.estimates(codes, scales)[self.rows]


def best(question: Question, chosen: Sequence[Chosen], limit: int) -> Hits:
    """The best `limit` of the rows and all that tie with the last of them, ties by key; a score is a cosine, and one of 0 no match."""
    estimates = np.concatenate([part.estimates(question) for part in chosen])
    bounds = question.bounds(np.concatenate([part.columns.errors[part.rows] for part in chosen]))
    lower, upper = estimates - bounds, estimates + bounds
    least = _best_but(lower, limit)
    near = upper >= max(least - _WITHIN, 0.0)
    keys, scores = _exact(question, chosen, near)
    order = np.lexsort((keys, -scores))
    keys, scores = keys[order], scores[order]
    cut = scores[limit - 1] if len(scores) > limit else 0.0
    count = int(np.count_nonzero((scores >= cut) & (scores > 0)))
    hits = zip(keys[:count].tolist(), scores[:count].tolist(), strict=True)
    more = bool((scores[count:] > 0).any()) or _any_match(question, chosen, ~near & (upper > 0), lower)
    return Hits(hits=tuple(Hit(key=unpack(key), score=score) for key, score in hits), exhausted=not more)


def scores_of(question: Question, columns: Columns, rows: Rows) -> Scores:
    """The exact score of each row: its cosine, and 0 for what points away."""
    parts = [rows[at : at + _CHUNK] for at in range(0, len(rows), _CHUNK)]
    cosines = [question.cosines(columns.vectors[part]) for part in parts]
    return np.clip(np.round(np.concatenate(cosines or [np.empty(0)]), DECIMALS), 0.0, 1.0)


def _best_but(lower: Floats, limit: int) -> float:
    """What at least `limit` rows score; less than every score where there are no more rows than that."""
    rest = len(lower) - limit
    return float(np.partition(lower, rest)[rest]) if rest > 0 else -np.inf


def _exact(question: Question, chosen: Sequence[Chosen], wanted: NDArray[np.bool_]) -> tuple[Integers, Scores]:
    """The keys and exact scores of the wanted rows."""
    ends = np.cumsum([len(part.rows) for part in chosen])
    picked = [part.rows[which] for part, which in zip(chosen, np.split(wanted, ends[:-1]), strict=True)]
    scores = [scores_of(question, part.columns, rows) for part, rows in zip(chosen, picked, strict=True)]
    keys = [part.columns.keys[rows] for part, rows in zip(chosen, picked, strict=True)]
    return np.concatenate(keys), np.concatenate(scores)


def _any_match(question: Question, chosen: Sequence[Chosen], wanted: NDArray[np.bool_], lower: Floats) -> bool:
    """Whether any of the wanted rows has a score above 0; exact scores are made only where the bounds do not tell."""
    if (lower[wanted] > _WITHIN).any():
        return True
    return bool((_exact(question, chosen, wanted)[1] > 0).any())
