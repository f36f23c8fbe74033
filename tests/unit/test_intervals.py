from __future__ import annotations

import random
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.evaluation.intervals import (
    NOTHING,
    Estimate,
    Measure,
    bootstrapped,
    combined,
    estimate,
    in_words,
    mean,
    share,
)

VALUES = st.lists(st.booleans(), min_size=1, max_size=40)


def alone(values: list[float]) -> list[tuple[str, float]]:
    """Every row in a group of its own."""
    return [(str(at), value) for at, value in enumerate(values)]


def shares(hits: int, n: int, *, prefix: str = "g") -> Estimate:
    return share([(f"{prefix}{at}", float(at < hits)) for at in range(n)])


def numbers(measure: Measure) -> tuple[float, float, float]:
    assert measure.value is not None
    assert measure.low is not None
    assert measure.high is not None
    return measure.value, measure.low, measure.high


@given(VALUES)
def test_a_share_of_rows_that_are_groups_of_their_own_has_the_wilson_interval(hits: list[bool]) -> None:
    values = [float(hit) for hit in hits]
    assert numbers(share(alone(values)).measure) == pytest.approx(numbers(mean(values)))


def test_rows_that_repeat_each_other_say_no_more_than_one_of_them() -> None:
    once = share(alone([1.0] * 12 + [0.0] * 8))
    thrice = share([row for row in alone([1.0] * 12 + [0.0] * 8) for _ in range(3)])
    assert numbers(thrice.measure) == pytest.approx(numbers(once.measure))


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), min_size=1, max_size=40))
def test_groups_never_make_an_interval_narrower(rows: list[tuple[str, bool]]) -> None:
    values = [(group, float(hit)) for group, hit in rows]
    value, low, high = numbers(share(values).measure)
    _, narrowest_low, narrowest_high = numbers(mean([value for _, value in values]))
    assert 0 <= low <= narrowest_low + 1e-9
    assert narrowest_high - 1e-9 <= high <= 1
    assert low <= value <= high


def test_the_pulls_sum_to_nothing_and_their_squares_to_the_variance() -> None:
    found = share(alone([1.0] * 30 + [0.0] * 70))
    assert sum(found.pulls.values()) == pytest.approx(0)
    assert sum(pull**2 for pull in found.pulls.values()) == pytest.approx(0.3 * 0.7 / 100)


def test_the_interval_holds_the_truth_about_as_often_as_it_says_where_rows_come_in_groups() -> None:
    draw, held, naive = random.Random(11), 0, 0
    for _ in range(400):
        rows = [(str(group), float(draw.random() < chance)) for group in range(60) for chance in [draw.random()] * 5]
        _, low, high = numbers(share(rows).measure)
        held += low <= 0.5 <= high
        _, low, high = numbers(mean([value for _, value in rows]))
        naive += low <= 0.5 <= high
    assert held >= 0.92 * 400
    assert naive < 0.88 * 400


def test_a_share_over_no_rows_is_nothing() -> None:
    assert share([]).measure == NOTHING
    assert combined([(0.5, share([])), (0.5, shares(1, 2))]).measure == NOTHING


def test_the_difference_of_independent_shares_has_newcombes_published_interval() -> None:
    found = combined([(1, shares(56, 70, prefix="a")), (-1, shares(48, 80, prefix="b"))])
    assert numbers(found.measure) == pytest.approx(
        (0.2, 0.0524, 0.3339), abs=1e-4
    )  # Newcombe 1998, method 10, example (a)


def test_a_difference_of_shares_of_the_same_rows_is_narrower_than_one_of_two_samples() -> None:
    one = [(str(at), float(at < 50)) for at in range(100)]
    other = [(str(at), float(at < 58)) for at in range(100)]
    _, low, high = numbers(combined([(1, share(other)), (-1, share(one))]).measure)
    apart = [(f"x{group}", value) for group, value in one]
    _, wide_low, wide_high = numbers(combined([(1, share(other)), (-1, share(apart))]).measure)
    assert wide_low < 0 < low
    assert high < wide_high


