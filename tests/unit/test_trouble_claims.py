"""Trouble cases of judgement, whole: what a claim comes to when the judge finds everything supported.

Such a judge gets through what nothing is held against, and nothing else: where a case wants anything but `supported`, a deterministic check
has to stand in its way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.unit.judges import Scripted
from toulmin.application.review import review_all
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.policy import Policy

S, C, U = VerdictStatus.SUPPORTED, VerdictStatus.CONTRADICTED, VerdictStatus.UNRESOLVED
NOT_S = (C, U)

O19 = "Sex\talive n\talive %\tdead n\tdead %\ttotal n\ttotal %\nFemale\t173\t59\t120\t41\t293\t100\nMale\t227\t66.2\t116\t33.8\t343\t100"
O23 = "Output was 1500 units and the margin was 50%. Backlog: 250."
O24 = "Audit logs are kept for at least 30 days."
O25 = "Churn rose from 4% to 6%. Three teams took part."
O26 = "The operating range is 12.8–13.0 V; cold start needs −10 to 40 °C."
O27 = Cited(words="Die Gebühr beträgt 1.234,50 € pro Jahr; Kaution 20,00 €.", language="de")
O28 = "The portal closes on 31 March 2026 at 17:00 (UTC+1)."
O31 = (
    "Unused leave carries over, up to 5 days, only if the manager approves before 31 December. "
    "This does not apply to interns."
)
PUMP, FUSE, FAN = "The pump weighs 12 kg.", "The pump needs a 16 A fuse.", "The fan needs a 16 A fuse."

Evidence = str | Cited | tuple[str, ...]

CASES: dict[str, list[tuple[Evidence, str, tuple[VerdictStatus, ...]]]] = {
    "O13": [
        (
            "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period.",
            "The limit is 10000 km per renewal period.",
            (S,),
        ),
        (
            "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period.",
            "The limit is 10 km per renewal period.",
            NOT_S,
        ),
    ],
    "O19": [
        (O19, "There were 41293 women in total.", NOT_S),
        (O19, "The men's death rate was 3.38%.", NOT_S),
    ],
    "O23": [
        (O23, "Revenue was $50 million.", (U,)),
        (O23, "The margin was 50%.", (S,)),
        (O23, "The margin was 5%.", NOT_S),
        (O23, "Output was 150 units.", NOT_S),
        (O23, "Output was 1,500 units.", (S,)),
    ],
    "O24": [
        (O24, "Audit logs are kept for 90 days.", (U,)),
        (O24, "Audit logs are kept for 30 days or more.", (S,)),
        (O24, "Audit logs are kept for at least 20 days.", (S,)),
        (O24, "Audit logs are deleted after 30 days.", (U,)),
        (O24, "Audit logs are kept for fewer than 30 days.", (C,)),
        (O24, "Audit logs are kept for exactly 30 days.", (U,)),
        (O24, "Audit logs are never kept for at least 30 days.", (C,)),
    ],
    "O25": [
        (O25, "Churn rose by 2 percentage points.", (S, U)),
        (O25, "Churn rose by 2%.", NOT_S),
        (O25, "There is a 3 percentage-point gap.", (U,)),
        (O25, "Churn is now 6 percent.", (S,)),
    ],
    "O26": [
        (O26, "It operates at 12.8 to 13.0 V.", (S,)),
        (O26, "It operates at 12.9 V.", (U,)),
        (O26, "It operates at 13.0 V only.", NOT_S),
        (O26, "It operates between 12 and 13 V.", NOT_S),
        (O26, "Cold start works from 10 to 40 °C.", NOT_S),
        (O26, "Cold start needs at least −10 °C.", (S, U)),
    ],
    "O27": [
        (O27, "The fee is 1,234.50 euros per year.", (S,)),
        (O27, "The fee is $1,234.50 per year.", NOT_S),
        (O27, "The deposit is 2000 euros.", NOT_S),
        (O27, "The deposit is EUR 20.", (S,)),
        ("Price: 1.234", "The price is 1234.", (U,)),
    ],
    "O28": [
        (O28, "It closes on 31 March 2026 at 17:00 UTC.", NOT_S),
        (O28, "It closes on 31 March 2026 at 16:00 UTC.", (S, U)),
        ("Form due 03/04/2026.", "The form is due on 3 April 2026.", (U,)),
    ],
    "O29": [
        ("No doubt, the deployment succeeded.", "The deployment succeeded.", (S,)),
        ("Not all replicas were restarted.", "No replicas were restarted.", (U,)),
        ("Not all replicas were restarted.", "All replicas were restarted.", (C,)),
        ("Not all replicas were restarted.", "Some replicas were not restarted.", (S,)),
        ("The update does not only fix the leak, it also lowers noise.", "The update fixes the leak.", (S,)),
        ("The update does not only fix the leak, it also lowers noise.", "The update does not fix the leak.", (C,)),
        ("Nobody but the owner may sign.", "The owner may sign.", (S,)),
    ],
    "O30": [
        (
            "Impaired entry may explain the lower infection rate.",
            "Impaired entry explains the lower infection rate.",
            (U,),
        ),
        (
            "Impaired entry may explain the lower infection rate.",
            "Impaired entry might explain the lower infection rate.",
            (S,),
        ),
        ("Operators should log out after each shift.", "Operators must log out after each shift.", (U,)),
        ("Release 5 is planned for May.", "Release 5 ships in May.", (U,)),
        ("Release 5 is planned for May.", "Release 5 is planned for May.", (S,)),
    ],
    "O31": [
        (O31, "Unused leave carries over.", (U,)),
        (O31, "Up to 5 days carry over if the manager approves before 31 December.", (S, U)),
        (O31, "Up to 5 days carry over if HR approves before 31 December.", NOT_S),
        (O31, "Up to 5 days carry over if the manager approves before 31 January.", NOT_S),
        (O31, "Interns can carry over 5 days with approval.", NOT_S),
    ],
    "O32": [
        ((PUMP, FUSE), "The pump weighs 12 kg and needs a 16 A fuse.", (S,)),
        ((PUMP,), "The pump weighs 12 kg and needs a 16 A fuse.", NOT_S),
        ((PUMP, FAN), "The pump weighs 12 kg and needs a 16 A fuse.", NOT_S),
        ((PUMP, FAN), "The pump weighs 12 kg.", (S,)),
    ],
    "judgement.md": [
        ("Gateways may stop after a reconnect.", "Gateways stop after a reconnect.", (U,)),
        ("Firmware 2.4.1 is affected.", "Firmware 2.4.2 is affected.", NOT_S),
        (O24, "Audit logs are kept for at least 20 days.", (S,)),
        ("The dose is 4.5 mg.", "The dose is 45 mg.", NOT_S),
        ("The dose is 45 mg.", "The dose is 4.5 mg.", NOT_S),
        ("The request is unapproved.", "The request is approved.", NOT_S),
        ("The request is approved.", "The request is unapproved.", NOT_S),
        ("The temperature is -12 °C.", "The temperature is 12 °C.", NOT_S),
        ("Thirty users are allowed.", "30 users are allowed.", (S,)),
        ("The table takes two million rows.", "The table takes 2,000,000 rows.", (S,)),
        (O24, "", (U,)),
        (O24, "Audit logs", (U,)),
        ("Do not open the panel. The lamp is red. Wait for 5 minutes.", "The lamp is red.", (S,)),
        ("Operators must log out.", "Operators may log out.", (C,)),
        ("The bus runs at most 20 times a day.", "The bus runs at least 30 times a day.", (C,)),
        ("Each lease lasts for 24 hours.", "Each lease lasts for 1 day.", (S,)),
        ("Memory is 10 GB.", "Memory is 10 GiB.", NOT_S),
    ],
}


def _rows() -> Iterator[object]:
    for name, rows in CASES.items():
        for evidence, claim, allowed in rows:
            yield pytest.param(evidence, claim, allowed, id=f"{name}: {claim[:60]}")


def verdict(evidence: Evidence, claim: str) -> Verdict:
    passages = evidence if isinstance(evidence, tuple) else (evidence,)
    unit = ReviewUnit(
        claim=claim, passages=tuple(item if isinstance(item, Cited) else Cited(words=item) for item in passages)
    )
    return asyncio.run(review_all([unit], Scripted(), Policy())).verdicts[0]


@pytest.mark.parametrize(("evidence", "claim", "allowed"), list(_rows()))
def test_a_claim_comes_to_no_other_verdict(evidence: Evidence, claim: str, allowed: tuple[VerdictStatus, ...]) -> None:
    judged = verdict(evidence, claim)
    assert judged.status in allowed, judged


def test_o24_the_reason_names_the_comparator() -> None:
    assert "at least" in (verdict(O24, "Audit logs are kept for 90 days.").reason or "")


def test_o31_the_reason_names_the_condition_that_is_missing() -> None:
    held = verdict(O31, "Unused leave carries over.").objections
    assert any("manager approves" in item.says or "manager approves" in O31[slice(*item.evidence)] for item in held)


def test_o25_percent_and_percentage_points_have_different_reasons() -> None:
    assert verdict(O25, "Churn rose by 2%.").reason != verdict(O25, "Churn rose by 2 percentage points.").reason
