"""Verdicts: what became of each claim, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toulmin.domain.claims.draft import Claim


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
    """A claim's status, the reason in words where it is withheld, and the checks that it passed, in order."""

    status: VerdictStatus
    reason: str | None
    checks: tuple[str, ...]

    @property
    def delivered(self) -> bool:
        return self.status in (VerdictStatus.LICENSED, VerdictStatus.SUPPORTED, VerdictStatus.CITED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A claim with its verdict."""

    claim: Claim
    verdict: Verdict
