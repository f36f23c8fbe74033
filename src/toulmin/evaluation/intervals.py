"""Intervals: how far a measured value may be from what more rows of the same kind would show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from random import Random

_Z = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""

_RESAMPLES = 2000
_FEWEST_GROUPS = 10
"""With fewer, a bootstrap is too narrow: it draws from the groups that there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measured value with its 95 % interval; all three are None where there was nothing to measure."""

    value: float | None
    low: float | None
    high: float | None


NOTHING = Measure(value=None, low=None, high=None)


def in_words(measure: Measure) -> str:
    """A value with its interval; `-` where there was nothing to measure."""
    if measure.value is None:
        return "-"
    return f"{measure.value:.3f} ({measure.low:.2f}–{measure.high:.2f})"


def briefly(measure: Measure) -> str:
    """The same in as few characters as tell it: `0.67 (.21–.94)`."""
    if measure.value is None or measure.low is None or measure.high is None:
        return "-"
    low, high = (f"{end:.2f}".removeprefix("0") for end in (measure.low, measure.high))
    return f"{measure.value:.2f} ({low}–{high})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A measure with what each group of rows pulls it away from what more groups would show, to first order.

    The pulls sum to 0 and their squares to the variance of the value, however alike the rows of a group are: rows need be independent
    across groups only. Two estimates over the same groups can be set against each other by them; without pulls they count as independent.
    """

    measure: Measure
    pulls: Mapping[str, float] = field(default_factory=dict)


def mean(values: Sequence[float]) -> Measure:
    """The mean of values in [0, 1] with its Wilson score interval (Wilson 1927, without continuity correction).

    It is made for shares, that is for values of 0 and 1. For others it is wider than it need be, never narrower, since no variable in
    [0, 1] varies more than the share with its mean (Bhatia and Davis 2000). Unlike a normal or bootstrap interval it stays inside [0, 1]
    and has a width where all values are equal. Rows count as independent: where they come in groups, the truth is wider.
    """
    n = len(values)
    return _wilson(fsum(values) / n, n) if n else NOTHING


def share(values: Sequence[tuple[str, float]]) -> Estimate:
    """The mean of (group, value in [0, 1]) with its Wilson score interval; that of `mean` where no group has two rows."""
    if not values:
        return Estimate(measure=NOTHING)
    n = len(values)
    value = fsum(value for _, value in values) / n
    return estimate(value, ((group, (each - value) / n) for group, each in values), n)


def bootstrapped(values: Sequence[tuple[str, float]]) -> Estimate:
    """The mean of (group, value in [0, 1]) with its percentile bootstrap interval: groups are drawn whole, always the same ones.

    Efron 1979; for groups Davison and Hinkley 1997, "Bootstrap Methods and their Application", 3.8. It is narrower than that of `share` where
    values lie between 0 and 1. With fewer than 10 groups, or where all groups are alike, so that no resample differs, it is that of `share`.
    """
    summed: dict[str, tuple[float, int]] = {}
    for group, value in values:
        total, count = summed.get(group, (0.0, 0))
        summed[group] = (total + value, count + 1)
    wilson, parts = share(values), list(summed.values())
    if len(parts) < _FEWEST_GROUPS or len({total / count for total, count in parts}) == 1:
        return wilson
    draw = Random(_RESAMPLES).choices  # noqa: S311 - resampling wants a fixed seed, not secrecy
    means = sorted(_ratio(draw(parts, k=len(parts))) for _ in range(_RESAMPLES))
    cut, value = _RESAMPLES // 40, _ratio(parts)
    measure = Measure(value=value, low=min(means[cut], value), high=max(means[-1 - cut], value))
    return Estimate(measure=measure, pulls=wilson.pulls)


