from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.unit.making import case, rules, standing
from toulmin.domain.corpus.document import Status
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Case, Kind, Value, read_value
from toulmin.domain.question.eligibility import (
    Filter,
    Reason,
    Rule,
    RuleName,
    Rules,
    admits,
    eligible_scopes,
    judge,
    judge_standing,
)
from toulmin.testing.builders import NOW, descriptor

LEVELS = Rule(name=RuleName.AT_LEAST, levels=("low", "middle", "high"))
MOMENT = timedelta(microseconds=1)
DAY = timedelta(days=1)


def verdict(rule: RuleName | Rule, stated: str | Sequence[str], given: str | Value) -> tuple[Reason, ...]:
    """The reasons of one rule on one attribute."""
    value = Value(Kind.STRING, given) if isinstance(given, str) else given
    return judge(rules(a=rule), Case.of({"a": value}), Scope.of({"a": stated}))


@pytest.mark.parametrize(
    ("rule", "stated", "passing", "failing"),
    [
        (RuleName.EQUALS, "G2", "G2", "G3"),
        (RuleName.EQUALS, "G2", "G2", "g2"),
        (RuleName.ONE_OF, ["G2", "G3"], "G3", "G4"),
        (RuleName.ONE_OF, "G2", "G2", "G3"),
        (RuleName.VERSION_IN, "2.4.1", "2.4.1.0", "2.4.2"),
        (RuleName.VERSION_IN, ">=2.4.1,<2.4.2", "2.4.1", "2.4.2"),
        (RuleName.VERSION_IN, ["2.0", ">=2.4"], "2.5", "2.1"),
        (LEVELS, "middle", "middle", "low"),
        (LEVELS, "middle", "high", "low"),
    ],
)
def test_a_rule_lets_through_what_it_says(
    rule: RuleName | Rule, stated: str | list[str], passing: str, failing: str
) -> None:
    assert verdict(rule, stated, passing) == ()
    (reason,) = verdict(rule, stated, failing)
    name = rule.name if isinstance(rule, Rule) else rule
    assert reason == Reason(
        attribute="a", rule=name, document_value=Scope.of({"a": stated}).get("a"), case_value=failing
    )


@pytest.mark.parametrize("rule", [RuleName.EQUALS, LEVELS])
def test_a_rule_on_one_value_does_not_read_a_list(rule: RuleName | Rule) -> None:
    (reason,) = verdict(rule, ["low", "middle"], "middle")
    assert 'the list ["low","middle"]' in (reason.note or "")


@pytest.mark.parametrize("rule", [RuleName.ONE_OF, RuleName.VERSION_IN])
def test_an_empty_list_lets_nothing_through(rule: RuleName) -> None:
    assert verdict(rule, [], "2.4")


@pytest.mark.parametrize("rule", [RuleName.EQUALS, RuleName.ONE_OF, RuleName.VERSION_IN, LEVELS])
def test_a_wildcard_in_the_document_passes_whatever_the_case_says_or_leaves_out(rule: RuleName | Rule) -> None:
    assert verdict(rule, "*", "low") == ()
    assert judge(rules(a=rule), Case(), Scope.of({"a": "*"})) == ()


@pytest.mark.parametrize("rule", [RuleName.EQUALS, RuleName.ONE_OF])
def test_a_star_in_the_case_is_no_wildcard(rule: RuleName) -> None:
    assert verdict(rule, "G2", "*")


def test_an_optional_field_left_out_satisfies_only_the_wildcard() -> None:
    (reason,) = judge(rules(a=RuleName.EQUALS), Case(), Scope.of({"a": "G2"}))
    assert reason == Reason(
        attribute="a", rule="equals", document_value="G2", case_value=None, note="the case does not state a"
    )


def test_a_ruled_attribute_must_be_stated_by_the_document() -> None:
    (reason,) = judge(rules(a=RuleName.EQUALS), case(a="G2"), Scope())
    assert reason == Reason(
        attribute="a", rule="equals", document_value=None, case_value="G2", note="the document does not state a"
    )


def test_missing_excuses_a_document_that_does_not_state_an_attribute_and_none_that_states_another_value() -> None:
    excused = rules(a=RuleName.EQUALS, missing=["a"])
    assert judge(excused, case(a="G2"), Scope()) == ()
    assert judge(excused, case(a="G2"), Scope.of({"a": "G3"}))
    assert judge(excused, Case(), Scope.of({"a": "G3"}))


