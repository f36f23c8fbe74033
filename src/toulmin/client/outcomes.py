"""How questions end, and what is told on the way: the service's JSON as values that can be matched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict  # pydantic makes schemas of these only, before Python 3.12

from toulmin.client.faults import bad_reply, checked, fault_of
from toulmin.wire.outcome import AssuranceName, ClaimJson, ItemJson, OutcomeJson, ReceiptJson, StatusName
from toulmin.wire.problem import ProblemJson


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedQuestion:
    """No contract has this id; nothing was searched, and nothing recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    """What every other outcome has: its packet, what an answer to the question would be worth, as of when, and what was found."""

    packet: ReceiptJson
    assurance: AssuranceName
    as_of: str
    sufficient: bool
    search: Sequence[ItemJson]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskForEvidence(_Recorded):
    """Required facts that the evidence does not cover, or why there is nothing to answer from."""

    missing: Sequence[str]
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOnly(_Recorded):
    """Evidence was found, and no answer written; `retry_after_s` where it is worth another try."""

    reason: str
    detail: str | None
    retry_after_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld(_Recorded):
    """An answer was drafted, and does not leave: no claim passed, or a required one did not."""

    withheld: Sequence[ClaimJson]
    missing: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(_Recorded):
    """Every delivered claim is what `assurance` says: licensed, reviewed, or only cited."""

    text: str
    claims: Sequence[ClaimJson]
    withheld: Sequence[ClaimJson]


Outcome = UnsupportedQuestion | AskForEvidence | SearchOnly | Withheld | Answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What was found, before anything is drafted."""

    results: Sequence[ItemJson]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """The evidence is closed; a drafter is at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimJudged:
    """A claim, by its place in the draft, has its verdict."""

    index: int
    status: StatusName


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The end, with the outcome."""

    outcome: Outcome


Event = Searched | Drafting | ClaimJudged | Finished


def outcome_of(content: bytes | str) -> Outcome:
    """The outcome that a `toulmin.outcome/1` tells."""
    told: OutcomeJson = checked(OutcomeJson, content)
    if told["outcome"] == "UnsupportedQuestion":
        return UnsupportedQuestion()
    if told["packet"] is None or told["assurance"] is None or told["as_of"] is None:
        raise bad_reply("an outcome without a packet")
    recorded: dict[str, Any] = {
        "packet": told["packet"],
        "assurance": told["assurance"],
        "as_of": told["as_of"],
        "sufficient": told["sufficiency"] is not None,
        "search": told["search"],
    }
    answer, reason = told["answer"], told["reason"]
    match told["outcome"]:
        case "AskForEvidence":
            return AskForEvidence(**recorded, missing=told["missing"], reason=reason)
        case "SearchOnly" if reason is not None:
            return SearchOnly(**recorded, reason=reason, detail=told["detail"], retry_after_s=told["retry_after_s"])
        case "Withheld":
            return Withheld(**recorded, withheld=told["withheld"], missing=told["missing"])
        case "Answered" if answer is not None:
            return Answered(**recorded, **answer, withheld=told["withheld"])
        case name:
            raise bad_reply(f"an outcome {name} without what belongs to it")


class _SearchJson(TypedDict):
    results: list[ItemJson]


class _VerdictJson(TypedDict):
    index: int
    status: StatusName


def event_of(name: str, data: str) -> Event | None:
    """An event of a stream; None for one that this client does not know yet. Raises the fault that the service tells in place of an outcome."""
    match name:
        case "search":
            searched: _SearchJson = checked(_SearchJson, data)
            return Searched(results=searched["results"])
        case "drafting":
            return Drafting()
        case "verdict":
            verdict: _VerdictJson = checked(_VerdictJson, data)
            return ClaimJudged(index=verdict["index"], status=verdict["status"])
        case "outcome":
            return Finished(outcome=outcome_of(data))
        case "error":
            raise fault_of(checked(ProblemJson, data), None)
        case _:
            return None
