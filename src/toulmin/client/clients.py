"""The two clients. They only send: what is sent, and how what comes back is read, stands in `calls` once for both."""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from types import TracebackType
from typing import Any, Generic, Never, ParamSpec, Self, TypeVar, overload

import httpx2

from toulmin.client import calls
from toulmin.client.calls import Call, Reply
from toulmin.client.faults import Retries, Unreachable, bad_reply, unreachable
from toulmin.client.outcomes import Event, Finished, Outcome, event_of
from toulmin.domain.errors import InputError, ToulminError

P = ParamSpec("P")
T = TypeVar("T")

_STREAM = "text/event-stream"
_EVENT_BYTES = 16 * 1024 * 1024
_UNIX = "unix:"
_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?")
_TOKEN = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """Where the service is, and how it is spoken to. No representation and no error shows the token."""

    url: str
    socket: str | None
    token: str | None = field(repr=False)
    timeout: httpx2.Timeout
    tls: ssl.SSLContext | bool

    @classmethod
    def of(
        cls, base_url: str, token: str | None, timeout_s: float, connect_s: float, tls: ssl.SSLContext | None
    ) -> Self:
        socket = base_url.removeprefix(_UNIX) if base_url.startswith(_UNIX) else None
        url = "http://localhost" if socket else base_url.rstrip("/")
        if not _URL.fullmatch(url):  # not shown: it may hold a password
            raise InputError(
                "bad_url",
                "this is no address of a service",
                remedy="write one such as https://host.example or unix:/run/toulmin.sock, without user, password and query",
            )
        if token is not None and not _TOKEN.fullmatch(token):
            raise InputError(
                "bad_token",
                "the token is empty or has characters that no token has",
                remedy="look for white space and line ends where it is kept",
            )
        timeout = httpx2.Timeout(timeout_s, connect=connect_s)
        return cls(url=url, socket=socket, token=token, timeout=timeout, tls=tls or True)

    @property
    def options(self) -> dict[str, Any]:
        """What both HTTP clients are made with: nothing of the environment is heeded, and no redirect followed."""
        headers = {"accept": "application/json", "accept-encoding": "identity"}
        if self.token is not None:
            headers["authorization"] = f"Bearer {self.token}"
        return {
            "base_url": self.url,
            "headers": headers,
            "timeout": self.timeout,
            "trust_env": False,
            "follow_redirects": False,
        }

    @property
    def transport(self) -> dict[str, Any]:
        return {"uds": self.socket, "verify": self.tls, "trust_env": False}


class _Method(Generic[P, T]):
    """A call as a method of both clients."""

    def __init__(self, call: Callable[P, Call[T]]) -> None:
        self._call = call
        self.__doc__ = call.__doc__


