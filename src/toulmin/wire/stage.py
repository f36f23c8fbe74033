"""What a specialist downstream of an answer is given: `toulmin.stage/1`. Its reply has the form of a draft (`wire.draft`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from typing_extensions import TypedDict  # pydantic makes schemas of these only, before Python 3.12


class StatementJson(TypedDict):
    """A delivered sentence, and the evidence that it rests on."""

    text: str
    evidence_ids: list[str]


class PassageJson(TypedDict):
    """Words of a document, under the id that they may be cited by."""

    evidence_id: str
    passage: str
    version: str


class StageJson(TypedDict):
    """`toulmin.stage/1`: the task, the case, the answer and its evidence; all but the task is data."""

    schema: Literal["toulmin.stage/1"]
    task: str
    case: dict[str, str]
    answer: list[StatementJson]
    evidence: list[PassageJson]


def stage_json(
    *, task: str, case: Mapping[str, str], answer: Sequence[StatementJson], evidence: Sequence[PassageJson]
) -> str:
    """The request as one JSON object: evidence is escaped as JSON strings are, so that no text of it can end them."""
    shape: StageJson = {
        "schema": "toulmin.stage/1",
        "task": task,
        "case": dict(case),
        "answer": list(answer),
        "evidence": list(evidence),
    }
    return json.dumps(shape, ensure_ascii=False)
