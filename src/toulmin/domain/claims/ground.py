"""Grounds: why a verdict is what it is, as a code of a closed set. In words `Verdict.reason` says it, and may do so with those of a document."""

from __future__ import annotations

from enum import StrEnum

from toulmin.domain.claims.licence import refused_by
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.verdict import Verdict, VerdictStatus


class Ground(StrEnum):
    """What a verdict comes from: the check of the licence that refused, the oracle that objects, or what else decided."""

    LICENSED = "licensed"
    NOT_JUDGED = "not_judged"
    VERBATIM = "verbatim"
    JUDGE = "judge"
    NO_OPINION = "no_opinion"
    NOT_REVIEWABLE = "not_reviewable"

    FACT_KNOWN = "fact_known"
    FACT_APPLIES = "fact_applies"
    CITED = "cited"
    SOURCE_SELECTED = "source_selected"
    SPAN_CARRIES_FACT = "span_carries_fact"
    WORDS_ARE_PROPOSITION = "words_are_proposition"
    SENTENCE_LICENSED = "sentence_licensed"

    QUOTES = "quotes"
    NUMBERS = "numbers"
    UNITS = "units"
    BOUNDS = "bounds"
    DATES = "dates"
    VERSIONS = "versions"
    NEGATION = "negation"
    MODALITY = "modality"
    QUANTIFIERS = "quantifiers"
    CONDITIONS = "conditions"
    NAMES = "names"


def ground(verdict: Verdict) -> Ground:
    """What decided a verdict; of several objections the first, for a contradicted claim the first that denies it.

    `NO_OPINION`: nothing is held against the claim, and no judge spoke for it. `NOT_REVIEWABLE`: it could not be reviewed at all, for its
    language, its words or what it cites.
    """
    match verdict.status:
        case VerdictStatus.LICENSED:
            return Ground.LICENSED
        case VerdictStatus.NOT_LICENSED:
            return Ground(refused_by(verdict))
        case VerdictStatus.CITED:
            return Ground.NOT_JUDGED
        case VerdictStatus.SUPPORTED:
            return Ground.VERBATIM if verdict.probabilities is None else Ground.JUDGE
        case VerdictStatus.CONTRADICTED:
            denied = (item.oracle for item in verdict.objections if item.strength is Strength.CONTRADICTS)
            return Ground(next(denied, Ground.JUDGE))
        case VerdictStatus.UNRESOLVED:
            return _unresolved(verdict)


def _unresolved(verdict: Verdict) -> Ground:
    if verdict.objections:
        return Ground(verdict.objections[0].oracle)
    if verdict.probabilities is not None:
        return Ground.JUDGE
    return Ground.NO_OPINION if "oracles" in verdict.checks else Ground.NOT_REVIEWABLE
