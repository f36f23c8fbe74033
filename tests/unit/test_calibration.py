from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain.errors import InputError
from toulmin.evaluation.calibration import THRESHOLDS, Calibration, Goal, Scored, calibrated, upper_bound

GOAL = Goal(max_false_accept=0.1, confidence=0.9)
"""A promise that few labels can keep: 22 without an error."""


def row(name: str, until: float | None, *, group: str | None = None, is_supported: bool = False) -> Scored:
    return Scored(id=name, group=group or name, is_supported=is_supported, until=until)


def bad(levels: Sequence[float | None]) -> list[Scored]:
    """Independent claims that are not supported, by the highest threshold under which each is delivered."""
    return [row(f"n-{at}", level) for at, level in enumerate(levels)]


def level(probability: float) -> float | None:
    """The highest threshold that a probability reaches."""
    reached = bisect_right(_ASCENDING, probability)
    return _ASCENDING[reached - 1] if reached else None


_ASCENDING = THRESHOLDS[::-1]


def chosen(found: Calibration) -> float:
    """The chosen threshold; above every one where there is none."""
    return found.chosen.threshold if found.chosen else 2.0


def chance_of_at_most(errors: int, n: int, rate: Fraction) -> Fraction:
    """The binomial distribution, exactly."""
    return sum((math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(errors + 1)), Fraction())


