"""The judge: how likely a claim is supported by the exact passages that it cites. It reads nothing else, and it never decides alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from toulmin.domain.claims.opinion import Opinion
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.ports.drafter import NOTHING_USED, Usage


class Matter(StrEnum):
    """What a judge may be asked about a question and passages, beside the support of claims."""

    SUFFICIENT = "sufficient"
    """All the passages together answer the question."""
    RELEVANT = "relevant"
    """The passage has to do with the question."""
    CONTAINS_EVIDENCE = "contains_evidence"
    """The passage states something that an answer can rest on."""
    CONTRADICTS_PREMISE = "contradicts_premise"
    """The passage denies something that the question takes for granted."""
    CONTAINS_INSTRUCTIONS = "contains_instructions"
    """The passage tells a model what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One yes-or-no matter about a question and some passages."""

    matter: Matter
    question: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """Why there is no judgement; `detail` is a stable code without any content."""

    reason: SearchOnlyReason
    detail: str | None = None
    retry_after_s: float | None = None
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinions:
    """One opinion for each claim asked about, in their order."""

    opinions: tuple[Opinion, ...]
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The probability of yes for each query, in their order; None where the judge gives none."""

    yes: tuple[float | None, ...]
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What a judge beside the oracles came to on labelled claims that it was not chosen by, with `supported` from this threshold on.

    Of the delivered claims the share that is not supported, and of the supported ones the share that is not delivered.
    """

    on: str
    claims: int
    supported: float
    unsupported_claim_rate: Rate
    false_rejection_rate: Rate


class Judge(Protocol):
    """Judges claims and passages. Has no retrieval and no tools; any number of calls may run at once, in any threads and event loops."""

    @property
    def profile(self) -> str:
        """Name and version of what judges, for the packet."""

    @property
    def on_this_host(self) -> bool:
        """Whether what it is given stays on this host."""

    async def support(self, units: Sequence[ReviewUnit]) -> Opinions | NotJudged:
        """An opinion on every unit, judged each on its own: the same whether asked alone or among others. No units: no call is made.

        Every fault is a value, the judge's own deadline among them. Cancellation passes through.
        """

    async def answer(self, queries: Sequence[Query]) -> Answers | NotJudged:
        """The probability of yes for every query; a judge that answers no such queries gives None for each."""
