"""Minimal pairs: one claim beside one text, and what an oracle holds against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.statement import Pair
from toulmin.domain.claims.unit import Cited, ReviewUnit

Oracle = Callable[[Pair], Iterator[Objection]]


def pair(evidence: str, claim: str, *, language: str | None = None, title: str | None = None) -> Pair:
    """A claim beside the one passage that it cites."""
    return Pair.of(ReviewUnit(claim=claim, passages=(Cited(words=evidence, language=language, title=title),)))


def objected(evidence: str, claim: str, oracle: Oracle, *, language: str | None = None) -> list[Objection]:
    """All that an oracle holds against a claim; its spans lie within the texts."""
    found = list(oracle(pair(evidence, claim, language=language)))
    for objection in found:
        assert 0 <= objection.claim[0] < objection.claim[1] <= len(claim)
        assert 0 <= objection.evidence[0] < objection.evidence[1] <= len(evidence)
        assert objection.passage == 0
        assert objection.says
    return found


def strength(evidence: str, claim: str, oracle: Oracle, *, language: str | None = None) -> Strength | None:
    """The strongest objection of an oracle; None where it has none."""
    strengths = {objection.strength for objection in objected(evidence, claim, oracle, language=language)}
    return next((each for each in (Strength.CONTRADICTS, Strength.UNSETTLES) if each in strengths), None)
