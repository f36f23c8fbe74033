from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.making import standing
from toulmin.domain.corpus.document import Status
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.question.case import Case, Kind, Principal, Value
from toulmin.domain.question.eligibility import (
    Filter,
    Rule,
    RuleName,
    Rules,
    admits,
    eligible_scopes,
    judge,
    judge_standing,
)
from toulmin.testing.builders import NOW, descriptor

NAMES = ("a", "b", "c")
LEVELS = ("1.0", "2.0", "G2")
ITEMS = st.sampled_from(["1.0", "2.0", "G2", "5", "5.0", "true", ">=1.0,<2", "!=2.0", "x y"])
VALUES = st.one_of(ITEMS, st.just("*"), st.lists(ITEMS, max_size=3))
RULES = st.one_of(
    st.builds(Rule, name=st.sampled_from([RuleName.EQUALS, RuleName.ONE_OF])),
    st.builds(Rule, name=st.just(RuleName.VERSION_IN), scheme=st.sampled_from(["dotted", "pep440"])),
    st.just(Rule(name=RuleName.AT_LEAST, levels=LEVELS)),
)
TOKENS = st.sets(st.sampled_from(["public", "tenant:a", "tenant:b", "group:a/ops"]))
PRINCIPALS = st.builds(
    Principal,
    id=st.just("p"),
    tenant=st.sampled_from(["a", "b"]),
    groups=st.sampled_from([(), ("ops",)]),
    active=st.booleans(),
)
INSTANTS = st.integers(-3, 3).map(lambda days: NOW + timedelta(days=days))


@st.composite
def scopes(draw: st.DrawFn) -> Scope:
    return Scope.of(draw(st.dictionaries(st.sampled_from(NAMES), VALUES)))


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    named = draw(st.dictionaries(st.sampled_from(NAMES), RULES))
    exempt = st.frozensets(st.sampled_from(NAMES))
    return Rules(tuple(named.items()), missing=draw(exempt), ignore=draw(exempt))


@st.composite
def cases(draw: st.DrawFn, rules: Rules) -> Case:
    """A case that every rule can judge, as reading a case sees to."""
    facts = {}
    for name in draw(st.sets(st.sampled_from(NAMES))):
        rule = rules.get(name)
        if rule is not None and rule.name is RuleName.AT_LEAST:
            facts[name] = Value(Kind.STRING, draw(st.sampled_from(LEVELS)))
        elif rule is not None and rule.name is RuleName.VERSION_IN:
            facts[name] = Value(Kind.VERSION, draw(st.sampled_from(["1.0", "2.0", "5"])))
        else:
            plain = [Value(Kind.STRING, "G2"), Value(Kind.NUMBER, "5"), Value(Kind.BOOLEAN, "true")]
            facts[name] = draw(st.sampled_from(plain))
    return Case.of(facts)


@given(st.data(), rule_sets(), scopes(), TOKENS, PRINCIPALS)
def test_the_filter_admits_exactly_what_has_no_reason_and_a_reader(
    data: st.DataObject, rules: Rules, scope: Scope, tokens: set[str], principal: Principal
) -> None:
    moment = data.draw(INSTANTS)
    stands = standing(
        described=descriptor(scope=dict(scope.attributes), readers=tokens),
        validity=Validity(start=data.draw(INSTANTS), end=data.draw(st.none() | INSTANTS)),
        status=data.draw(st.sampled_from(list(Status))),
    )
    case = data.draw(cases(rules))
    wanted = Filter(scopes=eligible_scopes(rules, case, [(1, scope)]), readers=principal.tokens, at=moment)
    explained = judge_standing(rules, case, stands, moment)
    assert admits(wanted, 1, stands) == (not explained and not principal.tokens.isdisjoint(tokens))


@given(st.data(), rule_sets(), scopes())
def test_eligibility_fails_closed_in_both_directions(data: st.DataObject, rules: Rules, scope: Scope) -> None:
    if not judge(rules, data.draw(cases(rules)), scope):
        assert set(rules.attributes) <= set(scope.names) | rules.missing
        judged = {name for name, value in scope.attributes if value != "*"}
        assert judged <= set(rules.attributes) | rules.ignore


@given(st.data(), rule_sets(), scopes())
def test_a_case_that_says_nothing_is_eligible_only_where_nothing_is_asked(
    data: st.DataObject, rules: Rules, scope: Scope
) -> None:
    if not judge(rules, Case(), scope):
        assert all(scope.get(name) in (None, "*") for name in rules.attributes)
        assert not judge(rules, data.draw(cases(rules)), scope), "and then whatever the case says"


@given(st.data(), rule_sets(), scopes())
def test_each_attribute_has_at_most_one_reason(data: st.DataObject, rules: Rules, scope: Scope) -> None:
    reasons = judge(rules, data.draw(cases(rules)), scope)
    assert len({reason.attribute for reason in reasons}) == len(reasons)


@given(st.data(), rule_sets(), st.lists(scopes(), max_size=5))
def test_other_fields_of_the_case_change_nothing(data: st.DataObject, rules: Rules, some: list[Scope]) -> None:
    case = data.draw(cases(rules))
    numbered = list(enumerate(some, start=1))
    assert eligible_scopes(rules, case, numbered) == eligible_scopes(rules, case.only(rules.attributes), numbered)
