from __future__ import annotations

import pytest

from tests.unit.oracles.pairs import objected, strength
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles.dates import objections as dates

CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES


@pytest.mark.parametrize(
    ("evidence", "claim", "expected"),
    [
        ("The permit ends on 31 December.", "The permit ends on December 31st.", None),
        ("The permit ends on 31 December.", "The permit ends on 31 January.", CONTRADICTS),
        ("The jet first flew on 15 July 2006.", "The jet first flew on July 15, 2006.", None),
        ("The jet first flew on 15 July 2006.", "The jet first flew in July 2006.", None),
        ("The jet first flew on 15 July 2006.", "The jet first flew in 2006.", None),
        ("The jet first flew on 15 July 2006.", "The jet first flew on 15 December 2006.", CONTRADICTS),
        ("The jet first flew in July 2006.", "The jet first flew on 15 July 2006.", UNSETTLES),
        ("The jet first flew on 2006-07-15.", "The jet first flew on 15 July 2006.", None),
        ("The jet first flew on 15.07.2006.", "The jet first flew on 15 July 2006.", None),
        ("The form is due on 03/04/2026.", "The form is due on 3 April 2026.", UNSETTLES),
        ("The form is due on 03/04/2026.", "The form is due on 4 March 2026.", UNSETTLES),
        ("The form is due on 03/04/2026.", "The form is due on 03/04/2026.", None),
        ("The form is due on 23/04/2026.", "The form is due on 23 April 2026.", None),
        ("The society was founded in 1992.", "The society was founded before 2000.", None),
        ("The society was founded in 1992.", "The society was founded before 1990.", CONTRADICTS),
        ("The society was founded before 1992.", "The society was founded in 1992.", UNSETTLES),
        ("The society was founded before 1992.", "The society was founded after 1992.", CONTRADICTS),
        ("The society was founded in 1992.", "The society was founded in the 1990s.", None),
        ("The society was founded in the 1990s.", "The society was founded in 1992.", UNSETTLES),
        ("Claims are filed no later than 31 March 2026.", "Claims are filed by 31 March 2026.", None),
        ("He was in office from 1957 to 1963.", "He was in office from 1957 until 1963.", None),
        ("The clinic opens at 9 a.m.", "The clinic opens at 09:00.", None),
        ("The clinic opens at 9 a.m.", "The clinic opens at 9 p.m.", CONTRADICTS),
        ("It is a 1998 American song.", "The song came out in the 1990s.", None),
        ("It is a 1989 American song.", "The song came out in the 1990s.", UNSETTLES),
        ("Introduced in 1996 's issue, it stayed.", "It was introduced in 1996.", None),
        ("The team lost once, in 2007 -- 08.", "The team lost once, in 2007-2008.", None),
        ("The team lost once, in 2007–08.", "The team lost once in 2008.", None),
        ("The call began at 9:38.", "The call began before 10:00.", None),
        ("The call began at 10:38.", "The call began before 10:00.", CONTRADICTS),
        ("The guests joined shortly before 10:30.", "The guests joined by 10:30.", None),
        ("The guests joined at 10:02:23.", "The guests joined around 10:00.", None),
        ("The guests joined at 10:42.", "The guests joined around 10:00.", UNSETTLES),
        ("Pay at any time before 31 May 2026.", "Pay at any time until 31 May 2026.", None),
        ("The lease may be ended early.", "The lease may be ended on 1 May 2027.", UNSETTLES),
        ("The lease may end early.", "The lease may end early.", None),
    ],
)
def test_a_date_is_stated_in_all_its_parts(evidence: str, claim: str, expected: Strength | None) -> None:
    assert strength(evidence, claim, dates) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The portal closes on 31 March 2026 at 17:00 UTC.", CONTRADICTS),
        ("The portal closes on 31 March 2026 at 16:00 UTC.", None),
        ("The portal closes on 31 March 2026 at 17:00 (UTC+1).", None),
        ("The portal closes on 31 March 2026 at 17:00.", None),
        ("The portal closes on 31 March 2026.", None),
    ],
)
def test_times_are_compared_across_zones_where_both_are_written(claim: str, expected: Strength | None) -> None:
    """Trouble case O28."""
    assert strength("The portal closes on 31 March 2026 at 17:00 (UTC+1).", claim, dates) is expected


def test_a_zone_that_the_source_does_not_name_is_not_settled() -> None:
    assert strength("The portal closes at 17:00.", "The portal closes at 17:00 UTC.", dates) is UNSETTLES


def test_the_unknown_order_of_a_date_is_told() -> None:
    (objection,) = objected("Form due 03/04/2026.", "The form is due on 3 April 2026.", dates)
    assert objection.says == (
        "the claim says 3 April 2026; the source says 03/04/2026, where the order of day and month is not known"
    )
    assert "Form due 03/04/2026."[slice(*objection.evidence)] == "03/04/2026"
