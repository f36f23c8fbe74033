"""Policy: every threshold and limit as one frozen, versioned value; each packet names the one it was made under."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property

from toulmin.domain.canonical import canonical_json, digest, fields
from toulmin.domain.errors import InputError

KIB = 1024


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Limits of selection, drafts and requests. Raises `InputError` for a limit that is not positive."""

    version: str = "built-in/1"
    passages: int = 8
    passage_bytes: int = 8 * KIB
    context_bytes: int = 32 * KIB
    claims: int = 8
    citations: int = 8
    answer_bytes: int = 8 * KIB
    results: int = 5
    max_results: int = 20

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name != "version" and value < 1:
                raise InputError("bad_policy", f"policy limit {name} is {value}", remedy="a limit is at least 1")
        if self.results > self.max_results:
            raise InputError(
                "bad_policy",
                f"policy limit results ({self.results}) is above max_results ({self.max_results})",
                remedy="lower results or raise max_results",
            )

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256: tag `toulmin.policy/1`, then the policy as canonical JSON."""
        return digest(fields("toulmin.policy/1", canonical_json(asdict(self))))
