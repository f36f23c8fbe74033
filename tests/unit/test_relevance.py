from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.evaluation.relevance import Ranking, first, ndcg, ranking, recall, reciprocal_rank

GRADES = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=2), st.integers(-1, 4), min_size=1, max_size=12
).filter(lambda grades: any(grade > 0 for grade in grades.values()))


def test_ndcg_is_that_of_a_worked_example() -> None:
    """Graded 3 2 3 0 1 2, with a 3 and a 2 that were not found."""
    item = Ranking(gains=(3, 2, 3, 0, 1, 2), ideal=(3, 3, 3, 2, 2, 2, 1))
    gained = 3 / log2(2) + 2 / log2(3) + 3 / log2(4) + 0 + 1 / log2(6) + 2 / log2(7)
    best = 3 / log2(2) + 3 / log2(3) + 3 / log2(4) + 2 / log2(5) + 2 / log2(6) + 2 / log2(7)
    assert (round(gained, 3), round(best, 3)) == (6.861, 8.740)
    assert ndcg(item, 6) == pytest.approx(gained / best)
    assert ndcg(item, 6) == pytest.approx(0.785, abs=5e-4)


def test_gains_count_by_grade_and_not_by_a_power_of_it() -> None:
    assert ndcg(Ranking(gains=(1, 4), ideal=(4, 1)), 10) == pytest.approx((1 + 4 / log2(3)) / (4 + 1 / log2(3)))


def test_what_is_below_the_rank_counts_for_nothing_and_the_ideal_is_cut_there_as_well() -> None:
    item = Ranking(gains=(0, 1, 1, 1), ideal=(1, 1, 1))
    assert ndcg(item, 2) == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))
    assert ndcg(item, 1) == 0


def test_recall_is_over_all_that_is_relevant_also_where_more_is_relevant_than_looked_at() -> None:
    item = Ranking(gains=(1, 0, 2, 1), ideal=(2, 1, 1, 1))
    assert [recall(item, k) for k in (1, 3, 4, 100)] == [0.25, 0.5, 0.75, 0.75]


def test_the_reciprocal_rank_is_of_the_first_relevant_thing_within_the_best_k() -> None:
    item = Ranking(gains=(0, 0, 1, 1), ideal=(1, 1))
    assert first(item) == 3
    assert [reciprocal_rank(item, k) for k in (10, 3, 2)] == [1 / 3, 1 / 3, 0]


def test_nothing_relevant_found_is_worth_nothing() -> None:
    item = Ranking(gains=(0, 0), ideal=(1,))
    assert (first(item), ndcg(item, 10), recall(item, 10), reciprocal_rank(item, 10)) == (None, 0, 0, 0)


def test_what_has_no_judgement_or_a_negative_one_gains_nothing() -> None:
    item = ranking(["unjudged", "bad", "good"], {"good": 2, "bad": -1, "zero": 0})
    assert item == Ranking(gains=(0.0, 0.0, 2.0), ideal=(2,))


@given(GRADES, st.integers(1, 20))
def test_a_perfect_ranking_is_worth_1_and_none_is_worth_more(grades: dict[str, int], k: int) -> None:
    best = sorted(grades, key=lambda name: -grades[name])
    perfect = ranking(best, grades)
    relevant = sum(grade > 0 for grade in grades.values())
    assert ndcg(perfect, k) == pytest.approx(1)
    assert recall(perfect, k) == min(k, relevant) / relevant
    assert reciprocal_rank(perfect, k) == 1
    backwards = ranking(reversed(best), grades)
    assert 0 <= ndcg(backwards, k) <= 1 + 1e-9


@given(GRADES, st.data())
def test_a_better_document_further_up_never_makes_a_ranking_worse(grades: dict[str, int], data: st.DataObject) -> None:
    order = data.draw(st.permutations(sorted(grades)))
    for at in range(len(order) - 1):
        one, other = order[at], order[at + 1]
        if grades[one] < grades[other]:
            swapped = [*order[:at], other, one, *order[at + 2 :]]
            assert ndcg(ranking(swapped, grades), 10) >= ndcg(ranking(order, grades), 10) - 1e-12
