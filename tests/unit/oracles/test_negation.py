"""Negation: minimal pairs, the probes of other checkers' failures, and the scope of a denial."""

from __future__ import annotations

import pytest

from tests.unit.oracles.pairs import objected, strength
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles import negation

CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES

PAIRS = [
    # "not" and its kin
    ("The pump is not suitable for salt water.", "The pump is suitable for salt water.", CONTRADICTS),
    ("The pump is suitable for salt water.", "The pump is not suitable for salt water.", CONTRADICTS),
    ("The pump is not suitable for salt water.", "The pump is not suitable for salt water.", None),
    ("The pump isn’t suitable for salt water.", "The pump isn't suitable for salt water.", None),
    ("The export does not include deleted rows.", "The export includes deleted rows.", CONTRADICTS),
    ("The export includes deleted rows.", "The export doesn't include deleted rows.", CONTRADICTS),
    ("Audit logs are kept for at least 30 days.", "Audit logs are never kept for at least 30 days.", CONTRADICTS),
    ("The driver always checks the certificate.", "The driver never checks the certificate.", CONTRADICTS),
    ("The patch no longer changes the schema.", "The patch changes the schema.", CONTRADICTS),
    ("The valve fails to close under load.", "The valve closes under load.", CONTRADICTS),
    ("The filter prevents dust from entering the motor.", "Dust enters the motor.", CONTRADICTS),
    ("The report was sent without a signature.", "The report was sent with a signature.", CONTRADICTS),
    ("The server works without a licence key.", "The server works without a licence key.", None),
    ("No employee may sign the contract.", "An employee may sign the contract.", CONTRADICTS),
    ("Some replicas were restarted.", "No replicas were restarted.", CONTRADICTS),
    # where the denial ends
    ("The pump does not start, but the fan runs.", "The fan runs.", None),
    ("If the key is not set, the server stops.", "The server stops if the key is not set.", None),
    ("The plan does not cover dental care. It covers eye tests.", "The plan covers eye tests.", None),
    ("Nurses do not prescribe insulin because doctors prescribe insulin.", "Doctors prescribe insulin.", None),
    # what only looks like a denial
    ("No doubt, the deployment succeeded.", "The deployment succeeded.", None),
    ("The update does not only fix the leak, it also lowers noise.", "The update fixes the leak.", None),
    ("The update does not only fix the leak, it also lowers noise.", "The update does not fix the leak.", CONTRADICTS),
    ("Nobody but the owner may sign.", "The owner may sign.", None),
    ("Not all replicas were restarted.", "Some replicas were not restarted.", None),
    ("The alarm never fails to ring.", "The alarm rings.", None),
    ("The alarm never fails to ring.", "The alarm does not ring.", CONTRADICTS),
    ("It is not impossible to open the valve by hand.", "It is possible to open the valve by hand.", None),
    ("Neither the cable nor the plug is included.", "The cable is not included.", None),
    ("There is no limit unless you set one.", "There is no limit unless one is set.", None),
    # prefixes
    ("The drug is unapproved for children.", "The drug is approved for children.", CONTRADICTS),
    ("The drug is approved for children.", "The drug is unapproved for children.", CONTRADICTS),
    ("The drug is not approved for children.", "The drug is unapproved for children.", None),
    ("The connection is insecure over HTTP.", "The connection is secure over HTTP.", CONTRADICTS),
    ("Invalid tickets are reported at the gate.", "Valid tickets are reported at the gate.", CONTRADICTS),
    ("The union signs the contract every year.", "The union signs the contract every year.", None),
    ("Non-members pay at the desk.", "Members pay at the desk.", CONTRADICTS),
    # opposite words
    ("Caching is enabled in production.", "Caching is disabled in production.", CONTRADICTS),
    ("Caching is not enabled in production.", "Caching is disabled in production.", None),
    ("Smoking is forbidden in the ward.", "Smoking is allowed in the ward.", CONTRADICTS),
    ("The dose increases blood pressure.", "The dose decreases blood pressure.", CONTRADICTS),
    ("The price includes delivery.", "The price excludes delivery.", CONTRADICTS),
    ("The board accepted the offer.", "The board rejected the offer.", CONTRADICTS),
    ("The password field is required.", "The password field is optional.", CONTRADICTS),
    ("Calls are synchronous in this mode.", "Calls are asynchronous in this mode.", CONTRADICTS),
    ("The first page holds the summary.", "The last page holds the summary.", CONTRADICTS),
    ("The valve is open during the test.", "The valve is closed during the test.", CONTRADICTS),
    ("The form is signed before payment.", "The form is signed after payment.", CONTRADICTS),
    ("The form is signed before payment.", "The form is signed before payment.", None),
    ("Payment follows after the form is signed.", "The form is signed before payment.", None),
    ("The deployment failed on Monday.", "The deployment succeeded on Monday.", CONTRADICTS),
    ("Audit logs are kept for at least 30 days.", "Audit logs are deleted after 30 days.", UNSETTLES),
    ("Audit logs are kept for 30 days.", "Audit logs are deleted for 30 days.", CONTRADICTS),
    ("The court found an unlawful gain.", "The court found a lawful purpose.", None),
    ("The trial in Los Altos was held in May.", "The trial lost was held in May.", None),
    # what is thought, asked, compared, or holds without something only
    ("We do not know that the pump leaks.", "The pump leaks.", None),
    ("Why does the door not close?", "The door closes.", None),
    ("No, the lamp is red.", "The lamp is red.", None),
    ("No, they repaired the lamp.", "They repaired the lamp.", None),
    ("The old fan is not as loud as the new fan.", "The new fan is loud.", None),
    ("The crew cannot reach the summit without oxygen.", "The crew can reach the summit.", None),
    ("The crew cannot reach the summit.", "The crew can reach the summit.", CONTRADICTS),
    ("Without your help the ward would close.", "Your help keeps the ward open.", None),
    ("The book is sold without a cover.", "The book is sold with a cover.", CONTRADICTS),
    ("The book is sold without a cover.", "The cover of the book is sold.", None),
    ("Few guests saw the fire.", "The guests did not see the fire.", None),
    ("Guests saw the fire.", "The guests did not see the fire.", CONTRADICTS),
    ("Norway joined the group, whereas Iceland is no part of the group.", "Norway is a part of the group.", None),
    ("The insurance prevents ruin.", "Ruin is rare with the insurance.", None),
    ("Melting is not a chemical reaction.", "Salt resists most chemical reactions in melting.", None),
    ("Melting is not a chemical reaction.", "Melting is a chemical reaction.", CONTRADICTS),
    # about other things
    ("The pump is not cheap.", "The fan is suitable for salt water.", None),
    ("The Endless River is a studio album by Pink Floyd.", "The Endless River is not an album by Danny Devito.", None),
]


