"""Policy: every threshold and limit as one frozen, versioned value; each packet names the one it was made under."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property

from toulmin.domain.canonical import canonical_json, digest, fields
from toulmin.domain.errors import InputError

KIB = 1024
_HALF = 0.5
_CENTURY = 36_525
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
    asked. `self_approval`: who requested an operation may approve it; `approve_cited`: answers whose support nobody judged may be approved;
    an approval expires `approval_days` after its request. `retention_days` says for types of sources how many days after its ingest a
    revision is to be erased; other types are kept. Raises `InputError` for limits that cannot hold.
    """

    version: str = "built-in/4"
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
    supported: float = 0.79
    contradicted: float = 0.78
    sufficiency: float | None = None
    routing: float | None = None
    self_approval: bool = False
    approve_cited: bool = False
    approval_days: int = 30
    retention_days: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        self._check_thresholds()
        self._check_retention()
        for name, value in asdict(self).items():
            least = _LEAST.get(name, 1)
            if type(value) is int and value < least:
                raise InputError("bad_policy", f"policy limit {name} is {value}", remedy=f"it is at least {least}")
        if self.approval_days > _CENTURY:  # an expiry beyond the calendar would be none
            raise InputError(
                "bad_policy",
                f"policy limit approval_days is {self.approval_days}",
                remedy=f"it is at most {_CENTURY}: a hundred years",
            )
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

    def _check_retention(self) -> None:
        types = [source_type for source_type, _ in self.retention_days]
        if len(set(types)) < len(types) or any(days < 1 for _, days in self.retention_days):
            raise InputError(
                "bad_policy",
                f"policy retention_days is {dict(self.retention_days)}",
                remedy="give each source type once, with a number of days from 1 upwards; leave out what is to be kept",
            )

    @cached_property
    def canonical(self) -> str:
        """The policy as canonical JSON with every default filled in: what packets keep of it."""
        stated = asdict(self)
        stated["retention_days"] = dict(self.retention_days)
        return canonical_json(stated)

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256: tag `toulmin.policy/1`, then the canonical policy."""
        return policy_digest(self.canonical)


def policy_digest(canonical: str) -> str:
    """The digest of a policy in its canonical form."""
    return digest(fields("toulmin.policy/1", canonical))


def policy_of(canonical: str) -> Policy:
    """The policy of its canonical form. Raises `ValueError` for a text that is none, and for one of another version of the program."""
    stated = json.loads(canonical)
    try:
        policy = Policy(
            **{
                **stated,
                "repairs": tuple(map(Repair, stated["repairs"])),
                "retention_days": tuple(stated["retention_days"].items()),
            }
        )
    except (KeyError, TypeError, AttributeError, InputError) as error:
        raise ValueError(f"no policy of this version: {error}") from None
    if policy.canonical != canonical:
        raise ValueError("no policy of this version: it leaves limits out")
    return policy
