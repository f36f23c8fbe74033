"""Units: the claim's number in another unit, percent against percentage points, another currency."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.figures.measures import MEASURES, TIMES, Measure, named
from toulmin.domain.claims.oracles.fit import Fit
from toulmin.domain.claims.oracles.matching import findings, is_best, said
from toulmin.domain.claims.oracles.statement import Pair, Statement

NAME: Final = "units"

_COUNTED_IN = re.compile(
    r"\b(?:(?:number|amount|count)\s+of|(?:measured|given|expressed|specified|counted|stated|reported|written|set|is|are)\s+in|counts|in)"
    r"\s+(?:whole\s+|full\s+)?(?P<unit>[a-zµ]{4,})\b",
    re.IGNORECASE,
)


def objections(pair: Pair) -> Iterator[Objection]:
    """An objection for each number that the evidence states in another unit, and for a unit in which it counts nothing."""
    for finding in findings(pair):
        if finding.evidence is not None and finding.fit is Fit.OTHER_UNIT:
            span = finding.claim.start, finding.claim.end
            claimed, stated = said(pair.claim, *span), said(finding.against, *finding.span)
            says = f"the claim says {claimed}; the source says {stated}"
            yield pair.objection(
                NAME, finding.strength, says, claim=span, against=finding.against, evidence=finding.span
            )
    for measure, start, end in _units(pair.claim):
        yield from _without_number(pair, measure, (start, end))


def _units(statement: Statement) -> Iterator[tuple[Measure, int, int]]:
    """The units in which a sentence counts without naming a number: "a number of seconds", "given in hours"."""
    if not any(word.word in MEASURES for word in statement.words):
        return
    for found in _COUNTED_IN.finditer(statement.text, statement.start, statement.end):
        measure = named(found["unit"]) if found["unit"].endswith("s") or found["unit"] == "percent" else None
        if measure is not None and measure is not TIMES:  # "a number of times"
            yield measure, found.start("unit"), found.end("unit")


def _without_number(pair: Pair, measure: Measure, span: tuple[int, int]) -> Iterator[Objection]:
    claimed = said(pair.claim, *span)
    other: tuple[Statement, Measure, tuple[int, int]] | None = None
    for statement in pair.in_order:
        for word in statement.words:
            mentioned = named(word.surface) if len(word.surface) > 3 else None
            if mentioned == measure:
                return
            if mentioned is not None and mentioned.dimension == measure.dimension and other is None:
                other = statement, mentioned, (word.start, word.end)
        if any(quantity.measure == measure for quantity in statement.figures.quantities):
            return
    if other is not None:
        statement, _, evidence = other
        strength = Strength.CONTRADICTS if is_best(pair, statement, but=span) else Strength.UNSETTLES
        says = f"the claim counts in {claimed}; the source says {said(statement, *evidence)}"
        yield pair.objection(NAME, strength, says, claim=span, against=statement, evidence=evidence)
    elif pair.evidence:
        against = pair.in_order[0]
        says = f"the claim counts in {claimed}; the source names no such unit"
        yield pair.objection(
            NAME, Strength.UNSETTLES, says, claim=span, against=against, evidence=(against.start, against.end)
        )
