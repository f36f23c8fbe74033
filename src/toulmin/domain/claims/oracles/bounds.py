"""Bounds: at least, at most, more, less, ranges; what a bound leaves open and what it excludes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toulmin.domain.claims.objection import Objection
from toulmin.domain.claims.oracles.fit import Fit
from toulmin.domain.claims.oracles.matching import findings, said
from toulmin.domain.claims.oracles.statement import Pair

NAME: Final = "bounds"


def objections(pair: Pair) -> Iterator[Objection]:
    """An objection for each amount of the claim that the bounds of the evidence leave open or exclude."""
    for finding in findings(pair):
        if finding.evidence is not None and finding.fit in {Fit.LEFT_OPEN, Fit.EXCLUDED}:
            span = finding.claim.start, finding.claim.end
            claimed, stated = said(pair.claim, *span), said(finding.against, *finding.span)
            says = f"the claim says {claimed}; the source says {stated}"
            yield pair.objection(
                NAME, finding.strength, says, claim=span, against=finding.against, evidence=finding.span
            )
