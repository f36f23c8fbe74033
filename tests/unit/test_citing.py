from __future__ import annotations

import pytest

from tests.unit.making import closed, quote
from toulmin.domain.claims.citing import NOT_JUDGED, cite_all
from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.corpus.document import RevisionId

EVIDENCE = closed(A=[quote("Water is wet.", span="s1")], B=[quote("Sand is dry.", span="s2")])


def verdicts(*citations: tuple[tuple[str, str, str], ...]) -> list[Verdict]:
    """The verdicts of claims that cite these (document, version, span)."""
    claims = [
        Claim(
            text="Whatever it says.",
            citations=tuple(Citation(source=RevisionId(d, v), span=s) for d, v, s in cited),
        )
        for cited in citations
    ]
    return [item.verdict for item in cite_all(claims, EVIDENCE)]


def test_a_claim_whose_citations_are_all_in_the_closed_set_is_cited_and_not_more() -> None:
    (verdict,) = verdicts((("A", "1", "s1"), ("B", "1", "s2")))
    assert verdict.status is VerdictStatus.CITED
    assert verdict.reason == NOT_JUDGED == "the source was in the evidence; support was not judged"
    assert verdict.delivered


@pytest.mark.parametrize(
    "wrong", [("A", "1", "s2"), ("A", "2", "s1"), ("C", "1", "s1"), ("a", "1", "s1"), ("A", "1", "s")]
)
def test_one_citation_outside_of_it_withholds_the_claim(wrong: tuple[str, str, str]) -> None:
    for cited in ((wrong,), (("A", "1", "s1"), wrong), (wrong, ("A", "1", "s1"))):
        (verdict,) = verdicts(cited)
        assert verdict.status is VerdictStatus.UNRESOLVED
        assert verdict.reason == "cited source is not in the selected evidence"
        assert not verdict.delivered


def test_a_claim_that_cites_nothing_is_withheld() -> None:
    (verdict,) = verdicts(())
    assert not verdict.delivered
    assert verdict.reason == "the claim cites nothing"


def test_no_claims_verdict_depends_on_another() -> None:
    good, bad = (("A", "1", "s1"),), (("C", "1", "s1"),)
    assert [v.delivered for v in verdicts(good, bad, good)] == [True, False, True]
    assert cite_all((), EVIDENCE) == ()
