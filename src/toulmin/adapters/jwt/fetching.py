"""Fetching an issuer's keys: one bounded request, without redirects, and without anything that the environment says."""

from __future__ import annotations

import asyncio
import ssl

from toulmin.adapters.provider.calls import http_client
from toulmin.adapters.provider.faults import HTTP_FAULTS, failure_of
from toulmin.adapters.provider.options import KIB, Endpoint, Limits
from toulmin.domain.errors import InputError

_DEADLINE_S = 5.0
_MOST_BYTES = 256 * KIB


def fetched(url: str, *, tls: ssl.SSLContext | None = None, deadline_s: float = _DEADLINE_S) -> bytes:
    """What is at an address, whole; for a thread that has no event loop. Raises `InputError` (`keys_` and why not)."""
    return asyncio.run(_fetched(url, tls or ssl.create_default_context(), deadline_s))


async def _fetched(url: str, tls: ssl.SSLContext, deadline_s: float) -> bytes:
    endpoint = Endpoint(base_url=url.partition("?")[0], model="")  # an address of keys has no model
    limits = Limits(deadline_s=deadline_s, silence_s=deadline_s, connect_s=deadline_s, reply_bytes=_MOST_BYTES)
    try:
        async with asyncio.timeout(deadline_s), http_client(endpoint, limits, tls) as client:
            response = await client.get(url)
    except TimeoutError:
        raise _unreachable("deadline") from None
    except HTTP_FAULTS as error:
        raise _unreachable(failure_of(error).code) from None
    if response.status_code != 200:  # a redirect as well: who may redirect could choose the keys
        raise _unreachable(f"http_{response.status_code}")
    return response.content


def _unreachable(code: str) -> InputError:
    return InputError(f"keys_{code}", f"the issuer's keys cannot be fetched: {code}", remedy="look at server.jwt.jwks")
