"""Effects that are webhooks: the order as the body of a POST request, signed as Standard Webhooks does (https://www.standardwebhooks.com)."""

from __future__ import annotations

import asyncio
import base64
import hmac
import ssl
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256

import httpx2

from toulmin.adapters.effects.output import MAX_OUTPUT_BYTES, kept
from toulmin.adapters.provider.calls import http_client
from toulmin.adapters.provider.faults import HTTP_FAULTS, failure_of
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.adapters.provider.transport import RequestTooLarge
from toulmin.domain.proof.approval import Order
from toulmin.ports.effects import Done, Ending, NotDone, Unknown
from toulmin.wire.order import order_json

_CONNECT_S = 10.0
_LINGER_S = 1.0
"""How long is waited for the words of a reply whose status has come: the status alone says how it ended."""

_NEVER_SENT = (
    RequestTooLarge,
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
    httpx2.InvalidURL,
    UnicodeEncodeError,
)
"""Faults of calls of which the other side never saw a whole request; after every other one it may have done its work."""
_GATEWAYS = frozenset({502, 504})
"""Statuses by which somebody in between says that they do not know what became of the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEffect:
    """Sends orders to one address; `secret` is the key of the signatures.

    A status of 2xx is done, any other not done; no answer in time, or half of one, may be either. No redirect is followed, and nothing of the
    environment is heeded. `now` gives seconds since 1970, `tls` how certificates are judged (None: by the authorities of this system).
    """

    url: str
    secret: bytes = field(repr=False)
    idempotent: bool
    timeout_s: float
    tls: ssl.SSLContext | None = None
    now: Callable[[], float] = time.time

    def carry_out(self, order: Order) -> Ending:
        with ThreadPoolExecutor(max_workers=1) as own:  # an event loop of its own, also where the caller is in one
            return own.submit(asyncio.run, self._post(order.key, order_json(order).encode())).result()

    async def _post(self, key: str, body: bytes) -> Ending:
        endpoint = Endpoint(base_url=self.url, model="")  # a webhook has an address and no model
        limits = Limits(
            deadline_s=self.timeout_s, silence_s=self.timeout_s, connect_s=min(_CONNECT_S, self.timeout_s / 2)
        )
        tls = self.tls or ssl.create_default_context()
        headers = {"content-type": "application/json", **signature(self.secret, key, int(self.now()), body)}
        try:
            async with asyncio.timeout(self.timeout_s), http_client(endpoint, limits, tls) as client:  # noqa: SIM117
                async with client.stream("POST", self.url, content=body, headers=headers) as response:
                    return _ending(response.status_code, await _said(response))
        except TimeoutError:
            return Unknown(code="timeout")
        except _NEVER_SENT as error:
            return NotDone(code=failure_of(error).code)
        except HTTP_FAULTS as error:
            return Unknown(code=failure_of(error).code)


def signature(secret: bytes, key: str, at: int, body: bytes) -> Mapping[str, str]:
    """The headers of a signed request: HMAC-SHA256 over id, timestamp (seconds since 1970) and body. The id is the operation's key."""
    signed = hmac.new(secret, b".".join((key.encode(), str(at).encode(), body)), sha256).digest()
    return {
        "webhook-id": key,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
    }


async def _said(response: httpx2.Response) -> bytes:
    """The first of a reply's words, as far as they come."""
    said = b""
    with suppress(TimeoutError, *HTTP_FAULTS):
        async with asyncio.timeout(_LINGER_S):
            async for chunk in response.aiter_raw():
                said += chunk
                if len(said) >= MAX_OUTPUT_BYTES:
                    break
    return said


def _ending(status: int, said: bytes) -> Ending:
    if 200 <= status < 300:
        return Done(code=f"http_{status}", output=kept(said))
    if status in _GATEWAYS:
        return Unknown(code=f"http_{status}", output=kept(said))
    return NotDone(code=f"http_{status}", output=kept(said))
