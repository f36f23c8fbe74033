"""Oracles: deterministic checks that can only object to a claim. None of them ever says that it is supported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from toulmin.domain.claims.objection import Objection
from toulmin.domain.claims.oracles import (
    bounds,
    conditions,
    dates,
    modality,
    names,
    negation,
    numbers,
    quantifiers,
    units,
    versions,
)
from toulmin.domain.claims.oracles.statement import Pair

ORACLES: Final[tuple[tuple[str, Callable[[Pair], Iterator[Objection]]], ...]] = (
    (numbers.NAME, numbers.objections),
    (units.NAME, units.objections),
    (bounds.NAME, bounds.objections),
    (dates.NAME, dates.objections),
    (versions.NAME, versions.objections),
    (negation.NAME, negation.objections),
    (modality.NAME, modality.objections),
    (quantifiers.NAME, quantifiers.objections),
    (conditions.NAME, conditions.objections),
    (names.NAME, names.objections),
)
"""The families, by name, in the order in which they are asked."""


def objections(pair: Pair) -> tuple[Objection, ...]:
    """What all oracles hold against a claim, sorted and each once; empty where they have nothing to say, which proves nothing."""
    return tuple(sorted({objection for _, oracle in ORACLES for objection in oracle(pair)}))
