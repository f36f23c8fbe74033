"""Names: minimal pairs of identifiers, products, people and places that are unknown or swapped."""

from __future__ import annotations

import pytest

from tests.unit.oracles.pairs import objected, pair, strength
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles import names

CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES

PAIRS = [
    # identifiers
    (
        "SESSION_COOKIE_NAME sets the name of the cookie.",
        "SESSION_COOKIE_DOMAIN sets the name of the cookie.",
        CONTRADICTS,
    ),
    ("SESSION_COOKIE_NAME sets the name of the cookie.", "SESSION_COOKIE_NAME sets the name of the cookie.", None),
    ("SESSION_COOKIE_NAME sets the name of the cookie.", "SESSION_COOKIE sets the name of the cookie.", CONTRADICTS),
    ("The ``--workers`` option sets the pool size.", "The --threads option sets the pool size.", CONTRADICTS),
    ("The :meth:`app.run` method starts the server.", "The run method starts the server.", None),
    ("The :func:`~pool.acquire` function waits for a slot.", "pool.release waits for a slot.", UNSETTLES),
    ("A bad ticket raises TicketError.", "A bad ticket raises PaymentError.", CONTRADICTS),
    ("Order GW-241 was shipped on Monday.", "Order GW-2410 was shipped on Monday.", CONTRADICTS),
    # products, people, places
    ("The bug affects Windows hosts.", "The bug affects Linux hosts.", CONTRADICTS),
    ("The bug affects Windows hosts.", "The bug affects Windows hosts.", None),
    ("The contract was signed by Anna Berg.", "The contract was signed by Paul Kern.", CONTRADICTS),
    ("The contract was signed by Anna Berg.", "The contract was signed by Berg.", None),
    ("The plant is near Lyon.", "The plant is near Porto.", CONTRADICTS),
    ("Results are cached on disk.", "Results are cached in Redis.", UNSETTLES),
    ("The World Health Organization approved the test.", "The WHO approved the test.", None),
    ("The firm sells across Europe.", "The firm sells on European markets.", None),
    ("The manager approves leave.", "HR approves leave.", UNSETTLES),
    ("Sales of Tetraspanin 3 kits rose.", "Tetraspanin-3 kits are sold.", None),
    ("Patients were given zidovudine.", "Patients were given zidovudine (AZT).", None),
    ("She signed the contract in Lyon.", "The contract was signed by Anna Berg.", None),
    # what is no name
    ("The pump stops.", "Pumps stop.", None),
    ("Rest for a day. Drink water.", "Drink water and rest for a day.", None),
    # the subject of a plain sentence
    ("The fan needs a 16 A fuse.", "The pump needs a 16 A fuse.", UNSETTLES),
    ("The pump needs a 16 A fuse.", "The pump needs a 16 A fuse.", None),
    ("The pump weighs 12 kg. It needs a 16 A fuse.", "The pump needs a 16 A fuse.", None),
]


@pytest.mark.parametrize(("evidence", "claim", "expected"), PAIRS)
def test_a_claim_speaks_of_what_its_source_speaks_of(evidence: str, claim: str, expected: Strength | None) -> None:
    assert strength(evidence, claim, names.objections) == expected


def test_a_name_of_the_title_is_known() -> None:
    evidence, claim = "Results are cached on disk.", "Results of Polaris are cached on disk."
    assert next(names.objections(pair(evidence, claim)), None) is not None
    assert next(names.objections(pair(evidence, claim, title="Polaris handbook")), None) is None


def test_an_objection_shows_both_names() -> None:
    evidence, claim = "The bug affects Windows hosts.", "The bug affects Linux hosts."
    (objection,) = objected(evidence, claim, names.objections)
    assert claim[slice(*objection.claim)] == "Linux"
    assert evidence[slice(*objection.evidence)] == "Windows"
    assert objection.says == 'the claim says it of "Linux"; the source says it of "Windows"'
