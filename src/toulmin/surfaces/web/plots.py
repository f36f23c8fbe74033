"""Plots as values: axes with round ticks, and places in a drawing, from which a template makes SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isclose, log10
from typing import Final

from toulmin.evaluation.intervals import Measure

FEWEST: Final = 30
"""With fewer rows a plot would show chance."""

LEFT, RIGHT, TOP, BOTTOM = 58.0, 424.0, 14.0, 286.0
"""The sides of the rectangle in which values are drawn."""

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """Where values from `low` to `high` are drawn: from `start` to `end`, which lies above or to the right."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """The place of a value, to a hundredth of a unit of the drawing."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    @property
    def marks(self) -> Iterator[tuple[str, float]]:
        """The ticks in words, with their places."""
        return ((f"{tick:g}", self.at(tick)) for tick in self.ticks)


def axis(low: float, high: float, start: float, end: float, *, most: int = 5) -> Axis:
    """An axis over round numbers that hold both ends, with at most so many steps between its ticks."""
    step = _step(max(high - low, 1e-3), most)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    last = max(last, first + 1)
    ticks = tuple(round(number * step, 10) for number in range(first, last + 1))
    return Axis(low=ticks[0], high=ticks[-1], start=start, end=end, ticks=ticks)


def _step(length: float, most: int) -> float:
    power = 10.0 ** floor(log10(length / most))
    return next(
        each * power for each in _STEPS if each * power * most >= length or isclose(each * power * most, length)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """A value with its interval on a line of its own, and the places of what it is compared with."""

    low: float
    at: float
    high: float
    grid: tuple[float, ...]


def strip(measure: Measure, along: Axis) -> Strip | None:
    """A measure as it is drawn along an axis; None where there was nothing to measure."""
    if measure.value is None or measure.low is None or measure.high is None:
        return None
    low, at, high = (along.at(value) for value in (measure.low, measure.value, measure.high))
    return Strip(low=low, at=at, high=high, grid=tuple(place for _, place in along.marks))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A point with the ends of its interval in the drawing, upwards and, where it has one, sideways; its words, and how many rows it is of."""

    x: float
    y: float
    low: float
    high: float
    left: float | None = None
    right: float | None = None
    told: str
    radius: float = 2.5
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A drawing with two axes: its title, what it shows in words, and its points; `chosen` is the one that acts.

    `diagonal` leads from where both are least to where both are most; `limit` is the height of a line that is not to be crossed.
    """

    title: str
    told: str
    x: Axis
    y: Axis
    x_name: str
    y_name: str
    dots: tuple[Dot, ...]
    chosen: Dot | None = None
    line: str = ""
    diagonal: bool = False
    limit: float | None = None


def steps(dots: Sequence[Dot]) -> str:
    """The path through points as a stair: between two thresholds that were tried nothing is known, so that the worse is drawn."""
    if not dots:
        return ""
    ordered = sorted(dots, key=lambda dot: (dot.x, -dot.y))
    moves = (f"V{right.y:g}H{right.x:g}" for _, right in pairwise(ordered))
    return f"M{ordered[0].x:g} {ordered[0].y:g}" + "".join(moves)
