"""Policy: every threshold and limit as one frozen, versioned value; each packet names the one it was made under."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property

from toulmin.domain.canonical import canonical_json, digest, fields
from toulmin.domain.errors import InputError

KIB = 1024
_LEAST = {"repair_rounds": 0}
"""Limits that may be zero; every other is at least 1, since an empty limit must not come to mean none."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Limits of selection, drafts and requests; deadlines in whole seconds. Raises `InputError` for limits that cannot hold."""

    version: str = "built-in/1"
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

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            least = _LEAST.get(name, 1)
            if name != "version" and value < least:
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

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256: tag `toulmin.policy/1`, then the policy as canonical JSON."""
        return digest(fields("toulmin.policy/1", canonical_json(asdict(self))))