@pytest.mark.parametrize(("evidence", "claim", "expected"), PAIRS)
def test_a_denial_is_seen_on_either_side_and_only_where_it_reaches(
    evidence: str, claim: str, expected: Strength | None
) -> None:
    assert strength(evidence, claim, negation.objections) == expected


def test_an_exact_sentence_is_not_denied_by_a_not_elsewhere_in_the_passage() -> None:
    passage = "The gateway does not store passwords. The gateway stores tokens for one hour. Tokens are not shared."
    assert strength(passage, "The gateway stores tokens for one hour.", negation.objections) is None


def test_an_objection_shows_the_words_of_both_sides() -> None:
    evidence, claim = "The drug is\nunapproved for children.", "The drug is approved for children."
    (objection,) = objected(evidence, claim, negation.objections)
    assert claim[slice(*objection.claim)] == "approved"
    assert evidence[slice(*objection.evidence)] == "unapproved"
    assert objection.says == 'the claim says "approved"; the source says "unapproved"'


def test_a_sentence_of_another_language_is_left_alone() -> None:
    evidence = "Die Pumpe ist nicht für Salzwasser geeignet."
    assert strength(evidence, "Die Pumpe ist für Salzwasser geeignet.", negation.objections) is None
    assert strength(evidence, "The pump is suitable for Salzwasser.", negation.objections) is None
