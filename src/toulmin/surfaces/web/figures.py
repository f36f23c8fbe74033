"""Figures of reports: a plot and the same numbers as a table; without the plot where there are too few rows for one to show anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.evaluation.intervals import in_words
from toulmin.surfaces.web.plots import BOTTOM, FEWEST, LEFT, RIGHT, TOP, Axis, Dot, Plot, axis, steps
from toulmin.surfaces.web.reports import (
    BinForm,
    CalibrationForm,
    OperatingForm,
    PointForm,
    ReliabilityForm,
    RunForm,
    TradeoffForm,
)

ACCEPTED, COVERED, REJECTED = "false_accept_rate", "coverage", "false_rejection_rate"

_FAR_OFF = 5
"""How many times the limit a rate may be to be drawn beside it: further thresholds would press all others into one line."""
_LARGEST = 7.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What is told beside a plot, the plot, and its numbers: the names of columns, and rows in words. Without a plot `told` says why."""

    title: str
    told: str
    plot: Plot | None
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def reliability_figure(name: str, reliability: ReliabilityForm) -> Figure:
    """Whether claims that are said to be supported with a probability of p are so in a share of p."""
    filled = [each for each in reliability.bins if each.n and each.mean is not None]
    n = sum(each.n for each in filled)
    error = "" if reliability.ece is None else f" Expected calibration error: {reliability.ece:.3f}."
    told = (
        f"{n} claims with a probability, in {len(filled)} bins; each bar is a 95 % interval, with the number of claims above it: the larger the dot the more. On the dashed line "
        f"the probability is the share; below it the judge is too sure.{error}"
    )
    return Figure(
        title=f"Reliability of {name}",
        told=told if n >= FEWEST else _too_few(n, "claims with a probability"),
        plot=_reliability_plot(name, filled, n) if n >= FEWEST else None,
        columns=("mean probability", "share labelled supported", "claims"),
        rows=tuple((_number(each.mean), in_words(each.share.measure), str(each.n)) for each in reliability.bins),
    )


def tradeoff_figure(name: str, run: RunForm, tradeoff: TradeoffForm) -> Figure:
    """What thresholds would let through falsely, against what they would decide."""
    known = [(point, dot) for point in tradeoff.points for dot in _placed(point)]
    acting = tradeoff.acting
    drawn = run.n >= FEWEST and bool(known)
    told = (
        f"{run.n} claims under {len(tradeoff.points)} thresholds; the bars are 95 % intervals. {_operates(acting, tradeoff.threshold)} These are the claims "
        "that were measured: no promise is made by choosing a threshold on them. toulmin calibrate makes one."
    )
    return Figure(
        title=f"False accepts against coverage: {name}",
        told=told if drawn else _too_few(run.n, "claims"),
        plot=_tradeoff_plot(name, known, acting) if drawn else None,
        columns=("threshold", "delivered", "false accepts", "false accept rate", "coverage", "false rejection rate"),
        rows=tuple(
            (
                f"{point.threshold:g}",
                str(point.delivered),
                str(point.false_accepts),
                *(
                    in_words(point.metrics[metric].measure) if metric in point.metrics else "-"
                    for metric in (ACCEPTED, COVERED, REJECTED)
                ),
            )
            for point in tradeoff.points
        ),
    )


def calibration_figure(found: CalibrationForm) -> Figure:
    """What each threshold does to independent claims, and which is the lowest that keeps the promise."""
    n = found.curve[0].n if found.curve else 0
    most = min(1.0, _FAR_OFF * found.max_false_accept)
    near = [point for point in found.curve if point.upper <= most]
    drawn = n >= FEWEST and bool(near)
    far = len(found.curve) - len(near)
    told = (
        f"{n} independent claims that are not supported. Each bar reaches from the share that was delivered to its upper bound with confidence "
        f"{found.confidence:g}; the dashed line is what was promised."
    )
    left = f" {far} thresholds whose bound is above {most:g} stand in the table alone." if far else ""
    return Figure(
        title=f"False accepts against coverage: {found.judge}",
        told=told + left if drawn else _too_few(n, "independent claims that are not supported"),
        plot=_calibration_plot(found, near) if drawn else None,
        columns=("threshold", "false accepts", "upper bound", "promise kept", "coverage", "supported claims delivered"),
        rows=tuple(
            (
                f"{point.threshold:g}",
                f"{point.false_accepts} of {point.n}",
                f"{point.upper:.4f}",
                "yes" if point.passes else "no",
                f"{point.coverage:.3f}",
                _number(point.completeness),
            )
            for point in found.curve
        ),
    )


