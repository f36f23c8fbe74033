"""Streams of an answer as server-sent events: what was found, at once, then how far the answer is, and the outcome at the end.

Never a word that has not passed validation and review: of a claim its place and verdict are told, and its text stands in the outcome alone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing

from fastapi import Request
from starlette.responses import StreamingResponse

from toulmin.application.ask import ClaimJudged, Drafting, Event, Finished, Searched
from toulmin.domain.errors import ToulminError
from toulmin.surfaces.http.problems import problem
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.wire.outcome import item_json, outcome_json

MEDIA_TYPE = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Nobody on the way keeps a stream, or holds it back until it is complete."""
PULSE = ": still at work\n\n"
"""A comment, which clients do not see: so that nobody on the way takes a silent connection for a dead one."""


def wanted(request: Request) -> bool:
    """Whether the caller asks for a stream."""
    return any(part.partition(";")[0].strip() == MEDIA_TYPE for part in request.headers.get("accept", "").split(","))


def stream(request: Request, first: Event, events: AsyncIterator[Event]) -> StreamingResponse:
    """The stream of a question whose first event is there already: what is wrong with the question was a plain response.

    A caller who goes away ends what is under way.
    """
    return StreamingResponse(_told(request, first, events), media_type=MEDIA_TYPE, headers=HEADERS)


async def _told(request: Request, first: Event, events: AsyncIterator[Event]) -> AsyncIterator[str]:
    async with aclosing(events):  # type: ignore[type-var]  # ask is an asynchronous generator
        yield _event(first)
        try:
            async for event in with_pulse(events, service_of(request).limits.silence_s):
                yield PULSE if event is None else _event(event)
        except ToulminError as fault:
            facts(request).code = fault.code
            yield _frame("error", problem(fault))


async def with_pulse(events: AsyncIterator[Event], silence_s: float) -> AsyncIterator[Event | None]:
    """The events, with None for each stretch of silence that lasts so many seconds."""
    while True:
        coming = asyncio.ensure_future(anext(events, None))
        try:
            while not (await asyncio.wait([coming], timeout=silence_s))[0]:
                yield None
        finally:
            if not coming.done():  # the caller went away
                coming.cancel()
                await asyncio.wait([coming])
        event = coming.result()
        if event is None:
            return
        yield event


def _event(event: Event) -> str:
    match event:
        case Searched():
            return _frame("search", {"results": [item_json(item) for item in event.items]})
        case Drafting():
            return _frame("drafting", {})
        case ClaimJudged():
            return _frame("verdict", {"index": event.index, "status": event.status.value})
        case Finished():
            return _frame("outcome", outcome_json(event.outcome))


def _frame(name: str, data: object) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"
