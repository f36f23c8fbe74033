"""Comparisons: what two results differ by, and whether the difference is more than chance would show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field

from toulmin.domain.errors import InputError
from toulmin.evaluation import answers, claims, retrieval
from toulmin.evaluation.intervals import Estimate, Measure, combined
from toulmin.evaluation.labels import CLASSES, Label
from toulmin.evaluation.report import NOT_STATED, MeasureJson, measure_json
from toulmin.evaluation.rows import Row, rows
from toulmin.evaluation.rulings import BASELINES
from toulmin.wire import strict_json
from toulmin.wire.model import Strict, read
from toulmin.wire.scalars import Identifier, Number, Truth, choice, nearest
from toulmin.wire.source import read_file

SCHEMA = "toulmin.eval/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """How rows of a kind are measured, what has to be the same of one row in two files, and what each is an example of."""

    estimates: Callable[[Sequence[Any]], dict[str, Estimate]]
    given: Callable[[Any], tuple[object, ...]]
    phenomenon: Callable[[Any], str | None]


_KINDS: Mapping[str, _Kind] = {
    claims.KIND: _Kind(
        estimates=claims.estimates, given=lambda row: (row.label, row.group), phenomenon=lambda row: row.phenomenon
    ),
    answers.KIND: _Kind(
        estimates=answers.estimates, given=lambda row: (row.sort, row.group), phenomenon=lambda row: row.kind
    ),
    retrieval.KIND: _Kind(
        estimates=retrieval.estimates_of_lines,
        given=lambda row: (row.relevant, row.group),
        phenomenon=lambda row: row.kind,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One judge's part of a file: its metrics, and what it came to by the ids of the claims or questions where the file has that."""

    name: str
    kind: str
    metrics: Mapping[str, Estimate]
    rows: Mapping[str, claims.Judged] | Mapping[str, answers.Judged] | Mapping[str, retrieval.Scored]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A metric on both sides, and B minus A with its 95 % interval; without width where it is a count, which is known exactly."""

    a: Measure
    b: Measure
    difference: Measure

    @property
    def claimed(self) -> bool | None:
        """Whether the interval leaves out 0; None for a count, and where one side has no value."""
        low, high = self.difference.low, self.difference.high
        counted = all(side.low == side.high for side in (self.a, self.b))
        if low is None or high is None or counted:
            return None
        return low > 0 or high < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The differences of two results, by the names of the metrics. `paired` is over how many rows that both have, None where unpaired.

    `only_a` and `only_b` count claims, or questions, that the other side does not have: they were left out.
    """

    kind: str
    a: str
    b: str
    paired: int | None
    only_a: int
    only_b: int
    metrics: Mapping[str, Difference]


class DifferenceJson(TypedDict):
    """A metric of both sides and B minus A. `claimed`: its interval leaves out 0; null for a count, and where a side has no value."""

    a: MeasureJson
    b: MeasureJson
    difference: MeasureJson
    claimed: bool | None


class ComparisonJson(TypedDict):
    """`toulmin.eval-comparison/1`."""

    schema: Literal["toulmin.eval-comparison/1"]
    kind: str
    a: str
    b: str
    paired: int | None
    only_a: int
    only_b: int
    metrics: dict[str, DifferenceJson]


class _Measure(Strict):
    value: Number | None
    low: Number | None
    high: Number | None

    def measure(self) -> Measure:
        return Measure(value=self.value, low=self.low, high=self.high)


class _Objection(Strict, extra="ignore"):
    oracle: Identifier


class _Said(Strict, extra="ignore"):
    verdict: Annotated[Label, choice(*CLASSES)]
    supported: Number | None
    objections: tuple[_Objection, ...] | None


class _Row(Row, extra="ignore"):
    id: Identifier
    group: Identifier
    label: Annotated[Label, choice(*Label)]
    phenomenon: Identifier | None = None
    verdicts: dict[Identifier, _Said]


