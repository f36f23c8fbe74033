"""What doctor makes of a judge's opinions on made-up claims: whether it works, and what it was measured to be worth."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.judges import opinion
from toulmin.application.health import Grade, judge
from toulmin.application.trial import Tried
from toulmin.domain.claims.opinion import Opinion
from toulmin.domain.policy import Policy
from toulmin.ports.judge import Rate, Worth

POLICY = Policy(supported=0.8, contradicted=0.8)
CAUTIOUS = Tried(
    supported=opinion(0.4, 0.1),
    contradicted=opinion(0.0, 0.9),
    unresolved=opinion(0.1, 0.1),
    matters=False,
    seconds=0.1,
)
WORTH = Worth(
    on="some claims",
    claims=213,
    supported=0.8,
    unsupported_claim_rate=Rate(value=0.15, low=0.06, high=0.32),
    false_rejection_rate=Rate(value=0.72, low=0.61, high=0.8),
)


def test_a_claim_left_open_is_a_warning_where_nothing_else_is_known_of_the_judge() -> None:
    found = judge("j/1", CAUTIOUS, POLICY)
    assert found.grade is Grade.WARNING
    assert found.message == "j/1 (0.1 s): gives probabilities, and is right about 2 of 3 made-up claims"


def test_where_its_error_was_measured_that_is_told_instead_of_the_warning() -> None:
    found = judge("j/1", CAUTIOUS, POLICY, WORTH)
    assert (found.grade, found.remedy) == (Grade.WELL, None)
    assert found.message == (
        "j/1 (0.1 s): gives probabilities, and is right about 2 of 3 made-up claims; on 213 labelled claims (some claims), with a "
        "threshold of 0.8, of the claims that it delivers 0.15 (0.06–0.32) are not supported, and of those that are 0.72 (0.61–0.80) "
        "are not delivered"
    )


@pytest.mark.parametrize(
    "misled",
    [
        replace(CAUTIOUS, contradicted=opinion(0.8)),
        replace(CAUTIOUS, unresolved=opinion(0.0, 0.8)),
        replace(CAUTIOUS, supported=opinion(0.1, 0.85)),
    ],
)
def test_no_measurement_excuses_a_verdict_that_is_wrong(misled: Tried) -> None:
    assert judge("j/1", misled, POLICY, WORTH).grade is Grade.WARNING


def test_nor_a_judge_without_probabilities() -> None:
    word = Opinion(probabilities=None, why="it gives only a word")
    assert judge("j/1", replace(CAUTIOUS, unresolved=word), POLICY, WORTH).grade is Grade.WRONG
    assert not replace(CAUTIOUS, unresolved=word).misled(POLICY)
