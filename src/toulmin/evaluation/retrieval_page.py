"""The report of `eval retrieval` as one HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from toulmin.evaluation.charts import Bar, bars
from toulmin.evaluation.intervals import in_words
from toulmin.evaluation.markup import Markup, element, together
from toulmin.evaluation.page import table, whole_page
from toulmin.evaluation.report import Report, Slice
from toulmin.evaluation.retrieval import Judged, Results

_RANKS = ((1, 1), (2, 5), (6, 10), (11, 100))
"""First and last rank of the lines that say where the first relevant thing was found."""

_MISSED = 50
"""How many questions are listed that were not answered within the best k."""


def page(results: Results) -> str:
    """The whole page; the same for the same results."""
    report = results.report
    return whole_page(
        f"Retrieval: {results.dataset}",
        _introduction(results, report),
        _overview(report),
        _ranks(results),
        *_parts(report),
        *_missed(results),
    )


def _introduction(results: Results, report: Report) -> Markup:
    groups = len({row.group for row in results.rows})
    told = f"{report.whole.n} questions ({report.whole.counts['answerable']} with something to find) in {groups} groups, from {results.dataset}."
    reading = (
        "Every value has its 95 % interval, by groups; a dash is a share of nothing. What has no judgement counts as not relevant, "
        "so that what is measured is a lower bound."
    )
    notes = [element("li", note) for note in results.notes]
    return together(element("p", told), element("p", reading, class_="soft"), element("ul", *notes) if notes else "")


def _overview(report: Report) -> Markup:
    whole = report.whole
    rows = [[name, in_words(measure), _meaning(name)] for name, measure in whole.metrics.items()]
    counts = [[name, str(count), "count"] for name, count in whole.counts.items()]
    drawn = bars("All questions", [(name, [_bar(name, whole)]) for name in whole.metrics])
    listed = table("Retrieval", ["", "", "what it is"], [*rows, *counts])
    return together(element("h2", "All questions"), listed, element("div", drawn, class_="figures"))


def _meaning(name: str) -> str:
    """What a metric says, in words."""
    measure, _, k = name.partition("@")
    return {
        "ndcg": f"gain by grade and rank over the best {k}, of what an ideal ranking has",
        "recall": f"share of what is relevant that is among the best {k}",
        "mrr": f"1/rank of the first relevant thing, 0 where it is not among the best {k}",
    }[measure]


def _ranks(results: Results) -> Markup:
    counted = Counter(_line(row) for row in results.rows if row.ranking is not None)
    names = (*(_named(first, last) for first, last in _RANKS), _NOT_FOUND)
    rows = [[name, str(counted[name])] for name in names]
    return table("Where the first relevant thing was found", ["rank", "questions"], rows)


_NOT_FOUND = "deeper, or not found"


def _line(row: Judged) -> str:
    return next((_named(first, last) for first, last in _RANKS if row.rank and first <= row.rank <= last), _NOT_FOUND)


def _named(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def _parts(report: Report) -> Iterator[Markup]:
    for attribute, values in report.by.items():
        if values:
            yield element("h2", f"By {attribute}")
            charts = (_drawn(values, attribute, metric) for metric in report.whole.metrics)
            yield element("div", *charts, class_="figures")
            yield _detailed(values, attribute)


def _drawn(values: Mapping[str, Slice], attribute: str, metric: str) -> Markup:
    return bars(f"{metric} by {attribute}", [(value, [_bar(metric, part)]) for value, part in values.items()])


def _bar(metric: str, part: Slice) -> Bar:
    return Bar(name=metric, measure=part.metrics[metric], colour=0)


def _detailed(values: Mapping[str, Slice], attribute: str) -> Markup:
    metrics = next(iter(values.values())).metrics
    rows = [
        [value, str(part.n), str(part.counts["answerable"]), *(in_words(part.metrics[name]) for name in metrics)]
        for value, part in values.items()
    ]
    return table(f"Retrieval by {attribute}", [attribute, "n", "with something to find", *metrics], rows)


def _missed(results: Results) -> Iterator[Markup]:
    missed = [row for row in results.rows if row.ranking is not None and not row.found_within(results.k)]
    if missed:
        rows = [[row.id, str(row.rank or "-"), row.question] for row in missed[:_MISSED]]
        more = f"; the first {_MISSED} of {len(missed)}" if len(missed) > _MISSED else ""
        yield element("h2", f"Not among the best {results.k}")
        yield table(
            f"Questions with nothing relevant among the best {results.k}{more}", ["id", "rank", "question"], rows
        )