class _Question(Row, extra="ignore"):
    id: Identifier
    group: Identifier
    phenomenon: Identifier | None = None
    points: dict[Identifier, tuple[Truth, ...]]


class _Searched(Row, extra="ignore"):
    id: Identifier
    group: Identifier
    phenomenon: Identifier | None = None
    relevant: tuple[Number, ...]
    scores: dict[Identifier, Number]


class _Line(Row, extra="ignore"):
    points: Any = None
    scores: Any = None


class _Judge(Strict, extra="ignore"):
    metrics: dict[Identifier, _Measure]


class _Result(Strict, extra="ignore"):
    version: Annotated[str, choice(SCHEMA)] = Field(alias="schema")
    kind: Identifier
    judge: Identifier | None = None
    metrics: dict[Identifier, _Measure] | None = None
    judges: dict[Identifier, _Judge] = Field(default_factory=dict)
    baselines: dict[Identifier, _Judge] = Field(default_factory=dict)


def read_side(path: Path, judge: str | None) -> Side:
    """A judge of a file: the one of that name, or its only one. A file of JSON lines (`.jsonl`, `.jsonl.gz`) holds rows, another metrics.

    Raises `InputError` for a file that is neither, for a judge that it does not have, and where it has several and none is named.
    """
    return _of_lines(path, judge) if ".jsonl" in path.suffixes else _of_result(path, judge)


def compared(a: Side, b: Side) -> Comparison:
    """What B is more than A: row by row where both hold the same claims or questions, else as two independent samples.

    Raises `InputError` for results of two kinds, and for a claim with two labels or a question with other gold.
    """
    shared = _shared(a, b)
    if not shared:
        found = _differences(a.metrics, b.metrics)
        return Comparison(kind=a.kind, a=a.name, b=b.name, paired=None, only_a=0, only_b=0, metrics=found)
    return replace(_paired(a, b, shared), only_a=len(a.rows) - len(shared), only_b=len(b.rows) - len(shared))


def compared_by_phenomenon(a: Side, b: Side) -> dict[str, Comparison]:
    """The same row by row for each phenomenon, by its name; empty where the sides share no rows, or these state none. Raises what `compared` does.

    Each is a comparison of its own: of many differences, one in twenty is by chance.
    """
    parts: dict[str, list[str]] = {}
    for name in _shared(a, b):
        parts.setdefault(_KINDS[a.kind].phenomenon(a.rows[name]) or NOT_STATED, []).append(name)
    if parts.keys() == {NOT_STATED}:
        return {}
    return {phenomenon: _paired(a, b, names) for phenomenon, names in sorted(parts.items())}


def comparison_json(found: Comparison) -> ComparisonJson:
    """The comparison as `toulmin.eval-comparison/1`."""
    return {
        "schema": "toulmin.eval-comparison/1",
        "kind": found.kind,
        "a": found.a,
        "b": found.b,
        "paired": found.paired,
        "only_a": found.only_a,
        "only_b": found.only_b,
        "metrics": {name: _difference_json(item) for name, item in found.metrics.items()},
    }


def _of_lines(path: Path, judge: str | None) -> Side:
    first, _ = next(iter(rows(path, _Line)))
    if first.scores is not None:
        return _of_searches(path, judge)
    return _of_claims(path, judge) if first.points is None else _of_questions(path, judge)


def _of_searches(path: Path, judge: str | None) -> Side:
    name = _chosen(path, judge, (retrieval.KIND,))
    found = {
        row.id: retrieval.Scored(
            id=row.id, group=row.group, relevant=row.relevant, scores=row.scores, kind=row.phenomenon
        )
        for row, _ in rows(path, _Searched)
    }
    metrics = retrieval.estimates_of_lines(tuple(found.values()))
    return Side(name=f"{path.name}: {name}", kind=retrieval.KIND, metrics=metrics, rows=found)


