"""Numbers: a number of the claim that the evidence does not state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toulmin.domain.claims.objection import Objection
from toulmin.domain.claims.oracles.fit import Fit
from toulmin.domain.claims.oracles.matching import Finding, findings, said
from toulmin.domain.claims.oracles.statement import Pair

NAME: Final = "numbers"


def objections(pair: Pair) -> Iterator[Objection]:
    """An objection for each number of the claim without an equal in the evidence, or with one that can be read in two ways."""
    for finding in findings(pair):
        if finding.fit in {Fit.UNRELATED, Fit.OTHER_VALUE, Fit.AMBIGUOUS}:
            span = finding.claim.start, finding.claim.end
            yield pair.objection(
                NAME, finding.strength, _says(pair, finding), claim=span, against=finding.against, evidence=finding.span
            )


def _says(pair: Pair, finding: Finding) -> str:
    claimed = said(pair.claim, finding.claim.start, finding.claim.end)
    if finding.evidence is None:
        return f"the claim says {claimed}; the source has no such number"
    stated = said(finding.against, *finding.span)
    if finding.fit is Fit.AMBIGUOUS:
        return f"the claim says {claimed}; the source says {stated}, which can be read in two ways"
    return f"the claim says {claimed}; the source says {stated}"
