from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.unit.judges import opinion
from toulmin.domain.claims.opinion import Opinion, Probabilities
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.errors import ToulminError
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.evaluation.judging import ruled, scored
from toulmin.evaluation.labels import Label, LabelledClaim
from toulmin.ports.judge import Judge, NotJudged, Opinions
from toulmin.testing.judge import ScriptedJudge

SURE = Opinion(probabilities=Probabilities(supported=0.96, contradicted=0.01, unresolved=0.03))
AGAINST = Opinion(probabilities=Probabilities(supported=0.05, contradicted=0.9, unresolved=0.05))


def claim(text: str, passage: str, name: str = "c") -> LabelledClaim:
    unit = ReviewUnit(claim=text, passages=(Cited(words=passage),))
    return LabelledClaim(id=name, unit=unit, label=Label.SUPPORTED, group=name)


def many(n: int) -> list[LabelledClaim]:
    words = "The blue pump near the gate is quiet and it keeps the water in the tank warm."
    return [claim("The blue pump near the gate is quiet.", words, name=f"c-{at}") for at in range(n)]


class Failing(ScriptedJudge):
    """A judge that breaks down after so many calls."""

    def __init__(self, calls: int) -> None:
        super().__init__(lambda _unit: SURE)
        self.left = calls

    async def support(self, units: Sequence[ReviewUnit]) -> Opinions | NotJudged:
        self.left -= 1
        if self.left < 0:
            return NotJudged(reason=SearchOnlyReason.RATE_LIMITED, detail="http_429")
        return await super().support(units)


def test_a_ruling_is_the_verdict_of_the_review_with_the_judges_probability() -> None:
    judge = ScriptedJudge(lambda unit: SURE if "quiet" in unit.claim else AGAINST)
    (quiet,) = many(1)
    loud = claim("The blue pump near the gate is painted.", quiet.unit.passages[0].words)
    found = asyncio.run(ruled([quiet, loud], judge, Policy()))
    assert [(item.verdict, item.supported, item.objections) for item in found] == [
        (Label.SUPPORTED, 0.96, ()),
        (Label.CONTRADICTED, 0.05, ()),
    ]


def test_a_probability_is_told_only_where_it_decides_whether_a_claim_is_delivered() -> None:
    objected = claim("Audit logs are kept by Bacula.", "Audit logs are kept for at least 30 days.")
    sure, against = ScriptedJudge(lambda _unit: SURE), ScriptedJudge(lambda _unit: AGAINST)
    for judge, verdict in ((sure, Label.UNRESOLVED), (against, Label.CONTRADICTED)):
        (found,) = asyncio.run(ruled([objected], judge, Policy()))
        assert (found.verdict, found.supported) == (verdict, None)
        assert found.objections


def test_without_a_judge_the_checks_alone_rule_and_nothing_has_a_probability() -> None:
    (found,) = asyncio.run(ruled(many(1), None, Policy()))
    assert (found.verdict, found.supported, found.reason) == (Label.UNRESOLVED, None, "no judge confirmed it")


def test_a_ruling_says_up_to_which_of_the_thresholds_its_claim_is_delivered() -> None:
    quiet, verbatim, loud, hidden = (
        claim(text, "The blue pump near the gate is quiet and it keeps the water warm.", name=text)
        for text in (
            "The blue pump near the gate is quiet.",
            "The blue pump near the gate is quiet and it keeps the water warm.",
            "The blue pump near the gate is painted.",
            "The pump is 95 degrees warm.",
        )
    )
    judge = ScriptedJudge(lambda unit: AGAINST if "painted" in unit.claim else SURE)
    thresholds = (1.0, 0.96, 0.95, 0.6)
    found = asyncio.run(ruled([quiet, verbatim, loud, hidden], judge, Policy(), thresholds=thresholds))
    assert [item.until for item in found] == [0.96, 1.0, 0.0, 0.0]
    untried = asyncio.run(ruled([quiet], judge, Policy()))
    assert [item.until for item in untried] == [None]


def test_every_claim_is_judged_once_in_its_order_and_the_progress_is_told() -> None:
    judge, told = ScriptedJudge(lambda _unit: SURE), list[int]()
    found = asyncio.run(ruled(many(70), judge, Policy(), told.append))
    assert len(found) == len(judge.units) == 70
    assert told == [32, 64, 70]


def test_a_judge_that_breaks_down_ends_the_measurement_instead_of_counting_as_unresolved() -> None:
    judge: Judge = Failing(calls=1)
    with pytest.raises(ToulminError) as caught:
        asyncio.run(ruled(many(70), judge, Policy()))
    assert caught.value.code == "judge_failed"
    assert caught.value.message == "the judge gave no opinion on 32 claims from c-32: rate_limited (http_429)"


def test_a_score_is_the_highest_threshold_under_which_the_review_delivers_the_claim() -> None:
    said = {"quiet": SURE, "warm": opinion(0.8), "painted": AGAINST}
    judge = ScriptedJudge(lambda unit: next(given for word, given in said.items() if word in unit.claim))
    (quiet,) = many(1)
    words = quiet.unit.passages[0].words
    others = [
        claim("The blue pump near the gate is painted.", words, "painted"),
        claim("The blue pump is quiet and keeps the water warm.", words, "both"),
        claim("The blue pump near the gate is not quiet.", words, "denied"),
        claim(words, words, "verbatim"),
    ]
    found = asyncio.run(scored([quiet, *others], judge, Policy(), (1.0, 0.97, 0.96, 0.8)))
    assert {item.id: (item.until, item.contradicted) for item in found} == {
        "c-0": (0.96, False),
        "painted": (None, True),
        "both": (0.8, False),
        "denied": (None, True),
        "verbatim": (1.0, False),
    }
    assert all(item.is_supported for item in found)


def test_scores_are_what_the_verdicts_of_each_threshold_say() -> None:
    thresholds = (1.0, 0.99, 0.9, 0.7, 0.51)
    judge = ScriptedJudge(lambda unit: opinion(int(unit.claim.split()[-1].rstrip(".")) / 100))
    claims = [
        claim(f"The blue pump near the gate keeps {at}.", "It keeps 5, 60, 80, 95 or 100.", f"c-{at}")
        for at in (5, 60, 80, 95, 100)
    ]
    found = asyncio.run(scored(claims, judge, Policy(), thresholds))
    for threshold in thresholds:
        rulings = asyncio.run(ruled(claims, judge, Policy(supported=threshold)))
        delivered = [ruling.verdict is Label.SUPPORTED for ruling in rulings]
        assert delivered == [item.until is not None and item.until >= threshold for item in found]
    assert [item.until for item in found] == [None, 0.51, 0.7, 0.9, 1.0]


def test_a_judge_that_breaks_down_gives_no_scores_either() -> None:
    with pytest.raises(ToulminError, match="gave no opinion on 32 claims from c-32"):
        asyncio.run(scored(many(70), Failing(calls=1), Policy(), (0.9,)))