def _of_questions(path: Path, judge: str | None) -> Side:
    name = _chosen(path, judge, (answers.KIND,))
    found = {
        row.id: answers.Judged(id=row.id, group=row.group, points=row.points, kind=row.phenomenon)
        for row, _ in rows(path, _Question)
    }
    metrics = answers.estimates(tuple(found.values()))
    return Side(name=f"{path.name}: {name}", kind=answers.KIND, metrics=metrics, rows=found)


def _of_claims(path: Path, judge: str | None) -> Side:
    found = [row for row, _ in rows(path, _Row)]
    name = _chosen(path, judge, tuple(dict.fromkeys(name for row in found for name in row.verdicts)))
    said = {row.id: _judged(row, row.verdicts[name]) for row in found if name in row.verdicts}
    metrics = claims.estimates(tuple(said.values()))
    return Side(name=f"{path.name}: {name}", kind=claims.KIND, metrics=metrics, rows=said)


def _of_result(path: Path, judge: str | None) -> Side:
    source = str(path)
    result = read(_Result, strict_json.parse(read_file(path, source), source), source)
    sides = {name: item.metrics for name, item in (*result.judges.items(), *result.baselines.items())}
    if result.metrics is not None:
        sides = {result.judge or result.kind: result.metrics, **sides}
    name = _chosen(path, judge, tuple(sides))
    metrics = {metric: Estimate(measure=value.measure()) for metric, value in sides[name].items()}
    return Side(name=f"{path.name}: {name}", kind=result.kind, metrics=metrics, rows={})


def _chosen(path: Path, judge: str | None, known: tuple[str, ...]) -> str:
    """The judge of that name; without one, the only one that is no baseline."""
    if judge is not None:
        if judge not in known:
            raise InputError("usage", f"{path} has no judge {judge!r}", remedy=nearest(judge, known))
        return judge
    judges = [name for name in known if name not in BASELINES]
    if len(judges) != 1:
        message = f"{path} holds {len(judges)} judges: {', '.join(judges)}"
        raise InputError("usage", message, remedy="name one with --judge")
    return judges[0]


def _judged(row: _Row, said: _Said) -> claims.Judged:
    return claims.Judged(
        id=row.id,
        group=row.group,
        label=row.label,
        verdict=said.verdict,
        objected=None if said.objections is None else frozenset(item.oracle for item in said.objections),
        supported=said.supported,
        phenomenon=row.phenomenon,
    )


def _differences(a: Mapping[str, Estimate], b: Mapping[str, Estimate]) -> dict[str, Difference]:
    return {
        name: Difference(
            a=a[name].measure, b=b[name].measure, difference=combined([(1, b[name]), (-1, a[name])]).measure
        )
        for name in a
        if name in b
    }


def _shared(a: Side, b: Side) -> list[str]:
    """The ids of the rows that both sides have. Raises what `compared` does."""
    if a.kind != b.kind:
        message = f"{a.name} is about {a.kind}, {b.name} about {b.kind}"
        raise InputError("usage", message, remedy="compare two results of one kind")
    shared = [name for name in a.rows if name in b.rows]
    for name in shared:
        if _KINDS[a.kind].given(a.rows[name]) != _KINDS[a.kind].given(b.rows[name]):
            message = f"{name!r} has another label, gold or group in {a.name} than in {b.name}"
            raise InputError("labels_differ", message, remedy="compare results on the same labelled rows")
    return shared


def _paired(a: Side, b: Side, names: Sequence[str]) -> Comparison:
    """The rows of these ids, one by one."""
    estimates = _KINDS[a.kind].estimates
    found = _differences(*(estimates([side.rows[name] for name in names]) for side in (a, b)))
    return Comparison(kind=a.kind, a=a.name, b=b.name, paired=len(names), only_a=0, only_b=0, metrics=found)


def _difference_json(item: Difference) -> DifferenceJson:
    return {
        "a": measure_json(item.a),
        "b": measure_json(item.b),
        "difference": measure_json(item.difference),
        "claimed": item.claimed,
    }
