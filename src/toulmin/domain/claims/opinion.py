"""Opinions: what a judge thinks of a claim beside its evidence, as probabilities, or why it has none."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

_SUM_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Probabilities:
    """How likely a claim is supported, contradicted or left unresolved by its evidence; the three sum to 1.

    Raises `ValueError` for what is no distribution: a number that is not finite or below 0, or another sum.
    """

    supported: float
    contradicted: float
    unresolved: float

    def __post_init__(self) -> None:
        parts = (self.supported, self.contradicted, self.unresolved)
        if not all(isfinite(part) and part >= 0 for part in parts) or abs(sum(parts) - 1) > _SUM_TOLERANCE:
            raise ValueError(f"{parts} is no distribution over three classes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """A judge's probabilities; None where it gives only a word, or has no opinion on this language or length: `why` says so in words."""

    probabilities: Probabilities | None
    why: str | None = None
