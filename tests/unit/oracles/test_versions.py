from __future__ import annotations

import pytest

from tests.unit.oracles.pairs import objected, pair, strength
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles.numbers import objections as numbers
from toulmin.domain.claims.oracles.versions import objections as versions

CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES


@pytest.mark.parametrize(
    ("evidence", "claim", "expected"),
    [
        ("The fault is fixed in 2.4.1.", "The fault is fixed in 2.4.1.", None),
        ("The fault is fixed in 2.4.1.", "The fault is fixed in 2.4.2.", UNSETTLES),
        ("Install version 2.4.1 of the agent.", "Install version 2.4.2 of the agent.", UNSETTLES),
        ("The firmware needs Python 3.9 and newer.", "The firmware needs Python 3.9 or later.", None),
        ("The firmware needs Python 3.9 and newer.", "The firmware runs on Python 3.12.", None),
        ("The firmware needs Python 3.9 and newer.", "The firmware runs on Python 3.8.", CONTRADICTS),
        ("The firmware needs Python 3.9 and newer.", "The firmware needs Python 3.8 and newer.", CONTRADICTS),
        ("The firmware needs Python 3.9 and newer.", "The firmware needs Python 3.10 and newer.", UNSETTLES),
        ("greenlet>=1.0 is required.", "greenlet 1.1 is new enough.", None),
        ("greenlet>=1.0 is required.", "greenlet 0.4 is new enough.", CONTRADICTS),
        ("Since 2.3 the setting has no default.", "The setting has had no default since 2.3.", None),
        ("Since 2.3 the setting has no default.", "The setting has had no default since 3.0.", CONTRADICTS),
        ("Before 2.3 the setting fell back.", "In 2.2 the setting fell back.", None),
        ("Before 2.3 the setting fell back.", "In 2.4 the setting fell back.", CONTRADICTS),
        ("The call is deprecated in 2.2, removed in 2.3.", "The call was removed in 2.3.", None),
        ("The call is deprecated in 2.2, removed in 2.3.", "The call was removed in 2.2.", CONTRADICTS),
        ("The call is deprecated in 2.2, removed in 2.3.", "The call was deprecated in 2.2.", None),
        ("The call is deprecated in 2.2, removed in 2.3.", "The call was deprecated in 2.3.", CONTRADICTS),
        (".. versionadded:: 3.1", "The setting first appeared in 3.1.", None),
        (".. versionadded:: 3.1", "The setting has existed since 2.3.", CONTRADICTS),
        ("Versions 2.0 to 2.4 are affected.", "Version 2.2 is affected.", None),
        ("Versions 2.0 to 2.4 are affected.", "Version 2.5 is affected.", CONTRADICTS),
        ("Requires Node.js 18 or newer.", "Requires Node.js 18 or later.", None),
        ("Requires Node.js 18 or newer.", "Node.js 20 works.", None),
        ("Requires Node.js 18 or newer.", "Node.js 16 works.", CONTRADICTS),
        ("Requires Node.js 18 or newer.", "Requires Node.js 16 or newer.", CONTRADICTS),
        ("TLS 1.2 or later is required.", "TLS 1.1 is accepted.", CONTRADICTS),
        ("Supports Python 3.9, 3.10 and 3.11.", "Supports Python 3.10.", None),
        ("Supports Python 3.9, 3.10 and 3.11.", "Supports Python 3.12.", UNSETTLES),
        ("The API is stable in 1.1.0.", "The API is stable in version 1.1.", None),
        ("In Flask 0.10 and lower, lists were refused.", "In Flask 0.9, lists were refused.", None),
        ("In Flask 0.10 and lower, lists were refused.", "Lists are accepted since Flask 0.11.", UNSETTLES),
        ("The tool runs on Windows.", "The tool needs version 1.1.", UNSETTLES),
        ("Set the address 127.0.0.1 first.", "Set the address first.", None),
        ("The drug helped.", "The drug helped (OR 1.46, 95% CI 0.67–3.18, p < 0.001).", None),
    ],
)
def test_a_version_is_the_one_that_the_source_speaks_of(evidence: str, claim: str, expected: Strength | None) -> None:
    assert strength(evidence, claim, versions) is expected
    if expected is None and "CI" not in claim:
        assert strength(evidence, claim, numbers) is None


def test_the_version_of_the_source_is_no_news() -> None:
    assert not list(versions(pair("The pump is on.", "In version 3.1.2 the pump is on.", title="Manual 3.1.2")))


def test_the_verb_belongs_to_its_version() -> None:
    evidence, claim = "The call is deprecated in 2.2, removed in 2.3.", "The call was removed in 2.2."
    (objection,) = objected(evidence, claim, versions)
    assert evidence[slice(*objection.evidence)] == "2.3"
    assert claim[slice(*objection.claim)] == "2.2"
    assert objection.says == "the claim says removed in 2.2; the source says removed in 2.3"