class TestTheBound:
    @pytest.mark.parametrize(
        ("errors", "n", "confidence", "bound"),
        [
            (0, 10, 0.95, 0.2589),
            (1, 10, 0.95, 0.3942),
            (5, 10, 0.95, 0.7776),
            (0, 149, 0.95, 0.0199),
            (10, 10, 0.95, 1.0),
        ],
    )
    def test_it_is_the_one_of_the_tables(self, errors: int, n: int, confidence: float, bound: float) -> None:
        assert upper_bound(errors, n, confidence) == pytest.approx(bound, abs=5e-5)

    @pytest.mark.parametrize("n", [1, 2, 7, 60, 333])
    @pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
    def test_so_few_errors_have_exactly_the_chance_that_is_left(self, n: int, confidence: float) -> None:
        for errors in {0, 1 % n, n // 3, n // 2, n - 1}:
            rate = Fraction(upper_bound(errors, n, confidence))
            assert float(chance_of_at_most(errors, n, rate)) == pytest.approx(1 - confidence, rel=1e-9)

    def test_without_errors_it_has_a_closed_form(self) -> None:
        for n in (1, 10, 1_000, 1_000_000):
            assert upper_bound(0, n, 0.95) == pytest.approx(1 - 0.05 ** (1 / n), rel=1e-9)

    def test_it_can_be_had_for_many_rows(self) -> None:
        assert upper_bound(50_000, 1_000_000, 0.95) == pytest.approx(
            0.05 + 1.645 * math.sqrt(0.05 * 0.95 / 1e6), abs=1e-5
        )

    @given(n=st.integers(1, 400), data=st.data())
    def test_it_rises_with_errors_and_falls_with_rows(self, n: int, data: st.DataObject) -> None:
        errors = data.draw(st.integers(0, n - 1))
        bound = upper_bound(errors, n, 0.95)
        assert errors / n < bound < upper_bound(errors + 1, n, 0.95)
        assert upper_bound(errors, n + 1, 0.95) < bound


class TestHowManyLabels:
    @pytest.mark.parametrize(
        ("rate", "confidence", "n"),
        [(0.02, 0.95, 149), (0.01, 0.95, 299), (0.05, 0.9, 45), (0.1, 0.9, 22), (0.5, 0.75, 2), (0.001, 0.99, 4603)],
    )
    def test_it_is_known_before_any_is_judged(self, rate: float, confidence: float, n: int) -> None:
        goal = Goal(max_false_accept=rate, confidence=confidence)
        assert goal.needed() == n == math.ceil(round(math.log(1 - confidence) / math.log(1 - rate), 9))

    def test_with_errors_it_takes_more(self) -> None:
        goal = Goal(max_false_accept=0.02, confidence=0.95)
        for errors in (1, 2, 10):
            n = goal.needed(errors)
            chances = [chance_of_at_most(errors, rows, Fraction("0.02")) for rows in (n - 1, n)]
            assert chances[0] > Fraction("0.05") >= chances[1]

    def test_too_few_are_refused_with_the_number_that_it_takes(self) -> None:
        with pytest.raises(InputError) as caught:
            calibrated([*bad([None] * 21), row("s", 1.0, is_supported=True)], GOAL)
        assert caught.value.code == "too_few_labels"
        assert caught.value.message.startswith("21 independent labelled claims are not supported")
        assert "takes 22, and more" in caught.value.message
        assert chosen(calibrated(bad([None] * 22), GOAL)) == THRESHOLDS[-1]

    @pytest.mark.parametrize(
        ("rate", "confidence"), [(0, 0.9), (1, 0.9), (math.nan, 0.9), (0.1, 1), (0.1, 0.4), (0.1, math.nan)]
    )
    def test_what_is_no_promise_is_refused(self, rate: float, confidence: float) -> None:
        with pytest.raises(InputError):
            Goal(max_false_accept=rate, confidence=confidence)


class TestTheChoice:
    def test_the_thresholds_are_those_of_a_policy_strictest_first(self) -> None:
        assert list(THRESHOLDS) == sorted(set(THRESHOLDS), reverse=True)
        assert THRESHOLDS[0] == 1
        assert THRESHOLDS[-1] == 0.51

    def test_the_lowest_threshold_with_few_enough_errors_is_chosen(self) -> None:
        levels = [0.95, 0.9, 0.8, *[None] * 57]
        assert [GOAL.kept_by(errors, 60) for errors in (2, 3)] == [True, False]
        found = calibrated([*bad(levels), row("s-1", 0.9, is_supported=True), row("s-2", 0.6, is_supported=True)], GOAL)
        assert chosen(found) == 0.81
        assert found.chosen is not None
        assert (found.chosen.false_accepts, found.chosen.n, found.chosen.completeness) == (2, 60, 0.5)

    def test_below_the_first_that_fails_nothing_passes(self) -> None:
        found = calibrated(bad([0.9] * 20 + [None] * 40), GOAL)
        passing = [point.passes for point in found.curve]
        assert passing == sorted(passing, reverse=True)
        assert chosen(found) == 0.905

    def test_a_verbatim_false_accept_counts_under_every_threshold(self) -> None:
        found = calibrated(bad([1.0] * 10 + [None] * 50), GOAL)
        assert {point.false_accepts for point in found.curve} == {10}
        assert found.chosen is None

    def test_of_a_group_one_row_counts_and_always_the_same(self) -> None:
        rows = [row(f"{group}-{at}", level(at / 10), group=str(group)) for group in range(30) for at in range(10)]
        found = calibrated(rows, GOAL)
        assert {point.n for point in found.curve} == {30}
        assert calibrated(rows[::-1], GOAL) == found
        drawn = found.curve[-1].false_accepts
        assert 0 < drawn < 30, "which row counts must not hang on its level"

    def test_supported_rows_of_a_group_take_no_place_of_others(self) -> None:
        pairs = [row(f"s-{at}", 1.0, group=f"n-{at}", is_supported=True) for at in range(22)]
        assert chosen(calibrated([*pairs, *bad([None] * 22)], GOAL)) == THRESHOLDS[-1]

    def test_coverage_counts_what_is_delivered_or_contradicted(self) -> None:
        against = [
            Scored(id=f"c-{at}", group=f"c-{at}", is_supported=False, until=None, contradicted=True) for at in range(10)
        ]
        found = calibrated([*bad([None] * 20), *against, row("s", 0.7, is_supported=True)], GOAL)
        by_threshold = {point.threshold: point.coverage for point in found.curve}
        assert by_threshold[0.71] == 10 / 31
        assert by_threshold[0.7] == 11 / 31


LEVELS = st.lists(st.one_of(st.none(), st.sampled_from(THRESHOLDS)), min_size=30, max_size=80)


@given(levels=LEVELS, rates=st.tuples(st.floats(0.1, 0.9), st.floats(0.1, 0.9)))
def test_who_allows_more_errors_gets_no_higher_threshold(
    levels: list[float | None], rates: tuple[float, float]
) -> None:
    strict, loose = (Goal(max_false_accept=rate, confidence=0.9) for rate in sorted(rates))
    assert chosen(calibrated(bad(levels), loose)) <= chosen(calibrated(bad(levels), strict))


@given(levels=LEVELS, confidences=st.tuples(st.floats(0.5, 0.95), st.floats(0.5, 0.95)))
def test_who_wants_to_be_surer_gets_no_lower_threshold(
    levels: list[float | None], confidences: tuple[float, float]
) -> None:
    loose, sure = (Goal(max_false_accept=0.1, confidence=confidence) for confidence in sorted(confidences))
    assert chosen(calibrated(bad(levels), loose)) <= chosen(calibrated(bad(levels), sure))


@given(levels=LEVELS, data=st.data())
def test_more_errors_never_lower_the_threshold(levels: list[float | None], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(levels) - 1))
    worse = data.draw(st.sampled_from([threshold for threshold in THRESHOLDS if threshold >= (levels[at] or 0)]))
    assert chosen(calibrated(bad([*levels[:at], worse, *levels[at + 1 :]]), GOAL)) >= chosen(
        calibrated(bad(levels), GOAL)
    )


