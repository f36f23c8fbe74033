"""Reports: what was measured over all rows of a dataset and over parts of it, as a value, as JSON, and against bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NotRequired, TypedDict, TypeVar

from toulmin.domain.canonical import number_text
from toulmin.evaluation.intervals import Measure

T = TypeVar("T")


NOT_STATED = "not stated"
ENDS = ("low", "high")
"""The ends of a metric's interval, as a bound names them behind the metric: a value of few rows keeps a bound by luck, its interval does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """What was measured over `n` rows: metrics with intervals, and counts. Both are in the order in which they are shown."""

    n: int
    metrics: Mapping[str, Measure]
    counts: Mapping[str, int]

    def value(self, name: str) -> float | None:
        """The value of a metric or count, or an end of a metric's interval (`accuracy.low`); None where there was nothing to measure."""
        if name in self.counts:
            return self.counts[name]
        metric, _, end = name.rpartition(".")
        if end in ENDS and metric in self.metrics:
            measure = self.metrics[metric]
            return measure.low if end == "low" else measure.high
        return self.metrics[name].value


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An evaluation: over all rows, and for each attribute in `by` over the rows of each of its values."""

    kind: str
    whole: Slice
    by: Mapping[str, Mapping[str, Slice]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The most (`upper`) or the least that a metric or count may be."""

    name: str
    limit: float
    upper: bool

    def fault(self, report: Report) -> str | None:
        """How the report misses the bound, or None where it keeps it. What could not be measured keeps no bound."""
        value = report.whole.value(self.name)
        if value is None:
            return f"{self.name} could not be measured: it is over no row of the dataset, 0 of 0"
        if self.upper and value > self.limit:
            return f"{self.name} is {value:.4g}, above {number_text(self.limit)}"
        if not self.upper and value < self.limit:
            return f"{self.name} is {value:.4g}, below {number_text(self.limit)}"
        return None


class MeasureJson(TypedDict):
    """A value with its 95 % interval; null where there was nothing to measure."""

    value: float | None
    low: float | None
    high: float | None


class SliceJson(TypedDict):
    """What was measured over `n` rows. A count is a metric that is known exactly."""

    n: int
    metrics: dict[str, MeasureJson]


class EvalJson(SliceJson):
    """`toulmin.eval/1`."""

    schema: Literal["toulmin.eval/1"]
    kind: str
    by: dict[str, dict[str, SliceJson]]


class OriginJson(TypedDict):
    """The names of the files that were read, and the hash digits of the groups that were measured where it was not all of them."""

    datasets: list[str]
    groups: NotRequired[str]


def origin_json(datasets: Sequence[Path], groups: str | None) -> OriginJson:
    """What was measured, as a part of `toulmin.eval/1`: names alone, since where files lie says something of a host."""
    origin: OriginJson = {"datasets": [path.name for path in datasets]}
    return origin if groups is None else {**origin, "groups": groups}


def compiled(
    kind: str, rows: Sequence[T], measured: Callable[[Sequence[T]], Slice], by: Mapping[str, Callable[[T], str | None]]
) -> Report:
    """The report over judged rows: `measured` is asked for all of them, and for those of each value of the attributes in `by`.

    Rows that do not state an attribute (None) are a part of their own, `not stated`; one that no row states has no parts.
    """
    return Report(
        kind=kind,
        whole=measured(rows),
        by={name: {value: measured(part) for value, part in _parts(rows, key)} for name, key in by.items()},
    )


def report_json(report: Report) -> EvalJson:
    """The report as `toulmin.eval/1`."""
    return {
        "schema": "toulmin.eval/1",
        "kind": report.kind,
        **slice_json(report.whole),
        "by": parts_json(report),
    }


def parts_json(report: Report) -> dict[str, dict[str, SliceJson]]:
    """The parts of a report, by attribute and value."""
    return {name: {value: slice_json(part) for value, part in parts.items()} for name, parts in report.by.items()}


def _parts(rows: Sequence[T], key: Callable[[T], str | None]) -> Iterable[tuple[str, Sequence[T]]]:
    parts: dict[str, list[T]] = {}
    for row in rows:
        parts.setdefault(key(row) or NOT_STATED, []).append(row)
    return sorted(parts.items()) if parts.keys() != {NOT_STATED} else ()


def slice_json(part: Slice) -> SliceJson:
    """A slice in the shape of `toulmin.eval/1`."""
    measured = {name: measure_json(measure) for name, measure in part.metrics.items()}
    counted = {name: MeasureJson(value=count, low=count, high=count) for name, count in part.counts.items()}
    return {"n": part.n, "metrics": {**measured, **counted}}


def measure_json(measure: Measure) -> MeasureJson:
    """A measure in the shape of `toulmin.eval/1`."""
    return {"value": measure.value, "low": measure.low, "high": measure.high}
