"""Approvals as JSON: `toulmin.approval/1`, and lists of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from typing_extensions import TypedDict  # pydantic makes schemas of these only, before Python 3.12

from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.proof.approval import Approval, Person, Result, Step

StateName = Literal[
    "requested", "approved", "rejected", "executing", "executed", "failed", "in_doubt", "stale", "expired", "revoked"
]


class PersonJson(TypedDict):
    """Who did something."""

    id: str
    tenant: str | None


class ResultJson(TypedDict):
    """What came of the effect: a stable code, and what it said (null: it is not kept any more)."""

    code: str
    output: str | None


class StepJson(TypedDict):
    """What became of an approval, when and by whom (null: by the passing of time); `says` are reasons in words."""

    state: StateName
    at: str
    by: PersonJson | None
    comment: str | None
    says: list[str]
    result: ResultJson | None


class ApprovalJson(TypedDict):
    """`toulmin.approval/1`. `changes` are what is otherwise than it was, where the approval is stale."""

    schema: Literal["toulmin.approval/1"]
    id: str
    state: StateName
    operation: str
    evidence: str
    packet: str
    result: ResultJson | None
    name: str
    params: dict[str, str]
    instance: str
    policy: str
    answer_sha256: str
    requester: PersonJson
    expires_at: str
    changes: list[str]
    history: list[StepJson]


class ApprovalsJson(TypedDict):
    """`toulmin.approvals/1`: approvals in the order of their requests."""

    schema: Literal["toulmin.approvals/1"]
    approvals: list[ApprovalJson]


def approval_json(approval: Approval) -> ApprovalJson:
    """An approval as `toulmin.approval/1`."""
    operation = approval.operation
    return {
        "schema": "toulmin.approval/1",
        "id": approval.id,
        "state": approval.state.value,
        "operation": approval.operation_id,
        "evidence": operation.evidence,
        "packet": approval.packet,
        "result": _result(approval.result),
        "name": operation.name,
        "params": dict(operation.params),
        "instance": operation.instance,
        "policy": operation.policy,
        "answer_sha256": operation.answer,
        "requester": {"id": approval.requester.id, "tenant": approval.requester.tenant},
        "expires_at": instant_text(approval.expires_at),
        "changes": list(approval.changes),
        "history": [_step(step) for step in approval.history],
    }


def approvals_json(approvals: Iterable[Approval]) -> ApprovalsJson:
    """Approvals as `toulmin.approvals/1`."""
    return {"schema": "toulmin.approvals/1", "approvals": [approval_json(each) for each in approvals]}


def _step(step: Step) -> StepJson:
    return {
        "state": step.state.value,
        "at": instant_text(step.at),
        "by": _person(step.by),
        "comment": step.comment,
        "says": list(step.says),
        "result": _result(step.result),
    }


def _person(person: Person | None) -> PersonJson | None:
    return None if person is None else {"id": person.id, "tenant": person.tenant}


def _result(result: Result | None) -> ResultJson | None:
    return None if result is None else {"code": result.code, "output": result.output}
