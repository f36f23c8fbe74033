"""Retrieval: whether a search brings what answers the questions, and nothing of another version.

A dataset is a file of questions with gold quotes, or a BEIR folder with judged documents (`beir`). A passage is *gold* for a question if it is of
the question's version, of a document whose id is the path of a gold entry, and holds all of that entry's quote, white space aside. Other
passages may say the same: what is measured there is a lower bound of what is found. One gold passage is enough, so that a question has one
relevant thing, the first that was found; a BEIR query has as many as it has relevant documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from toulmin.domain.corpus.text import locate
from toulmin.domain.evidence.ranking import Ranked
from toulmin.evaluation.beir import Query
from toulmin.evaluation.intervals import Estimate, bootstrapped
from toulmin.evaluation.questions import Question
from toulmin.evaluation.relevance import Ranking, first, ndcg, ranking, recall, reciprocal_rank
from toulmin.evaluation.report import Report, Slice, compiled

KIND = "retrieval"
RANKS = 10
"""How far down `ndcg@10` and `mrr@10` look."""
RECALLS = (5, 10, 100)
"""How far down the recalls look that every report has."""

_LISTED = 10
"""How many of the things found a row tells of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A thing that was found; `gain` is its grade, 0 for one that is not relevant."""

    document: str
    version: str
    passage: str
    score: float
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A question after its search. `ranking` is None where there is nothing to be found.

    `other_version` is how many of the `passages` found are of another version than the question's, `longest` the most words that one of
    them has; `listed` are the best things found.
    """

    id: str
    question: str
    group: str
    ranking: Ranking | None
    kind: str | None = None
    version: str | None = None
    passages: int = 0
    other_version: int = 0
    longest: int = 0
    listed: tuple[Listed, ...] = ()

    @property
    def rank(self) -> int | None:
        """The rank of the first relevant thing; None where none was found, or there is none."""
        return first(self.ranking) if self.ranking is not None else None

    def found_within(self, k: int) -> bool:
        """Whether something relevant is among the best k."""
        return self.rank is not None and self.rank <= k


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A question as its line in a file of rows has it: the grades of all that is relevant, falling, and its value of each metric."""

    id: str
    group: str
    relevant: tuple[float, ...]
    scores: Mapping[str, float]
    kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The questions of a dataset after their searches; `notes` say what was left out."""

    dataset: str
    rows: tuple[Judged, ...]
    k: int
    notes: tuple[str, ...] = ()

    @property
    def report(self) -> Report:
        return report(self.rows, self.k)


def depth(k: int) -> int:
    """How many things a search has to look for, so that every metric sees all that it looks at."""
    return max(k, RANKS, *RECALLS)


def judged(question: Question, passages: Sequence[Ranked]) -> Judged:
    """What the passages of a search, best first, are worth for its question."""
    gold = [float(is_gold(passage, question)) for passage in passages]
    return Judged(
        id=question.id,
        question=question.question,
        group=question.group,
        ranking=Ranking(gains=tuple(_only_first(gold)), ideal=(1.0,)) if question.answerable else None,
        kind=question.kind,
        version=question.version,
        passages=len(passages),
        other_version=sum(passage.id.version != question.version for passage in passages),
        longest=_longest(passages),
        listed=_listed(passages, gold),
    )


def judged_query(query: Query, passages: Sequence[Ranked], wanted: int) -> Judged:
    """What the passages of a search are worth for a BEIR query: documents by their best passages, the first `wanted` of them."""
    best = documents(passages)[:wanted]
    found = ranking((passage.id.document for passage in best), query.grades)
    return Judged(
        id=query.id,
        question=query.text,
        group=query.id,
        ranking=found,
        passages=len(passages),
        longest=_longest(passages),
        listed=_listed(best, found.gains),
    )


def documents(passages: Iterable[Ranked]) -> tuple[Ranked, ...]:
    """The best passage of each document, in rank order."""
    best: dict[str, Ranked] = {}
    for passage in passages:
        best.setdefault(passage.id.document, passage)
    return tuple(best.values())


