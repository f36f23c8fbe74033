"""OpenAI's chat interface: the name of a model is the id of a contract. Errors have that interface's form, so that its clients understand them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from toulmin.application.ask import Event, Finished
from toulmin.domain.errors import NotFound, ToulminError
from toulmin.domain.outcome import Outcome, Recorded, UnsupportedQuestion
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import Contract
from toulmin.surfaces.desk import outcome_of
from toulmin.surfaces.http import completions, problems
from toulmin.surfaces.http.bodies import json_body, taken
from toulmin.surfaces.http.rights import Asker, Browser
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.streaming import HEADERS, MEDIA_TYPE, PULSE, with_pulse
from toulmin.surfaces.http.telemetry import facts
from toulmin.wire.chat import ChatBody, ChatCompletionJson, ChatErrorJson, ModelJson, ModelsJson, UsageJson
from toulmin.wire.problem import ProblemJson

_CREATED = 0
"""When a model was made, which every one has to state: contracts have a version and no birthday."""

_DONE = "data: [DONE]\n\n"


router = APIRouter(
    prefix="/v1",
    tags=["chat"],
    responses={
        status: {"description": "What is wrong, in the form of this interface", "model": ChatErrorJson}
        for status in (400, 401, 403, 404, 409, 413, 415, 429, 500, 503, 504)
    },
)


def is_told_here(path: str) -> bool:
    """Whether what is wrong with a request to a path is told in the form of this interface."""
    return path == "/v1/models" or path.startswith(("/v1/models/", "/v1/chat/"))


def error_response(told: ProblemJson, headers: Mapping[str, str] | None) -> JSONResponse:
    """The response that tells a problem in that form."""
    return JSONResponse(completions.error(told), status_code=completions.error_status(told), headers=headers)


@router.get("/models", response_model=ModelsJson)
async def models(request: Request, who: Browser) -> Response:  # noqa: ARG001  # the caller has to have the role
    """The questions that can be asked, as models."""
    known = await _contracts(service_of(request))
    return JSONResponse({"object": "list", "data": [_model(each) for each in known]})


@router.get("/models/{model:path}", response_model=ModelJson)
async def model(request: Request, model: str, who: Browser) -> Response:  # noqa: ARG001  # the same
    """One of them."""
    found = next((each for each in await _contracts(service_of(request)) if each.id == model), None)
    if found is None:
        raise NotFound("unsupported_question", f"no question has the id {model[:80]}", remedy="GET /v1/models")
    return JSONResponse(_model(found))


@router.post(
    "/chat/completions",
    response_model=ChatCompletionJson,
    openapi_extra=taken(ChatBody),
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def complete(request: Request, who: Asker, body: Annotated[ChatBody, Depends(json_body(ChatBody))]) -> Response:
    """The outcome of a question, as a message whose markers lead to what it rests on; its words are the same where they are streamed."""
    service = service_of(request)
    chat = _Chat(request, body, who)
    events = service.desk.events(body.question, who)
    if isinstance(await anext(events), Finished):  # nothing was searched: there is no such question
        return JSONResponse(completions.no_such_model(body.model), status_code=404)
    if body.stream:
        return StreamingResponse(chat.stream(events), media_type=MEDIA_TYPE, headers=HEADERS)
    outcome = _recorded(await outcome_of(events))
    if completions.is_for_later(outcome):
        headers = {"Retry-After": problems.retry_after(outcome.retry_after_s or 1)}
        return JSONResponse(completions.not_now(outcome), status_code=503, headers=headers)
    return JSONResponse(await chat.completion(outcome))


class _Chat:
    """One exchange: its frame is the same in every part of a reply."""

    def __init__(self, request: Request, body: ChatBody, who: Principal) -> None:
        self._request = request
        self._service = service_of(request)
        self._body = body
        self._who = who
        self._frame = {
            "id": f"chatcmpl-{uuid4().hex}",
            "created": int(self._service.parts.clock.now().timestamp()),
            "model": body.model,
        }

    async def completion(self, outcome: Recorded) -> dict[str, object]:
        """The reply as a whole."""
        message = completions.message(outcome, self._body.unused)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        usage = await self._usage(outcome)
        return {**self._frame, "object": "chat.completion", "choices": [choice], "usage": usage}

    async def stream(self, events: AsyncIterator[Event]) -> AsyncIterator[str]:
        """The reply in parts: who speaks, at once; all that is said, when it has passed review; the end."""
        async with aclosing(events):  # type: ignore[type-var]  # ask is an asynchronous generator
            yield self._chunk({"role": "assistant", "content": ""})
            try:
                async for event in with_pulse(events, self._service.limits.silence_s):
                    if event is None:
                        yield PULSE
                    elif isinstance(event, Finished):
                        for part in await self._parts(_recorded(event.outcome)):
                            yield part
            except ToulminError as fault:
                facts(self._request).code = fault.code
                yield _data(completions.error(problems.problem(fault)))

    async def _parts(self, outcome: Recorded) -> list[str]:
        if completions.is_for_later(outcome):
            return [_data(completions.not_now(outcome))]
        message = completions.message(outcome, self._body.unused)
        said = {name: message[name] for name in ("content", "annotations", "toulmin")}
        parts = [self._chunk(said), self._chunk({}, finish_reason="stop")]
        if self._body.usage_wanted:
            usage = await self._usage(outcome)
            parts.append(_data({**self._frame, "object": "chat.completion.chunk", "choices": [], "usage": usage}))
        return [*parts, _DONE]

    def _chunk(self, delta: Mapping[str, object], *, finish_reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        usage = {"usage": None} if self._body.usage_wanted else {}
        return _data({**self._frame, "object": "chat.completion.chunk", "choices": [choice], **usage})

    async def _usage(self, outcome: Recorded) -> UsageJson:
        """The tokens that the packet's trace has; raises `NotFound` for who may not see it any longer."""
        assert outcome.receipt is not None
        view = await self._service.run(self._service.workspace.packet, outcome.receipt.packet, principal=self._who)
        read, written = (
            sum(step.get(name) or 0 for step in view.body["trace"]) for name in ("prompt_tokens", "completion_tokens")
        )
        return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _data(content: Mapping[str, object]) -> str:
    """A part of a stream. All beyond ASCII is escaped: some clients take more characters for line ends than the format does."""
    return f"data: {json.dumps(content, separators=(',', ':'))}\n\n"


def _recorded(outcome: Outcome) -> Recorded:
    assert not isinstance(outcome, UnsupportedQuestion), "it was searched"
    return outcome


async def _contracts(service: Service) -> tuple[Contract, ...]:
    """All that can be asked; open questions where they are enabled."""
    known = tuple(await service.run(service.parts.contracts.all))
    return known if service.parts.open_question is None else (*known, service.parts.open_question)


def _model(contract: Contract) -> ModelJson:
    return {"id": contract.id, "object": "model", "created": _CREATED, "owned_by": "toulmin"}
