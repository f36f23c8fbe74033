"""Measurement: what evaluations have found, each figure with its interval, and what two of them differ by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.domain.errors import InputError
from toulmin.evaluation import answers_page
from toulmin.evaluation import page as claims_page
from toulmin.evaluation.comparison import Comparison, Difference, Side, compared, compared_by_phenomenon, read_side
from toulmin.evaluation.intervals import NOTHING, Estimate, Measure, in_words
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.problems import status_of
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.web.figures import Figure, calibration_figure, reliability_figure, tradeoff_figure
from toulmin.surfaces.web.listing import part
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.plots import Axis, Strip, axis, strip
from toulmin.surfaces.web.reports import (
    CalibrationForm,
    Evaluation,
    MeasureForm,
    NoReport,
    Report,
    Reports,
    RunForm,
    SliceForm,
)
from toulmin.surfaces.web.session import Evaluator
from toulmin.wire.model import Strict
from toulmin.wire.scalars import Count, Text

LENGTH: Final = 25
"""Reports of one page of the list."""
MOST_PARTS: Final = 25
"""Parts of a report that are shown beside others; a page of their own shows all."""
MOST_CHOICES: Final = 50
"""Reports among which a comparison is chosen: those that were written last."""
MOST_ROWS_BYTES: Final = 64 * 1024 * 1024
"""Of a file of rows that is read while somebody waits."""

FIRST_SHOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "claims": ("false_accept_rate", "false_rejection_rate", "accuracy", "coverage"),
    "answers": ("answered", "right_abstentions", "citation_recall", "answer_completeness"),
    "retrieval": ("ndcg@10", "recall@5", "recall@100", "mrr@10"),
}
"""The metrics that tell most, by kind."""

_RANKED: Final[Mapping[str, str]] = {
    "ndcg": "gain by grade and rank over the best {}, of what an ideal ranking has",
    "recall": "share of what is relevant that is among the best {}",
    "mrr": "1/rank of the first relevant thing, 0 where it is not among the best {}",
}
_EXACT = 1e15
"""Larger numbers are not written out."""

_SHARES = axis(0, 1, 6, 134)
"""Along which shares are drawn on a line of their own."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class ListQuery(Strict):
    """The number of the report with which the list begins."""

    first: Count = 1


class ReportQuery(ListQuery):
    """The attribute by whose values alone a report is to be shown."""

    by: Text = ""