def is_gold(passage: Ranked, question: Question) -> bool:
    """Whether the passage holds a gold quote whole, in the document and version that it is quoted from."""
    return passage.id.version == question.version and any(
        passage.id.document == gold.path and locate(passage.text, gold.quote) for gold in question.gold
    )


def report(rows: Sequence[Judged], k: int) -> Report:
    """What the searches are worth, also by what the questions test (their kind) and by version.

    Metrics are over the answerable questions: `ndcg@10`, `recall@5`, `recall@10`, `recall@100` and `recall@k`, `mrr@10`. Counts are over all
    questions: `other_version_passages` are those of a version that is not the question's, of the `passages` found; `longest_passage` is in
    words. Every search must have been for at least `depth(k)` things.
    """
    by: dict[str, Callable[[Judged], str | None]] = {
        "phenomenon": lambda row: row.kind,
        "version": lambda row: row.version,
    }
    return compiled(KIND, rows, lambda part: _measured(part, k), by=by)


def names(k: int) -> tuple[str, ...]:
    """The names of all metrics and counts that a report has."""
    nothing = _measured((), k)
    return (*nothing.metrics, *nothing.counts)


def estimates(rows: Sequence[Judged], k: int) -> dict[str, Estimate]:
    """Every metric over the answerable rows, with what each group adds to its error."""
    return {
        name: bootstrapped([(row.group, measure(row.ranking)) for row in rows if row.ranking is not None])
        for name, measure in _measures(k).items()
    }


def estimates_of_lines(rows: Sequence[Scored]) -> dict[str, Estimate]:
    """The same over rows that were read back: every metric that one of them has."""
    known = dict.fromkeys(name for row in rows for name in row.scores)
    return {name: bootstrapped([(row.group, row.scores[name]) for row in rows if name in row.scores]) for name in known}


def lines(results: Results) -> Iterator[dict[str, Any]]:
    """One line for each question: its value of each metric, the rank of the first relevant thing, and what was found.

    For looking at failures, and for comparing two results question by question.
    """
    measures = _measures(results.k)
    for row in results.rows:
        yield {
            "id": row.id,
            "group": row.group,
            "phenomenon": row.kind,
            "version": row.version,
            "question": row.question,
            "relevant": list(row.ranking.ideal) if row.ranking else [],
            "scores": {name: measure(row.ranking) for name, measure in measures.items()} if row.ranking else {},
            "rank": row.rank,
            "passages": row.passages,
            "other_version_passages": row.other_version,
            "found": [
                {
                    "document": item.document,
                    "version": item.version,
                    "passage": item.passage,
                    "score": item.score,
                    "gain": item.gain,
                }
                for item in row.listed
            ],
        }


def _measures(k: int) -> Mapping[str, Callable[[Ranking], float]]:
    recalls = sorted({*RECALLS, k})
    return {
        f"ndcg@{RANKS}": partial(ndcg, k=RANKS),
        **{f"recall@{at}": partial(recall, k=at) for at in recalls},
        f"mrr@{RANKS}": partial(reciprocal_rank, k=RANKS),
    }


def _measured(rows: Sequence[Judged], k: int) -> Slice:
    return Slice(
        n=len(rows),
        metrics={name: found.measure for name, found in estimates(rows, k).items()},
        counts={
            "answerable": sum(row.ranking is not None for row in rows),
            "passages": sum(row.passages for row in rows),
            "other_version_passages": sum(row.other_version for row in rows),
            "longest_passage": max((row.longest for row in rows), default=0),
        },
    )


def _only_first(gains: Sequence[float]) -> Iterator[float]:
    """The gains with all but the first at 0: what comes later answers nothing more."""
    answered = False
    for gain in gains:
        yield 0.0 if answered else gain
        answered = answered or gain > 0


def _longest(passages: Iterable[Ranked]) -> int:
    return max((len(passage.text.split()) for passage in passages), default=0)


def _listed(passages: Sequence[Ranked], gains: Sequence[float]) -> tuple[Listed, ...]:
    return tuple(
        Listed(
            document=passage.id.document,
            version=passage.id.version,
            passage=passage.passage.id,
            score=passage.score,
            gain=gain,
        )
        for passage, gain in zip(passages[:_LISTED], gains, strict=False)
    )
