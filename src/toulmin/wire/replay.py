"""Replays as JSON: `toulmin.replay/1`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from typing_extensions import TypedDict

from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.proof.replay import Difference
from toulmin.domain.proof.rerun import Step

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

ResultName = Literal["reproduced", "differs", "erased"]
DifferenceName = Literal[
    "contract_gone",
    "contract_changed",
    "case_refused",
    "policy_changed",
    "source_gone",
    "superseded",
    "not_in_force",
    "words_changed",
    "spans_changed",
    "scope_changed",
    "readers_changed",
    "eligibility_changed",
    "witness_lost",
    "new_witness",
    "ranking_changed",
]


class StepJson(TypedDict):
    """One step of the decision, made again; `says` is null where it came out as recorded."""

    step: str
    result: ResultName
    says: str | None


class DifferenceJson(TypedDict):
    """One thing that is otherwise than it was; what it is about is null where it is about none."""

    kind: DifferenceName
    says: str
    document: str | None
    version: str | None
    fact: str | None
    attribute: str | None


class ThenJson(TypedDict):
    """As of then: what was recorded, and whether each step comes out the same."""

    evidence: str
    steps: list[StepJson]


class NowJson(TypedDict):
    """As of now; `evidence` is null where nothing could be searched."""

    as_of: str
    evidence: str | None
    missing: list[str]
    differences: list[DifferenceJson]


class ReplayJson(TypedDict):
    """`toulmin.replay/1`; `by_requester`: who replays it is who asked. `unchanged`: the evidence is the same now."""

    schema: Literal["toulmin.replay/1"]
    packet: str
    reproduces: bool
    unchanged: bool
    by_requester: bool
    then: ThenJson
    now: NowJson


def step_json(step: Step) -> StepJson:
    """One step."""
    return {"step": step.name, "result": step.result.value, "says": step.says or None}


def difference_json(difference: Difference) -> DifferenceJson:
    """One difference."""
    source = difference.source
    return {
        "kind": difference.kind.value,
        "says": difference.says,
        "document": source.document if source else None,
        "version": source.version if source else None,
        "fact": difference.fact,
        "attribute": difference.attribute,
    }


def now_json(
    as_of: datetime, evidence: str | None, missing: Sequence[str], differences: Sequence[Difference]
) -> NowJson:
    """What the question comes to now."""
    return {
        "as_of": instant_text(as_of),
        "evidence": evidence,
        "missing": list(missing),
        "differences": [difference_json(each) for each in differences],
    }
