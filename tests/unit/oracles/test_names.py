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
    # other forms of a name
    ("The plant was moved to the US last year.", "The plant was moved to the U.S. last year.", None),
    ("The firm hires American welders.", "The firm hires welders in the United States.", None),
    ("The vase was made by Dutch potters.", "The vase was made in the Netherlands.", None),
    ("The vase was made by Dutch potters.", "The vase was made in Portugal.", UNSETTLES),
    ("The lease was signed by J. R. Moore.", "The lease was signed by J.R. Moore.", None),
    ("The final was lost by Redhill Rovers.", "The final was lost by Redhill Rovers F.C.", None),
    ("The enzyme binds TGF-β receptors.", "The enzyme binds TGF-beta receptors.", None),
    ("Cells expressing KRT9 divide slowly.", "KRT9-expressing cells divide slowly.", None),
    ("Cells expressing KRT9 divide slowly.", "SF3-expressing cells divide slowly.", UNSETTLES),
    ("The mice make the protein K14.", "The mice make KRT14.", None),
    ("The mice make the protein K14.", "The mice make KRT15.", UNSETTLES),
    ("The dose of AB12345 was doubled.", "The dose of AB-12345 was doubled.", None),
    ("Nerve growth factor 2 heals wounds.", "Wounds are healed by NGF2.", None),
    ("Growth of SMCs was halved.", "Growth of VSMCs was halved.", None),
    ("The road to Ulverston is closed.", "The road to Ulvreston is closed.", None),
    # what the source calls by its kind
    ("The film was shot by Ida Brandt.", "Ida Brandt shot Winter Harbour.", None),
    ("The invoice was shot by Ida Brandt.", "Ida Brandt shot Winter Harbour.", UNSETTLES),
    ("The club was founded in 1920.", "The club of Ashford was founded in 1920.", UNSETTLES),
    ("The show won several prizes.", "The Winter of the Owls won several prizes.", None),
    ("She was elected last spring.", "She was elected President last spring.", None),
    ("The valve is a standard part.", "The valve, e.g. of a pump, is a standard part.", None),
    # what is no name
    ("The pump stops.", "Pumps stop.", None),
    ("Rest for a day. Drink water.", "Drink water and rest for a day.", None),
    # the subject of a plain sentence
    ("The fan needs a 16 A fuse.", "The pump needs a 16 A fuse.", UNSETTLES),
    ("The pump needs a 16 A fuse.", "The pump needs a 16 A fuse.", None),
    ("A waiter carries a tray.", "A person carries a tray.", None),
    ("The pump weighs 12 kg. It needs a 16 A fuse.", "The pump needs a 16 A fuse.", None),
]


@pytest.mark.parametrize(("evidence", "claim", "expected"), PAIRS)
def test_a_claim_speaks_of_what_its_source_speaks_of(evidence: str, claim: str, expected: Strength | None) -> None:
    assert strength(evidence, claim, names.objections) == expected


def test_a_name_of_the_title_is_known() -> None:
    evidence, claim = "Results are cached on disk.", "Results are cached on disk by Polaris."
    assert next(names.objections(pair(evidence, claim)), None) is not None
    assert next(names.objections(pair(evidence, claim, title="Polaris handbook")), None) is None


def test_an_objection_shows_both_names() -> None:
    evidence, claim = "The bug affects Windows hosts.", "The bug affects Linux hosts."
    (objection,) = objected(evidence, claim, names.objections)
    assert claim[slice(*objection.claim)] == "Linux"
    assert evidence[slice(*objection.evidence)] == "Windows"
    assert objection.says == 'the claim says it of "Linux"; the source says it of "Windows"'
