from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from tests.unit.making import case, rules
from toulmin.application.scopes import EligibleScopes
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.question.case import Case
from toulmin.domain.question.eligibility import RuleName
from toulmin.ports.store import Corpus

MODEL = rules(model=RuleName.EQUALS)


@dataclass
class Spy:
    """The one method of a corpus that is needed; remembers after which keys it was asked, and how many scopes it gave."""

    models: list[str]
    asked: list[tuple[int, int]] = field(default_factory=list)

    def scopes(self, after: int) -> Sequence[tuple[int, Scope]]:
        found = [(key, Scope.of({"model": m})) for key, m in enumerate(self.models, start=1) if key > after]
        self.asked.append((after, len(found)))
        return found


def find(cache: EligibleScopes, spy: Spy, model: str = "G2", **more: str) -> frozenset[int]:
    return cache.find(MODEL, case(model=model, **more), cast("Corpus", spy))


def test_only_newer_scopes_are_judged() -> None:
    cache, spy = EligibleScopes(), Spy(["G2", "G3", "*"])
    assert find(cache, spy) == {1, 3}
    assert find(cache, spy) == {1, 3}
    spy.models += ["G4", "G2"]
    assert find(cache, spy) == {1, 3, 5}
    assert spy.asked == [(0, 3), (3, 0), (3, 2)]


def test_an_empty_corpus_is_looked_at_again() -> None:
    cache, spy = EligibleScopes(), Spy([])
    assert find(cache, spy) == frozenset()
    spy.models.append("G2")
    assert find(cache, spy) == {1}


def test_each_case_has_a_verdict_of_its_own() -> None:
    cache, spy = EligibleScopes(), Spy(["G2", "G3"])
    assert find(cache, spy, "G2") == {1}
    assert find(cache, spy, "G3") == {2}
    assert cache.find(MODEL, Case(), cast("Corpus", spy)) == frozenset()
    assert cache.find(rules(model=RuleName.EQUALS, ignore=["x"]), case(model="G2"), cast("Corpus", spy)) == {1}
    assert [after for after, _ in spy.asked] == [0, 0, 0, 0]


def test_fields_that_no_rule_judges_make_no_other_case() -> None:
    cache, spy = EligibleScopes(), Spy(["G2"])
    find(cache, spy, ticket="1")
    find(cache, spy, ticket="2")
    assert spy.asked == [(0, 1), (1, 0)]


def test_the_pair_that_was_used_longest_ago_is_forgotten_first() -> None:
    cache, spy = EligibleScopes(capacity=2), Spy(["G1", "G2", "G3"])
    for model in ("G1", "G2", "G1", "G3"):
        find(cache, spy, model)
    spy.asked.clear()
    assert find(cache, spy, "G1") == {1}
    assert find(cache, spy, "G3") == {3}
    assert spy.asked == [(3, 0), (3, 0)], "both are remembered"
    assert find(cache, spy, "G2") == {2}
    assert spy.asked[-1] == (0, 3), "and this one is judged anew"
