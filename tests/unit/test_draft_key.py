from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from tests.unit.making import case, contract, fact, found, quote, standing
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.evidence.selection import EvidenceSet, evidence_set
from toulmin.domain.policy import Policy
from toulmin.domain.proof.identity import draft_key
from toulmin.domain.question.case import Case, Principal
from toulmin.domain.question.contract import Contract
from toulmin.testing.builders import descriptor

ANN = Principal(id="ann", tenant="acme", groups=("ops", "sales"), roles=("reader", "auditor"))


def evidence(
    *passages: Ranked, words: str = "Water is wet.", fact_id: str | None = "wet", version: str = "1"
) -> EvidenceSet:
    """Two documents, the first of which has a curated quote."""
    taken = passages or (found("A", "Water is wet.", version=version), found("B", "Sand is dry."))
    return evidence_set(taken, {RevisionId("A", version): [quote(words, label=fact_id)]})


@dataclass(frozen=True)
class Asked:
    """All that a key is made of."""

    principal: Principal
    contract: Contract
    case: Case
    evidence: EvidenceSet
    policy: Policy
    drafter: str
    question: str

    @property
    def key(self) -> str:
        return draft_key(
            principal=self.principal,
            contract=self.contract,
            case=self.case,
            evidence=self.evidence,
            policy=self.policy,
            drafter=self.drafter,
            question=self.question,
        )


BASE = Asked(
    principal=ANN,
    contract=contract(fact("wet", "Water is wet.")),
    case=case(model="G2"),
    evidence=evidence(),
    policy=Policy(),
    drafter="openai/1 small",
    question="is water wet",
)
OTHERWISE: dict[str, Callable[[], Asked]] = {
    "tenant": lambda: replace(BASE, principal=replace(ANN, tenant="birch")),
    "no tenant": lambda: replace(BASE, principal=replace(ANN, tenant=None, groups=())),
    "a group less": lambda: replace(BASE, principal=replace(ANN, groups=("ops",))),
    "another group": lambda: replace(BASE, principal=replace(ANN, groups=("ops", "legal"))),
    "a role less": lambda: replace(BASE, principal=replace(ANN, roles=("reader",))),
    "another role": lambda: replace(BASE, principal=replace(ANN, roles=("reader", "curator"))),
    "inactive": lambda: replace(BASE, principal=replace(ANN, active=False)),
    "contract": lambda: replace(BASE, contract=contract(fact("wet", "Water is wet."), k=3)),
    "clause": lambda: replace(BASE, contract=contract(replace(fact("wet", "Water is wet."), clause="So wet."))),
    "case value": lambda: replace(BASE, case=case(model="G3")),
    "case type": lambda: replace(BASE, case=case(model=True)),
    "policy": lambda: replace(BASE, policy=Policy(claims=7)),
    "drafter": lambda: replace(BASE, drafter="openai/1 large"),
    "question": lambda: replace(BASE, question="is water dry"),
    "words": lambda: replace(BASE, evidence=evidence(words="Water was wet.")),
    "label": lambda: replace(BASE, evidence=evidence(fact_id=None)),
    "version": lambda: replace(BASE, evidence=evidence(version="2")),
    "order": lambda: replace(BASE, evidence=evidence(found("B", "Sand is dry."), found("A", "Water is wet."))),
    "a passage less": lambda: replace(BASE, evidence=evidence(found("A", "Water is wet."))),
    "place": lambda: replace(BASE, evidence=evidence(found("A", "Water is wet.", start=9), found("B", "Sand is dry."))),
    "heading": lambda: replace(
        BASE, evidence=evidence(found("A", "Water is wet.", heading=("Seas",)), found("B", "Sand is dry."))
    ),
    "title": lambda: replace(BASE, evidence=evidence(titled("Seas"), found("B", "Sand is dry."))),
    "other title": lambda: replace(BASE, evidence=evidence(titled("Lakes"), found("B", "Sand is dry."))),
}


def titled(title: str) -> Ranked:
    return replace(found("A", "Water is wet."), standing=standing("A", described=descriptor(title=title)))


@pytest.mark.parametrize("other", OTHERWISE)
def test_whatever_a_draft_may_depend_on_makes_another_key(other: str) -> None:
    assert OTHERWISE[other]().key != BASE.key


def test_no_two_of_them_share_a_key() -> None:
    keys = [BASE.key, *(made().key for made in OTHERWISE.values())]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    "same",
    [
        replace(BASE, question="  is\twater\n wet "),
        replace(BASE, principal=replace(ANN, groups=("sales", "ops", "ops"), roles=("auditor", "reader"))),
        replace(BASE, principal=replace(ANN, id="art")),
        replace(BASE, evidence=evidence(replace(found("A", "Water is wet."), score=7.5), found("B", "Sand is dry."))),
    ],
    ids=["white space", "order of groups and roles", "who with the same rights", "score"],
)
def test_what_it_can_not_depend_on_makes_none(same: Asked) -> None:
    assert same.key == BASE.key


def test_parts_of_a_question_and_a_profile_do_not_run_into_one_another() -> None:
    assert replace(BASE, drafter="a b", question="c").key != replace(BASE, drafter="a", question="b c").key
