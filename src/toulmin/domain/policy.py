"""Policy: every threshold and limit as one frozen, versioned value; each packet names the one it was made under."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property

from toulmin.domain.canonical import canonical_json, digest, fields
from toulmin.domain.errors import InputError

KIB = 1024
_HALF = 0.5
_LEAST = {"repair_rounds": 0}
"""Limits that may be zero; every other is at least 1, since an empty limit must not come to mean none."""


class Repair(StrEnum):
    """What may be done about a claim that was not accepted."""

    QUOTE = "quote"
    """Deliver the source's own words in its place."""
    RETRIEVE = "retrieve"
    """Look for more evidence, and have all of the answer drafted anew from a new closed set."""
    REMOVE = "remove"
    """Deliver the answer without it."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Limits of selection, drafts and requests, deadlines in whole seconds; and the thresholds of review, which are probabilities.

    `repairs` are tried in their order; where none is possible, nothing of the answer is delivered. `sufficiency` is the least probability
    that the selected set answers the question, `routing` the one from which a passage is what the judge says it is; None: the judge is not
    asked. Raises `InputError` for limits that cannot hold.
    """

    version: str = "built-in/2"
    passages: int = 8
    passage_bytes: int = 8 * KIB
    context_bytes: int = 32 * KIB
    claims: int = 8
    citations: int = 8
    answer_bytes: int = 8 * KIB
    results: int = 5
    max_results: int = 20
    output_tokens: int = 768
    concurrent_drafts: int = 4
    request_deadline_s: int = 300
    retrieval_deadline_s: int = 285
    provider_deadline_s: int = 270
    repair_rounds: int = 2
    repairs: tuple[Repair, ...] = (Repair.QUOTE, Repair.REMOVE)
    supported: float = 0.9
    contradicted: float = 0.7
    sufficiency: float | None = None
    routing: float | None = None

    def __post_init__(self) -> None:
        self._check_thresholds()
        for name, value in asdict(self).items():
            least = _LEAST.get(name, 1)
            if type(value) is int and value < least:
                raise InputError("bad_policy", f"policy limit {name} is {value}", remedy=f"it is at least {least}")
        if self.results > self.max_results:
            raise InputError(
                "bad_policy",
                f"policy limit results ({self.results}) is above max_results ({self.max_results})",
                remedy="lower results or raise max_results",
            )

        deadlines = (self.provider_deadline_s, self.retrieval_deadline_s, self.request_deadline_s)
        if list(deadlines) != sorted(set(deadlines)):
            raise InputError(
                "bad_policy",
                f"policy deadlines provider, retrieval, request are {', '.join(map(str, deadlines))} seconds",
                remedy="make each inner deadline smaller than the next outer one",
            )

    def _check_thresholds(self) -> None:
        for name in ("supported", "contradicted", "sufficiency", "routing"):
            value = getattr(self, name)
            if value is not None and not _HALF < value <= 1:  # NaN included
                raise InputError(
                    "bad_policy",
                    f"policy threshold {name} is {value}",
                    remedy="it is a probability above 0.5, so that no two verdicts can both reach it",
                )
        if len(set(self.repairs)) < len(self.repairs):
            raise InputError("bad_policy", "policy names a repair twice", remedy="name each of repairs once")

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256: tag `toulmin.policy/1`, then the policy as canonical JSON."""
        return digest(fields("toulmin.policy/1", canonical_json(asdict(self))))