TRIALS = 1_000
PROMISE = Goal(max_false_accept=0.05, confidence=0.9)
MOST = 0.1 + 4 * math.sqrt(0.1 * 0.9 / TRIALS)
"""The share of broken promises that chance explains."""


def broken(sample: Callable[[random.Random], list[Scored]], rate: Callable[[float], float]) -> float:
    """The share of samples whose chosen threshold has, in the population, a false-accept rate above the promise."""
    lots = random.Random(20)
    found = (calibrated(sample(lots), PROMISE).chosen for _ in range(TRIALS))
    return sum(point is not None and rate(point.threshold) > PROMISE.max_false_accept for point in found) / TRIALS


@pytest.mark.parametrize("n", [60, 140])
@pytest.mark.parametrize("power", [0.5, 4.0])
def test_the_promise_holds_for_populations_of_known_risk(n: int, power: float) -> None:
    """P(supported) of a claim that is not supported is below t with a chance of t ** power."""

    def sample(lots: random.Random) -> list[Scored]:
        return bad([level(lots.random() ** (1 / power)) for _ in range(n)])

    share = broken(sample, lambda threshold: 1 - threshold**power)
    assert 0.01 < share <= MOST, "never broken at all would mean that too little is delivered"


@pytest.mark.parametrize("verbatim", [0.049, 0.051])
def test_the_promise_holds_where_the_checks_accept_some_themselves(verbatim: float) -> None:
    def sample(lots: random.Random) -> list[Scored]:
        return bad([1.0 if lots.random() < verbatim else level(lots.random() ** 0.2) for _ in range(100)])

    assert broken(sample, lambda threshold: verbatim + (1 - verbatim) * (1 - threshold**5)) <= MOST


def test_the_promise_holds_for_rows_that_come_in_groups_and_would_not_if_all_counted() -> None:
    """All rows of a group have the same P(supported): four times as many rows say no more."""

    def levels(lots: random.Random) -> list[float | None]:
        return [level(lots.random() ** 0.25) for _ in range(50)]

    def grouped(lots: random.Random) -> list[Scored]:
        drawn = enumerate(levels(lots))
        return [row(f"{group}-{at}", until, group=str(group)) for group, until in drawn for at in range(4)]

    def as_if_independent(lots: random.Random) -> list[Scored]:
        return bad([until for until in levels(lots) for _ in range(4)])

    assert broken(grouped, lambda threshold: 1 - threshold**4) <= MOST
    assert broken(as_if_independent, lambda threshold: 1 - threshold**4) > MOST
