"""Fit: how an amount of the evidence stands to one of the claim."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum
from typing import NamedTuple

from toulmin.domain.claims.oracles.figures.quantities import Quantity
from toulmin.domain.claims.oracles.figures.relations import Relation

_INFINITE = Decimal("Infinity")
_ONE, _HUNDRED = Decimal(1), Decimal(100)
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


class _Values(NamedTuple):
    """All values from `low` to `high`, the ends among them where they are closed."""

    low: Decimal
    high: Decimal
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
    scales = scales_of(claim, evidence)
    if scales is None:
        return Fit.OTHER_UNIT if same_numeral else Fit.UNRELATED
    if len(claim.readings) + len(evidence.readings) > 2 and set(claim.readings) != set(evidence.readings):
        return Fit.AMBIGUOUS if set(claim.readings) & set(evidence.readings) else Fit.OTHER_VALUE
    if _same_in_binary(claim, evidence):
        return Fit.STATED
    mine, theirs = scales
    fit = _by_values(claim, evidence, mine, theirs)
    if same_numeral:
        return Fit.OTHER_UNIT if mine != theirs and fit in {Fit.OTHER_VALUE, Fit.EXCLUDED} else fit
    return fit if alike(claim, evidence) or fit in {Fit.STATED, Fit.OTHER_VALUE} else Fit.UNRELATED


def alike(claim: Quantity, evidence: Quantity) -> bool:
    """Whether both measure or count the same kind of thing, as far as they say so."""
    if claim.measure or evidence.measure:
        return _same_dimension(claim, evidence)
    return (not claim.nouns and not evidence.nouns) or bool(set(claim.nouns) & set(evidence.nouns))


def scales_of(claim: Quantity, evidence: Quantity) -> tuple[Decimal, Decimal] | None:
    """By what the claim's value and the evidence's are multiplied to be in one unit; None where the two measure different things."""
    if (claim.measure is None) != (evidence.measure is None):
        return _scales_to_bare(claim, evidence)
    if not _same_dimension(claim, evidence):
        return None
    if claim.rate is None or evidence.rate is None:
        return claim.factor, evidence.factor
    if claim.rate.dimension != evidence.rate.dimension:
        return None
    return claim.factor * evidence.rate.factor, evidence.factor * claim.rate.factor


def _same_dimension(claim: Quantity, evidence: Quantity) -> bool:
    return claim.dimension == evidence.dimension or {claim.dimension, evidence.dimension} == _POUNDS


def _scales_to_bare(claim: Quantity, evidence: Quantity) -> tuple[Decimal, Decimal] | None:
    """The scales where only one side names a unit: the other may mean it, unless it counts something else; 0.06 may be 6 %."""
    measured, bare = (claim, evidence) if claim.measure else (evidence, claim)
    if bare.nouns and (bare is claim or bare.counts):
        return None
    if measured.dimension != "percent":
        return _ONE, _ONE
    if abs(bare.value) <= 1:
        return (_ONE, _HUNDRED) if evidence is bare else (_HUNDRED, _ONE)
    return (_ONE, _ONE) if evidence is bare else None


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


def _by_values(claim: Quantity, evidence: Quantity, scale: Decimal, other_scale: Decimal) -> Fit:
    """The fit of two quantities of the same kind, by the values that each allows, both times its scale."""
    value, other = claim.value * scale, evidence.value * other_scale
    equal = value == other
    if claim.is_exact and evidence.is_exact:
        is_rounded = scale == other_scale and _rounds(claim.value, evidence.value)
        return Fit.STATED if equal else Fit.LEFT_OPEN if is_rounded else Fit.OTHER_VALUE
    mine, theirs = _values(claim, value, scale), _values(evidence, other, other_scale)
    if claim.upper is not None or evidence.upper is not None:
        return Fit.STATED if mine == theirs else _open(claim, mine, theirs)
    if Relation.ABOUT in (claim.relation, evidence.relation):
        near = abs(value - other) * 10 <= abs(other)
        if claim.relation.is_bound or (evidence.relation.is_bound and not evidence.loose):
            return Fit.LEFT_OPEN if near else _open(claim, mine, theirs)
        return _about(claim, equal=equal, near=near)
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
    return _open(claim, mine, theirs)


def _rounds(claim: Decimal, evidence: Decimal) -> bool:
    """Whether the claim's value is the evidence's without some of its decimals: 30 for 29.7."""
    decimals = int(claim.as_tuple().exponent)
    return decimals > int(evidence.as_tuple().exponent) and abs(evidence - claim) * 2 <= Decimal(1).scaleb(decimals)


def _values(quantity: Quantity, value: Decimal, scale: Decimal) -> _Values:
    """The values that a quantity allows: `value` is its own times the scale."""
    if quantity.upper is not None:
        return _Values(value, quantity.upper * scale)
    if quantity.relation in _UPWARD:
        return _Values(value, _INFINITE, low_closed=quantity.relation is Relation.AT_LEAST)
    if quantity.relation in _DOWNWARD:
        return _Values(-_INFINITE, value, high_closed=quantity.relation is Relation.AT_MOST)
    return _Values(value, value)


def _open(claim: Quantity, mine: _Values, theirs: _Values) -> Fit:
    """The fit of values of which at least one side is several: a claimed bound holds all that lies within it."""
    if not mine.meet(theirs):
        return Fit.EXCLUDED
    return Fit.IMPLIED if claim.relation.is_bound and mine.hold(theirs) else Fit.LEFT_OPEN


def _about(claim: Quantity, *, equal: bool, near: bool) -> Fit:
    """The fit where a side is about its value: a plain claim may leave that word out, and a rough one agrees within a tenth."""
    if equal:
        return Fit.LEFT_OPEN if claim.relation is Relation.EXACTLY else Fit.STATED
    if not near:
        return Fit.OTHER_VALUE
    return Fit.IMPLIED if claim.relation is Relation.ABOUT else Fit.LEFT_OPEN


def _opposite(claim: Quantity, evidence: Quantity) -> bool:
    """Whether one bounds from below and the other from above."""
    relations = claim.relation, evidence.relation
    return any(relation in _UPWARD for relation in relations) and any(relation in _DOWNWARD for relation in relations)
