"""The drafter: asks a model once in JSON, once more in two lines where it must, and never beyond its deadline."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import openai
from openai.resources.chat.completions import (
    AsyncCompletions,
)  # else the SDK loads it with the first call, in the event loop

from toulmin.adapters.openai.faults import VENDOR_FAULTS, failure_of
from toulmin.adapters.openai.messages import VERSION, Exchange, json_exchange, two_line_exchange
from toulmin.adapters.openai.reply import read_segments
from toulmin.adapters.provider.calls import Caller, Meter, http_client
from toulmin.adapters.provider.failure import Failure
from toulmin.adapters.provider.faults import DEADLINE
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.adapters.provider.reply import Envelope, read_envelope
from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.ports.drafter import Drafted, NotDrafted

_WITHOUT_OBJECT = frozenset({"http_400", "no_object", "empty_output"})
"""After these the two-line form is asked for: a server or a model that can not do JSON."""

_Written = tuple[Segment, ...] | Failure


class OpenAIDrafter:
    """Drafts from one model. It keeps no connection between drafts, so that it needs no closing and serves any event loop.

    All calls of a draft together are at most `Limits.calls`; see `Caller` for when one is made again.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, *, jitter: Callable[[], float] = random.random) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._caller = Caller(limits, jitter=jitter)
        self._tls = endpoint.tls or ssl.create_default_context()

    @property
    def profile(self) -> str:
        return f"openai/{VERSION} {self._endpoint.model}"

    @property
    def on_this_host(self) -> bool:
        return self._endpoint.on_this_host

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        meter = Meter(self._limits)
        try:
            async with asyncio.timeout(self._limits.deadline_s), self._client() as client:
                written = await self._written(client, request, meter)
        except TimeoutError:
            written = DEADLINE
        usage = meter.usage()
        if isinstance(written, Failure):
            return NotDrafted(
                reason=written.reason, detail=written.code, retry_after_s=written.retry_after_s, usage=usage
            )
        return Drafted(segments=written, usage=usage)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[openai.AsyncOpenAI]:
        async with http_client(self._endpoint, self._limits, self._tls) as http:
            yield openai.AsyncOpenAI(
                api_key="unused",  # the transport adds the real one; without any the SDK would look for one in the environment
                base_url=self._endpoint.base_url,
                http_client=http,
                timeout=http.timeout,
                max_retries=0,
            )

    async def _written(self, client: openai.AsyncOpenAI, request: DraftRequest, meter: Meter) -> _Written:
        """The draft, asked for in JSON, and where there is none in two lines; in licensed mode these could not name their fact."""
        licensed = request.licensed is not None
        first = await self._asked(client, json_exchange(request), meter, request)
        without_object = isinstance(first, Failure) and first.code in _WITHOUT_OBJECT
        if licensed or not without_object or not meter.calls_left:
            return first
        return await self._asked(client, two_line_exchange(request), meter, request)

    async def _asked(
        self, client: openai.AsyncOpenAI, exchange: Exchange, meter: Meter, request: DraftRequest
    ) -> _Written:
        """The draft that one exchange gives."""
        envelope = await self._caller.asked(lambda: self._called(client, exchange, request), meter)
        if isinstance(envelope, Failure):
            return envelope
        return read_segments(envelope, licensed=request.licensed is not None)

    async def _called(
        self, client: openai.AsyncOpenAI, exchange: Exchange, request: DraftRequest
    ) -> Envelope | Failure:
        try:
            response = await AsyncCompletions(client).with_raw_response.create(
                model=self._endpoint.model,
                messages=exchange.messages,
                temperature=0,
                max_tokens=request.output_tokens,
                response_format={"type": "json_object"} if exchange.json_mode else openai.omit,
            )
        except VENDOR_FAULTS as error:
            return failure_of(error, datetime.now(UTC))
        return read_envelope(response.http_response)
