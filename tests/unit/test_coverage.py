from __future__ import annotations

import pytest

from tests.unit.making import case, closed, contract, fact, found, quote
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.evidence.coverage import missing, qualifies, witnesses
from toulmin.domain.evidence.selection import EvidenceSet, evidence_set
from toulmin.domain.question.case import Kind
from toulmin.domain.question.contract import CaseField

WET = fact("wet", "Water is wet.")
DRY = fact("dry", "Sand is dry.")


def test_a_span_with_the_label_and_the_words_qualifies() -> None:
    assert qualifies(quote("Water is wet.", label="wet"), WET)


def test_a_label_alone_never_counts() -> None:
    assert not qualifies(quote("Water was wet.", label="wet"), WET)
    assert missing(closed(A=[quote("Water was wet.", label="wet")]), [WET]) == ("wet",)


@pytest.mark.parametrize("label", ["dry", None, "we", "wet "])
def test_the_words_alone_never_count(label: str | None) -> None:
    assert not qualifies(quote("Water is wet.", label=label), WET)


@pytest.mark.parametrize("words", ["Water\r\n is  wet.", "  Water is wet.\n", "Water\tis wet."])
def test_white_space_makes_no_other_words(words: str) -> None:
    assert qualifies(quote(words, label="wet"), WET)


def test_composed_and_decomposed_letters_are_one() -> None:
    assert qualifies(quote("Cafe\u0301", label="cafe"), fact("cafe", "Caf\u00e9"))


@pytest.mark.parametrize(
    "words", ["water is wet.", "Water is wet", "Water is wet!", "\uff37ater is wet.", "Wateris wet."]
)
def test_any_other_difference_counts(words: str) -> None:
    assert not qualifies(quote(words, label="wet"), WET)


def test_the_first_witness_goes_by_document_version_and_span() -> None:
    later, first = quote("Water is wet.", label="wet", span="a"), quote("Water is wet.", label="wet", span="b", start=9)
    evidence = evidence_set(
        [found("B", version="1"), found("A", "x", version="2"), found("A", "y", version="10")],
        {
            RevisionId("B", "1"): [later],
            RevisionId("A", "2"): [later],
            RevisionId("A", "10"): [quote("Water is wet.", label="wet", span="c"), first],
        },
    )
    (witness,) = witnesses(evidence, [WET])
    assert (witness.fact, witness.source, witness.quote) == ("wet", RevisionId("A", "10"), first)


def test_witnesses_come_in_the_order_of_the_facts() -> None:
    evidence = closed(A=[quote("Sand is dry.", label="dry", span="s2")], B=[quote("Water is wet.", label="wet")])
    assert [witness.fact for witness in witnesses(evidence, [WET, DRY])] == ["wet", "dry"]
    assert [witness.fact for witness in witnesses(evidence, [DRY, WET])] == ["dry", "wet"]


def test_missing_facts_come_in_the_contracts_order() -> None:
    assert missing(EvidenceSet(), [WET, DRY]) == ("wet", "dry")
    assert missing(EvidenceSet(), [DRY, WET]) == ("dry", "wet")
    assert missing(closed(A=[quote("Sand is dry.", label="dry")]), [WET, DRY]) == ("wet",)
    assert missing(EvidenceSet(), []) == ()


def test_an_optional_fact_is_never_missing_and_still_witnessed() -> None:
    maybe = fact("wet", "Water is wet.", required=False)
    assert missing(EvidenceSet(), [maybe]) == ()
    assert [w.fact for w in witnesses(closed(A=[quote("Water is wet.", label="wet")]), [maybe])] == ["wet"]


@pytest.mark.parametrize(("hold", "expected"), [(True, ("always", "held")), (False, ("always",))])
def test_a_conditional_fact_is_required_only_where_it_applies(hold: bool, expected: tuple[str, ...]) -> None:
    made = contract(
        fact("always"), fact("held", applies={"hold": True}), fields=[CaseField(name="hold", kind=Kind.BOOLEAN)]
    )
    assert missing(EvidenceSet(), made.applicable(case(hold=hold))) == expected


def test_every_condition_of_a_fact_must_hold() -> None:
    both = fact("both", applies={"hold": True, "model": "G2"})
    assert both.applies_to(case(hold=True, model="G2"))
    assert not both.applies_to(case(hold=True, model="G3"))
    assert not both.applies_to(case(hold=True)), "a field left out meets no condition"
