from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.making import case, closed, fact, quote
from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.claims.licence import check, judge_all
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.question.case import Case

WET = fact("wet", "Water is wet.", applies={"rain": True})
DRY = fact("dry", "Sand is dry.")
EVIDENCE = closed(
    A=[
        quote("Water is wet.", label="wet", span="s1"),
        quote("Water was wet.", label="wet", span="s2"),
        quote("Sand is dry.", label="dry", span="s3"),
        quote("Water is wet.", span="s4"),
    ],
    B=[quote("Water\n is wet.", label="wet", span="s1")],
)
RAIN = case(rain=True)
CHECKS = (
    "fact_known",
    "fact_applies",
    "cited",
    "source_selected",
    "span_carries_fact",
    "words_are_proposition",
    "sentence_licensed",
)


def cite(document: str = "A", span: str = "s1", version: str = "1") -> Citation:
    return Citation(source=RevisionId(document, version), span=span)


GOOD = Claim(text=WET.clause, fact="wet", citations=(cite(),))


def test_a_claim_that_passes_every_check_is_licensed() -> None:
    verdict = check(GOOD, EVIDENCE, [DRY, WET], RAIN)
    assert verdict.status is VerdictStatus.LICENSED
    assert verdict.delivered
    assert verdict.reason is None
    assert verdict.checks == CHECKS


REFUSALS = [
    (replace(GOOD, fact="other"), "the contract has no such fact"),
    (replace(GOOD, fact=None), "the contract has no such fact"),
    (replace(GOOD, citations=()), "the claim cites nothing"),
    (replace(GOOD, citations=(cite("HOLD-9"),)), "cited source is not in the selected evidence"),
    (replace(GOOD, citations=(cite(version="2"),)), "cited source is not in the selected evidence"),
    (replace(GOOD, citations=(cite(span="s3"),)), "the cited span does not carry this fact"),
    (replace(GOOD, citations=(cite(span="s4"),)), "the cited span does not carry this fact"),
    (replace(GOOD, citations=(cite(span="s9"),)), "the cited span does not carry this fact"),
    (replace(GOOD, citations=(cite(span="s2"),)), "the cited words are not the fact's proposition"),
    (replace(GOOD, text=WET.clause + " "), "the rule does not license this sentence"),
    (replace(GOOD, text=WET.proposition), "the rule does not license this sentence"),
    (replace(GOOD, text=DRY.clause), "the rule does not license this sentence"),
]


@pytest.mark.parametrize(("claim", "reason"), REFUSALS)
def test_each_check_has_a_reason_of_its_own(claim: Claim, reason: str) -> None:
    verdict = check(claim, EVIDENCE, [DRY, WET], RAIN)
    assert verdict.status is VerdictStatus.NOT_LICENSED
    assert not verdict.delivered
    assert verdict.reason == reason


@pytest.mark.parametrize("stated", [case(rain=False), case()])
def test_a_fact_that_does_not_apply_to_the_case_licenses_nothing(stated: Case) -> None:
    verdict = check(GOOD, EVIDENCE, [WET], stated)
    assert verdict.reason == "this fact does not apply to the case"
    assert verdict.checks == ("fact_known",)


def test_the_checks_come_in_order_and_the_first_refusal_is_the_reason() -> None:
    worst = Claim(text="else", fact="wet", citations=(cite("HOLD-9", "s9"),))
    steps = [
        (replace(worst, fact="other"), case(), 0),
        (worst, case(), 1),
        (replace(worst, citations=()), RAIN, 2),
        (worst, RAIN, 3),
        (replace(worst, citations=(cite(span="s3"),)), RAIN, 4),
        (replace(worst, citations=(cite(span="s2"),)), RAIN, 5),
        (replace(worst, citations=(cite(),)), RAIN, 6),
    ]
    for claim, stated, passed in steps:
        assert check(claim, EVIDENCE, [WET], stated).checks == CHECKS[:passed]


def test_every_citation_must_pass() -> None:
    two = replace(GOOD, citations=(cite("A"), cite("B")))
    assert check(two, EVIDENCE, [WET], RAIN).delivered
    for bad in (cite("HOLD-9"), cite(span="s2"), cite(span="s3")):
        for citations in ((cite(), bad), (bad, cite())):
            assert not check(replace(GOOD, citations=citations), EVIDENCE, [WET], RAIN).delivered


def test_no_verdict_depends_on_another_claim() -> None:
    bad = replace(GOOD, text="Else.")
    judged = judge_all([bad, GOOD, bad], EVIDENCE, [WET], RAIN)
    assert [item.verdict.delivered for item in judged] == [False, True, False]
    assert [item.claim for item in judged] == [bad, GOOD, bad]
