"""Asking: search, ask, review, and the questions that there are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from toulmin.application.ask import Event, Finished
from toulmin.application.reviews import Cite, ClaimPair
from toulmin.domain.errors import NotFound
from toulmin.domain.outcome import Outcome, SearchOnly, SearchOnlyReason
from toulmin.surfaces.http.bodies import json_body, taken
from toulmin.surfaces.http.problems import PROBLEMS, retry_after
from toulmin.surfaces.http.rights import Asker, Browser
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.http.streaming import MEDIA_TYPE, stream, wanted
from toulmin.surfaces.shapes import ContractJson, ContractsJson, contract_json, contracts_json
from toulmin.wire.outcome import OutcomeJson, SearchJson, outcome_json, search_json
from toulmin.wire.requests import AskBody, PairBody, ReviewBody, SearchBody
from toulmin.wire.review import ReviewJson, review_json

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
    service = service_of(request)
    result = await service.run(
        service.workspace.search,
        body.text,
        case=body.case,
        profile=body.profile,
        principal=who,
        as_of=body.as_of,
        k=body.k,
        min_score=body.min_score,
        explain=body.explain,
    )
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
    events = service_of(request).ask(body, who)
    if wanted(request):
        return stream(await anext(events), events)
    return outcome_response(await outcome_of(events))


async def outcome_of(events: AsyncIterator[Event]) -> Outcome:
    """The outcome that a question's events end in."""
    async with aclosing(events):  # type: ignore[type-var]  # ask is an asynchronous generator
        async for event in events:
            if isinstance(event, Finished):
                return event.outcome
    raise AssertionError("a question ends in an outcome")


def outcome_response(outcome: Outcome) -> JSONResponse:
    """An outcome as a response: 503 where a provider keeps an answer from being there, with everything that was found."""
    if not (isinstance(outcome, SearchOnly) and outcome.reason in PROVIDER_FAULTS):
        return JSONResponse(outcome_json(outcome))
    headers = {"Retry-After": retry_after(outcome.retry_after_s or 1)}
    return JSONResponse(outcome_json(outcome), status_code=503, headers=headers)


@router.post("/review", response_model=ReviewJson, openapi_extra=taken(ReviewBody))
async def review(request: Request, who: Asker, body: Annotated[ReviewBody, Depends(json_body(ReviewBody))]) -> Response:
    """Whether what each claim cites supports it; the words that it is compared with are the store's, never the caller's."""
    service = service_of(request)
    if body.text is not None and body.packet is not None:
        return JSONResponse(review_json(await service.review_text(body.text, body.packet, who)))
    pairs = tuple(_pair(pair, number) for number, pair in enumerate(body.pairs or (), start=1))
    return JSONResponse(review_json(await service.review_pairs(pairs, who)))


def _pair(pair: PairBody, number: int) -> ClaimPair:
    cites = tuple(Cite(source=item.source, span=item.span, quote=item.quote) for item in pair.evidence)
    return ClaimPair(id=pair.id or str(number), claim=pair.claim, evidence=cites)


@router.get("/contracts", response_model=ContractsJson)
async def contracts(request: Request, who: Browser) -> Response:  # noqa: ARG001  # the caller has to have the role
    """The questions that can be asked, with the fields of their cases."""
    service = service_of(request)
    return JSONResponse(contracts_json(await service.run(service.parts.contracts.all)))


@router.get("/contracts/{contract}", response_model=ContractJson)
async def contract(request: Request, contract: str, who: Browser) -> Response:  # noqa: ARG001  # the same
    """One of them."""
    service = service_of(request)
    known = await service.run(service.parts.contracts.find, contract)
    if known is None:
        raise NotFound("no_such_contract", f"no contract {contract}", remedy="list what there is: GET /v1/contracts")
    return JSONResponse(contract_json(known))
