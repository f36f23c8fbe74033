from __future__ import annotations

import pytest

from tests.unit.oracles.pairs import objected, strength
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles.numbers import objections as numbers
from toulmin.domain.claims.oracles.units import objections as units

CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES


@pytest.mark.parametrize(
    ("evidence", "claim", "expected"),
    [
        ("Backups run every 24 hours.", "Backups run every day.", None),
        ("Backups are kept for 24 hours.", "Backups are kept for 1 day.", None),
        ("Backups are kept for 24 hours.", "Backups are kept for 24 days.", CONTRADICTS),
        ("The timeout is 600 s.", "The timeout is 10 minutes.", None),
        ("The timeout is 600 s.", "The timeout is 600 ms.", CONTRADICTS),
        ("The disk holds 10 GB.", "The disk holds 10 GB.", None),
        ("The disk holds 10 GB.", "The disk holds 10 GiB.", UNSETTLES),
        ("The disk holds 16 MB.", "The disk holds 16,777,216 bytes.", None),
        ("The disk holds 16 MiB.", "The disk holds 16,777,216 bytes.", None),
        ("The tablet holds 5 mg of iron.", "The tablet holds 5 g of iron.", CONTRADICTS),
        ("The tablet holds 5 mg of iron.", "The tablet holds 0.005 g of iron.", None),
        ("Payment is due in 30 working days.", "Payment is due in 30 days.", UNSETTLES),
        ("Payment is due in 30 calendar days.", "Payment is due in 30 days.", None),
        ("The fee is 20 €.", "The fee is EUR 20.", None),
        ("The fee is 20 €.", "The fee is $20.", UNSETTLES),
        ("The fee is $1.5 million.", "The fee is 1,500,000 dollars.", None),
        ("The icon is 16 × 16 pixels.", "The icon is 16 by 16 pixels.", None),
        ("The icon is 16 × 16 pixels.", "The icon is 16 by 16 millimetres.", UNSETTLES),
        ("The server allows 60 requests per hour.", "The server allows 1 request per minute.", None),
        ("The server allows 60 requests per hour.", "The server allows 60 requests per minute.", UNSETTLES),
        ("The setting is a number of seconds.", "The setting counts seconds.", None),
        ("The setting is a number of seconds.", "The setting is a number of hours.", CONTRADICTS),
        ("The setting limits the upload.", "The setting is given in kilobytes.", UNSETTLES),
        ("The setting was changed often.", "The setting was changed a number of times.", None),
        ("The report comes out in 2 weeks.", "The report comes out in 14 days.", None),
        ("Default: ``timedelta(hours=12)``", "The default is 12 hours.", None),
        ("Default: ``timedelta(hours=12)``", "The default is 12 minutes.", CONTRADICTS),
    ],
)
def test_a_number_keeps_its_unit(evidence: str, claim: str, expected: Strength | None) -> None:
    assert strength(evidence, claim, units) is expected


@pytest.mark.parametrize(
    ("claim", "objects"),
    [
        ("Churn rose by 2 percentage points.", False),
        ("Churn rose by 2%.", True),
        ("Churn rose by 2 pp.", False),
        ("There is a 3 percentage-point gap.", True),
        ("Churn is 0.06.", False),
        ("Churn is now 6 percent.", False),
        ("Churn is 6 percentage points.", True),
        ("Churn is 6.", True),
    ],
)
def test_percent_is_not_percentage_points(claim: str, *, objects: bool) -> None:
    """Trouble case O25: from 4 % to 6 % are two percentage points, not 2 %."""
    evidence = "Churn rose from 4% to 6%. Three teams took part."
    assert bool(objected(evidence, claim, units) + objected(evidence, claim, numbers)) is objects


def test_spans_and_words_name_both_units() -> None:
    evidence, claim = "The share rose by 5 percentage points.", "The share rose by 5 %."
    (objection,) = objected(evidence, claim, units)
    assert claim[slice(*objection.claim)] == "5 %"
    assert evidence[slice(*objection.evidence)] == "5 percentage points"
    assert objection.says == "the claim says 5 %; the source says 5 percentage points"
