"""Outcomes: the closed union of the ways in which a question ends. Abstaining is one of them, and never an exception."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from toulmin.domain.claims.verdict import Verdict
from toulmin.domain.corpus.document import Place, RevisionId, Standing
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.question.contract import Mode
from toulmin.domain.question.eligibility import Reason


class SearchOnlyReason(StrEnum):
    """Why evidence was found and no answer given."""

    NO_DRAFTER = "no_drafter"
    NO_JUDGE = "no_judge"
    PROVIDER_ERROR = "provider_error"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    SATURATED = "saturated"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    INVALID_OUTPUT = "invalid_output"
    EGRESS_DENIED = "egress_denied"


class EvidenceReason(StrEnum):
    """Why an open question asks for evidence."""

    NO_ELIGIBLE_EVIDENCE = "no_eligible_evidence"
    BELOW_MINIMUM_SCORE = "below_minimum_score"
    INSUFFICIENT = "insufficient"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The packet that an outcome was recorded in, and the identities of its evidence and of the corpus."""

    packet: str
    evidence: str
    corpus: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A search result: a passage with its place. `conflicting`: a judge found that it speaks against the question's premise."""

    found: Ranked
    place: Place
    conflicting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """A document that the caller may see, with every reason why it is not eligible."""

    standing: Standing
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Passages in rank order, the number of eligible revisions, and, where asked for, the excluded ones.

    `left_out`: the code of the fault for which a part of the index was not asked; None where all of it was.
    """

    items: tuple[Item, ...]
    eligible: int
    excluded: tuple[Excluded, ...]
    left_out: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedQuote:
    """A resolved citation: the span, its words as the store has them, and their place. None: the source is not in the evidence.

    `title` is the stored one, None where the source has none.
    """

    source: RevisionId
    span: str
    words: str | None
    place: Place | None
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownClaim:
    """A claim with its verdict and its citations resolved."""

    text: str
    fact: str | None
    citations: tuple[CitedQuote, ...]
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedQuestion:
    """No contract has this question id; decided before any retrieval."""

    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What was asked, under which assurance, as of when, and what the search found.

    `left_out`: the code of the fault for which a part of the index was not asked; None where all of it was.
    """

    question: str
    assurance: Mode
    as_of: datetime
    search: tuple[Item, ...]
    left_out: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    """What every outcome of a supported question carries. `receipt` is None only until the outcome is recorded.

    `sufficient`: the selected set covers the template of a licensed contract under this rule version; nothing more is claimed.
    """

    basis: Basis
    sufficient: bool = False
    receipt: Receipt | None = None

    @property
    def question(self) -> str:
        """The contract's id."""
        return self.basis.question

    @property
    def assurance(self) -> Mode:
        """What a delivered claim of this question is: licensed, reviewed or cited."""
        return self.basis.assurance

    @property
    def as_of(self) -> datetime:
        """The instant that the question was answered for."""
        return self.basis.as_of

    @property
    def search(self) -> tuple[Item, ...]:
        """The selected passages: they survive whatever becomes of the answer."""
        return self.basis.search


@dataclass(frozen=True, slots=True, kw_only=True)
class AskForEvidence(_Recorded):
    """Required facts that the selected set does not cover; or, for an open question, why there is nothing to answer from."""

    missing: tuple[str, ...]
    reason: EvidenceReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOnly(_Recorded):
    """Evidence found, no answer; `detail` is a stable code without content."""

    reason: SearchOnlyReason
    detail: str | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld(_Recorded):
    """Drafted, but no claim survived, or a required one did not."""

    withheld: tuple[ShownClaim, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(_Recorded):
    """Every delivered claim is licensed, supported or cited; claims that were not delivered are listed with their reasons."""

    text: str
    claims: tuple[ShownClaim, ...]
    withheld: tuple[ShownClaim, ...]


Recorded = AskForEvidence | SearchOnly | Withheld | Answered
"""The outcomes that leave a packet."""

Outcome = UnsupportedQuestion | Recorded

OutcomeName = Literal["Answered", "AskForEvidence", "UnsupportedQuestion", "SearchOnly", "Withheld"]

NAMES: Mapping[type[Outcome], OutcomeName] = {
    UnsupportedQuestion: "UnsupportedQuestion",
    AskForEvidence: "AskForEvidence",
    SearchOnly: "SearchOnly",
    Withheld: "Withheld",
    Answered: "Answered",
}
"""The public name of each outcome."""