def test_a_result_beside_itself_differs_by_nothing() -> None:
    one = shares(30, 90)
    value, low, high = numbers(combined([(1, one), (-1, one)]).measure)
    assert value == 0
    assert -0.02 < low <= 0 <= high < 0.02


@given(VALUES, VALUES)
def test_a_mean_of_two_shares_stays_in_range_and_has_a_width(one: list[bool], other: list[bool]) -> None:
    parts = [
        share([(f"{name}{at}", float(hit)) for at, hit in enumerate(hits)]) for name, hits in (("a", one), ("b", other))
    ]
    value, low, high = numbers(combined([(0.5, part) for part in parts]).measure)
    assert 0 <= low <= value <= high <= 1
    assert high - low > 0.05


@given(VALUES, VALUES)
def test_a_difference_stays_between_minus_one_and_one(one: list[bool], other: list[bool]) -> None:
    parts = [share(alone([float(hit) for hit in hits])) for hits in (one, other)]
    value, low, high = numbers(combined([(1, parts[0]), (-1, parts[1])]).measure)
    assert -1 <= low <= value <= high <= 1


def test_a_value_is_worth_as_many_rows_as_its_variance_says_but_never_more_than_it_has() -> None:
    tight = estimate(0.5, [("a", 1e-6), ("b", -1e-6)], 20)
    assert numbers(tight.measure) == pytest.approx(numbers(mean([1.0, 0.0] * 10)))
    loose = estimate(0.5, [("a", 0.5 / sqrt(2)), ("b", -0.5 / sqrt(2))], 20)
    assert numbers(loose.measure) == pytest.approx(numbers(mean([0.5])))


def test_a_measure_in_words_has_its_interval_and_nothing_is_a_dash() -> None:
    assert in_words(Measure(value=2 / 3, low=0.208, high=0.939)) == "0.667 (0.21–0.94)"
    assert in_words(NOTHING) == "-"


def test_a_bootstrap_interval_is_about_that_of_the_normal_law_where_there_are_many_values() -> None:
    values = [at / 400 for at in range(401)]
    value, low, high = numbers(bootstrapped(alone(values)).measure)
    half = 1.96 * sqrt(sum((each - 0.5) ** 2 for each in values) / 401) / sqrt(401)
    assert (value, low, high) == pytest.approx((0.5, 0.5 - half, 0.5 + half), abs=0.004)


def test_a_bootstrap_draws_the_same_every_time() -> None:
    rows = alone([0.1, 0.9, 0.4, 0.6, 0.3] * 5)
    assert bootstrapped(rows) == bootstrapped(list(rows))


def test_a_bootstrap_draws_groups_whole() -> None:
    once = alone([0.1, 0.9, 0.4, 0.6, 0.3, 1.0] * 4)
    thrice = [row for row in once for _ in range(3)]
    assert numbers(bootstrapped(thrice).measure) == pytest.approx(numbers(bootstrapped(once).measure))
    assert bootstrapped(thrice).measure != bootstrapped(alone([value for _, value in thrice])).measure


def test_a_bootstrap_of_values_that_are_all_alike_has_the_width_of_a_share() -> None:
    assert bootstrapped(alone([1.0] * 30)) == share(alone([1.0] * 30))


def test_a_bootstrap_of_few_groups_is_not_trusted() -> None:
    few = [(str(at % 9), value) for at, value in enumerate([0.0, 1.0, 0.5] * 20)]
    assert bootstrapped(few) == share(few)
    assert bootstrapped([*few, ("another", 0.2)]) != share([*few, ("another", 0.2)])


def test_a_bootstrap_over_nothing_measures_nothing() -> None:
    assert bootstrapped([]) == Estimate(measure=NOTHING)


@given(st.lists(st.tuples(st.sampled_from("abcdefghijkl"), st.floats(0, 1)), min_size=1, max_size=60))
def test_a_bootstrap_interval_holds_its_mean_and_stays_in_range(rows: list[tuple[str, float]]) -> None:
    value, low, high = numbers(bootstrapped(rows).measure)
    assert 0 <= low <= value <= high <= 1
    assert value == pytest.approx(sum(each for _, each in rows) / len(rows), abs=1e-9)
