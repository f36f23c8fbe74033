"""What callers of the service send. No body has a field for evidence, tenant, role or user: unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from toulmin.wire.approval import StateName
from toulmin.wire.model import Strict
from toulmin.wire.review import Cites
from toulmin.wire.scalars import (
    Count,
    Identifier,
    Instant,
    Name,
    Score,
    Text,
    Truth,
    Words,
    choice,
    fault,
    not_above,
    wrong_type,
)

MAX_PAIRS = 100
"""Claims of one review."""

MAX_DOCUMENTS = 1000
"""Documents of one page."""


def _case_value(value: object) -> str:
    """A case value's text. A number with a point is none: 3.10 would arrive as 3.1, which is another version."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return value
        case float():
            raise fault(
                "wrong_type", "a number with a point loses its last zeros", 'write it in quotes, such as "3.10"'
            )
        case _:
            raise wrong_type(value, "a value of a case", "give a text, a whole number, or true or false")


CaseValues = dict[Name, Annotated[str, BeforeValidator(_case_value)]]


class SearchBody(Strict):
    """What is searched for, under which profile, as of when; at most `k` passages that score `min_score`."""

    text: Words
    case: CaseValues = Field(default_factory=dict)
    profile: Identifier = "default"
    as_of: Instant | None = None
    k: Count | None = None
    min_score: Score = 0.0
    explain: Truth = False


class AskBody(Strict):
    """A contract's question by its id, or an open question by its words, which may name a profile."""

    question: Identifier | None = None
    text: Words | None = None
    case: CaseValues = Field(default_factory=dict)
    profile: Identifier | None = None
    as_of: Instant | None = None
    k: Count | None = None
    min_score: Score = 0.0

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Self:
        if (self.question is None) == (self.text is None):
            raise fault("missing_key", "a question has an id or words, and not both", "give one of question, text")
        if self.profile is not None and self.text is None:
            raise fault("bad_profile", "a contract has rules of its own", "leave profile out, or ask with text")
        return self


class PairBody(Strict):
    """A claim, and what it cites of the corpus; the words that it is compared with are the store's."""

    claim: Text
    evidence: tuple[Annotated[Cites, AfterValidator(Cites.checked)], ...]
    id: Identifier | None = None


class ReviewBody(Strict):
    """Claims beside what they cite, or a text with citation markers that answers from a packet."""

    pairs: tuple[PairBody, ...] | None = None
    text: Text | None = None
    packet: Identifier | None = None

    @model_validator(mode="after")
    def _reviews_one_thing(self) -> Self:
        if (self.pairs is None) == (self.text is None) or (self.text is None) != (self.packet is None):
            advice = "give pairs, or text together with packet"
            raise fault("missing_key", "a review is of pairs, or of a text beside a packet", advice)
        if self.pairs is not None and not 1 <= len(self.pairs) <= MAX_PAIRS:
            raise fault("wrong_type", f"there are {len(self.pairs)} pairs", f"give 1 to {MAX_PAIRS}")
        return self


class WithdrawBody(Strict):
    """Which version is withdrawn; all, without one."""

    version: Identifier | None = None


class ApprovalBody(Strict):
    """An operation on the answer of a packet that somebody wants carried out."""

    packet: Identifier
    operation: Identifier
    params: dict[Identifier, Text] = Field(default_factory=dict)
    instance: Identifier | None = None
    comment: Text | None = None


class StepBody(Strict):
    """Why a step is taken."""

    comment: Text | None = None


class ResolveBody(Strict):
    """What came of an operation in doubt."""

    outcome: Annotated[Literal["executed", "failed"], choice("executed", "failed")]
    comment: Text | None = None


class ReplayQuery(Strict):
    """As of when a decision is made again; now, without an instant."""

    as_of: Instant | None = None


class DocumentsQuery(Strict):
    """At most `limit` documents, of those whose ids come after one."""

    limit: Annotated[Count, not_above(MAX_DOCUMENTS)] = 200
    after: Text = ""


class TextQuery(Strict):
    """The version whose text is wanted."""

    version: Identifier


class VersionQuery(Strict):
    """One version of a document; all, without one."""

    version: Identifier | None = None


class StateQuery(Strict):
    """Approvals in one state; all, without one."""

    state: Annotated[StateName, choice(*get_args(StateName))] | None = None
