"""Telemetry of HTTP requests: an id for each, a line in the log, a span, and the page that metrics are scraped from."""

from __future__ import annotations

import asyncio
import re
import secrets
from dataclasses import dataclass
from typing import Final, cast

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toulmin.domain.question.case import Principal
from toulmin.ports.telemetry import Handled, Incoming, Telemetry

REQUEST_ID: Final = "X-Request-Id"

_FACTS: Final = "telemetry"
_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_GONE: Final = 499
"""The status of a request whose caller went away before it had all of its response."""


@dataclass(slots=True, kw_only=True)
class Facts:
    """What is known of a request on its way: its id, who asks, the code of the problem that it ends in, and one that its caller is not told."""

    id: str
    caller: Principal | None = None
    code: str | None = None
    detail: str | None = None


def facts(request: Request) -> Facts:
    """What is known of a request; whoever finds something out adds it."""
    state = request.scope.setdefault("state", {})
    return cast("Facts", state.setdefault(_FACTS, Facts(id=_new_id())))


class TelemetryMiddleware:
    """Around the whole application: tells of each request when its response has ended, and passes everything on as it comes."""

    def __init__(self, app: ASGIApp, telemetry: Telemetry) -> None:
        self._app = app
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        known = Facts(id=_request_id(headers))
        scope.setdefault("state", {})[_FACTS] = known
        root, status = scope.get("root_path", ""), _GONE

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = known.id
            await send(message)

        incoming = Incoming(id=known.id, method=scope["method"], traceparent=headers.get("traceparent"))
        with self._telemetry.request(incoming) as handled:
            try:
                await self._app(scope, receive, sent)
            except ClientDisconnect:
                known.code, status = "disconnected", _GONE
            except Exception as error:
                known.code, status = "unexpected", 500
                self._telemetry.fault(error)
                raise
            finally:
                route = _route(scope, root)
                handled(Handled(route=route, status=status, caller=known.caller, code=known.code, detail=known.detail))


async def metrics_response(request: Request, telemetry: Telemetry) -> Response:
    """All metrics, for whoever reaches the port: they are counts and durations of the service as a whole."""
    found = await asyncio.to_thread(telemetry.exposition, request.headers.get("accept", ""))
    return Response(found.body, headers={"Content-Type": found.media_type})


def _request_id(headers: Headers) -> str:
    """The id that the caller gives, if it is one short token; else a new one."""
    given = headers.getlist(REQUEST_ID)
    return given[0] if len(given) == 1 and _ID.fullmatch(given[0]) else _new_id()


def _new_id() -> str:
    return secrets.token_hex(8)


def _route(scope: Scope, root: str) -> str:
    """The template of the path, with that of what it is mounted in; never the path, which may name a document."""
    route = scope.get("route")
    if route is None:
        return "unmatched"
    return str(route.path if isinstance(route, Mount) else scope.get("root_path", "").removeprefix(root) + route.path)
