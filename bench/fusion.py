"""How to make one ranking of two: by words and by meaning, on the data that the choice is made on; or, with --report, what the choice is worth elsewhere.

Usage: fusion.py DATA [--cache FOLDER] [--report]
DATA and the cache are those of passages.py. Compared by nDCG@10: reciprocal rank fusion, and weighted means of the indexes' own scores, of scores
that are stretched over what was found (min-max), and of scores where what a list lacks counts 0 there. The mean of true scores is what the
product does; of the weights the one is chosen that is best on both datasets together. A second table says which scores passages have that
hold an answer, and the best of those that do not: what a minimum score is worth. --report: scifact's test queries, cranfield, cisi and npl.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

from common import report, say
from passages import (
    CUTTINGS,
    DEFAULT,
    DEPTH,
    OPEN_HALF,
    Cut,
    Dataset,
    Dense,
    K,
    Lexical,
    Query,
    Vectors,
    flask,
    parsed,
    scifact,
)

from toulmin.adapters.onnx import StatedEmbedder, onnx_embedder
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.evidence.fusion import WORDS, most_unseen, settled
from toulmin.evaluation.beir import read_collection
from toulmin.evaluation.intervals import briefly
from toulmin.evaluation.retrieval import estimates, judged_query

_WEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_RRF = 60
_EVERYTHING = 10**6
_BEST = 10

Scores = Mapping[tuple[int, int], float]
"""By source and passage."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A query with every passage's scores, above 0, by words and by meaning."""

    query: Query
    words: Scores
    meaning: Scores


Way = Callable[[Searched], Scores]


def by_words(found: Searched) -> Scores:
    return found.words


def by_meaning(found: Searched) -> Scores:
    return found.meaning


