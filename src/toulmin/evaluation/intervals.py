"""Intervals: how far a measured value may be from what more rows of the same kind would show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

_Z = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measured value with its 95 % interval; all three are None where there was nothing to measure."""

    value: float | None
    low: float | None
    high: float | None


def mean(values: Sequence[float]) -> Measure:
    """The mean of values in [0, 1] with its Wilson score interval (Wilson 1927, without continuity correction).

    It is made for shares, that is for values of 0 and 1. For others it is wider than it need be, never narrower, since no variable in
    [0, 1] varies more than the share with its mean (Bhatia and Davis 2000). Unlike a normal or bootstrap interval it stays inside [0, 1]
    and has a width where all values are equal. Rows count as independent: where they come in groups, the truth is wider.
    """
    n = len(values)
    if not n:
        return Measure(value=None, low=None, high=None)
    value = fsum(values) / n
    shrink = 1 + _Z**2 / n
    centre = (value + _Z**2 / (2 * n)) / shrink
    half = _Z * sqrt(value * (1 - value) / n + _Z**2 / (4 * n**2)) / shrink
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return Measure(
        value=value, low=min(low, value), high=max(high, value)
    )  # at 0 and 1 rounding could leave the value outside
