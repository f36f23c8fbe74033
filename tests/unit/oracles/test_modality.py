"""Modality: minimal pairs of what is, what may be, what should be and what must be."""

from __future__ import annotations

import pytest

from tests.unit.oracles.pairs import objected, strength
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles import modality

CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES

PAIRS = [
    # a hedge is lost
    (
        "Impaired entry may explain the lower infection rate.",
        "Impaired entry explains the lower infection rate.",
        UNSETTLES,
    ),
    (
        "Impaired entry may explain the lower infection rate.",
        "Impaired entry might explain the lower infection rate.",
        None,
    ),
    ("Impaired entry explains the lower infection rate.", "Impaired entry explains the lower infection rate.", None),
    ("The pump may stop without warning.", "The pump stops without warning.", UNSETTLES),
    ("The pump may stop without warning.", "The pump may stop without warning.", None),
    ("The pump stops without warning.", "The pump may stop without warning.", None),
    ("The drug could cause drowsiness.", "The drug causes drowsiness.", UNSETTLES),
    ("Deliveries usually arrive within two days.", "Deliveries arrive within two days.", UNSETTLES),
    ("Deliveries usually arrive within two days.", "Deliveries typically arrive within two days.", None),
    ("The tenant should report damage at once.", "The tenant reports damage at once.", UNSETTLES),
    ("Large cookies may be ignored by browsers.", "Browsers always ignore large cookies.", UNSETTLES),
    ("Large cookies may be ignored by browsers.", "Browsers always drop large cookies.", UNSETTLES),
    ("The clerk could not open the safe.", "The clerk did not open the safe.", None),
    ("The clerk could open the safe.", "The clerk couldn't open the safe.", None),
    ("The drain is often used as a vent.", "The drain is used as a vent.", None),
    ("The drain is often used as a vent.", "The drain is always used as a vent.", UNSETTLES),
    ("Usually, the drain takes the rain from both roofs and the yard.", "The drain is of clay.", None),
    ("Guests who may bring dogs sleep in the annex.", "Guests bring dogs and sleep in the annex.", None),
    ("The bridge might collapse in a storm.", "The bridge collapses in a storm.", UNSETTLES),
    # a duty is made up
    ("We have got to alert the ward.", "We need to alert the ward.", None),
    ("The board asked members to return the form.", "Members need to return the form.", None),
    ("Operators should log out after each shift.", "Operators must log out after each shift.", UNSETTLES),
    ("Operators should log out after each shift.", "Operators should log out after each shift.", None),
    ("Operators must log out after each shift.", "Operators must log out after each shift.", None),
    ("Operators are required to log out after each shift.", "Operators must log out after each shift.", None),
    ("Log out after each shift.", "Operators must log out after each shift.", None),
    ("A helmet is recommended on site.", "A helmet is mandatory on site.", UNSETTLES),
    ("Visitors wear a helmet on site.", "Visitors have to wear a helmet on site.", UNSETTLES),
    # a duty is softened
    ("Operators must log out after each shift.", "Operators may log out after each shift.", CONTRADICTS),
    ("Operators must log out after each shift.", "Operators should log out after each shift.", UNSETTLES),
    ("Operators must log out after each shift.", "Operators can log out after each shift.", UNSETTLES),
    ("We can and must build safe roads.", "We can build safe roads.", None),
    ("Operators must not log out during a shift.", "Operators may not log out during a shift.", None),
    # the month, plans, and capability
    ("Release 5 is planned for May.", "Release 5 ships in May.", UNSETTLES),
    ("Release 5 is planned for May.", "Release 5 is planned for May.", None),
    ("Release 5 ships in May.", "Release 5 ships in May.", None),
    ("May 3 is the last day of the trial.", "May 3 is the last day of the trial.", None),
    ("The crane can lift 3 tonnes.", "The crane can lift 3 tonnes.", None),
    ("The crane can lift 3 tonnes.", "The crane may lift 3 tonnes.", None),
    # another verb's modal
    ("The pump stops when the tank is empty, and the lamp may blink.", "The pump stops when the tank is empty.", None),
    ("Members may bring guests. Guests sign the book.", "Guests sign the book.", None),
    (
        "Use the database for data that lasts across requests.",
        "For data that must last across requests, use the database.",
        None,
    ),
]


@pytest.mark.parametrize(("evidence", "claim", "expected"), PAIRS)
def test_a_claim_may_not_be_firmer_than_its_source_nor_soften_a_duty(
    evidence: str, claim: str, expected: Strength | None
) -> None:
    assert strength(evidence, claim, modality.objections) == expected


def test_an_objection_shows_the_modal_with_its_verb() -> None:
    evidence, claim = "The pump may suddenly stop.", "The pump suddenly stops."
    (objection,) = objected(evidence, claim, modality.objections)
    assert claim[slice(*objection.claim)] == "stops"
    assert evidence[slice(*objection.evidence)] == "may suddenly stop"
    assert (
        objection.says
        == 'the claim says that it is so: "stops"; the source says that it may be so: "may suddenly stop"'
    )


def test_a_sentence_that_says_it_plainly_is_enough() -> None:
    passage = "The pump may stop when the tank is empty. The pump stops when the tank is empty, in every model."
    assert strength(passage, "The pump stops when the tank is empty.", modality.objections) is None
