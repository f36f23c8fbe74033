"""Repair: the first of the policy's repairs that is possible, for each claim that was not accepted."""

from __future__ import annotations

from dataclasses import replace

from toulmin.domain.canonical import text_digest
from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.claims.repair import Plan, plan, quoted, unreviewed
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.claims.verdict import Judged, Verdict, VerdictStatus
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.policy import Policy, Repair

LOGS = Citation(source=RevisionId("LOGS", "1"), span="p0-40")
PUMP = Citation(source=RevisionId("PUMP", "1"), span="p0-30")
WORDS = {
    LOGS: "Audit logs are kept for at least\n30 days. Backups are made every night.",
    PUMP: "The pump weighs 12 kg.",
}


def judged(text: str, *citations: Citation, status: VerdictStatus = VerdictStatus.UNRESOLVED) -> Judged:
    claim = Claim(text=text, citations=citations or (LOGS,))
    return Judged(claim=claim, verdict=Verdict(status=status, reason="made up", checks=()))


def unit(item: Judged) -> ReviewUnit:
    return ReviewUnit(
        claim=item.claim.text, passages=tuple(Cited(words=WORDS[citation]) for citation in item.claim.citations)
    )


def planned(*items: Judged, repairs: tuple[Repair, ...], may_retrieve: bool = False) -> Plan:
    policy = replace(Policy(), repairs=repairs)
    return plan(items, [unit(item) for item in items], policy, may_retrieve=may_retrieve)


FINE = judged("The pump weighs 12 kg.", PUMP, status=VerdictStatus.SUPPORTED)
WRONG = judged("Audit logs are kept for 90 days.")
OFF_TOPIC = judged("Elephants never forget a face.")


def test_an_accepted_claim_stays_as_it_is() -> None:
    made = planned(FINE, repairs=(Repair.REMOVE,))
    assert made.claims == (FINE.claim,)
    assert made.steps == ()


def test_a_claim_is_replaced_by_the_sentence_of_its_own_source_with_that_source_cited() -> None:
    made = planned(FINE, WRONG, repairs=(Repair.QUOTE, Repair.REMOVE))
    assert made.claims == (
        FINE.claim,
        Claim(text='The source says: "Audit logs are kept for at least 30 days."', citations=(LOGS,)),
    )
    (step,) = made.steps
    assert (step.claim, step.reason, step.next) == (
        text_digest(WRONG.claim.text),
        VerdictStatus.UNRESOLVED,
        Repair.QUOTE,
    )


def test_of_several_citations_the_one_that_has_the_sentence_stays() -> None:
    item = judged("Audit logs are kept for 90 days.", PUMP, LOGS)
    assert quoted(item.claim, unit(item)) == Claim(
        text='The source says: "Audit logs are kept for at least 30 days."', citations=(LOGS,)
    )


def test_a_claim_that_no_sentence_speaks_about_is_not_replaced() -> None:
    assert quoted(OFF_TOPIC.claim, unit(OFF_TOPIC)) is None
    assert planned(OFF_TOPIC, repairs=(Repair.QUOTE, Repair.REMOVE)).claims == ()


def test_two_claims_that_come_to_the_same_sentence_say_it_once() -> None:
    again = judged("Audit logs are kept for exactly 30 days.")
    made = planned(WRONG, again, repairs=(Repair.QUOTE, Repair.REMOVE))
    assert len(made.claims) == 1
    assert [step.next for step in made.steps] == [Repair.QUOTE, Repair.REMOVE]


def test_the_policy_s_order_decides() -> None:
    assert planned(WRONG, repairs=(Repair.REMOVE, Repair.QUOTE)).claims == ()
    assert planned(WRONG, repairs=(Repair.RETRIEVE, Repair.QUOTE), may_retrieve=True).retrieve
    assert not planned(WRONG, repairs=(Repair.QUOTE, Repair.RETRIEVE), may_retrieve=True).retrieve


def test_without_a_round_left_there_is_no_retrieving() -> None:
    made = planned(OFF_TOPIC, repairs=(Repair.RETRIEVE, Repair.REMOVE), may_retrieve=False)
    assert not made.retrieve
    assert [step.next for step in made.steps] == [Repair.REMOVE]


def test_no_repairs_mean_that_nothing_is_permitted() -> None:
    made = planned(FINE, WRONG, repairs=())
    assert not made.permitted
    assert [step.next for step in made.steps] == [None]


def test_a_quote_that_would_make_the_answer_too_long_is_not_taken() -> None:
    policy = replace(Policy(), repairs=(Repair.QUOTE, Repair.REMOVE), answer_bytes=20)
    made = plan([WRONG], [unit(WRONG)], policy, may_retrieve=False)
    assert made.claims == ()


def test_a_claim_with_other_words_or_other_citations_counts_as_not_reviewed() -> None:
    changed = replace(FINE.claim, text="The pump weighs 12 kg!")
    moved = replace(FINE.claim, citations=(LOGS,))
    assert unreviewed([FINE.claim, changed, moved], [FINE]) == (changed, moved)
