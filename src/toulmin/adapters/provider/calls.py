"""Calls of a provider: in their turn, again while what stands against them is transient, and never beyond a deadline."""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2

from toulmin.adapters.provider.failure import Failure, rate_limit
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.adapters.provider.pace import Pace
from toulmin.adapters.provider.reply import Envelope, tokens
from toulmin.adapters.provider.transport import BoundedTransport
from toulmin.ports.drafter import Usage

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0

Call = Callable[[], Awaitable[Envelope | Failure]]
"""One call: the envelope of its reply, or what stands against it."""


class Meter:
    """What one piece of work has taken so far, and what is left to it."""

    def __init__(self, limits: Limits, *, start: float | None = None) -> None:
        self._limits = limits
        self._start = time.monotonic() if start is None else start
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
        for names in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")):
            told = tokens(envelope, *names)
            if told is not None:
                self._tokens[names[0]] = self._tokens.get(names[0], 0) + told

    def usage(self) -> Usage:
        return Usage(
            calls=self.calls,
            seconds=time.monotonic() - self._start,
            prompt_tokens=self._tokens.get("prompt_tokens"),
            completion_tokens=self._tokens.get("completion_tokens"),
        )


class Caller:
    """Makes the calls of one provider, in whatever threads and event loops.

    Retried are connections that fail, 5xx, and 429 that says when; with the pause that it asks for, else a growing one, either with
    jitter. A pause that would end after the deadline is not begun. All calls that one meter counts are at most `Limits.calls`.
    """

    def __init__(self, limits: Limits, *, jitter: Callable[[], float] = random.random) -> None:
        self._jitter = jitter
        self._pace = Pace(limits.pace)

    async def asked(self, call: Call, meter: Meter) -> Envelope | Failure:
        """What the provider replies in the end."""
        while True:
            envelope = await self._called(call, meter)
            if not isinstance(envelope, Failure):
                meter.count(envelope)
                return envelope
            if not envelope.transient or not meter.calls_left:
                return envelope
            pause = self._pause(envelope, meter)
            if pause >= meter.seconds_left:
                return envelope
            await asyncio.sleep(pause)

    async def _called(self, call: Call, meter: Meter) -> Envelope | Failure:
        """What the provider replies to one call, when it is its turn."""
        left = meter.seconds_left
        wait = self._pace.turn(time.monotonic(), at_most=left)
        if wait > left:
            return rate_limit("pace", wait)
        await asyncio.sleep(wait)
        meter.calls += 1
        return await call()

    def _pause(self, failure: Failure, meter: Meter) -> float:
        """Seconds before the next call: what the provider asks for and up to a tenth more, else up to twice as long as the last time."""
        if failure.retry_after_s is not None:
            return failure.retry_after_s * (1 + self._jitter() / 10)
        longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** (meter.calls - 1))
        return longest * (1 + self._jitter()) / 2


@asynccontextmanager
async def http_client(endpoint: Endpoint, limits: Limits, tls: ssl.SSLContext) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of the provider within the limits; it heeds nothing of the environment, and follows no redirect."""
    inner = httpx2.AsyncHTTPTransport(verify=tls, trust_env=False, proxy=endpoint.proxy)
    async with httpx2.AsyncClient(
        transport=BoundedTransport(inner, endpoint, limits),
        timeout=httpx2.Timeout(limits.silence_s, connect=limits.connect_s),
        trust_env=False,
        follow_redirects=False,
    ) as client:
        yield client
