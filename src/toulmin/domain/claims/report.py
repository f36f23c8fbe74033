"""Review reports: what came of claims that were reviewed on their own, outside of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toulmin.domain.claims.verdict import Verdict
from toulmin.domain.corpus.document import RevisionId


class SourceState(StrEnum):
    """What has become of a source since it was cited."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    NOT_IN_FORCE = "not_in_force"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    DELETED = "deleted"
    ERASED = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSource:
    """What a reviewed claim cites, with its state now."""

    source: RevisionId
    span: str
    state: SourceState


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedClaim:
    """A claim with its verdict. `citations` are empty where the caller gave the evidence's text itself."""

    id: str
    claim: str
    verdict: Verdict
    citations: tuple[CitedSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFinding:
    """Something wrong with a text that is not about what a claim says: `text[start:end]`, in words. A marker without a source is one."""

    start: int
    end: int
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewReport:
    """Reviewed claims in order, what is wrong with the text they stand in, and the version of the policy that they were judged by.

    `fault` is the code of why the judge gave no opinion on some of them; None where it was not asked, or gave one on each.
    """

    policy: str
    claims: tuple[ReviewedClaim, ...]
    findings: tuple[TextFinding, ...] = ()
    fault: str | None = None
