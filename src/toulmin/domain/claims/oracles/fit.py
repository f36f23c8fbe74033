"""Fit: how an amount of the evidence stands to one of the claim."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from toulmin.domain.claims.oracles.figures.quantities import Quantity
from toulmin.domain.claims.oracles.figures.relations import Relation

_INFINITE = float("inf")
_BINARY = {10 ** (3 * power): 1024**power for power in range(1, 6)}
_UPWARD = frozenset({Relation.AT_LEAST, Relation.MORE})
_DOWNWARD = frozenset({Relation.AT_MOST, Relation.LESS})
_POUNDS = frozenset({"GBP", "pounds"})
"""Dimensions of "£" and of "pound", which may be money or weight."""


class Fit(IntEnum):
    """How a quantity of the evidence stands to one of the claim; the later, the more it tells against the claim."""

    STATED = 0
    IMPLIED = 1
    UNRELATED = 2
    OTHER_VALUE = 3
    AMBIGUOUS = 4
    OTHER_UNIT = 5
    LEFT_OPEN = 6
    EXCLUDED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class _Values:
    """All values from `low` to `high`, the ends among them where they are closed."""

    low: Fraction | float
    high: Fraction | float
    low_closed: bool = True
    high_closed: bool = True

    def meet(self, other: _Values) -> bool:
        """Whether both have a value in common."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low != high:
            return low < high
        return all(
            (each.low < low or each.low_closed) and (each.high > high or each.high_closed) for each in (self, other)
        )

    def hold(self, other: _Values) -> bool:
        """Whether every value of the other one is among these."""
        low = other.low > self.low or (other.low == self.low and (self.low_closed or not other.low_closed))
        high = other.high < self.high or (other.high == self.high and (self.high_closed or not other.high_closed))
        return low and high


def fit_of(claim: Quantity, evidence: Quantity) -> Fit:
    """How a quantity of the evidence stands to one of the claim."""
    if claim.ordinal != evidence.ordinal:
        return Fit.UNRELATED
    same_numeral = claim.value == evidence.value and claim.upper == evidence.upper
    scale = scale_of(claim, evidence)
    if scale is None:
        return Fit.OTHER_UNIT if same_numeral else Fit.UNRELATED
    if len(claim.readings) + len(evidence.readings) > 2 and set(claim.readings) != set(evidence.readings):
        return Fit.AMBIGUOUS if set(claim.readings) & set(evidence.readings) else Fit.OTHER_VALUE
    if _same_in_binary(claim, evidence):
        return Fit.STATED
    fit = _by_values(claim, evidence, scale)
    if same_numeral:
        return Fit.OTHER_UNIT if scale != 1 and fit in {Fit.OTHER_VALUE, Fit.EXCLUDED} else fit
    return fit if alike(claim, evidence) or fit in {Fit.STATED, Fit.OTHER_VALUE} else Fit.UNRELATED


def alike(claim: Quantity, evidence: Quantity) -> bool:
    """Whether both measure or count the same kind of thing, as far as they say so."""
    if claim.measure or evidence.measure:
        return _same_dimension(claim, evidence)
    return (not claim.nouns and not evidence.nouns) or bool(set(claim.nouns) & set(evidence.nouns))


def scale_of(claim: Quantity, evidence: Quantity) -> Fraction | None:
    """How many of the claim's units are one of the evidence's; None where the two measure different things."""
    if (claim.measure is None) != (evidence.measure is None):
        return _scale_to_bare(claim, evidence)
    if not _same_dimension(claim, evidence):
        return None
    scale = Fraction(evidence.factor) / Fraction(claim.factor)
    if claim.rate is None or evidence.rate is None:
        return scale
    if claim.rate.dimension != evidence.rate.dimension:
        return None
    return scale * Fraction(claim.rate.factor) / Fraction(evidence.rate.factor)


def _same_dimension(claim: Quantity, evidence: Quantity) -> bool:
    return claim.dimension == evidence.dimension or {claim.dimension, evidence.dimension} == _POUNDS


