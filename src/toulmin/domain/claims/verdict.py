"""Verdicts: what became of each claim, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toulmin.domain.claims.draft import Claim
from toulmin.domain.claims.objection import Objection
from toulmin.domain.claims.opinion import Probabilities


class VerdictStatus(StrEnum):
    """What became of a claim."""

    LICENSED = "licensed"
    SUPPORTED = "supported"
    CITED = "cited"
    CONTRADICTED = "contradicted"
    UNRESOLVED = "unresolved"
    NOT_LICENSED = "not_licensed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim's status, the reason in words, and the checks that it passed, in order.

    In reviewed mode also every objection that an oracle has, the judge's probabilities (None where no judge gave any), and the words that a
    supported claim rests on: number of the citation, start and end in its words.
    """

    status: VerdictStatus
    reason: str | None
    checks: tuple[str, ...]
    objections: tuple[Objection, ...] = ()
    probabilities: Probabilities | None = None
    rests_on: tuple[tuple[int, int, int], ...] = ()

    @property
    def delivered(self) -> bool:
        return self.status in (VerdictStatus.LICENSED, VerdictStatus.SUPPORTED, VerdictStatus.CITED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A claim with its verdict."""

    claim: Claim
    verdict: Verdict
