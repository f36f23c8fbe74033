from __future__ import annotations

import pytest

from tests.unit.oracles.pairs import objected, strength
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles.bounds import objections as bounds
from toulmin.domain.claims.oracles.numbers import objections as numbers

CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Audit logs are kept for 90 days.", UNSETTLES),
        ("Audit logs are kept for 30 days or more.", None),
        ("Audit logs are kept for at least 30 days.", None),
        ("Audit logs are kept for a minimum of 30 days.", None),
        ("Audit logs are kept for no less than thirty days.", None),
        ("Audit logs are kept for at least 20 days.", None),
        ("Audit logs are kept for at least 40 days.", UNSETTLES),
        ("Audit logs are kept for more than 30 days.", UNSETTLES),
        ("Audit logs are deleted after 30 days.", UNSETTLES),
        ("Audit logs are kept for fewer than 30 days.", CONTRADICTS),
        ("Audit logs are kept for at most 20 days.", CONTRADICTS),
        ("Audit logs are kept for up to 20 days.", CONTRADICTS),
        ("Audit logs are kept for 20 days.", CONTRADICTS),
        ("Audit logs are kept for exactly 30 days.", UNSETTLES),
        ("Audit logs are kept for only 30 days.", UNSETTLES),
        ("Audit logs are kept for 30 days.", UNSETTLES),
    ],
)
def test_at_least_leaves_more_open_and_excludes_less(claim: str, expected: Strength | None) -> None:
    """Trouble case O24, and the probes that other checkers fail."""
    assert strength("Audit logs are kept for at least 30 days.", claim, bounds) is expected


@pytest.mark.parametrize(
    ("evidence", "claim", "expected"),
    [
        ("The form takes at most 500 MB of memory.", "The form takes no more than 500 MB of memory.", None),
        ("The form takes at most 500 MB of memory.", "The form takes at least 500 MB of memory.", CONTRADICTS),
        ("The form takes at most 500 MB of memory.", "The form takes 200 MB of memory.", UNSETTLES),
        ("The form takes at most 500 MB of memory.", "The form takes up to 1 GB of memory.", None),
        ("The maximum size of a form is 500 MB.", "A form has a size of at most 500 MB.", None),
        ("The maximum size of a form is 500 MB.", "The size of a form is limited to 500 MB.", None),
        ("The maximum size of a form is 500 MB.", "The minimum size of a form is 500 MB.", CONTRADICTS),
        ("Passwords need a minimum of 12 characters.", "Passwords need at least 12 characters.", None),
        ("Passwords need a minimum of 12 characters.", "Passwords need at least 8 characters.", None),
        ("Passwords need a minimum of 12 characters.", "Passwords need at most 8 characters.", CONTRADICTS),
        ("The reply comes within 14 days.", "The reply comes within 14 days.", None),
        ("The reply comes within 14 days.", "The reply comes within 7 days.", UNSETTLES),
        ("The reply comes within 14 days.", "The reply comes within 30 days.", None),
        ("The reply comes within 14 days.", "The reply takes more than 20 days and then comes.", CONTRADICTS),
        ("More than 100 nurses took the course.", "Over 100 nurses took the course.", None),
        ("More than 100 nurses took the course.", "100 nurses took the course.", UNSETTLES),
        ("Some 250 nurses took the course.", "About 250 nurses took the course.", None),
        ("About 250 nurses took the course.", "Exactly 250 nurses took the course.", UNSETTLES),
        ("About 250 nurses took the course.", "250 nurses took the course.", None),
        ("About 250 nurses took the course.", "More than 100 nurses took the course.", None),
        ("About 250 nurses took the course.", "More than 250 nurses took the course.", UNSETTLES),
        ("At least 90 nurses took the course.", "About 30 nurses took the course.", CONTRADICTS),
        ("The maximum depth in air (21% oxygen) is 56 m.", "Air has approximately 21% oxygen.", None),
        ("The share of nurses is 29.7%.", "The share of nurses is 30%.", UNSETTLES),
        ("The share of nurses is 29.7%.", "The share of nurses is about 30%.", None),
        ("The firm is 2.5 times as productive.", "The firm is more than twice as productive.", None),
        ("The album sold 757,000 copies.", "The album sold more than 100,000 copies.", None),
        ("The album sold 757,000 copies.", "The album sold fewer than 100,000 copies.", CONTRADICTS),
        ("Creating the index takes under a minute.", "Creating the index takes less than 60 seconds.", None),
        ("Staff may carry over up to five days.", "Staff may carry over at most five days.", None),
        ("Staff may carry over five days.", "Staff may carry over 5 days.", None),
        ("Guests aged 18 or older may enter.", "Guests aged 18 and over may enter.", None),
        ("Guests may bring two bags or fewer.", "Guests may bring up to two bags.", None),
    ],
)
def test_bounds_are_compared_by_the_values_that_they_allow(
    evidence: str, claim: str, expected: Strength | None
) -> None:
    assert strength(evidence, claim, bounds) is expected
    assert strength(evidence, claim, numbers) is None


@pytest.mark.parametrize(
    ("claim", "objects"),
    [
        ("It operates at 12.8 to 13.0 V.", False),
        ("It operates at 12.8-13 V.", False),
        ("It operates between 12.8 V and 13.0 V.", False),
        ("It operates at 12.9 V.", True),
        ("It operates at 13.0 V only.", True),
        ("It operates between 12 and 13 V.", True),
        ("Cold start works from 10 to 40 °C.", True),
        ("Cold start needs −10 to 40 °C.", False),
        ("Cold start needs at least −10 °C.", False),
    ],
)
def test_a_range_is_no_single_number(claim: str, *, objects: bool) -> None:
    """Trouble case O26: a dash between numbers is no sign, and the middle of a range is not stated."""
    evidence = "The operating range is 12.8–13.0 V; cold start needs −10 to 40 °C."
    assert bool(objected(evidence, claim, bounds) + objected(evidence, claim, numbers)) is objects


def test_the_reason_names_the_comparator() -> None:
    evidence, claim = "Audit logs are kept for at least 30 days.", "Audit logs are kept for 90 days."
    (objection,) = objected(evidence, claim, bounds)
    assert evidence[slice(*objection.evidence)] == "at least 30 days"
    assert claim[slice(*objection.claim)] == "90 days"
    assert objection.says == "the claim says 90 days; the source says at least 30 days"
