from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.making import case, contract, fact, rules
from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Case, Kind, Value
from toulmin.domain.question.contract import (
    OPEN_QUESTION,
    CaseField,
    Contract,
    DrafterKind,
    Mode,
    open_question,
    under_rules,
)
from toulmin.domain.question.eligibility import Rule, RuleName, Rules

HOLD = CaseField(name="hold", kind=Kind.BOOLEAN)
MADE = contract(
    fact("one"),
    fact("two", applies={"hold": True}),
    fields=[HOLD],
    judged=rules(model=RuleName.EQUALS),
    query="Gateway {model} on hold",
)


def test_the_facts_of_a_case_are_those_that_apply_in_the_contracts_order() -> None:
    assert [f.id for f in MADE.applicable(case(hold=True))] == ["one", "two"]
    assert [f.id for f in MADE.applicable(case(hold=False))] == ["one"]


def test_the_query_takes_the_values_of_the_case() -> None:
    assert MADE.search_text(case(model="G2", hold=True)) == "Gateway G2 on hold"
    assert MADE.search_text(case(hold=True)) == "Gateway  on hold", "nothing where a field is left out"
    assert MADE.search_text(case(model="{hold}", hold=True)) == "Gateway {hold} on hold", "a value is no template"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"rules": rules(nowhere=RuleName.EQUALS)}, "eligibility.rules.nowhere"),
        ({"query": "Gateway {nowhere}"}, "query"),
        ({"query": " "}, "query"),
        ({"facts": (fact("f", applies={"nowhere": True}),)}, "facts.f.applies.nowhere"),
        ({"facts": (replace(fact("f"), clause=" "),)}, "facts.f.clause"),
        ({"facts": (replace(fact("f"), proposition="\n"),)}, "facts.f.proposition"),
        ({"facts": ()}, "facts"),
        ({"mode": Mode.CITED}, "answer.drafter"),
        ({"mode": Mode.CITED, "drafter": DrafterKind.MODEL}, "facts.one.required"),
        ({"k": 0}, "k"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused_where_they_stand(change: dict[str, object], where: str) -> None:
    with pytest.raises(InputError) as caught:
        replace(MADE, **change)  # type: ignore[arg-type]
    assert caught.value.code == "bad_contract"
    assert caught.value.where == where
    assert caught.value.remedy


@pytest.mark.parametrize(
    "change",
    [
        {"id": "other"},
        {"version": "2"},
        {"query": "else"},
        {"k": 3},
        {"min_score": 0.5},
        {"drafter": DrafterKind.MODEL},
        {"schema": (replace(HOLD, trusted=True), MADE.schema[1])},
        {"schema": (replace(HOLD, optional=True), MADE.schema[1])},
        {"rules": rules(model=RuleName.ONE_OF)},
        {"rules": rules(model=Rule(name=RuleName.VERSION_IN, scheme="pep440"))},
        {"rules": rules(model=RuleName.EQUALS, missing=["model"])},
        {"rules": rules(model=RuleName.EQUALS, ignore=["model"])},
        {"facts": tuple(reversed(MADE.facts))},
        {"facts": (replace(MADE.facts[0], required=False), MADE.facts[1])},
        {"facts": (replace(MADE.facts[0], clause="Else."), MADE.facts[1])},
        {"facts": (replace(MADE.facts[0], proposition="Else."), MADE.facts[1])},
        {"facts": (MADE.facts[0], replace(MADE.facts[1], applies=case(hold=False).facts))},
    ],
)
def test_every_part_of_a_contract_is_in_its_digest(change: dict[str, object]) -> None:
    assert replace(MADE, **change).digest != MADE.digest  # type: ignore[arg-type]


def test_equal_contracts_have_one_digest() -> None:
    assert replace(MADE).digest == MADE.digest


def built_in(judged: Rules) -> Contract:
    return open_question(judged, mode=Mode.CITED, min_score=0.5, k=Policy().passages)


def test_an_open_question_has_the_fields_of_its_rules_and_all_may_be_left_out() -> None:
    made = built_in(rules(model=RuleName.EQUALS, firmware=RuleName.VERSION_IN))
    assert made.id == OPEN_QUESTION
    assert made.schema == (
        CaseField(name="model", kind=Kind.STRING, optional=True),
        CaseField(name="firmware", kind=Kind.VERSION, optional=True),
    )
    assert (made.facts, made.query, made.min_score, made.open_question) == ((), "", 0.5, True)


def test_another_profile_changes_only_rules_and_fields() -> None:
    made = built_in(rules(model=RuleName.EQUALS))
    other = under_rules(made, rules(flask=RuleName.VERSION_IN))
    assert other == built_in(rules(flask=RuleName.VERSION_IN))
    assert other.digest != made.digest


def test_a_case_is_the_same_in_whatever_order_it_is_given() -> None:
    one, two = Value(Kind.STRING, "1"), Value(Kind.STRING, "2")
    assert Case.of({"b": two, "a": one}) == Case.of({"a": one, "b": two})
    assert Case.of({"b": two, "a": one}).facts[0][0] == "a"
    assert Case.of({"a": one}).get("b") is None
