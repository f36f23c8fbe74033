"""The application: routes, and how every fault of theirs is told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI, Request
from fastapi.telemetry import TelemetryConfig
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from toulmin import __version__
from toulmin.domain.errors import Overloaded, ToulminError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http import problems
from toulmin.surfaces.http.bodies import body_schemas, whole_body
from toulmin.surfaces.http.rights import READER, caller
from toulmin.surfaces.http.routes import approvals, chat, documents, health, packets, questions
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.http.telemetry import REQUEST_ID, TelemetryMiddleware, facts
from toulmin.wire.problem import ProblemJson

if TYPE_CHECKING:
    from toulmin.surfaces.mcp.http import Endpoint

_ROUTERS = (questions.router, chat.router, packets.router, documents.router, approvals.router, health.router)

_ALWAYS = frozenset({"/healthz", "/readyz", "/metrics"})
"""What is answered however full the service is: who watches it has to see that."""


PageOf = Callable[[Request, ProblemJson, Mapping[str, str] | None], Response | None]
"""A problem as a page; None for a request that does not come from a browser which is to show what it gets."""

_NO_TELEMETRY: Final[TelemetryConfig] = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""Of FastAPI's own, which has paths and the words of faults in it: `TelemetryMiddleware` tells what may be told."""


def create_app(service: Service) -> FastAPI:
    """The HTTP application of a service, which it starts and ends."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with service.running(), agents.running() if agents else nullcontext():
            if app.state.page_of is None:
                service.telemetry.note("without_pages")
            yield

    agents = _agents(service)
    app = FastAPI(
        title="toulmin",
        version=__version__,
        summary="Answers questions from controlled documents, and keeps the proof.",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        lifespan=lifespan,
        docs_url=None,  # its page would load scripts from another host
        redoc_url=None,
        openapi_url="/openapi.json",
        redirect_slashes=False,  # it would lead to whatever host the request names
        telemetry=_NO_TELEMETRY,
    )
    app.state.service = service
    for each in _ROUTERS:
        app.include_router(each)
    app.state.page_of = _pages(app)
    if agents:
        app.router.routes.append(agents.route())
    app.add_exception_handler(ToulminError, _fault)
    app.add_exception_handler(HTTPException, _refusal)
    app.add_exception_handler(Exception, _mistake)
    app.add_middleware(_Places, service=service)
    app.add_middleware(TelemetryMiddleware, telemetry=service.telemetry)
    _complete_description(app)
    return app


def _pages(app: FastAPI) -> PageOf | None:
    """Adds the pages for people; returns how they tell a problem, None where the package that they are made with is not installed."""
    if find_spec("jinja2") is None:
        return None
    from toulmin.surfaces.web.app import add_pages, page_of

    add_pages(app)
    return page_of


def _agents(service: Service) -> Endpoint | None:
    """The tools for agents, for the same callers with the same rights; None where the extra `mcp` is not installed."""
    if find_spec("mcp") is None:
        return None
    from toulmin.surfaces.mcp.http import LOOPBACK, Endpoint

    admitted = asynccontextmanager(caller(READER))

    @asynccontextmanager
    async def admit(request: Request) -> AsyncIterator[Principal]:
        who = await service.authenticator.principal(request)
        async with admitted(request, who) as known:
            yield known

    named = service.workspace.settings.server.hosts
    origins = [f"https://{host}" for host in named]
    read = partial(whole_body, most=service.limits.json_bytes)
    return Endpoint(service.desk, admit, read, hosts=[*LOOPBACK, *named], origins=origins)


async def _fault(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, ToulminError)
    return _told(request, problems.problem(fault), problems.headers(fault))


async def _refusal(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, HTTPException)
    if refusal.status_code == 405:
        told = problems.plain(405, "method_not_allowed", f"{request.method} does nothing here")
        return _told(request, told, _allowed(request, refusal))
    return _told(request, problems.plain(refusal.status_code, "not_found", "there is nothing at this path"))


def _told(request: Request, told: ProblemJson, headers: Mapping[str, str] | None = None) -> Response:
    """A problem in the form of where it was met: of the chat interface, as a page to a browser, as a document to everybody else."""
    facts(request).code = told["code"]
    if chat.is_told_here(request.scope["path"]):
        return chat.error_response(told, headers)
    page_of: PageOf | None = request.app.state.page_of
    page = page_of(request, told, headers) if page_of else None
    return page or problems.document(told, headers)


def _allowed(request: Request, refusal: HTTPException) -> Mapping[str, str] | None:
    """The header that names the methods of every route that the path leads to; the refusal names those of the first alone."""
    routes = [route for router in _ROUTERS for route in router.routes if isinstance(route, Route)]
    there = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    methods = sorted({method for route in there for method in route.methods or ()})
    return {"Allow": ", ".join(methods)} if methods else refusal.headers


async def _mistake(request: Request, mistake: Exception) -> Response:
    """Something that nobody thought of; it is in the log, and its words, which may hold a document's, are not told."""
    del mistake
    answer = _told(
        request, problems.plain(500, "unexpected", "something unexpected went wrong; it is in the service's log")
    )
    answer.headers[REQUEST_ID] = facts(request).id  # by which it is found there
    return answer


class _Places:
    """Takes one of the service's places for each request, or sheds it; a stream keeps its place until it ends."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _ALWAYS:
            await self._app(scope, receive, send)
            return
        try:
            with self._service.limits.place():
                await self._app(scope, receive, send)
        except Overloaded as fault:
            told = _told(Request(scope), problems.problem(fault), problems.headers(fault))
            await told(scope, receive, send)


def _complete_description(app: FastAPI) -> None:
    """Adds to the description what the routes read themselves: bodies, and problem documents."""
    made = app.openapi

    def described() -> dict[str, Any]:
        description = made()
        schemas = description.setdefault("components", {}).setdefault("schemas", {})
        schemas |= body_schemas() | {"Problem": TypeAdapter(ProblemJson).json_schema()}
        description["components"]["securitySchemes"] = {"credential": {"type": "http", "scheme": "bearer"}}
        for path, methods in description["paths"].items():
            for endpoint in methods.values():
                if path.startswith("/v1/"):
                    endpoint["security"] = [{"credential": []}]
        return description

    app.openapi = described  # type: ignore[method-assign]
