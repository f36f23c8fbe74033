from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain.evidence.fusion import WORDS, mixed, most_unseen, settled

SHARES = st.floats(0, 1)


def test_a_score_is_the_weighted_mean_of_words_and_meaning() -> None:
    assert mixed(0.4, 0.8) == pytest.approx(WORDS * 0.4 + (1 - WORDS) * 0.8, rel=1e-4)
    assert mixed(0.0, 0.0) == 0.0
    assert mixed(1.0, 1.0) == 1.0


def test_what_nobody_embedded_is_scored_by_its_words_alone() -> None:
    assert mixed(0.37, None) == 0.37


@given(words=SHARES, meaning=SHARES)
def test_a_mixed_score_lies_between_the_two(words: float, meaning: float) -> None:
    least, most = sorted((words, meaning))
    assert least * (1 - 1e-4) <= mixed(words, meaning) <= most * (1 + 1e-4)


@given(words=SHARES, meaning=SHARES, less=SHARES)
def test_more_of_either_never_scores_less(words: float, meaning: float, less: float) -> None:
    assert mixed(words * less, meaning) <= mixed(words, meaning) >= mixed(words, meaning * less)


@given(last_words=SHARES, last_meaning=SHARES, words=SHARES, meaning=st.none() | SHARES)
def test_nothing_after_both_lists_scores_more_than_the_most_unseen(
    last_words: float, last_meaning: float, words: float, meaning: float | None
) -> None:
    unseen = mixed(words * last_words, None if meaning is None else meaning * last_meaning)
    assert unseen <= most_unseen(last_words, last_meaning)


def test_the_best_come_with_all_that_tie_with_the_last_of_them() -> None:
    scores = {"d": 0.5, "a": 0.5, "c": 0.9, "b": 0.1}
    assert settled(scores, 1, 0.0) == (("c", 0.9),)
    assert settled(scores, 2, 0.0) == (("c", 0.9), ("a", 0.5), ("d", 0.5))
    assert settled(scores, 9, 0.0) == (("c", 0.9), ("a", 0.5), ("d", 0.5), ("b", 0.1))
    assert settled({}, 3, 0.0) == ()


def test_nothing_is_settled_while_an_unseen_passage_could_be_among_the_best() -> None:
    scores = {"a": 0.9, "b": 0.5}
    assert settled(scores, 2, 0.4) == (("a", 0.9), ("b", 0.5))
    for unseen in (0.5, 0.6):  # one that ties with the last would belong to the list
        assert settled(scores, 2, unseen) is None
    assert settled(scores, 1, 0.6) == (("a", 0.9),)
    assert settled(scores, 3, 0.1) is None


@given(scores=st.dictionaries(st.integers(0, 30), st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7])), limit=st.integers(1, 40))
def test_fewer_are_the_beginning_of_more(scores: Mapping[int, float], limit: int) -> None:
    fewer, more = settled(scores, limit, 0.0), settled(scores, limit + 1, 0.0)
    assert fewer is not None
    assert more is not None
    assert more[: len(fewer)] == fewer