def estimate(value: float, pulls: Iterable[tuple[str, float]], n: float) -> Estimate:
    """A value in [0, 1] with its Wilson score interval, from what each row pulls it by: (group, pull).

    Rows of a group that are alike say less than as many that are independent: the interval is that of a share over as many independent
    rows as have the value's variance, and of at most `n` (the design effect of Kish 1965, put into the Wilson interval as by Korn and
    Graubard 1998). So it is never narrower than that of a share over `n` independent rows.
    """
    summed: dict[str, float] = {}
    for group, pull in pulls:
        summed[group] = summed.get(group, 0.0) + pull
    variance = fsum(pull * pull for pull in summed.values())
    worth = min(n, value * (1 - value) / variance) if variance > 0 and 0 < value < 1 else n
    return Estimate(measure=_wilson(value, worth), pulls=summed)


def combined(parts: Sequence[tuple[float, Estimate]]) -> Estimate:
    """The sum of weight times value, with an interval from those of the parts ("square-and-add", Newcombe 1998; Zou and Donner 2008).

    With the weights 1/2 and 1/2 that is a mean of two values, with 1 and -1 a difference, paired where both rest on the same groups. It
    keeps what the parts' intervals are good for: none without width, none beyond what is possible. A part without a value: none.
    """
    values = [(weight, *_numbers(part.measure)) for weight, part in parts if part.measure.value is not None]
    if len(values) < len(parts):
        return Estimate(measure=NOTHING)
    value = fsum(weight * at for weight, at, _, _ in values)
    down = [weight * (at - (low if weight > 0 else high)) for weight, at, low, high in values]
    up = [weight * ((high if weight > 0 else low) - at) for weight, at, low, high in values]
    alike = [[_correlation(one, other) for _, other in parts] for _, one in parts]
    signs = [1 if weight > 0 else -1 for weight, _ in parts]
    least, most = (fsum(sign * abs(weight) for weight, _ in parts if weight * sign > 0) for sign in (-1, 1))
    low, high = max(least, value - _length(down, signs, alike)), min(most, value + _length(up, signs, alike))
    measure = Measure(value=value, low=min(low, value), high=max(high, value))
    return Estimate(measure=measure, pulls=_weighted(parts))


def _ratio(parts: Sequence[tuple[float, int]]) -> float:
    """The mean over (sum, count)s."""
    return fsum(total for total, _ in parts) / sum(count for _, count in parts)


def _wilson(value: float, n: float) -> Measure:
    shrink = 1 + _Z**2 / n
    centre = (value + _Z**2 / (2 * n)) / shrink
    half = _Z * sqrt(value * (1 - value) / n + _Z**2 / (4 * n**2)) / shrink
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    # at 0 and 1 rounding could leave the value outside
    return Measure(value=value, low=min(low, value), high=max(high, value))


def _numbers(measure: Measure) -> tuple[float, float, float]:
    assert measure.value is not None
    assert measure.low is not None
    assert measure.high is not None
    return measure.value, measure.low, measure.high


def _length(reaches: Sequence[float], signs: Sequence[int], alike: Sequence[Sequence[float]]) -> float:
    """How far the sum reaches where each part reaches so far and they move together as they are alike."""
    signed = [sign * reach for sign, reach in zip(signs, reaches, strict=True)]
    square = fsum(
        one * other * alike[at][across] for at, one in enumerate(signed) for across, other in enumerate(signed)
    )
    return sqrt(max(0.0, square))


def _correlation(one: Estimate, other: Estimate) -> float:
    """How alike the pulls are, from -1 to 1; 0 where one of the two has none."""
    if one is other:
        return 1.0
    together = fsum(pull * other.pulls.get(group, 0.0) for group, pull in one.pulls.items())
    apart = sqrt(fsum(pull**2 for pull in one.pulls.values()) * fsum(pull**2 for pull in other.pulls.values()))
    return max(-1.0, min(1.0, together / apart)) if apart > 0 else 0.0


def _weighted(parts: Sequence[tuple[float, Estimate]]) -> dict[str, float]:
    summed: dict[str, float] = {}
    for weight, part in parts:
        for group, pull in part.pulls.items():
            summed[group] = summed.get(group, 0.0) + weight * pull
    return summed
