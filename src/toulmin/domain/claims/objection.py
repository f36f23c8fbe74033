"""Objections: what a deterministic check holds against a claim, with the words on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Strength(StrEnum):
    """How much an objection weighs: it shows that the evidence denies the claim, or that it does not settle it."""

    CONTRADICTS = "contradicts"
    UNSETTLES = "unsettles"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Objection:
    """What one oracle holds against a claim, in a sentence that a person understands.

    `claim` is a half-open range of code points in the claim's text, `evidence` one in the text of the cited passage number `passage`
    (from 0, in the order of the claim's citations).
    """

    oracle: str
    strength: Strength
    claim: tuple[int, int]
    passage: int
    evidence: tuple[int, int]
    says: str