def _reliability_plot(name: str, filled: Sequence[BinForm], n: int) -> Plot:
    x, y = axis(0, 1, LEFT, RIGHT), axis(0, 1, BOTTOM, TOP)
    most = max(each.n for each in filled)
    told = "; ".join(f"said {each.mean:.2f}, supported {in_words(each.share.measure)} of {each.n}" for each in filled)
    return Plot(
        title=f"Reliability of {name}, {n} claims",
        told=told,
        x=x,
        y=y,
        x_name="mean probability that is stated",
        y_name="share labelled supported",
        dots=tuple(dot for each in filled for dot in _bin_dots(each, most, x, y)),
        diagonal=True,
    )


def _bin_dots(each: BinForm, most: int, x: Axis, y: Axis) -> Sequence[Dot]:
    share = each.share
    if each.mean is None or share.value is None or share.low is None or share.high is None:
        return ()
    return (
        Dot(
            x=x.at(each.mean),
            y=y.at(share.value),
            low=y.at(share.low),
            high=y.at(share.high),
            told=f"{each.n} claims, mean {each.mean:.2f}, supported {in_words(share.measure)}",
            radius=round(max(2.5, _LARGEST * (each.n / most) ** 0.5), 2),
            count=each.n,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A threshold in numbers, before it has a place."""

    x: float
    y: float
    low: float
    high: float
    left: float
    right: float
    told: str


def _placed(point: OperatingForm) -> Sequence[_Placed]:
    accepted, covered = point.metrics.get(ACCEPTED), point.metrics.get(COVERED)
    if accepted is None or covered is None:
        return ()
    numbers = (accepted.value, accepted.low, accepted.high, covered.value, covered.low, covered.high)
    known = [each for each in numbers if each is not None]
    if len(known) < len(numbers):
        return ()
    y, low, high, x, left, right = known
    told = f"threshold {point.threshold:g}: false accepts {in_words(accepted.measure)}, coverage {in_words(covered.measure)}"
    return (_Placed(x=x, y=y, low=low, high=high, left=left, right=right, told=told),)


def _tradeoff_plot(name: str, known: Sequence[tuple[OperatingForm, _Placed]], acting: OperatingForm | None) -> Plot:
    x = axis(0, max(placed.right for _, placed in known), LEFT, RIGHT)
    y = axis(0, max(placed.high for _, placed in known), BOTTOM, TOP)
    dots = tuple(_dot(placed, x, y) for _, placed in known)
    chosen = next((_dot(placed, x, y, sideways=True) for point, placed in known if point is acting), None)
    return Plot(
        title=f"False accepts against coverage: {name}",
        told="; ".join(placed.told for point, placed in known if point is acting or len(known) <= FEWEST),
        x=x,
        y=y,
        x_name="coverage: share of claims that are decided",
        y_name="false accept rate",
        dots=dots,
        chosen=chosen,
        line=steps(dots),
    )


def _dot(placed: _Placed, x: Axis, y: Axis, *, sideways: bool = False) -> Dot:
    return Dot(
        x=x.at(placed.x),
        y=y.at(placed.y),
        low=y.at(placed.low),
        high=y.at(placed.high),
        left=x.at(placed.left) if sideways else None,
        right=x.at(placed.right) if sideways else None,
        told=placed.told,
    )


def _calibration_plot(found: CalibrationForm, near: Sequence[PointForm]) -> Plot:
    x = axis(0, max(point.coverage for point in near), LEFT, RIGHT)
    y = axis(0, max(found.max_false_accept, *(point.upper for point in near)), BOTTOM, TOP)
    dots = tuple(_curve_dot(point, x, y) for point in near)
    chosen = next((_curve_dot(point, x, y) for point in near if point == found.chosen), None)
    return Plot(
        title=f"False accepts against coverage: {found.judge}",
        told="; ".join(dot.told for dot in ((chosen,) if chosen else dots)),
        x=x,
        y=y,
        x_name="coverage: share of claims that are decided",
        y_name="false accept rate",
        dots=dots,
        chosen=chosen,
        line=steps(dots),
        limit=y.at(found.max_false_accept),
    )


def _curve_dot(point: PointForm, x: Axis, y: Axis) -> Dot:
    return Dot(
        x=x.at(point.coverage),
        y=y.at(point.rate),
        low=y.at(point.rate),
        high=y.at(point.upper),
        told=f"threshold {point.threshold:g}: {point.false_accepts} of {point.n}, at most {point.upper:.4f}; coverage {point.coverage:.3f}",
    )


def _operates(acting: OperatingForm | None, threshold: float) -> str:
    if acting is None:
        return f"The policy's threshold is {threshold:g}; no stated point acts as it does."
    return f"The ring is the policy's threshold, {threshold:g}: {acting.false_accepts} false accepts among {acting.delivered} claims delivered."


def _too_few(n: int, things: str) -> str:
    return f"Too few for a plot: {n} {things}. With fewer than {FEWEST} a plot shows little but chance; the table has the numbers."


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
