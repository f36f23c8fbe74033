"""Quantity words: minimal pairs of all, most, some, none, only, the most, and comparisons."""

from __future__ import annotations

import pytest

from tests.unit.oracles.pairs import objected, strength
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles import quantifiers

CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES

PAIRS = [
    # all and always
    ("Some plans include dental care.", "All plans include dental care.", UNSETTLES),
    ("Some plans include dental care.", "Some plans include dental care.", None),
    ("All plans include dental care.", "All plans include dental care.", None),
    ("All plans include dental care.", "Every plan includes dental care.", None),
    ("Any plan includes dental care.", "Every plan includes dental care.", None),
    ("Most valves close within a second.", "All valves close within a second.", UNSETTLES),
    ("Valves usually close within a second.", "Valves always close within a second.", UNSETTLES),
    ("Valves always close within a second.", "Valves always close within a second.", None),
    ("Valves always close within a second.", "Valves usually close within a second.", None),
    ("Not all replicas were restarted.", "All replicas were restarted.", CONTRADICTS),
    ("By default, requests are logged.", "Requests are always logged.", UNSETTLES),
    ("The nightly job exports the rows.", "The nightly job exports the rows of every table.", UNSETTLES),
    ("A valve closes within a second.", "All valves close within a second.", None),
    ("Cables carry the signal.", "All cables carry the signal.", None),
    ("The two nurses help one another.", "The two nurses help each other.", None),
    ("Ward 1, ward 2 and ward 3 are on this floor.", "Ward 1, ward 2 and ward 3 are all on this floor.", None),
    ("The cookie is valid for all subdomains.", "The cookie covers all subdomains.", None),
    # none
    ("Some replicas were restarted.", "No replicas were restarted.", CONTRADICTS),
    ("Not all replicas were restarted.", "No replicas were restarted.", UNSETTLES),
    ("No replicas were restarted.", "No replicas were restarted.", None),
    ("Not all replicas were restarted.", "Some replicas were not restarted.", None),
    ("Few patients reported pain.", "No patients reported pain.", CONTRADICTS),
    # only
    ("Managers may approve leave.", "Only managers may approve leave.", UNSETTLES),
    ("Only managers may approve leave.", "Only managers may approve leave.", None),
    ("Nobody but the owner may sign.", "Only the owner may sign.", None),
    ("Only managers may approve leave.", "Managers may approve leave.", None),
    # the most, and comparisons
    ("The X200 is a quiet fan.", "The X200 is the quietest fan.", UNSETTLES),
    ("The X200 is the quietest fan.", "The X200 is the quietest fan.", None),
    ("The X200 is a quiet fan.", "The X200 is quieter than the X100.", UNSETTLES),
    ("The X200 is quieter than the X100.", "The X200 is quieter than the X100.", None),
    ("Steel is the main export.", "Steel is the largest export.", None),
    ("The request takes a test name.", "The request takes a test name.", None),
    ("The tank holds more than 30 litres.", "The tank holds more than 30 litres.", None),
    ("A contest is held each year.", "A contest is held each year.", None),
]


@pytest.mark.parametrize(("evidence", "claim", "expected"), PAIRS)
def test_a_claim_may_not_go_further_than_its_source(evidence: str, claim: str, expected: Strength | None) -> None:
    assert strength(evidence, claim, quantifiers.objections) == expected


def test_an_objection_shows_the_quantity_words() -> None:
    evidence, claim = "Some plans include dental care.", "All plans include dental care."
    (objection,) = objected(evidence, claim, quantifiers.objections)
    assert claim[slice(*objection.claim)] == "All"
    assert evidence[slice(*objection.evidence)] == "Some"
    assert objection.says == 'the claim says "All"; the source says "Some"'
