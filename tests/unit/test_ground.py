"""What a verdict comes from, as a code: one of a closed set, whatever words the verdict has."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.unit.judges import Scripted, opinion
from tests.unit.making import case, closed, fact, quote
from toulmin.application.review import review_all
from toulmin.domain.claims.citing import cite_all
from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.claims.ground import Ground, ground
from toulmin.domain.claims.licence import check
from toulmin.domain.claims.oracles import ORACLES
from toulmin.domain.claims.quoting import ORACLE
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.policy import Policy

LOGS = "Audit logs are kept for at least 30 days. Backups are made every night."
WET = fact("wet", "Water is wet.", applies={"rain": True})
DRY = fact("dry", "Sand is dry.")
EVIDENCE = closed(A=[quote("Water is wet.", label="wet", span="s1"), quote("Water was wet.", label="wet", span="s2")])


def cite(document: str = "A", span: str = "s1") -> Citation:
    return Citation(source=RevisionId(document, "1"), span=span)


GOOD = Claim(text=WET.clause, fact="wet", citations=(cite(),))


def reviewed(claim: str, judge: Scripted | None = None, *, quotes: tuple[str, ...] = ()) -> Verdict:
    unit = ReviewUnit(claim=claim, passages=(Cited(words=LOGS),), quotes=quotes)
    return asyncio.run(review_all([unit], judge, Policy(supported=0.9, contradicted=0.7))).verdicts[0]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (GOOD, Ground.LICENSED),
        (replace(GOOD, fact="other"), Ground.FACT_KNOWN),
        (replace(GOOD, citations=()), Ground.CITED),
        (replace(GOOD, citations=(cite("B"),)), Ground.SOURCE_SELECTED),
        (replace(GOOD, citations=(cite(span="s9"),)), Ground.SPAN_CARRIES_FACT),
        (replace(GOOD, citations=(cite(span="s2"),)), Ground.WORDS_ARE_PROPOSITION),
        (replace(GOOD, citations=(cite(), cite(span="s2"))), Ground.WORDS_ARE_PROPOSITION),
        (replace(GOOD, text="Water is very wet."), Ground.SENTENCE_LICENSED),
    ],
)
def test_a_licensed_claim_s_is_the_check_that_refused_it(claim: Claim, expected: Ground) -> None:
    assert ground(check(claim, EVIDENCE, [DRY, WET], case(rain=True))) is expected


def test_a_fact_that_does_not_apply_is_one() -> None:
    assert ground(check(GOOD, EVIDENCE, [WET], case(rain=False))) is Ground.FACT_APPLIES


@pytest.mark.parametrize(
    ("verdict", "status", "expected"),
    [
        (reviewed("Backups are made every night."), VerdictStatus.SUPPORTED, Ground.VERBATIM),
        (reviewed("Every night there is a backup.", Scripted()), VerdictStatus.SUPPORTED, Ground.JUDGE),
        (
            reviewed("Every night there is a backup.", Scripted(says=lambda _: opinion(0.4))),
            VerdictStatus.UNRESOLVED,
            Ground.JUDGE,
        ),
        (
            reviewed("Every night there is a backup.", Scripted(says=lambda _: opinion(0.1, 0.8))),
            VerdictStatus.CONTRADICTED,
            Ground.JUDGE,
        ),
        (reviewed("Every night there is a backup."), VerdictStatus.UNRESOLVED, Ground.NO_OPINION),
        (reviewed("Audit logs are kept for 90 days."), VerdictStatus.UNRESOLVED, Ground.BOUNDS),
        (reviewed("Audit logs are kept for fewer than 30 days."), VerdictStatus.CONTRADICTED, Ground.BOUNDS),
        (
            reviewed("Every night there is a backup.", quotes=("once a week",)),
            VerdictStatus.UNRESOLVED,
            Ground.QUOTES,
        ),
        (reviewed("Sicherungen werden jede Nacht gemacht."), VerdictStatus.UNRESOLVED, Ground.NOT_REVIEWABLE),
    ],
)
def test_a_reviewed_claim_s_is_the_oracle_or_the_judge(
    verdict: Verdict, status: VerdictStatus, expected: Ground
) -> None:
    assert (verdict.status, ground(verdict)) == (status, expected)


def test_a_cited_claim_was_not_judged() -> None:
    cited, nothing = cite_all([GOOD, replace(GOOD, citations=())], EVIDENCE)
    assert (ground(cited.verdict), ground(nothing.verdict)) == (Ground.NOT_JUDGED, Ground.NOT_REVIEWABLE)


def test_every_oracle_has_one_of_its_name() -> None:
    assert {name for name, _ in ORACLES} | {ORACLE} <= set(Ground)
