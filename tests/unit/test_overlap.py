from __future__ import annotations

from collections.abc import Sequence

import pytest

from toulmin.domain.corpus.overlap import provably_disjoint
from toulmin.domain.corpus.scope import Scope

Stated = str | Sequence[str]


def both_ways(one: dict[str, Stated], other: dict[str, Stated]) -> bool:
    """Whether the two are disjoint, after checking that the order does not matter."""
    forth, back = (provably_disjoint(Scope.of(a), Scope.of(b)) for a, b in ((one, other), (other, one)))
    assert forth == back
    return forth


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("G2", "G3"),
        (["G1", "G2"], ["G3", "G4"]),
        ("2.4.0", "2.4.1"),
        ("2.4.0", ">=2.4.1"),
        (">=2.4.1,<2.4.2", ">=2.4.2"),
        ("<2", ">2"),
        ("<=2", ">2"),
        (["2.0", "2.1"], ">=2.2"),
        ([], "G2"),
    ],
)
def test_values_without_a_common_case_are_disjoint(one: Stated, other: Stated) -> None:
    assert both_ways({"a": one}, {"a": other})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("G2", "G2"),
        ("*", "G2"),
        ("*", "*"),
        (["G1", "G2"], ["G2", "G3"]),
        ("2.4", "2.4.0"),
        ("<=2", ">=2"),
        (">=2.4", ">=2.5"),
        ("!=2.4", "2.4"),
        ("~=2.4", "9.9"),
        (">=2.4rc1", "1.0"),
        ("G2", ">=2"),
    ],
)
def test_values_that_may_have_a_common_case_are_not(one: Stated, other: Stated) -> None:
    assert not both_ways({"a": one}, {"a": other})


@pytest.mark.parametrize(("one", "other"), [("1.5", "1.50"), ("10", "1e1"), ("0.5", ".5")])
def test_one_number_written_in_two_ways_is_not_disjoint(one: str, other: str) -> None:
    assert not both_ways({"a": one}, {"a": other})


def test_one_attribute_that_rules_out_every_case_is_enough() -> None:
    assert both_ways({"model": "G2", "firmware": "2.4"}, {"model": "G2", "firmware": "2.5"})


def test_an_attribute_that_only_one_states_proves_nothing() -> None:
    assert not both_ways({"model": "G2"}, {"firmware": "2.4"})
    assert not both_ways({"model": "G2"}, {})


def test_levels_of_an_ordered_attribute_do_not_exclude_one_another() -> None:
    low, high = Scope.of({"clearance": "low"}), Scope.of({"clearance": "high"})
    assert provably_disjoint(low, high)
    assert not provably_disjoint(low, high, ordered=["clearance"])