def _scale_to_bare(claim: Quantity, evidence: Quantity) -> Fraction | None:
    """The scale where only one side names a unit: the other may mean it, unless it counts something else; 0.06 may be 6 %."""
    measured, bare = (claim, evidence) if claim.measure else (evidence, claim)
    if bare.nouns and (bare is claim or bare.counts):
        return None
    if measured.dimension != "percent":
        return Fraction(1)
    if abs(bare.value) <= 1:
        return Fraction(100) if evidence is bare else Fraction(1, 100)
    return Fraction(1) if evidence is bare else None


def _same_in_binary(claim: Quantity, evidence: Quantity) -> bool:
    """Whether one is a number of bytes and the other so many kilobytes or more of 1024: "16 MB" is often 16,777,216 bytes."""
    for plain, prefixed in ((claim, evidence), (evidence, claim)):
        binary = _BINARY.get(int(prefixed.factor)) if prefixed.dimension == "data" else None
        if (
            binary
            and plain.factor == 1
            and plain.dimension in {"data", None}
            and plain.value == prefixed.value * binary
        ):
            return True
    return False


def _by_values(claim: Quantity, evidence: Quantity, scale: Fraction) -> Fit:
    """The fit of two quantities of the same kind, by the values that each allows."""
    mine, theirs = _values(claim, Fraction(1)), _values(evidence, scale)
    equal = Fraction(claim.value) == Fraction(evidence.value) * scale
    if claim.upper is not None or evidence.upper is not None:
        return Fit.STATED if mine == theirs else _open(claim, mine, theirs)
    if Relation.ABOUT in {claim.relation, evidence.relation}:
        return _about(claim, evidence, scale, equal=equal)
    if claim.loose or (evidence.loose and not claim.relation.is_bound) or (evidence.loose and equal):
        if equal:
            return Fit.EXCLUDED if _opposite(claim, evidence) else Fit.STATED
        return Fit.OTHER_VALUE
    if mine == theirs:
        return Fit.STATED
    if equal and claim.relation.is_bound and evidence.relation.is_bound:
        return Fit.EXCLUDED if _opposite(claim, evidence) else _open(claim, mine, theirs)
    if equal:
        return Fit.IMPLIED if mine.hold(theirs) else Fit.LEFT_OPEN
    if claim.relation.is_bound or evidence.relation.is_bound:
        return _open(claim, mine, theirs)
    return Fit.OTHER_VALUE


def _values(quantity: Quantity, scale: Fraction) -> _Values:
    """The values that a quantity allows."""
    value = Fraction(quantity.value) * scale
    if quantity.upper is not None:
        return _Values(low=value, high=Fraction(quantity.upper) * scale)
    if quantity.relation in _UPWARD:
        return _Values(low=value, high=_INFINITE, low_closed=quantity.relation is Relation.AT_LEAST)
    if quantity.relation in _DOWNWARD:
        return _Values(low=-_INFINITE, high=value, high_closed=quantity.relation is Relation.AT_MOST)
    return _Values(low=value, high=value)


def _open(claim: Quantity, mine: _Values, theirs: _Values) -> Fit:
    """The fit of values of which at least one side is several: a claimed bound holds all that lies within it."""
    if not mine.meet(theirs):
        return Fit.EXCLUDED
    return Fit.IMPLIED if claim.relation.is_bound and mine.hold(theirs) else Fit.LEFT_OPEN


def _about(claim: Quantity, evidence: Quantity, scale: Fraction, *, equal: bool) -> Fit:
    """The fit where a side is about a value: a rough claim agrees with an exact value within a tenth, an exact claim is left open."""
    if claim.relation is evidence.relation:
        return Fit.STATED if equal else Fit.OTHER_VALUE
    other = Fraction(evidence.value) * scale
    near = abs(Fraction(claim.value) - other) * 10 <= abs(other)
    if claim.relation is Relation.ABOUT and not evidence.relation.is_bound:
        return Fit.STATED if equal else Fit.IMPLIED if near else Fit.OTHER_VALUE
    return Fit.LEFT_OPEN if near else Fit.OTHER_VALUE


def _opposite(claim: Quantity, evidence: Quantity) -> bool:
    """Whether one bounds from below and the other from above."""
    relations = claim.relation, evidence.relation
    return any(relation in _UPWARD for relation in relations) and any(relation in _DOWNWARD for relation in relations)
