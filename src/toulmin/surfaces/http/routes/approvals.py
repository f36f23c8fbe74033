"""Approvals: people decide on an operation, and it is carried out at most once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from toulmin.domain.proof.approval import Approval
from toulmin.domain.question.case import Principal
from toulmin.ports.replies import Reply
from toulmin.surfaces.http.bodies import asked, json_body, query, taken
from toulmin.surfaces.http.idempotency import once
from toulmin.surfaces.http.problems import PROBLEMS
from toulmin.surfaces.http.rights import Decider, Looker
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.sync import Workspace
from toulmin.wire.approval import ApprovalJson, ApprovalsJson, approval_json, approvals_json
from toulmin.wire.model import Strict
from toulmin.wire.requests import ApprovalBody, ResolveBody, StateQuery, StepBody

router = APIRouter(prefix="/v1/approvals", tags=["approvals"], responses=PROBLEMS)

_Step = Annotated[StepBody, Depends(json_body(StepBody))]


@router.get("", response_model=ApprovalsJson, openapi_extra=asked(StateQuery))
async def listed(request: Request, who: Looker, wanted: Annotated[StateQuery, Depends(query(StateQuery))]) -> Response:
    """The approvals that the caller may see, in the order of their requests."""
    service = service_of(request)
    known = await service.run(service.workspace.approvals, state=wanted.state, principal=who)
    return JSONResponse(approvals_json(known))


@router.post("", response_model=ApprovalJson, openapi_extra=taken(ApprovalBody))
async def requested(
    request: Request, who: Decider, body: Annotated[ApprovalBody, Depends(json_body(ApprovalBody))]
) -> Response:
    """The approval that an operation on an answer now waits in; the present one, where the same was requested before."""
    return await _written(
        request,
        who,
        body,
        lambda place: place.request_approval(
            body.packet,
            body.operation,
            params=body.params,
            instance=body.instance,
            comment=body.comment,
            principal=who,
        ),
    )


@router.get("/{approval}", response_model=ApprovalJson)
async def shown(request: Request, approval: str, who: Looker) -> Response:
    """An approval as it stands."""
    service = service_of(request)
    return JSONResponse(approval_json(await service.run(service.workspace.approval, approval, principal=who)))


@router.post("/{approval}/approve", response_model=ApprovalJson, openapi_extra=taken(StepBody))
async def approved(request: Request, approval: str, who: Decider, body: _Step) -> Response:
    """Lets the operation be carried out: a reviewer's decision."""
    return await _written(
        request, who, body, lambda place: place.approve(approval, principal=who, comment=body.comment)
    )


@router.post("/{approval}/reject", response_model=ApprovalJson, openapi_extra=taken(StepBody))
async def rejected(request: Request, approval: str, who: Decider, body: _Step) -> Response:
    """Refuses the operation: a reviewer's decision."""
    return await _written(request, who, body, lambda place: place.reject(approval, principal=who, comment=body.comment))


@router.post("/{approval}/revoke", response_model=ApprovalJson, openapi_extra=taken(StepBody))
async def revoked(request: Request, approval: str, who: Decider, body: _Step) -> Response:
    """Takes back what is not yet carried out: by who requested it, or a reviewer."""
    return await _written(request, who, body, lambda place: place.revoke(approval, principal=who, comment=body.comment))


@router.post("/{approval}/execute", response_model=ApprovalJson, openapi_extra=taken(StepBody))
async def executed(request: Request, approval: str, who: Decider, body: _Step) -> Response:
    """Carries the operation out, at most once: by an operator. The approval says what came of it, or that it is stale."""
    return await _written(
        request, who, body, lambda place: place.execute(approval, principal=who, comment=body.comment)
    )


@router.post("/{approval}/resolve", response_model=ApprovalJson, openapi_extra=taken(ResolveBody))
async def resolved(
    request: Request, approval: str, who: Decider, body: Annotated[ResolveBody, Depends(json_body(ResolveBody))]
) -> Response:
    """Says what came of an operation in doubt: by an operator who found out."""
    return await _written(
        request,
        who,
        body,
        lambda place: place.resolve(approval, body.outcome, principal=who, comment=body.comment or ""),
    )


async def _written(
    request: Request, who: Principal, body: Strict, step: Callable[[Workspace], Approval]
) -> JSONResponse:
    """The approval after a step. What is kept for the same request again is its id: its words are shown as they are by then."""
    service = service_of(request)

    def write() -> Reply:
        return Reply(status=200, body=step(service.workspace).id.encode())

    reply = await once(request, who, [body.model_dump_json().encode()], write)
    approval = await service.run(service.workspace.approval, reply.body.decode(), principal=who)
    return JSONResponse(approval_json(approval))
