from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.unit.making import contract, fact, quote, rules, standing
from toulmin.domain.claims.checks import Curated, FindingCode, findings
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.evidence.selection import Quote
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Kind
from toulmin.domain.question.contract import CaseField, Contract
from toulmin.domain.question.eligibility import RuleName
from toulmin.testing.builders import ALWAYS, NOW, descriptor

WET = fact("wet", "Water is wet.")
CONTRACT = contract(WET)
WITNESS = quote("Water is wet.", label="wet")


def curated(
    document: str,
    *quotes: Quote,
    version: str = "1",
    scope: Mapping[str, str] | None = None,
    validity: Validity = ALWAYS,
) -> Curated:
    stands = standing(document, version, descriptor(scope=scope), validity=validity)
    return Curated(standing=stands, quotes=quotes)


def codes(made: Contract, *corpus: Curated) -> list[tuple[FindingCode, str | None]]:
    return [(finding.code, finding.fact) for finding in findings(made, corpus, Policy())]


def test_a_fact_with_one_witness_is_fine() -> None:
    assert codes(CONTRACT, curated("A", WITNESS), curated("B")) == []


def test_a_fact_without_a_witness_is_found() -> None:
    assert codes(CONTRACT) == [(FindingCode.NO_WITNESS, "wet")]
    assert codes(CONTRACT, curated("A", quote("Water is wet."))) == [(FindingCode.NO_WITNESS, "wet")]


def test_an_optional_fact_without_a_witness_is_found_too() -> None:
    assert codes(contract(fact("wet", required=False))) == [(FindingCode.NO_WITNESS, "wet")]


def test_a_label_on_other_words_is_found_and_named() -> None:
    stale = curated("A", quote("Water was wet.", label="wet", span="s7"))
    (label, none) = findings(CONTRACT, [stale], Policy())
    assert (label.code, none.code) == (FindingCode.LABEL_WITHOUT_PROPOSITION, FindingCode.NO_WITNESS)
    assert "span s7 of A v1" in label.message
    assert "Water" not in label.message, "no document text"
    assert codes(CONTRACT, stale, curated("B", WITNESS)) == [(FindingCode.LABEL_WITHOUT_PROPOSITION, "wet")]


def test_a_label_that_the_contract_does_not_know_is_none_of_its_business() -> None:
    assert codes(CONTRACT, curated("A", WITNESS, quote("Else.", label="other", span="s2"))) == []


def test_several_witnesses_for_one_case_are_found_and_named() -> None:
    (finding,) = findings(CONTRACT, [curated("B", WITNESS), curated("A", WITNESS)], Policy())
    assert (finding.code, finding.fact) == (FindingCode.SEVERAL_WITNESSES, "wet")
    assert "A v1, B v1" in finding.message


def test_two_witnesses_in_one_document_are_several() -> None:
    twice = curated("A", WITNESS, quote("Water is wet.", label="wet", span="s2", start=40))
    assert codes(CONTRACT, twice) == [(FindingCode.SEVERAL_WITNESSES, "wet")]


def test_witnesses_for_cases_apart_are_fine() -> None:
    judged = contract(WET, judged=rules(model=RuleName.EQUALS))
    corpus = [curated("A", WITNESS, scope={"model": "G2"}), curated("B", WITNESS, scope={"model": "G3"})]
    assert codes(judged, *corpus) == []


@pytest.mark.parametrize(
    ("missing", "expected"),
    [((), [(FindingCode.NO_WITNESS, "wet"), (FindingCode.UNREACHABLE_RULE, None)]), (("model",), [])],
)
def test_a_rule_on_what_no_document_states_is_found(
    missing: Sequence[str], expected: list[tuple[FindingCode, str | None]]
) -> None:
    judged = contract(WET, judged=rules(model=RuleName.EQUALS, missing=missing))
    assert codes(judged, curated("A", WITNESS)) == expected


def test_a_rule_that_one_document_meets_is_reachable() -> None:
    judged = contract(WET, judged=rules(model=RuleName.EQUALS))
    assert codes(judged, curated("A", WITNESS, scope={"model": "*"}), curated("B")) == []