class _Sent(_Method[P, T]):
    """Of one client it returns what the reply says, of the other something to await."""

    @overload
    def __get__(self, client: None, owner: object) -> Self: ...
    @overload
    def __get__(self, client: Client, owner: object) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncClient, owner: object) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Client | AsyncClient | None, owner: object) -> Any:
        if client is None:
            return self

        @wraps(self._call)
        def send(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client.send(self._call(*args, **kwargs))

        return send


class _Streamed(_Method[P, Outcome]):
    """A question whose events are told as they come: use it in a `with` block, whose end ends the question."""

    @overload
    def __get__(self, client: None, owner: object) -> Self: ...
    @overload
    def __get__(self, client: Client, owner: object) -> Callable[P, AbstractContextManager[Iterator[Event]]]: ...
    @overload
    def __get__(
        self, client: AsyncClient, owner: object
    ) -> Callable[P, AbstractAsyncContextManager[AsyncIterator[Event]]]: ...
    def __get__(self, client: Client | AsyncClient | None, owner: object) -> Any:
        if client is None:
            return self

        @wraps(self._call)
        def stream(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client.stream(self._call(*args, **kwargs))

        return stream


class _Calls:
    """What can be called; every method raises the faults of `toulmin.domain.errors`, and `Unreachable`."""

    search = _Sent(calls.search)
    ask = _Sent(calls.ask)
    ask_text = _Sent(calls.ask_text)
    ask_stream = _Streamed(calls.ask)
    ask_text_stream = _Streamed(calls.ask_text)
    review = _Sent(calls.review)
    review_text = _Sent(calls.review_text)
    contracts = _Sent(calls.contracts)
    contract = _Sent(calls.contract)
    documents = _Sent(calls.documents)
    document = _Sent(calls.document)
    ingest = _Sent(calls.ingest)
    withdraw = _Sent(calls.withdraw)
    metadata = _Sent(calls.metadata)
    edit = _Sent(calls.edit)
    packet = _Sent(calls.packet)
    verify = _Sent(calls.verify)
    replay = _Sent(calls.replay)
    envelope = _Sent(calls.envelope)
    impact = _Sent(calls.impact)
    approvals = _Sent(calls.approvals)
    approval = _Sent(calls.approval)
    request_approval = _Sent(calls.request_approval)
    approve = _Sent(calls.approve)
    reject = _Sent(calls.reject)
    revoke = _Sent(calls.revoke)
    execute = _Sent(calls.execute)
    resolve = _Sent(calls.resolve)
    health = _Sent(calls.health)


class Client(_Calls):
    """A blocking client of the service at `base_url`: `https://host.example`, or `unix:/run/toulmin.sock` for a Unix socket.

    `token` is the credential; it is taken from nowhere else. `timeout_s` is how long the service may say nothing, longer than a question may
    take there; `tls` how its certificate is judged. Several threads may share a client. Use it in a `with` block, or `close` it.
    """

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        timeout_s: float = 330.0,
        connect_s: float = 10.0,
        retries: Retries = Retries(),  # noqa: B008  # it never changes
        tls: ssl.SSLContext | None = None,
    ) -> None:
        link = _Link.of(base_url, token, timeout_s, connect_s, tls)
        self._retries = retries
        self._http = httpx2.Client(transport=httpx2.HTTPTransport(**link.transport), **link.options)

    def send(self, call: Call[T]) -> T:
        """What the reply to a call says."""
        tried = 0
        while True:
            tried += 1
            try:
                with unreachable():
                    response = self._http.send(_request(self._http, call))
                return call.value(_reply(response))
            except ToulminError as fault:
                pause = self._retries.pause(fault, tried, repeatable=call.repeatable)
                if pause is None:
                    raise
            time.sleep(pause)

    @contextmanager
    def stream(self, call: Call[Outcome]) -> Iterator[Iterator[Event]]:
        """The events of a question while they come; a block that is left before the end ends the question. It is sent once."""
        with unreachable():
            response = self._http.send(_request(self._http, call, accept=_STREAM), stream=True)
        try:
            if not _streams(response):
                with unreachable():
                    response.read()
                _refuse(call, _reply(response))
            yield self._events(response)
        finally:
            response.close()

    @staticmethod
    def _events(response: httpx2.Response) -> Iterator[Event]:
        with unreachable():
            for sent in httpx2.EventSource(response, _EVENT_BYTES):
                event = event_of(sent.event, sent.data)
                if event is not None:
                    yield event
                if isinstance(event, Finished):
                    return
        raise _broken_off()

    def close(self) -> None:
        """Closes all connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(_Calls):
    """The same without blocking: every method is awaited, streams are `async with` blocks. See `Client`."""

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        timeout_s: float = 330.0,
        connect_s: float = 10.0,
        retries: Retries = Retries(),  # noqa: B008  # it never changes
        tls: ssl.SSLContext | None = None,
    ) -> None:
        link = _Link.of(base_url, token, timeout_s, connect_s, tls)
        self._retries = retries
        self._http = httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(**link.transport), **link.options)

    async def send(self, call: Call[T]) -> T:
        """What the reply to a call says."""
        tried = 0
        while True:
            tried += 1
            try:
                with unreachable():
                    response = await self._http.send(_request(self._http, call))
                return call.value(_reply(response))
            except ToulminError as fault:
                pause = self._retries.pause(fault, tried, repeatable=call.repeatable)
                if pause is None:
                    raise
            await asyncio.sleep(pause)

    @asynccontextmanager
    async def stream(self, call: Call[Outcome]) -> AsyncIterator[AsyncIterator[Event]]:
        """The events of a question while they come; a block that is left before the end ends the question. It is sent once."""
        with unreachable():
            response = await self._http.send(_request(self._http, call, accept=_STREAM), stream=True)
        try:
            if not _streams(response):
                with unreachable():
                    await response.aread()
                _refuse(call, _reply(response))
            yield self._events(response)
        finally:
            await response.aclose()

    @staticmethod
    async def _events(response: httpx2.Response) -> AsyncIterator[Event]:
        with unreachable():
            async for sent in httpx2.EventSource(response, _EVENT_BYTES):
                event = event_of(sent.event, sent.data)
                if event is not None:
                    yield event
                if isinstance(event, Finished):
                    return
        raise _broken_off()

    async def close(self) -> None:
        """Closes all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


def _request(http: httpx2.Client | httpx2.AsyncClient, call: Call[T], **headers: str) -> httpx2.Request:
    sent = {**call.headers, **headers}
    return http.build_request(call.method, call.path, params=call.query or None, content=call.body, headers=sent)


def _reply(response: httpx2.Response) -> Reply:
    return Reply(status=response.status_code, headers=response.headers, content=response.content)


def _streams(response: httpx2.Response) -> bool:
    return response.headers.get("content-type", "").startswith(_STREAM)


def _refuse(call: Call[Outcome], reply: Reply) -> Never:
    """Raises what a reply tells in place of a stream."""
    call.value(reply)
    raise bad_reply("an outcome, and no stream")


def _broken_off() -> Unreachable:
    return Unreachable("disconnected", "the stream ended without an outcome", remedy="ask again")
