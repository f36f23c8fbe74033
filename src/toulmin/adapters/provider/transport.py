"""The HTTP transport: what goes out and what comes in is bounded, and nothing goes out but what a call needs."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from toulmin.adapters.provider.options import Endpoint, Limits

_SENT = frozenset(
    {"host", "content-type", "content-length", "user-agent", "webhook-id", "webhook-timestamp", "webhook-signature"}
)
"""Headers that pass. The SDK adds others: what system it runs on, and what it finds in the environment."""


class RequestTooLarge(httpx2.TransportError):
    """The request has more bytes than may be sent; none was."""


class ReplyTooLarge(httpx2.TransportError):
    """The reply has more bytes than are read; no more were."""


class EncodedReply(httpx2.TransportError):
    """The reply is compressed, which nobody asked for, so that its size is not known before it is too late."""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Another transport within byte limits, with the API key added at the last moment: no object of the SDK ever holds it."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, endpoint: Endpoint, limits: Limits) -> None:
        self._inner = inner
        self._key = endpoint.api_key
        self._limits = limits

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        if len(body) > self._limits.request_bytes:
            raise RequestTooLarge("request too large")
        headers = {name: value for name, value in request.headers.items() if name in _SENT}
        headers |= {"accept": "application/json", "accept-encoding": "identity"}
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key}"
        response = await self._inner.handle_async_request(
            httpx2.Request(request.method, request.url, headers=headers, content=body, extensions=request.extensions)
        )
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise EncodedReply("reply is compressed")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        stream = _Bounded(response.stream, self._limits.reply_bytes)
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=stream, extensions=response.extensions
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    """A body that is read up to a limit, and is an error beyond it."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for chunk in self._inner:
            left -= len(chunk)
            if left < 0:
                raise ReplyTooLarge("reply too large")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