def test_two_versions_in_force_whose_scopes_may_overlap_are_found() -> None:
    corpus = [
        curated("A", WITNESS, version="2", scope={"model": "G2"}),
        curated("A", version="1", scope={"model": "*"}),
        curated("B", version="1", scope={"model": "G2"}),
    ]
    judged = contract(WET, judged=rules(model=RuleName.EQUALS))
    (finding,) = findings(judged, corpus, Policy())
    assert finding.code is FindingCode.OVERLAP
    assert "A v1 and A v2" in finding.message


def test_versions_apart_in_scope_or_time_do_not_overlap() -> None:
    judged = contract(WET, judged=rules(model=RuleName.EQUALS))
    ended = Validity(start=NOW, end=NOW + timedelta(days=1))
    started = Validity(start=NOW + timedelta(days=1))
    corpus = [
        curated("A", WITNESS, version="1", scope={"model": "G2"}, validity=ended),
        curated("A", version="2", scope={"model": "G2"}, validity=started),
        curated("A", version="3", scope={"model": "G3"}),
    ]
    assert codes(judged, *corpus) == []


def test_facts_come_first_in_their_order_then_rules_then_overlaps() -> None:
    made = contract(fact("z"), fact("a"), judged=rules(model=RuleName.EQUALS))
    assert codes(made, curated("A", version="1"), curated("A", version="2")) == [
        (FindingCode.NO_WITNESS, "z"),
        (FindingCode.NO_WITNESS, "a"),
        (FindingCode.UNREACHABLE_RULE, None),
        (FindingCode.OVERLAP, None),
    ]


def test_what_keeps_a_contract_from_answering_is_fatal() -> None:
    judged = contract(WET, judged=rules(model=RuleName.EQUALS))
    crowded = contract(replace(WET, clause="[1]"), fact("dry"))
    made: list[tuple[Contract, list[Curated]]] = [
        (judged, []),
        (judged, [curated("A", quote("x", label="wet")), curated("A", version="2")]),
        (CONTRACT, [curated("A", WITNESS), curated("B", WITNESS)]),
        (crowded, []),
    ]
    seen = {finding.code: finding.fatal for one, corpus in made for finding in findings(one, corpus, Policy(claims=1))}
    assert set(seen) == set(FindingCode)
    assert {code for code, is_fatal in seen.items() if not is_fatal} == {
        FindingCode.SEVERAL_WITNESSES,
        FindingCode.OVERLAP,
    }


def test_a_clause_that_every_draft_would_be_refused_for_is_found() -> None:
    made = contract(replace(WET, clause="Water is wet [1]."))
    assert codes(made, curated("A", WITNESS)) == [(FindingCode.UNSAYABLE_CLAUSE, "wet")]


def test_more_required_facts_than_a_draft_has_claims_are_found() -> None:
    made = contract(*(fact(f"f{number}") for number in range(9)))
    assert (FindingCode.TOO_MANY_FACTS, None) in codes(made)
    assert (FindingCode.TOO_MANY_FACTS, None) not in codes(contract(*(fact(f"f{number}") for number in range(8))))


def test_a_witness_that_no_case_can_ever_reach_is_no_witness() -> None:
    (finding,) = findings(CONTRACT, [curated("A", WITNESS, scope={"region": "eu"})], Policy())
    assert finding.code is FindingCode.NO_WITNESS
    assert "A v1 does, and is eligible for no case: no rule judges region" in finding.message


def test_facts_that_no_case_makes_apply_at_once_are_not_counted_together() -> None:
    regions = (fact(f"f{number}", applies={"region": f"r{number}"}) for number in range(12))
    made = contract(*regions, fields=[CaseField(name="region", kind=Kind.STRING)])
    assert (FindingCode.TOO_MANY_FACTS, None) not in codes(made)


def test_optional_facts_count_too_since_the_template_says_them_all() -> None:
    made = contract(*(fact(f"f{number}", required=False) for number in range(9)))
    assert (FindingCode.TOO_MANY_FACTS, None) in codes(made)


def test_clauses_that_are_too_long_for_one_answer_are_found() -> None:
    made = contract(replace(WET, clause="x" * 9000))
    assert codes(made, curated("A", WITNESS)) == [(FindingCode.UNSAYABLE_CLAUSE, None)]
