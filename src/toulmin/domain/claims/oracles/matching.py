"""Matching: whether the evidence states a quantity of the claim, and if not, what it states in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles.figures.quantities import Quantity
from toulmin.domain.claims.oracles.figures.releases import Release
from toulmin.domain.claims.oracles.fit import Fit, alike, fit_of, scale_of
from toulmin.domain.claims.oracles.statement import Pair, Statement

_LONGEST = 40
"""Of a sentence's words that name something, the most with which it may still be said to be about one thing."""
SURE = 0.6
"""Of a claim's content, the share that a sentence has to speak about for another value in it to deny the claim."""

_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)]|#\.)\s", re.MULTILINE)
_SERIES = re.compile(r"[^;.:]{1,200}?,\s[^,;.:]{0,60}?\b(?:and|or)\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A quantity of the claim that the evidence does not state, and the nearest that it states: None where it has nothing like it."""

    claim: Quantity
    against: Statement
    evidence: Quantity | None
    fit: Fit
    strength: Strength

    @property
    def span(self) -> tuple[int, int]:
        """Where the evidence is silent or says otherwise, as a range of its text."""
        seen = self.evidence or self.against
        return seen.start, seen.end


def findings(pair: Pair) -> Iterator[Finding]:
    """For each quantity of the claim that the evidence neither states nor implies, what stands against it."""
    if not pair.evidence:
        return
    for quantity in pair.claim.figures.quantities:
        if quantity.ordinal or quantity.casual or _is_a_version(pair, quantity) or _is_settled(pair, quantity):
            continue
        finding = _against(pair, quantity)
        if finding is not None:
            yield finding


def said(statement: Statement, start: int, end: int) -> str:
    """The words of a range in one line."""
    return " ".join(statement.text[start:end].split())


def in_order(pair: Pair) -> list[Statement]:
    """All sentences of the evidence: first the aligned ones, best first."""
    return [*pair.aligned, *(item for item in pair.evidence if item not in pair.aligned)]


def is_best(pair: Pair, statement: Statement, *, but: tuple[int, int] = (0, 0)) -> bool:
    """Whether a sentence is the one that speaks most about what the claim speaks about, and surely about the same thing.

    What the claim says in figures does not count, nor do its words in the range `but`.
    """
    if not pair.aligned or statement is not pair.aligned[0] or len(statement.stems) > _LONGEST:
        return False
    spans = [but, *pair.claim.figures.spans]
    named = {
        word.stem
        for word in pair.claim.words
        if word.is_content and not any(start <= word.start < end for start, end in spans)
    }
    return len(named & statement.stems) >= SURE * len(named)


def _is_settled(pair: Pair, quantity: Quantity) -> bool:
    """Whether the evidence states or implies a quantity: any sentence, unless the best one has another just in its place."""
    contested = bool(pair.aligned) and _has_rival(pair, quantity, pair.aligned[0])
    return _is_stated(pair, quantity, pair.aligned if contested else pair.evidence) or any(
        _is_difference(quantity, item) or _has_both_ends(quantity, item) for item in pair.aligned
    )


def _is_stated(pair: Pair, quantity: Quantity, statements: Sequence[Statement]) -> bool:
    """Whether one of the sentences states a quantity, or implies it and is aligned."""
    for statement in statements:
        for item in statement.figures.quantities:
            fit = fit_of(quantity, item)
            is_implied = fit is Fit.IMPLIED and (_is_aligned(pair, statement) or _at_its_end(quantity, item))
            if fit is Fit.STATED or is_implied:
                return True
    return False


def _has_rival(pair: Pair, quantity: Quantity, statement: Statement) -> bool:
    """Whether a sentence surely has another quantity in the place of the claim's."""
    return is_best(pair, statement) and any(
        _tells(quantity, item) and _is_sure(pair, quantity, statement, item, fit_of(quantity, item))
        for item in statement.figures.quantities
    )


def _is_aligned(pair: Pair, statement: Statement) -> bool:
    return any(statement is item for item in pair.aligned)


def _at_its_end(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the evidence names the very number that the claim bounds by."""
    return claim.value * claim.factor == evidence.value * evidence.factor


def _against(pair: Pair, quantity: Quantity) -> Finding | None:
    """The quantity of the evidence that tells most against one that is not settled; None where it is known in another way."""
    for statement in in_order(pair):
        telling = [item for item in statement.figures.quantities if _tells(quantity, item)]
        if telling:
            item = max(telling, key=lambda item: (alike(quantity, item), fit_of(quantity, item)))
            if not alike(quantity, item) and _is_known(pair, quantity):
                return None
            fit = fit_of(quantity, item)
            sure = _has_rival(pair, quantity, statement) and not _is_stated(pair, quantity, pair.evidence)
            strength = Strength.CONTRADICTS if sure else Strength.UNSETTLES
            return Finding(claim=quantity, against=statement, evidence=item, fit=fit, strength=strength)
    if quantity.label or _is_known(pair, quantity):
        return None
    against = pair.aligned[0] if pair.aligned else pair.evidence[0]
    return Finding(claim=quantity, against=against, evidence=None, fit=Fit.UNRELATED, strength=Strength.UNSETTLES)


def _tells(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the evidence's quantity may stand against the claim's; a label only where it labels the same thing."""
    if evidence.casual or (claim.label and not (evidence.label and alike(claim, evidence))):
        return False
    return fit_of(claim, evidence) > Fit.UNRELATED


def _is_sure(pair: Pair, claim: Quantity, statement: Statement, evidence: Quantity, fit: Fit) -> bool:
    """Whether the evidence's quantity surely stands where the claim's stands: both are the only ones of their kind."""
    others = [item for item in statement.figures.quantities if item is not evidence and not item.casual]
    siblings = [item for item in pair.claim.figures.quantities if item is not claim]
    if any(alike(claim, item) for item in (*others, *siblings)):
        return False
    match fit:
        case Fit.OTHER_VALUE:
            return alike(claim, evidence)
        case Fit.OTHER_UNIT:
            factors = sorted((claim.factor, evidence.factor))
            return claim.dimension == evidence.dimension and factors[1] > factors[0] * 2
        case _:
            return fit is Fit.EXCLUDED


def _is_difference(quantity: Quantity, statement: Statement) -> bool:
    """Whether a quantity is the difference of two in one sentence; that of two percentages is in percentage points."""
    if quantity.upper is not None or quantity.dimension == "percent":
        return False
    dimension = "percent" if quantity.dimension == "percentage points" else quantity.dimension
    values = [
        item.value * item.factor
        for item in statement.figures.quantities
        if item.dimension == dimension and (item.measure or set(item.nouns) & set(quantity.nouns))
    ]
    return any(abs(a - b) == quantity.value * quantity.factor for a, b in combinations(values[:8], 2))


def _has_both_ends(quantity: Quantity, statement: Statement) -> bool:
    """Whether both ends of a claimed range stand in one sentence as numbers of that kind."""
    if quantity.upper is None:
        return False
    values = {
        item.value for item in statement.figures.quantities if item.upper is None and scale_of(quantity, item) == 1
    }
    return {quantity.value, quantity.upper} <= values


def is_version(pair: Pair, release: Release) -> bool:
    """Whether a number of the claim that may be a version is one: it is written as one, or the evidence has versions of that product."""
    known = [other for statement in pair.evidence for other in statement.figures.releases if other.sure]
    return release.sure or any(
        other.name == release.name or (not release.is_whole and None in {other.name, release.name}) for other in known
    )


def _is_a_version(pair: Pair, quantity: Quantity) -> bool:
    return any(
        release.start <= quantity.end and quantity.start <= release.end and is_version(pair, release)
        for release in pair.claim.figures.releases
    )


def _is_known(pair: Pair, quantity: Quantity) -> bool:
    """Whether a bare number stands in the evidence as a part of a date or version or as the length of a list, or in the titles."""
    is_whole = quantity.value == quantity.value.to_integral_value()
    if quantity.measure is not None or quantity.relation.is_bound or quantity.upper is not None or not is_whole:
        return False
    number = int(quantity.value)
    if str(number) in pair.context:
        return True
    for statement in pair.evidence:
        if any(number == moment.year for moment in statement.figures.moments):
            return True
        if any(number == release.version.major for release in statement.figures.releases):
            return True
    return number <= 12 and bool(quantity.nouns) and number in _lengths(pair)


def _lengths(pair: Pair) -> set[int]:
    """How many items the lists and series of the evidence have."""
    lengths = {len(_LIST_ITEM.findall(cited.words)) for cited in pair.passages}
    for statement in pair.aligned:
        content = statement.content
        lengths |= {found[0].count(",") + more for found in _SERIES.finditer(content) for more in (1, 2)}
        lengths |= {2} if re.search(r"\b(?:and|or|both|either)\b", content) else set()
    return lengths - {0, 1}
