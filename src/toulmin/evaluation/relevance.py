"""Relevance: what a ranked list is worth, by the grades of what is relevant.

The measures are those of trec_eval (`ndcg_cut`, `recall`, `recip_rank`): what has no judgement counts as not relevant, and a negative grade
gains nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log2


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The grade of each thing found, best first, 0 for one that is not relevant; and the grades of all that is relevant, falling."""

    gains: tuple[float, ...]
    ideal: tuple[float, ...]


def ranking(found: Iterable[str], grades: Mapping[str, float]) -> Ranking:
    """The ranking of different things by their names; a thing without a grade is not relevant."""
    return Ranking(
        gains=tuple(max(0.0, grades.get(name, 0.0)) for name in found),
        ideal=tuple(sorted((grade for grade in grades.values() if grade > 0), reverse=True)),
    )


def ndcg(item: Ranking, k: int) -> float:
    """Normalised discounted cumulated gain over the best k: grade / log2(1 + rank), summed, of what the ideal ranking's sum is.

    Jarvelin and Kekalainen 2002, "Cumulated gain-based evaluation of IR techniques", with the discount from the second rank on that trec_eval
    and BEIR use. There must be something relevant.
    """
    return _cumulated(item.gains[:k]) / _cumulated(item.ideal[:k])


def recall(item: Ranking, k: int) -> float:
    """The share of all that is relevant that is among the best k. There must be something relevant."""
    return sum(gain > 0 for gain in item.gains[:k]) / len(item.ideal)


def reciprocal_rank(item: Ranking, k: int) -> float:
    """1/rank of the first relevant thing; 0 where there is none among the best k."""
    rank = first(item)
    return 1 / rank if rank is not None and rank <= k else 0.0


def first(item: Ranking) -> int | None:
    """The rank of the first relevant thing, from 1; None where none was found."""
    return next((rank for rank, gain in enumerate(item.gains, start=1) if gain > 0), None)


def _cumulated(gains: Sequence[float]) -> float:
    return fsum(gain / log2(1 + rank) for rank, gain in enumerate(gains, start=1))