def test_a_stated_attribute_must_be_judged_by_a_rule() -> None:
    (reason,) = judge(Rules(), case(a="G2"), Scope.of({"a": "G2"}))
    assert (reason.attribute, reason.rule, reason.document_value) == ("a", None, "G2")
    assert "add a rule for it, or add it to ignore" in (reason.note or "")


def test_ignore_excuses_a_stated_attribute_and_no_rule() -> None:
    assert judge(rules(ignore=["a"]), Case(), Scope.of({"a": "G2"})) == ()
    assert judge(rules(a=RuleName.EQUALS, ignore=["a"]), case(a="G2"), Scope.of({"a": "G3"})), "a rule is a rule"
    assert judge(rules(ignore=["b"]), Case(), Scope.of({"a": "G2"}))


def test_an_unruled_wildcard_needs_no_rule() -> None:
    assert judge(Rules(), Case(), Scope.of({"a": "*"})) == ()


def test_missing_and_ignore_do_not_stand_for_each_other() -> None:
    assert judge(rules(missing=["a"]), Case(), Scope.of({"a": "G2"}))
    assert judge(rules(a=RuleName.EQUALS, ignore=["a"]), case(a="G2"), Scope())


def test_every_reason_is_returned_rules_first_in_their_order_then_the_scope() -> None:
    judged = rules(z=RuleName.EQUALS, c=RuleName.VERSION_IN, m=RuleName.ONE_OF)
    scope = Scope.of({"c": "2", "z": "x", "b": "1", "y": "1", "w": "*"})
    reasons = judge(judged, case(z="other", c="3", m="G2"), scope)
    assert [(r.attribute, r.rule) for r in reasons] == [
        ("z", "equals"),
        ("c", "version_in"),
        ("m", "one_of"),
        ("b", None),
        ("y", None),
    ]


@pytest.mark.parametrize(
    ("stated", "given", "named"),
    [("2.x", "2.4", "'2.x'"), ("2.4", "latest", "'latest'"), (["2.4", "2.x"], "2.4", "'2.x'")],
)
def test_an_unreadable_version_excludes_the_document_and_is_named(
    stated: str | list[str], given: str, named: str
) -> None:
    (reason,) = verdict(RuleName.VERSION_IN, stated, given)
    assert named in (reason.note or "")


def test_a_level_that_the_rule_does_not_know_excludes_the_document_and_is_named() -> None:
    (reason,) = verdict(LEVELS, "secret", "high")
    assert "'secret' is not one of the levels low, middle, high" in (reason.note or "")


def test_pep440_includes_pre_releases() -> None:
    rule = Rule(name=RuleName.VERSION_IN, scheme="pep440")
    assert verdict(rule, ">=2.0", "2.1rc1") == ()
    assert verdict(RuleName.VERSION_IN, ">=2.0", "2.1rc1"), "the dotted scheme reads no pre-releases"


@pytest.mark.parametrize("rule", [RuleName.EQUALS, RuleName.ONE_OF])
@pytest.mark.parametrize(
    ("kind", "given", "equal", "other"),
    [
        (Kind.NUMBER, "5", "5.0", "5.5"),
        (Kind.BOOLEAN, "true", "true", "false"),
        (Kind.DATE, "2026-01-31", "2026-01-31", "2026-02-01"),
        (Kind.INSTANT, "2026-01-31T00:00:00Z", "2026-01-31T01:00:00+01:00", "2026-01-31T01:00:00Z"),
        (Kind.STRING, "5", "5", "5.0"),
        (Kind.VERSION, "2.4", "2.4", "2.4.0"),
    ],
)
def test_equality_is_judged_in_the_kind_of_the_case(
    rule: RuleName, kind: Kind, given: str, equal: str, other: str
) -> None:
    assert verdict(rule, equal, Value(kind, given)) == ()
    assert verdict(rule, other, Value(kind, given))


def test_a_document_value_of_another_kind_is_named() -> None:
    (reason,) = verdict(RuleName.EQUALS, "yes", Value(Kind.BOOLEAN, "true"))
    assert reason.note is not None
    assert "'yes'" in reason.note
    assert "boolean" in reason.note


