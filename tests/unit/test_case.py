from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.unit.making import contract, fact, rules
from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import ANONYMOUS, Case, Kind, Principal, Value, read_instant, read_value
from toulmin.domain.question.contract import CaseField, Contract, Mode, open_question
from toulmin.domain.question.eligibility import Rule, RuleName
from toulmin.domain.question.reading import contract_case, profile_case

BERLIN = ZoneInfo("Europe/Berlin")
LEVELS = Rule(name=RuleName.AT_LEAST, levels=("low", "high"))
MADE = contract(
    fact("f"),
    fields=[
        CaseField(name="firmware", kind=Kind.VERSION),
        CaseField(name="hold", kind=Kind.BOOLEAN, optional=True),
    ],
    judged=rules(firmware=RuleName.VERSION_IN, level=LEVELS),
)
OPEN = open_question(rules(model=RuleName.EQUALS), mode=Mode.CITED, min_score=0.0, k=Policy().passages)
PROFILE = rules(model=RuleName.EQUALS, firmware=RuleName.VERSION_IN, level=LEVELS)


@pytest.mark.parametrize(
    ("kind", "text", "canonical"),
    [
        (Kind.STRING, " G2 ", "G2"),
        (Kind.STRING, "*", "*"),
        (Kind.BOOLEAN, "true", "true"),
        (Kind.BOOLEAN, " false", "false"),
        (Kind.NUMBER, "5.0", "5"),
        (Kind.NUMBER, "+.5", "0.5"),
        (Kind.NUMBER, "1e3", "1000"),
        (Kind.NUMBER, "-0", "0"),
        (Kind.DATE, "2026-01-31", "2026-01-31"),
        (Kind.INSTANT, "2026-01-31", "2026-01-30T23:00:00Z"),
        (Kind.INSTANT, "2026-01-31T12:00", "2026-01-31T11:00:00Z"),
        (Kind.INSTANT, "2026-01-31T12:00:00.5+02:00", "2026-01-31T10:00:00.500000Z"),
        (Kind.VERSION, "2.4.1-rc.1+b", "2.4.1-rc.1+b"),
    ],
)
def test_a_value_has_one_canonical_text(kind: Kind, text: str, canonical: str) -> None:
    assert read_value(kind, text, BERLIN) == Value(kind, canonical)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.STRING, " "),
        (Kind.BOOLEAN, "yes"),
        (Kind.BOOLEAN, "True"),
        (Kind.BOOLEAN, "1"),
        (Kind.NUMBER, "nan"),
        (Kind.NUMBER, "inf"),
        (Kind.NUMBER, "1e999"),
        (Kind.NUMBER, "1_000"),
        (Kind.NUMBER, "1,5"),
        (Kind.NUMBER, "٣"),
        (Kind.DATE, "2026-02-30"),
        (Kind.DATE, "20260131"),
        (Kind.DATE, "2026-W05-6"),
        (Kind.INSTANT, "noon"),
        (Kind.INSTANT, "2026-01-31T25:00"),
        (Kind.VERSION, "*"),
        (Kind.VERSION, ">=2.4"),
        (Kind.VERSION, ""),
    ],
)
def test_a_text_that_is_none_of_the_kind_is_refused_with_an_example(kind: Kind, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_value(kind, text, UTC)
    assert caught.value.code == "wrong_type"
    assert repr(text) in caught.value.message
    assert kind in caught.value.message
    assert caught.value.remedy


def test_an_unreadable_instant_is_none() -> None:
    assert read_instant("later", UTC) is None
    assert read_instant("2026-01-31T00:00Z", BERLIN) == datetime(2026, 1, 31, tzinfo=UTC)


def fault(made: Contract, given: Mapping[str, str]) -> InputError:
    with pytest.raises(InputError) as caught:
        contract_case(made, given, UTC)
    return caught.value


def profile_fault(given: Mapping[str, str]) -> InputError:
    with pytest.raises(InputError) as caught:
        profile_case("desk", PROFILE, given, UTC)
    return caught.value


def test_a_contracts_case_is_typed_by_its_schema() -> None:
    assert contract_case(MADE, {"hold": "true", "firmware": "2.4.1"}, UTC) == Case.of(
        {"firmware": Value(Kind.VERSION, "2.4.1"), "hold": Value(Kind.BOOLEAN, "true")}
    )


def test_an_optional_field_may_be_left_out() -> None:
    assert contract_case(MADE, {"firmware": "2.4.1"}, UTC).get("hold") is None


def test_a_missing_field_is_named_with_what_to_state() -> None:
    missing = fault(MADE, {"hold": "true"})
    assert (missing.code, missing.where) == ("missing_case_field", "case.firmware")
    assert "firmware (version)" in missing.message
    assert missing.remedy == "state firmware in the case"


def test_an_unknown_field_is_named_with_the_line_to_add() -> None:
    unknown = fault(MADE, {"firmware": "2.4.1", "region": "north"})
    assert (unknown.code, unknown.where) == ("unknown_case_field", "case.region")
    assert "`region: {type: string}` under case:" in (unknown.remedy or "")
    assert "north" not in str(unknown)


def test_an_unknown_field_of_an_open_question_is_told_the_line_of_the_profile() -> None:
    unknown = fault(OPEN, {"region": "north"})
    assert unknown.code == "unknown_case_field"
    assert '`region = "equals"`' in (unknown.remedy or "")
    assert "toulmin.toml" in (unknown.remedy or "")


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"firmware": "2.4.1", "hold": "yes"}, "case.hold"),
        ({"firmware": ">=2.4"}, "case.firmware"),
        ({"firmware": "*"}, "case.firmware"),
        ({"firmware": "2.4.1-beta"}, "case.firmware"),
        ({"firmware": "2.4.1", "level": "middle"}, "case.level"),
    ],
)
def test_an_ill_typed_field_is_named(given: Mapping[str, str], where: str) -> None:
    wrong = fault(MADE, given)
    assert (wrong.code, wrong.where) == ("wrong_type", where)
    assert wrong.remedy


