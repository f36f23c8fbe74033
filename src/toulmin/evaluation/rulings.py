"""Rulings: what is said of labelled claims, by judges, and by rules that read next to nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.domain.claims.objection import Objection
from toulmin.domain.claims.verdict import Verdict
from toulmin.evaluation.labels import CLASSES, Label, LabelledClaim

_WORD = re.compile(r"[^\W_]+")
_OVERLAP = 0.6

BASELINES = {
    "majority": "the most frequent label of the dataset, said of every claim (not_supported as unresolved)",
    "overlap": f"supported where at least {_OVERLAP:.0%} of the claim's different words stand in the passage, else unresolved",
}
"""Rules that a judge has to beat to be worth reading for, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What was said of a claim: the verdict and why, what is held against the claim, and how likely it is supported.

    `objections` are None where nobody looked for any, `supported` where no probability was given, and where an objection keeps it from
    deciding whether the claim is delivered. `until` is the highest of the thresholds that were tried under which the claim is delivered, 0
    where there is none such, and None where none was tried.
    """

    verdict: Label
    reason: str | None = None
    objections: tuple[Objection, ...] | None = None
    supported: float | None = None
    until: float | None = None

    @classmethod
    def of(cls, verdict: Verdict, until: float | None = None) -> Ruling:
        """What a review says."""
        given = None if verdict.objections else verdict.probabilities
        return cls(
            verdict=Label(verdict.status.value),
            reason=verdict.reason,
            objections=verdict.objections,
            supported=None if given is None else given.supported,
            until=until,
        )


def majority(claims: Sequence[LabelledClaim]) -> tuple[Ruling, ...]:
    """The baseline that has not even read the claim; equally frequent labels: the first in the order of `Label`."""
    counts = Counter(_three_way(claim.label) for claim in claims)
    verdict = max(CLASSES, key=lambda label: counts[label])
    return (Ruling(verdict=verdict, supported=counts[Label.SUPPORTED] / len(claims)),) * len(claims)


def overlap(claims: Sequence[LabelledClaim]) -> tuple[Ruling, ...]:
    """The baseline that counts words: runs of letters and digits, capital letters aside."""
    shares = [_overlap(claim) for claim in claims]
    return tuple(
        Ruling(verdict=Label.SUPPORTED if share >= _OVERLAP else Label.UNRESOLVED, supported=share) for share in shares
    )


def _three_way(label: Label) -> Label:
    return Label.UNRESOLVED if label is Label.NOT_SUPPORTED else label


def _overlap(claim: LabelledClaim) -> float:
    wanted = _words(claim.unit.claim)
    there = {word for cited in claim.unit.passages for word in _words(cited.words)}
    return len(wanted & there) / len(wanted) if wanted else 0.0


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