@pytest.mark.parametrize(
    ("name", "levels"),
    [(RuleName.AT_LEAST, ()), (RuleName.AT_LEAST, ("low", "low")), (RuleName.EQUALS, ("low", "high"))],
)
def test_levels_belong_to_at_least_and_stand_once(name: RuleName, levels: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        Rule(name=name, levels=levels)
    assert caught.value.code == "bad_rule"


def test_only_eligible_scopes_are_named() -> None:
    scopes: list[tuple[int, Mapping[str, str]]] = [(1, {"a": "G2"}), (4, {"a": "G3"}), (7, {"a": "*"}), (9, {})]
    judged = [(key, Scope.of(scope)) for key, scope in scopes]
    assert eligible_scopes(rules(a=RuleName.EQUALS), case(a="G2"), judged) == {1, 7}
    assert eligible_scopes(rules(a=RuleName.EQUALS), case(a="G2"), []) == frozenset()


def test_validity_is_half_open() -> None:
    stands = standing(validity=Validity(start=NOW, end=NOW + DAY))
    inside = (NOW, NOW + DAY - MOMENT)
    assert [judge_standing(Rules(), Case(), stands, at) for at in inside] == [(), ()]
    (early,) = judge_standing(Rules(), Case(), stands, NOW - MOMENT)
    assert (early.attribute, early.rule, early.document_value) == ("valid_from", "validity", "2026-01-01T00:00:00Z")
    assert early.case_value == "2025-12-31T23:59:59.999999Z"
    (late,) = judge_standing(Rules(), Case(), stands, NOW + DAY)
    assert (late.attribute, late.document_value, late.note) == ("valid_to", "2026-01-02T00:00:00Z", None)


def test_a_revision_that_another_one_closed_is_said_to_be_superseded() -> None:
    stands = standing(validity=Validity(start=NOW, end=NOW + DAY), superseded=True)
    (late,) = judge_standing(Rules(), Case(), stands, NOW + DAY)
    assert late.note == "superseded"
    assert judge_standing(Rules(), Case(), stands, NOW) == (), "it is served as of then"


@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
def test_a_retired_revision_is_told_so_beside_every_other_reason(status: Status) -> None:
    stands = standing(described=descriptor(scope={"a": "G3"}), status=status)
    reasons = judge_standing(rules(a=RuleName.EQUALS), case(a="G2"), stands, NOW - DAY)
    assert [(r.attribute, r.document_value) for r in reasons] == [
        ("a", "G3"),
        ("status", status),
        ("valid_from", "2026-01-01T00:00:00Z"),
    ]


def test_the_filter_asks_for_scope_reader_instant_and_a_live_revision() -> None:
    stands = standing(described=descriptor(readers=["tenant:a"]))
    wanted = Filter(scopes=frozenset({3}), readers=frozenset({"public", "tenant:a"}), at=NOW)
    assert admits(wanted, 3, stands)
    assert not admits(wanted, 4, stands)
    assert not admits(Filter(scopes=wanted.scopes, readers=frozenset({"public"}), at=NOW), 3, stands)
    assert not admits(Filter(scopes=wanted.scopes, readers=wanted.readers, at=NOW - MOMENT), 3, stands)
    assert not admits(wanted, 3, standing(described=stands.descriptor, status=Status.WITHDRAWN))
    assert not admits(wanted, 3, standing(described=descriptor(readers=[])))


@pytest.mark.parametrize(("scopes", "tokens"), [((), ("public",)), ((3,), ()), ((), ())])
def test_an_empty_filter_lets_nothing_through(scopes: tuple[int, ...], tokens: tuple[str, ...]) -> None:
    wanted = Filter(scopes=frozenset(scopes), readers=frozenset(tokens), at=NOW)
    assert wanted.lets_nothing_through
    assert not admits(wanted, 3, standing())


def test_a_list_written_as_one_text_is_no_version_range_and_says_so() -> None:
    (reason,) = verdict(RuleName.VERSION_IN, "2.4.1, 2.4.3", "2.4.1")
    assert reason.note == "'2.4.1, 2.4.3' is not a version in the scheme dotted"


def test_a_documents_date_begins_in_the_zone_of_the_rules() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    given = read_value(Kind.INSTANT, "2026-01-01", berlin)
    scope, made = Scope.of({"since": "2026-01-01"}), Case.of({"since": given})
    judged = (("since", Rule(name=RuleName.EQUALS)),)
    assert judge(Rules(judged, zone=berlin), made, scope) == ()
    assert judge(Rules(judged), made, scope)