class ComparisonQuery(Strict):
    """The two runs: the name of a report, a colon, and whose run it is."""

    a: Text = ""
    b: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A figure in words, and as it is drawn where it is a share."""

    words: str
    drawn: Strip | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a table: its name, what that means, and its cells."""

    name: str
    meaning: str = ""
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of figures; `total` lines there are, of which `lines` are shown. `unmeasured` are the names of those without any figure."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    total: int
    unmeasured: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return len(self.lines) == self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Somebody's part of a report; `key` names it in an address."""

    report: Report
    says: Evaluation
    name: str
    form: RunForm

    @property
    def key(self) -> str:
        return f"{self.report.name}:{self.name}"

    @property
    def title(self) -> str:
        return f"{self.report.name}: {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What two runs differ by, as a whole and by the values of an attribute, and what has to be known of it.

    `parts_are_paired`: the parts are compared row by row too.
    """

    a: Run
    b: Run
    found: Comparison
    whole: Grid
    parts: tuple[Grid, ...]
    parts_are_paired: bool
    told: int
    shares: int
    notes: tuple[str, ...]


@router.get("/measurement")
async def listed(request: Request, _: Evaluator, wanted: Annotated[ListQuery, Depends(query(ListQuery))]) -> Response:
    """The reports that there are, those that were written last first."""
    service = service_of(request)
    reports = _reports(service)
    shown = part(await service.run(reports.names), wanted.first, request.url, LENGTH)
    looked = await service.run(lambda: [reports.look(name) for name in shown.items])
    return page(
        request,
        "measurement.html",
        part=shown,
        reports=looked,
        is_there=reports.is_there,
        summary=_summary,
        address=report_address,
    )


@router.get("/measurement/compare")
async def comparison(
    request: Request, _: Evaluator, wanted: Annotated[ComparisonQuery, Depends(query(ComparisonQuery))]
) -> Response:
    """Two runs side by side. What cannot be compared is told beside the choice."""
    service = service_of(request)
    reports = _reports(service)
    runs = await service.run(lambda: [*_choices(reports)])
    found, fault = None, None
    if wanted.a and wanted.b:
        try:
            found = await service.run(_compared, reports, wanted)
        except InputError as wrong:
            facts(request).code, fault = wrong.code, wrong
    return page(
        request,
        "measurement_compare.html",
        status=status_of(fault) if fault else 200,
        runs=runs,
        given=wanted,
        fault=fault,
        compared=found,
        most=MOST_CHOICES,
        address=report_address,
    )


@router.get("/measurement/{name}")
async def shown(
    request: Request, name: str, _: Evaluator, wanted: Annotated[ReportQuery, Depends(query(ReportQuery))]
) -> Response:
    """One report: all of it, or all parts by one attribute."""
    service = service_of(request)
    report = await service.run(_reports(service).look, name)
    if isinstance(report, NoReport):
        raise report.fault
    if isinstance(report.says, CalibrationForm):
        return page(
            request,
            "measurement_calibration.html",
            report=report,
            says=report.says,
            figure=calibration_figure(report.says),
        )
    if wanted.by:
        values = tuple(
            dict.fromkeys(value for run in report.says.measured.values() for value in run.by.get(wanted.by, ()))
        )
        some = part(values, wanted.first, request.url)
        grids = tuple(_grid_of_parts(report.says, name, wanted.by, some.items) for name in report.says.measured)
        return page(request, "measurement_by.html", report=report, by=wanted.by, part=some, grids=grids)
    return page(
        request,
        "measurement_report.html",
        report=report,
        says=report.says,
        whole=_whole(report.says),
        figures=tuple(_figures(report.says)),
        parts=tuple(_parts(report.says)),
        compare=f"/measurement/compare?{urlencode({'a': f'{report.name}:{next(iter(report.says.runs))}'})}",
        address=report_address,
    )


def report_address(name: str, by: str | None = None) -> str:
    """The page of a report, whose name needs no quoting; of its parts by an attribute."""
    return f"/measurement/{name}" + ("" if by is None else f"?{urlencode({'by': by})}")


def _reports(service: Service) -> Reports:
    return Reports(folder=service.workspace.settings.server.reports)


def _summary(report: Report) -> tuple[tuple[str, str], ...]:
    """What a report comes to, in a line or a few, each with whose it is."""
    says = report.says
    if isinstance(says, CalibrationForm):
        if says.chosen is None:
            return ((says.judge, "no threshold keeps the promise"),)
        return ((says.judge, f"threshold {says.chosen.threshold:g}, false accepts at most {says.max_false_accept:g}"),)
    return tuple(
        (
            name,
            "; ".join(f"{_plain(metric)} {in_words(run.metrics[metric].measure)}" for metric in _first(says, run)[:2]),
        )
        for name, run in says.measured.items()
    )


def _first(says: Evaluation, run: RunForm) -> tuple[str, ...]:
    """The metrics of a run that tell most; where it has none of them, its first shares."""
    known = tuple(metric for metric in FIRST_SHOWN[says.kind] if metric in run.metrics)
    return known or tuple(metric for metric, value in run.metrics.items() if _is_share(value.measure))[:4]


def _whole(says: Evaluation) -> Grid:
    names = tuple(dict.fromkeys(metric for run in says.runs.values() for metric in run.metrics))
    lines = tuple(
        Line(
            name=_plain(metric),
            meaning=_meaning(says, metric),
            cells=tuple(_cell(_measure(run, metric)) for run in says.runs.values()),
        )
        for metric in names
    )
    columns = tuple(f"{name} (baseline)" if name in says.baselines else name for name in says.runs)
    return _measured(f"All {_things(says)}", ("", *columns), lines)


def _measured(title: str, columns: tuple[str, ...], lines: Sequence[Line]) -> Grid:
    """A table without the lines that have no figure, which are named beside it."""
    known = tuple(line for line in lines if any(cell.words[:1].isdigit() for cell in line.cells))
    unmeasured = tuple(line.name for line in lines if line not in known)
    return Grid(title=title, columns=columns, lines=known, total=len(known), unmeasured=unmeasured)


def _figures(says: Evaluation) -> Iterator[Figure]:
    for name, run in says.measured.items():
        if run.reliability is not None:
            yield reliability_figure(name, run.reliability)
        if run.tradeoff is not None:
            yield tradeoff_figure(name, run, run.tradeoff)


def _parts(says: Evaluation) -> Iterator[tuple[str, Grid]]:
    """The parts by each attribute, of each who was measured."""
    for name, run in says.measured.items():
        for attribute, values in run.by.items():
            if values:
                yield attribute, _grid_of_parts(says, name, attribute, tuple(values)[:MOST_PARTS])


def _grid_of_parts(says: Evaluation, name: str, attribute: str, values: Sequence[str]) -> Grid:
    run = says.runs[name]
    parts, metrics = run.by.get(attribute, {}), _first(says, run)
    lines = tuple(
        Line(
            name=value,
            cells=(Cell(words=str(parts[value].n)), *(_cell(_measure(parts[value], metric)) for metric in metrics)),
        )
        for value in values
        if value in parts
    )
    whose = f"{name}, by" if len(says.measured) > 1 else "By"
    columns = (_plain(attribute), _things(says), *map(_plain, metrics))
    return Grid(title=f"{whose} {_plain(attribute)}", columns=columns, lines=lines, total=len(parts))


def _measure(part: SliceForm, metric: str) -> Measure:
    return part.metrics[metric].measure if metric in part.metrics else NOTHING


def _cell(measure: Measure) -> Cell:
    if _is_exact(measure):
        return Cell(words=_count(measure.value or 0))
    return Cell(words=in_words(measure), drawn=strip(measure, _SHARES) if _is_share(measure) else None)


def _is_exact(measure: Measure) -> bool:
    """Whether it is a count, which has no interval."""
    return measure.value is not None and measure.low == measure.high


def _is_share(measure: Measure) -> bool:
    low, high = measure.low, measure.high
    return low is not None and high is not None and 0 <= low < high <= 1


def _count(value: float) -> str:
    return f"{value:,.10g}" if abs(value) < _EXACT else f"{value:.3g}"


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _things(says: Evaluation) -> str:
    return "claims" if says.kind == "claims" else "questions"


def _meaning(says: Evaluation, metric: str) -> str:
    measure, _, k = metric.partition("@")
    if says.kind == "retrieval":
        return _RANKED[measure].format(k) if measure in _RANKED else ""
    return (claims_page.MEANINGS if says.kind == "claims" else answers_page.MEANINGS).get(metric, "")


def _choices(reports: Reports) -> Iterator[Run]:
    for name in reports.names()[:MOST_CHOICES]:
        report = reports.look(name)
        if isinstance(report, Report) and isinstance(report.says, Evaluation):
            yield from _runs(report, report.says)


def _runs(report: Report, says: Evaluation) -> Iterator[Run]:
    return (Run(report=report, says=says, name=name, form=form) for name, form in says.runs.items())


def _run(reports: Reports, key: str) -> Run:
    """The run that is named. Raises `InputError` where it is none that can be compared."""
    name, _, whose = key.partition(":")
    report = reports.look(name)
    if isinstance(report, NoReport):
        raise report.fault.at(name)
    if isinstance(report.says, CalibrationForm):
        message = f"{name} is a calibration: it says what thresholds do, and measures no judge"
        raise InputError("not_comparable", message, remedy="choose what toulmin eval has written")
    known = {run.name: run for run in _runs(report, report.says)}
    if whose not in known:
        message = f"{name} has no run of {whose[:80]!r}"
        raise InputError("not_comparable", message, remedy=f"choose one of {', '.join(known)}")
    return known[whose]


def _compared(reports: Reports, wanted: ComparisonQuery) -> Compared:
    """B against A: row by row where the rows of both lie beside their reports, else as independent samples."""
    a, b = _run(reports, wanted.a), _run(reports, wanted.b)
    if a.says.kind != b.says.kind:
        message = f"{a.report.name} is about {a.says.kind}, {b.report.name} about {b.says.kind}"
        raise InputError("not_comparable", message, remedy="choose two of one kind")
    sides = [_rows(reports, run) for run in (a, b)]
    known = [side for side in sides if isinstance(side, Side)]
    notes = [side for side in sides if isinstance(side, str)] if len(known) < len(sides) else []
    ours, theirs = known if len(known) == len(sides) else (_alone(a, a.form.metrics), _alone(b, b.form.metrics))
    try:
        found, phenomena = compared(ours, theirs), compared_by_phenomenon(ours, theirs)
    except InputError as wrong:  # rows with other labels
        raise InputError("not_comparable", wrong.message, remedy=wrong.remedy) from None
    if a.says.datasets != b.says.datasets or a.says.groups != b.says.groups:
        notes.append(
            "They were measured on different data: a difference may be that of the data, and not of what was measured."
        )
    judged = [each for each in found.metrics.values() if each.claimed is not None]
    return Compared(
        a=a,
        b=b,
        found=found,
        whole=_grid_of_differences("All", a, found.metrics),
        parts=tuple(_phenomena(a, phenomena) if phenomena else _part_differences(a, b)),
        parts_are_paired=bool(phenomena),
        told=sum(each.claimed is True for each in judged),
        shares=len(judged),
        notes=tuple(dict.fromkeys(notes)),
    )


def _alone(run: Run, metrics: Mapping[str, MeasureForm]) -> Side:
    """A run, or a part of it, as a sample of its own."""
    estimates = {name: Estimate(measure=value.measure) for name, value in metrics.items()}
    return Side(name=run.title, kind=run.says.kind, metrics=estimates, rows={})


def _rows(reports: Reports, run: Run) -> Side | str:
    """The run row by row, if its rows lie beside its report and come to the same; else why not, in words."""
    path = reports.rows(run.report.name)
    if path is None:
        return f"There are no rows beside {run.report.name}: --rows writes them, and a comparison row by row sees smaller differences."
    if path.stat().st_size > MOST_ROWS_BYTES:
        return f"{path.name} is too large to be read for a page: use toulmin eval compare."
    try:
        side = read_side(path, run.name if run.says.kind == "claims" else None)
    except InputError as wrong:
        return f"{path.name} cannot be used: {wrong.message.replace(f'{path.parent}/', '')}"
    stated = {name: value.value for name, value in run.form.metrics.items()}
    if any(not _same(stated.get(name), each.measure.value) for name, each in side.metrics.items()):
        return f"{path.name} comes to other figures than {run.report.name}: it is of another run."
    return side


def _same(one: float | None, other: float | None) -> bool:
    return one == other or (one is not None and other is not None and abs(one - other) < 1e-9)


def _phenomena(a: Run, found: Mapping[str, Comparison]) -> Iterator[Grid]:
    """The same row by row for each phenomenon, a table for each metric that tells most."""
    for metric in _first(a.says, a.form):
        measured = {name: part for name, part in found.items() if metric in part.metrics}
        shown = dict(list(measured.items())[:MOST_PARTS])
        differences = {name: part.metrics[metric] for name, part in shown.items()}
        rows = {name: (part.paired or 0, part.paired or 0) for name, part in shown.items()}
        grid = _grid_of_differences(f"{_plain(metric)} by phenomenon", a, differences, rows)
        yield replace(grid, total=len(measured))


def _part_differences(a: Run, b: Run) -> Iterator[Grid]:
    """The same for the parts by the first attribute by which both were measured, a table for each metric that tells most."""
    attribute = next((name for name, values in a.form.by.items() if values and b.form.by.get(name)), None)
    if attribute is None:
        return
    ours, theirs = a.form.by[attribute], b.form.by[attribute]
    shared = [value for value in ours if value in theirs]
    for metric in _first(a.says, a.form):
        found = {
            value: compared(_alone(a, ours[value].metrics), _alone(b, theirs[value].metrics)).metrics[metric]
            for value in shared[:MOST_PARTS]
            if metric in ours[value].metrics and metric in theirs[value].metrics
        }
        rows = {value: (ours[value].n, theirs[value].n) for value in found}
        grid = _grid_of_differences(f"{_plain(metric)} by {_plain(attribute)}", a, found, rows)
        yield replace(grid, total=len(shared))


def _grid_of_differences(
    title: str, a: Run, found: Mapping[str, Difference], rows: Mapping[str, tuple[int, int]] | None = None
) -> Grid:
    along = _around_nothing(found.values())
    lines = tuple(
        Line(
            name=name if rows else _plain(name),
            meaning="" if rows else _meaning(a.says, name),
            cells=(
                *([Cell(words=str(n)) for n in rows[name]] if rows else []),
                _cell(item.a),
                _cell(item.b),
                _difference_cell(item, along),
                Cell(words=_claim(item)),
            ),
        )
        for name, item in found.items()
    )
    counted = (f"A: {_things(a.says)}", f"B: {_things(a.says)}") if rows else ()
    drawn = f"B - A, drawn from {along.low:g} to {along.high:g}"
    return _measured(title, ("", *counted, "A", "B", drawn, "what can be said"), lines)


def _around_nothing(found: Iterable[Difference]) -> Axis:
    """An axis for differences, with 0 in its middle."""
    ends = [
        abs(end) for each in found if not _is_count(each) for end in (each.difference.low, each.difference.high) if end
    ]
    most = axis(0, max((end for end in ends if end <= 1), default=1), 0, 1, most=1).high
    return Axis(low=-most, high=most, start=_SHARES.start, end=_SHARES.end, ticks=(-most, 0.0, most))


def _difference_cell(item: Difference, along: Axis) -> Cell:
    by = item.difference
    if by.value is None or by.low is None or by.high is None:
        return Cell(words="-")
    if _is_count(item):
        return Cell(words=f"{by.value:+,.10g}")
    drawn = strip(by, along) if -along.high <= by.low <= by.high <= along.high else None
    return Cell(words=f"{by.value:+.3f} ({by.low:+.2f} to {by.high:+.2f})", drawn=drawn)


def _is_count(item: Difference) -> bool:
    return _is_exact(item.a) and _is_exact(item.b)


def _claim(item: Difference) -> str:
    """What may be said of a difference."""
    if item.difference.value is None:
        return "not measured on both sides"
    if item.claimed is None:
        return "a count"
    if not item.claimed:
        return "cannot be told apart"
    return "B is higher" if item.difference.value > 0 else "B is lower"