def test_a_level_that_is_none_is_told_the_levels() -> None:
    assert fault(MADE, {"firmware": "1", "level": "middle"}).remedy == "give one of low, high"


def test_a_profiles_case_takes_its_types_from_the_rules() -> None:
    assert profile_case("desk", PROFILE, {"firmware": "2.4", "model": "*"}, UTC) == Case.of(
        {"firmware": Value(Kind.VERSION, "2.4"), "model": Value(Kind.STRING, "*")}
    )
    assert profile_case("desk", PROFILE, {}, UTC) == Case()


def test_an_attribute_that_no_rule_of_the_profile_judges_is_told_the_line_to_add() -> None:
    unknown = profile_fault({"region": "north"})
    assert (unknown.code, unknown.where) == ("unknown_case_field", "case.region")
    assert "desk" in unknown.message
    assert '`region = "equals"`' in (unknown.remedy or "")
    assert "[eligibility.desk]" in (unknown.remedy or "")


@pytest.mark.parametrize(("name", "text"), [("model", " "), ("firmware", "latest"), ("level", "middle")])
def test_an_ill_typed_attribute_of_a_profile_is_named(name: str, text: str) -> None:
    wrong = profile_fault({name: text})
    assert (wrong.code, wrong.where) == ("wrong_type", f"case.{name}")


def test_a_principal_holds_the_tokens_of_its_tenant_and_groups() -> None:
    ann = Principal(id="ann", tenant="a", groups=("ops", "dev"))
    assert ann.tokens == {"public", "tenant:a", "group:a/ops", "group:a/dev"}
    assert ANONYMOUS.tokens == {"public"}


def test_an_inactive_principal_holds_no_token_at_all() -> None:
    assert Principal(id="ann", tenant="a", groups=("ops",), active=False).tokens == frozenset()


def test_groups_without_a_tenant_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        Principal(id="ann", groups=("ops",))
    assert caught.value.code == "bare_group"
    assert "ann" in caught.value.message
