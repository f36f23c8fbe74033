"""The server over HTTP, as a part of the service: every request by itself, on behalf of whoever its credential names."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Match, Route
from starlette.types import Message, Receive, Scope, Send

from toulmin.domain.question.case import Principal
from toulmin.surfaces.desk import Desk
from toulmin.surfaces.mcp.server import Context, create_server

Admit = Callable[[Request], AbstractAsyncContextManager[Principal]]
"""Who a request comes from, by its credential alone; left when it is answered. Raises `Unauthenticated`, `Forbidden` or `Overloaded` for one that is not let in."""

Read = Callable[[Request], Awaitable[bytes]]
"""Reads a request's body, within limits of size and time. Raises `InputError` or `Overdue` for one beyond them."""

LOOPBACK = tuple(f"{host}{port}" for host in ("127.0.0.1", "localhost", "[::1]") for port in ("", ":*"))
"""The hosts of a service that nobody reaches from elsewhere; `:*` is any port."""

_KEY = "toulmin.principal"


class Endpoint:
    """The ASGI application, stateless: no session that another caller could take over, and each worker answers any request.

    A request whose `Host` is not one of `hosts`, or that a page of an origin not in `origins` sends (browsers say which), is refused: so
    nobody is reached through another's browser. It works while `running` is entered. What `admit` and `read` raise goes to the application around it.
    """

    def __init__(
        self, desk: Desk, admit: Admit, read: Read, *, hosts: Sequence[str] = LOOPBACK, origins: Sequence[str] = ()
    ) -> None:
        self._admit = admit
        self._read = read
        self._manager = StreamableHTTPSessionManager(
            create_server(desk, _principal_of),
            stateless=True,
            security_settings=TransportSecuritySettings(allowed_hosts=list(hosts), allowed_origins=list(origins)),
            max_request_body_size=sys.maxsize,  # `read` has bounded it, in time as well
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """What the application's lifespan enters, once; leaving it ends what is under way."""
        return self._manager.run()

    def route(self, path: str = "/mcp") -> Route:
        """The route to it: POST alone, since there is no stream apart from those that answer."""
        return _Route(path, endpoint=self, methods=["POST"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        async with self._admit(request) as who:
            body = _replayed(await self._read(request), receive)
            await self._manager.handle_request({**scope, _KEY: who}, body, send)


class _Route(Route):
    """A route that tells that it was taken, as FastAPI's own do: telemetry names requests by it."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, taken = super().matches(scope)
        return match, {**taken, "route": self}


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What a server says of a request whose body has been read: the body, and then whatever else it has to say."""
    unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def told() -> Message:
        return unread.pop() if unread else await receive()

    return told


def _principal_of(context: Context) -> Principal:
    request: Any = context.request
    who = request.scope[_KEY]
    assert isinstance(who, Principal)
    return who
