"""Whether two scopes can both be eligible for one case."""

from __future__ import annotations

from collections.abc import Collection

from toulmin.domain.corpus.scope import ANY, AttributeValue, Scope
from toulmin.domain.corpus.versions import Bounds, UnreadableVersion, bounds


def provably_disjoint(one: Scope, other: Scope, *, ordered: Collection[str] = ()) -> bool:
    """Whether some attribute that both state rules out every common case.

    Values are compared as `equals`, `one_of` and `version_in` compare them; `ordered` names attributes that `at_least` judges, where a
    high case satisfies every level below it. False means "not proven", not "they overlap".
    """
    return any(
        _values_disjoint(value, stated)
        for name, value in one.attributes
        if name not in ordered and (stated := other.get(name)) is not None
    )


def _values_disjoint(one: AttributeValue, other: AttributeValue) -> bool:
    if ANY in (one, other):
        return False
    ones = (one,) if isinstance(one, str) else one
    others = (other,) if isinstance(other, str) else other
    return all(_items_disjoint(a, b) for a in ones for b in others)


def _items_disjoint(one: str, other: str) -> bool:
    if one == other or _same_number(one, other):
        return False
    try:
        first, second = bounds(one), bounds(other)
    except UnreadableVersion:
        return not (_looks_like_range(one) or _looks_like_range(other))
    return _apart(first, second) or _apart(second, first)


def _same_number(one: str, other: str) -> bool:
    """Whether both are one number, which a case may state (`1.5` and `1.50` differ as versions only)."""
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def _looks_like_range(text: str) -> bool:
    return text[:1] in "<>=!~"


def _apart(lower: Bounds, upper: Bounds) -> bool:
    """Whether all of `lower` lies below all of `upper`."""
    if lower.high is None or upper.low is None:
        return False
    touches = lower.high_included and upper.low_included
    return lower.high < upper.low or (lower.high == upper.low and not touches)
