"""Conditions: minimal pairs of conditions kept, dropped, turned round and made up, and of exceptions."""

from __future__ import annotations

import pytest

from tests.unit.oracles.pairs import objected, strength
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles import conditions

CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES

LEAVE = (
    "Unused leave carries over, up to 5 days, only if the manager approves before 31 December. "
    "This does not apply to interns."
)

PAIRS = [
    # dropped
    (LEAVE, "Unused leave carries over.", UNSETTLES),
    (LEAVE, "Up to 5 days carry over if the manager approves before 31 December.", None),
    ("The lamp blinks if the filter is clogged.", "The lamp blinks.", UNSETTLES),
    ("The lamp blinks if the filter is clogged.", "The lamp blinks if the filter is clogged.", None),
    ("The lamp blinks if the filter is clogged.", "A clogged filter makes the lamp blink.", None),
    ("The lamp blinks if the filter is clogged.", "With a clogged filter, the lamp blinks.", None),
    ("Refunds are paid unless the seal is broken.", "Refunds are paid.", UNSETTLES),
    ("Exports run daily on selected plans.", "Exports run daily.", UNSETTLES),
    ("With caching enabled, pages load in a second.", "Pages load in a second.", UNSETTLES),
    ("In debug mode, errors are shown in the browser.", "Errors are shown in the browser.", UNSETTLES),
    ("All floors except the cellar are heated.", "All floors are heated.", UNSETTLES),
    ("The lamp blinks. If the filter is clogged, the pump stops.", "The lamp blinks.", None),
    ("When the tank is empty, the lamp blinks.", "The lamp blinks.", UNSETTLES),
    ("The clerk smiles while others wait in the hall.", "The clerk smiles.", None),
    ("The nurse signed the chart when the doctor entered the ward.", "The nurse signed the chart.", None),
    ("With a rucksack on her back, the guide climbs the wall.", "The guide climbs the wall.", None),
    ("The firm, once a leader in pumps, makes valves.", "The firm makes valves.", None),
    ("Once the seal is broken, the lamp blinks.", "The lamp blinks.", UNSETTLES),
    ("The board sits on Monday and votes, and the clerk writes if a vote is lost.", "The board sits on Monday.", None),
    ("Send the form, if possible, to the clerk.", "Send the form to the clerk.", None),
    # turned round
    ("The lamp blinks if the filter is clogged.", "The lamp blinks unless the filter is clogged.", CONTRADICTS),
    ("The lamp blinks unless the filter is clogged.", "The lamp blinks if the filter is clogged.", CONTRADICTS),
    ("The lamp blinks unless the filter is clogged.", "The lamp blinks if the filter is not clogged.", None),
    ("The door locks when the switch is on.", "The door locks when the switch is off.", CONTRADICTS),
    ("The door locks when the alarm is enabled.", "The door locks when the alarm is disabled.", CONTRADICTS),
    ("The door locks when the alarm is enabled.", "The door locks when the alarm is not enabled.", CONTRADICTS),
    (
        "In debug mode, errors are shown in the browser.",
        "Outside debug mode, errors are shown in the browser.",
        CONTRADICTS,
    ),
    ("The door locks unless the alarm is disabled.", "The door does not lock if the alarm is disabled.", None),
    # exceptions
    (LEAVE, "Interns can carry over 5 days with approval.", CONTRADICTS),
    (LEAVE, "Interns cannot carry over leave.", None),
    # made up
    ("The lamp blinks.", "The lamp blinks if the battery is low.", UNSETTLES),
    ("Low battery: the lamp blinks.", "The lamp blinks if the battery is low.", None),
]


@pytest.mark.parametrize(("evidence", "claim", "expected"), PAIRS)
def test_a_condition_is_kept_in_any_words_but_not_dropped_turned_or_made_up(
    evidence: str, claim: str, expected: Strength | None
) -> None:
    assert strength(evidence, claim, conditions.objections) == expected


def test_an_objection_names_the_condition_that_is_missing() -> None:
    (objection,) = objected(LEAVE, "Unused leave carries over.", conditions.objections)
    assert LEAVE[slice(*objection.evidence)] == "only if the manager approves before 31 December"
    assert objection.says == (
        "the claim says that it holds in every case; the source says it "
        '"only if the manager approves before 31 December"'
    )