def by_ranks(found: Searched) -> Scores:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009) of both lists."""
    scores: dict[tuple[int, int], float] = {}
    for side in (found.words, found.meaning):
        for rank, row in enumerate(_top(side), start=1):
            scores[row] = scores.get(row, 0.0) + 1 / (_RRF + rank)
    return scores


def by_mean(weight: float) -> Way:
    """The weighted mean of true scores."""
    return lambda found: _mean(found.words, found.meaning, weight)


def by_lists(weight: float) -> Way:
    """The same of both lists, where what one of them lacks has 0 there."""
    return lambda found: _mean(_top(found.words), _top(found.meaning), weight)


def by_stretched(weight: float) -> Way:
    """The same of scores that are stretched from 0 to 1 over each list."""
    return lambda found: _mean(_stretched(_top(found.words)), _stretched(_top(found.meaning)), weight)


def _top(scores: Scores) -> Scores:
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:DEPTH])


def _stretched(scores: Scores) -> Scores:
    least, most = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {row: (score - least) / (most - least) if most > least else 1.0 for row, score in scores.items()}


def _mean(words: Scores, meaning: Scores, weight: float) -> Scores:
    rows = words.keys() | meaning.keys()
    return {row: weight * words.get(row, 0.0) + (1 - weight) * meaning.get(row, 0.0) for row in rows}


WAYS: Mapping[str, Way] = {
    "by words": by_words,
    "by meaning": by_meaning,
    f"reciprocal ranks, {_RRF}": by_ranks,
    **{f"mean, words {weight}": by_mean(weight) for weight in _WEIGHTS},
    **{f"mean, what a list lacks 0, words {weight}": by_lists(weight) for weight in (0.4, 0.5, 0.6)},
    **{f"mean of stretched, words {weight}": by_stretched(weight) for weight in (0.4, 0.5, 0.6)},
}
CHOSEN: Mapping[str, Way] = {"by words": by_words, "by meaning": by_meaning, "both": by_mean(WORDS)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("/var/tmp/toulmin-bench"))  # noqa: S108 - kept on purpose
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    vectors = Vectors(given.cache, onnx_embedder(StatedEmbedder()))
    if given.report:
        names = ("scifact", "cranfield", "cisi", "npl")
        datasets, ways, name = [beir(given.data, name) for name in names], CHOSEN, "fusion-report"
    else:
        datasets, ways, name = [flask(given.data, OPEN_HALF), scifact(given.data)], WAYS, "fusion"
    searched = {dataset.name: _searched(dataset, vectors) for dataset in datasets}
    done = {dataset.name: _cut(dataset) for dataset in datasets}
    table = [_row(name, way, done, searched) for name, way in ways.items()]
    kept = [row for data in datasets for row in _thresholds(data.name, done[data.name], searched[data.name])]
    first = mean(_at_once(found) for rows in searched.values() for found in rows)
    notes = (f"{first:.0%} of the queries are settled for the best {_BEST} with the first {DEPTH} hits of each index",)
    report(name, table, notes=notes, queries={data.name: len(data.queries) for data in datasets}, words=WORDS)
    report(f"{name}-scores", kept, notes=("passages that hold an answer; beside them the best that holds none",))


def beir(data: Path, name: str) -> Dataset:
    """A collection whole, with its test queries."""
    collection = read_collection(data / "retrieval" / name, "test")
    return Dataset(
        name=name,
        sources=tuple(
            parsed(RevisionId(item.id, "1"), 1, item.title or None, item.body.encode(), "document.txt")
            for item in collection.documents
            if item.body.strip()
        ),
        queries=tuple(
            Query(text=query.text, scope=1, judge=lambda found, query=query: judged_query(query, found, DEPTH))  # type: ignore[misc]
            for query in collection.queries
        ),
    )


def _cut(dataset: Dataset) -> Cut:
    cutting = CUTTINGS[DEFAULT[0]]
    return Cut(
        sources=dataset.sources,
        passages=tuple(tuple(cutting(source.text, source.sections)) for source in dataset.sources),
    )


def _searched(dataset: Dataset, vectors: Vectors) -> list[Searched]:
    """Every query of a dataset, searched by words and by meaning to the end."""
    say(dataset.name)
    done = _cut(dataset)
    words = Lexical(done, DEFAULT[1])
    meaning = Dense(done, DEFAULT[1], vectors, dataset.queries, dataset.name)
    return [
        Searched(
            query=query,
            words={(at, place): score for at, place, score in words.search(query, _EVERYTHING)},
            meaning={(at, place): score for at, place, score in meaning.search(query, _EVERYTHING)},
        )
        for query in dataset.queries
    ]


def _row(name: str, way: Way, done: Mapping[str, Cut], searched: Mapping[str, Sequence[Searched]]) -> dict[str, Any]:
    row: dict[str, Any] = {"fusion": name}
    values = []
    for dataset, queries in searched.items():
        judged = [found.query.judge(done[dataset].ranked(_ranking(way(found)))) for found in queries]
        measure = estimates(judged, K)["ndcg@10"].measure
        values.append(measure.value or 0.0)
        row[f"{dataset} nDCG@10"] = f"{measure.value:.4f} {briefly(measure).partition(' ')[2]}"
    return {**row, "mean": round(mean(values), 4)}


def _ranking(scores: Scores) -> list[tuple[int, int, float]]:
    return [(*row, score) for row, score in _top(scores).items()]


def _thresholds(name: str, done: Cut, searched: Sequence[Searched]) -> Iterator[dict[str, Any]]:
    """Of each kind of search: deciles of the scores of the best passage with an answer, and of the best without one."""
    for kind, way in CHOSEN.items():
        right, wrong = [], []
        for found in searched:
            ranking = done.ranked(_ranking(way(found)))
            gold = [item for item in ranking if found.query.judge([item]).rank]
            right += [gold[0].score] if gold else []
            wrong += [next((item.score for item in ranking if item not in gold), 0.0)]
        row: dict[str, Any] = {"dataset": name, "search": kind}
        for label, scores in (("answer", right), ("none", wrong)):
            cuts = quantiles(scores, n=10)
            row |= {f"{label} {share} %": round(cuts[share // 10 - 1], 3) for share in (10, 50, 90)}
        yield row


def _at_once(found: Searched) -> bool:
    """Whether the best of a query are settled by the first hits of each index."""
    words, meaning = _top(found.words), _top(found.meaning)
    unseen = most_unseen(min(words.values(), default=0.0), min(meaning.values(), default=0.0))
    both = by_mean(WORDS)(found)
    return settled({row: both[row] for row in words.keys() | meaning.keys()}, _BEST, unseen) is not None


if __name__ == "__main__":
    main()
