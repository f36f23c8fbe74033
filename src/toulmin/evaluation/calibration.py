"""Calibration: the lowest threshold under which few claims that are not supported are delivered, with a stated confidence.

The false-accept rate of a threshold is the chance that a claim which is not supported is delivered under it. It never rises with the
threshold, and the thresholds are fixed before any label is seen. Each is tested by the exact binomial bound (Clopper and Pearson 1934),
from the strictest one down, until the first one fails: fixed-sequence testing, which is one of the procedures of Learn then Test
(Angelopoulos, Bates, Candès, Jordan and Lei 2021, arXiv:2110.01052; for a risk that is monotone also Bates, Angelopoulos, Lei, Malik and
Jordan 2021, "Distribution-free, risk-controlling prediction sets"). It needs no correction for the number of thresholds, as Bonferroni's
would: a threshold that breaks the promise can only be chosen if the strictest such one passes its test, and that has a chance of 1 -
confidence at most, whatever the judge and the claims are like.

All of that holds for independent labels, so of each group of rows only one counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import exp, lgamma, log, log1p

from toulmin.domain.canonical import number_text
from toulmin.domain.errors import InputError

THRESHOLDS = (
    1.0, 0.9999, 0.9998, 0.9995, 0.999, 0.998, 0.997, 0.996, 0.995, 0.9925,
    *(at / 200 for at in range(198, 180, -1)),
    *(at / 100 for at in range(90, 50, -1)),
)  # fmt: skip
"""The thresholds that are tried, strictest first, denser where judges are sure of themselves. Under 1 hardly anything but verbatim claims is
delivered; a policy's threshold is above 0.5."""

_ROUNDING = 1e-12
_ENDS = 1e-18
_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What is promised: with this confidence, the false-accept rate is at most so high. Raises `InputError` for what is no promise."""

    max_false_accept: float
    confidence: float

    def __post_init__(self) -> None:
        if not 0 < self.max_false_accept < 1:
            message = f"a false-accept rate of at most {self.max_false_accept:g} is no goal"
            raise InputError("usage", message, remedy="give a rate between 0 and 1, such as 0.02")
        if not 0.5 <= self.confidence < 1:
            message = f"a confidence of {self.confidence:g} is no goal"
            raise InputError("usage", message, remedy="give at least 0.5 and less than 1, such as 0.95")

    def kept_by(self, errors: int, n: int) -> bool:
        """Whether so many errors among so many independent claims show that the rate is low enough."""
        return upper_bound(errors, n, self.confidence) <= self.max_false_accept + _ROUNDING

    def needed(self, errors: int = 0) -> int:
        """How many independent claims it takes with so many errors among them; without any, ln(1 - confidence) / ln(1 - rate), rounded up."""
        few, enough = errors, 2 * errors + 1
        while not self.kept_by(errors, enough):
            few, enough = enough, 2 * enough
        while enough - few > 1:
            middle = (few + enough) // 2
            few, enough = (few, middle) if self.kept_by(errors, middle) else (middle, enough)
        return enough

    def require(self, n: int) -> None:
        """Raises `InputError` (`too_few_labels`) where so many independent claims could not keep it, even without any error."""
        if n < self.needed():
            raise InputError(
                "too_few_labels",
                f"{n} independent labelled claims are not supported; a false-accept rate of at most "
                f"{number_text(self.max_false_accept)} with confidence {number_text(self.confidence)} takes {self.needed()}, and more "
                "where some of them are accepted",
                remedy="label more claims that are not supported (of each group one counts), or promise less",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A labelled claim as a review sees it: `until` is the highest of the thresholds under which it is delivered, None: under none.

    `contradicted`: where it is not delivered, the verdict is that, else unresolved.
    """

    id: str
    group: str
    is_supported: bool
    until: float | None
    contradicted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What a threshold does: false accepts among `n` independent claims that are not supported, and the upper bound of their rate.

    `completeness` is the share of supported claims that are delivered, None where there are none; `coverage` the share of all claims
    whose verdict is not unresolved. Both are over every row, and promise nothing. `passes`: it and every stricter one keep the goal.
    """

    threshold: float
    false_accepts: int
    n: int
    upper: float
    passes: bool
    completeness: float | None
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A goal, and what every threshold does, strictest first."""

    goal: Goal
    curve: tuple[Point, ...]

    @property
    def chosen(self) -> Point | None:
        """The lowest threshold that passes, under which most is delivered; None where none does."""
        return next((point for point in reversed(self.curve) if point.passes), None)


def calibrated(rows: Sequence[Scored], goal: Goal, thresholds: Sequence[float] = THRESHOLDS) -> Calibration:
    """What each threshold does to labelled claims; `thresholds` are strictest first, and chosen without a look at the labels.

    Raises `InputError` (`too_few_labels`) where nothing could keep the goal.
    """
    counted = _levels(_one_of_each_group(row for row in rows if not row.is_supported))
    supported = _levels(row for row in rows if row.is_supported)
    everything = _levels(rows)
    contradicted = sum(row.contradicted for row in rows)
    goal.require(len(counted))
    curve: list[Point] = []
    for threshold in thresholds:
        errors = _delivered(counted, threshold)
        curve.append(
            Point(
                threshold=threshold,
                false_accepts=errors,
                n=len(counted),
                upper=upper_bound(errors, len(counted), goal.confidence),
                passes=goal.kept_by(errors, len(counted)) and all(point.passes for point in curve[-1:]),
                completeness=_delivered(supported, threshold) / len(supported) if supported else None,
                coverage=(_delivered(everything, threshold) + contradicted) / len(rows),
            )
        )
    return Calibration(goal=goal, curve=tuple(curve))


@lru_cache(maxsize=4096)
def upper_bound(errors: int, n: int, confidence: float) -> float:
    """The one-sided exact upper bound of a rate: the highest under which so few errors still have a chance of 1 - confidence.

    Clopper and Pearson (1934); 1 - (1 - confidence) ** (1 / n) without errors. `n` is at least 1, `confidence` at least 0.5.
    """
    if errors == n:
        return 1.0
    low, high = errors / n, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle < 1 and _at_most(errors, n, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _at_most(errors: int, n: int, rate: float) -> float:
    """The chance of at most so many errors among n, for a rate of at least errors / n: there each number is likelier than the one below."""
    if rate <= 0:
        return 1.0
    term = exp(
        lgamma(n + 1) - lgamma(errors + 1) - lgamma(n - errors + 1) + errors * log(rate) + (n - errors) * log1p(-rate)
    )
    total = 0.0
    for number in range(errors, -1, -1):
        total += term
        if term <= total * _ENDS:
            break
        term *= number / (n - number + 1) * (1 - rate) / rate
    return total


def _one_of_each_group(rows: Iterable[Scored]) -> Iterable[Scored]:
    """The row of each group whose name has the smallest hash: as good as drawn by lot, and the same at every try."""
    drawn: dict[str, tuple[bytes, Scored]] = {}
    for row in rows:
        lot = sha256(f"{row.group}\0{row.id}".encode()).digest()
        if row.group not in drawn or lot < drawn[row.group][0]:
            drawn[row.group] = (lot, row)
    return (row for _, row in drawn.values())


def _levels(rows: Iterable[Scored]) -> list[float]:
    """Up to where each row is delivered, in order; below 0 for those that never are."""
    return sorted(-1.0 if row.until is None else row.until for row in rows)


def _delivered(levels: Sequence[float], threshold: float) -> int:
    return len(levels) - bisect_left(levels, threshold)
