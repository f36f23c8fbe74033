"""Asking: search, ask, review, and the questions that there are."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from toulmin.domain.errors import NotFound
from toulmin.domain.outcome import Outcome, SearchOnly, SearchOnlyReason
from toulmin.surfaces.desk import outcome_of
from toulmin.surfaces.http.bodies import json_body, taken
from toulmin.surfaces.http.problems import PROBLEMS, retry_after
from toulmin.surfaces.http.rights import Asker, Browser
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.http.streaming import MEDIA_TYPE, stream, wanted
from toulmin.surfaces.shapes import contract_json, contracts_json
from toulmin.wire.outcome import OutcomeJson, SearchJson, outcome_json, search_json
from toulmin.wire.requests import AskBody, ReviewBody, SearchBody
from toulmin.wire.review import ReviewJson, review_json
from toulmin.wire.shapes import ContractJson, ContractsJson

router = APIRouter(prefix="/v1", tags=["questions"], responses=PROBLEMS)

PROVIDER_FAULTS = frozenset(
    {
        SearchOnlyReason.PROVIDER_ERROR,
        SearchOnlyReason.RATE_LIMITED,
        SearchOnlyReason.TIMEOUT,
        SearchOnlyReason.SATURATED,
    }
)
"""Why there is no answer now, where there might be one in a while."""


@router.post("/search", response_model=SearchJson, openapi_extra=taken(SearchBody))
async def search(request: Request, who: Asker, body: Annotated[SearchBody, Depends(json_body(SearchBody))]) -> Response:
    """Eligible passages for a text, and with `explain` why other documents are not among them."""
    result = await service_of(request).desk.search(body, who)
    return JSONResponse(search_json(result, explain=body.explain))


@router.post(
    "/ask",
    response_model=OutcomeJson,
    openapi_extra=taken(AskBody),
    responses={
        200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}},
        503: {"description": "No answer now: the outcome is `SearchOnly`, with what was found", "model": OutcomeJson},
    },
)
async def ask(request: Request, who: Asker, body: Annotated[AskBody, Depends(json_body(AskBody))]) -> Response:
    """The outcome of a question, with its packet; as a stream of its steps where `Accept` says `text/event-stream`."""
    events = service_of(request).desk.events(body, who)
    if wanted(request):
        return stream(request, await anext(events), events)
    return outcome_response(await outcome_of(events))


def outcome_response(outcome: Outcome) -> JSONResponse:
    """An outcome as a response: 503 where a provider keeps an answer from being there, with everything that was found."""
    if not (isinstance(outcome, SearchOnly) and outcome.reason in PROVIDER_FAULTS):
        return JSONResponse(outcome_json(outcome))
    headers = {"Retry-After": retry_after(outcome.retry_after_s or 1)}
    return JSONResponse(outcome_json(outcome), status_code=503, headers=headers)


@router.post("/review", response_model=ReviewJson, openapi_extra=taken(ReviewBody))
async def review(request: Request, who: Asker, body: Annotated[ReviewBody, Depends(json_body(ReviewBody))]) -> Response:
    """Whether what each claim cites supports it; the words that it is compared with are the store's, never the caller's."""
    return JSONResponse(review_json(await service_of(request).desk.review(body, who)))


@router.get("/contracts", response_model=ContractsJson)
async def contracts(request: Request, who: Browser) -> Response:  # noqa: ARG001  # the caller has to have the role
    """The questions that can be asked, with the fields of their cases."""
    service = service_of(request)
    return JSONResponse(contracts_json(await service.run(service.parts.contracts.all)))


@router.get("/contracts/{contract:path}", response_model=ContractJson)
async def contract(request: Request, contract: str, who: Browser) -> Response:  # noqa: ARG001  # the same
    """One of them."""
    service = service_of(request)
    known = await service.run(service.parts.contracts.find, contract)
    if known is None:
        raise NotFound("no_such_contract", f"no contract {contract}", remedy="list what there is: GET /v1/contracts")
    return JSONResponse(contract_json(known))
