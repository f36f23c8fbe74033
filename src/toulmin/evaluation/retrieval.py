"""Retrieval: whether a search brings the passages that answer the questions, and none of another version.

A passage is *gold* for a question if it is of the question's version, of a document whose id is the path of a gold entry, and holds all of
that entry's quote, white space aside. Other passages may say the same: what is measured here is a lower bound of what is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.domain.corpus.text import locate
from toulmin.domain.evidence.ranking import Ranked
from toulmin.evaluation.intervals import mean
from toulmin.evaluation.questions import Question
from toulmin.evaluation.report import Report, Slice, compiled

RANKS = 10
"""How many passages `mrr@10` looks at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A question after its search.

    `rank` is that of the first gold passage, from 1, or None if none was found; `other_version` is how many of the `passages` found are of
    another version than the question's.
    """

    question: Question
    rank: int | None
    passages: int
    other_version: int


def judged(question: Question, passages: Sequence[Ranked]) -> Judged:
    """What the passages of a search, best first, are worth for its question."""
    ranks = (rank for rank, passage in enumerate(passages, start=1) if is_gold(passage, question))
    return Judged(
        question=question,
        rank=next(ranks, None),
        passages=len(passages),
        other_version=sum(passage.id.version != question.version for passage in passages),
    )


def is_gold(passage: Ranked, question: Question) -> bool:
    """Whether the passage holds a gold quote whole, in the document and version that it is quoted from."""
    return passage.id.version == question.version and any(
        passage.id.document == gold.path and locate(passage.text, gold.quote) for gold in question.gold
    )


def found_within(row: Judged, k: int) -> bool:
    """Whether a gold passage is among the best k."""
    return row.rank is not None and row.rank <= k


def report(rows: Sequence[Judged], k: int) -> Report:
    """What the searches are worth, also by what the questions test (their kind) and by version.

    Metrics are over the answerable questions: `recall@k`, the share with a gold passage among the best k, and `mrr@10`, the mean of 1/rank
    of the first gold passage, 0 where it is not among the best 10. Counts are over all questions: `other_version_passages` are those of
    a version that is not the question's, of the `passages` found. Every search must have been for at least `max(k, RANKS)` passages.
    """
    return compiled(
        "retrieval",
        rows,
        lambda part: _measured(part, k),
        by={"phenomenon": lambda row: row.question.kind, "version": lambda row: row.question.version},
    )


def names(k: int) -> tuple[str, ...]:
    """The names of all metrics and counts that a report has."""
    nothing = _measured((), k)
    return (*nothing.metrics, *nothing.counts)


def _measured(rows: Sequence[Judged], k: int) -> Slice:
    answerable = [row for row in rows if row.question.answerable]
    return Slice(
        n=len(rows),
        metrics={
            f"recall@{k}": mean([float(found_within(row, k)) for row in answerable]),
            f"mrr@{RANKS}": mean([_reciprocal_rank(row) for row in answerable]),
        },
        counts={
            "answerable": len(answerable),
            "passages": sum(row.passages for row in rows),
            "other_version_passages": sum(row.other_version for row in rows),
        },
    )


def _reciprocal_rank(row: Judged) -> float:
    return 1 / row.rank if row.rank is not None and row.rank <= RANKS else 0.0
