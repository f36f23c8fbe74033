"""The drafter: asks a model once in JSON, once more in two lines where it must, and never beyond its deadline."""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import httpx2
import openai

from toulmin.adapters.openai.faults import DEADLINE, VENDOR_FAULTS, Failure, failure_of, rate_limit
from toulmin.adapters.openai.messages import VERSION, Exchange, json_exchange, two_line_exchange
from toulmin.adapters.openai.options import Endpoint, Limits
from toulmin.adapters.openai.pace import Pace
from toulmin.adapters.openai.reply import Envelope, read_envelope, read_segments, tokens
from toulmin.adapters.openai.transport import BoundedTransport
from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.ports.drafter import Drafted, NotDrafted, Usage

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0
_WITHOUT_OBJECT = frozenset({"http_400", "no_object", "empty_output"})
"""After these the two-line form is asked for: a server or a model that can not do JSON."""

_Written = tuple[Segment, ...] | Failure


class OpenAIDrafter:
    """Drafts from one model. It keeps no connection between drafts, so that it needs no closing and serves any event loop.

    Retried are connections that fail, 5xx, and 429 that says when; with the pause that it asks for, else a growing one, either with
    jitter. A pause that would end after the deadline is not begun. All calls of a draft together are at most `Limits.calls`.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, *, jitter: Callable[[], float] = random.random) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._jitter = jitter
        self._pace = Pace(limits.pace)
        self._tls = endpoint.tls or ssl.create_default_context()

    @property
    def profile(self) -> str:
        return f"openai/{VERSION} {self._endpoint.model}"

    @property
    def on_this_host(self) -> bool:
        return self._endpoint.on_this_host

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        meter = _Meter(self._limits)
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
        limits, endpoint = self._limits, self._endpoint
        inner = httpx2.AsyncHTTPTransport(verify=self._tls, trust_env=False, proxy=endpoint.proxy)
        timeout = httpx2.Timeout(limits.silence_s, connect=limits.connect_s)
        async with httpx2.AsyncClient(
            transport=BoundedTransport(inner, endpoint, limits),
            timeout=timeout,
            trust_env=False,
            follow_redirects=False,
        ) as http:
            yield openai.AsyncOpenAI(
                api_key="unused",  # the transport adds the real one; without any the SDK would look for one in the environment
                base_url=endpoint.base_url,
                http_client=http,
                timeout=timeout,
                max_retries=0,
            )

    async def _written(self, client: openai.AsyncOpenAI, request: DraftRequest, meter: _Meter) -> _Written:
        """The draft, asked for in JSON, and where there is none in two lines; in licensed mode these could not name their fact."""
        licensed = request.licensed is not None
        first = await self._asked(client, json_exchange(request), meter, request)
        without_object = isinstance(first, Failure) and first.code in _WITHOUT_OBJECT
        if licensed or not without_object or not meter.calls_left:
            return first
        return await self._asked(client, two_line_exchange(request), meter, request)

    async def _asked(
        self, client: openai.AsyncOpenAI, exchange: Exchange, meter: _Meter, request: DraftRequest
    ) -> _Written:
        """The draft that one exchange gives, asked for again while what stands against it is transient."""
        while True:
            envelope = await self._called(client, exchange, meter, request)
            if not isinstance(envelope, Failure):
                return read_segments(envelope, licensed=request.licensed is not None)
            if not envelope.transient or not meter.calls_left:
                return envelope
            pause = self._pause(envelope, meter)
            if pause >= meter.seconds_left:
                return envelope
            await asyncio.sleep(pause)

    async def _called(
        self, client: openai.AsyncOpenAI, exchange: Exchange, meter: _Meter, request: DraftRequest
    ) -> Envelope | Failure:
        """What the provider replies to one call, when it is its turn."""
        left = meter.seconds_left
        wait = self._pace.turn(time.monotonic(), at_most=left)
        if wait > left:
            return rate_limit("pace", wait)
        await asyncio.sleep(wait)
        meter.calls += 1
        try:
            response = await client.chat.completions.with_raw_response.create(
                model=self._endpoint.model,
                messages=exchange.messages,
                temperature=0,
                max_tokens=request.output_tokens,
                response_format={"type": "json_object"} if exchange.json_mode else openai.omit,
            )
        except VENDOR_FAULTS as error:
            return failure_of(error, datetime.now(UTC))
        envelope = read_envelope(response.http_response)
        if not isinstance(envelope, Failure):
            meter.count(envelope)
        return envelope

    def _pause(self, failure: Failure, meter: _Meter) -> float:
        """Seconds before the next call: what the provider asks for and up to a tenth more, else up to twice as long as the last time."""
        if failure.retry_after_s is not None:
            return failure.retry_after_s * (1 + self._jitter() / 10)
        longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** (meter.calls - 1))
        return longest * (1 + self._jitter()) / 2


class _Meter:
    """What one draft has taken so far, and what is left to it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._start = time.monotonic()
        self._tokens: dict[str, int] = {}
        self.calls = 0

    @property
    def calls_left(self) -> int:
        return self._limits.calls - self.calls

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._start + self._limits.deadline_s - time.monotonic())

    def count(self, envelope: Envelope) -> None:
        """Adds the tokens that a reply says it took."""
        for name in ("prompt_tokens", "completion_tokens"):
            told = tokens(envelope, name)
            if told is not None:
                self._tokens[name] = self._tokens.get(name, 0) + told

    def usage(self) -> Usage:
        return Usage(
            calls=self.calls,
            seconds=time.monotonic() - self._start,
            prompt_tokens=self._tokens.get("prompt_tokens"),
            completion_tokens=self._tokens.get("completion_tokens"),
        )
