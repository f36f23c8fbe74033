"""The application: routes, and how every fault of theirs is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from toulmin import __version__
from toulmin.domain.errors import Overloaded, ToulminError
from toulmin.surfaces.http import problems
from toulmin.surfaces.http.bodies import body_schemas
from toulmin.surfaces.http.routes import approvals, chat, health, packets, questions
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.http.telemetry import REQUEST_ID, TelemetryMiddleware, facts

_ALWAYS = frozenset({"/healthz", "/readyz", "/metrics"})
"""What is answered however full the service is: who watches it has to see that."""


def create_app(service: Service) -> FastAPI:
    """The HTTP application of a service, which it starts and ends."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with service.running():
            yield

    app = FastAPI(
        title="toulmin",
        version=__version__,
        summary="Answers questions from controlled documents, and keeps the proof.",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        lifespan=lifespan,
        docs_url=None,  # its page would load scripts from another host
        redoc_url=None,
        openapi_url="/openapi.json",
    )
    app.state.service = service
    for each in (questions.router, chat.router, packets.router, approvals.router, health.router):
        app.include_router(each)
    app.add_exception_handler(ToulminError, _fault)
    app.add_exception_handler(HTTPException, _refusal)
    app.add_exception_handler(Exception, _mistake)
    app.add_middleware(_Places, service=service)
    app.add_middleware(TelemetryMiddleware, telemetry=service.telemetry)
    _complete_description(app)
    return app


async def _fault(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, ToulminError)
    facts(request).code = fault.code
    return problems.response(fault)


async def _refusal(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, HTTPException)
    if refusal.status_code == 405:
        return problems.plain(405, "method_not_allowed", f"{request.method} does nothing here")
    return problems.plain(refusal.status_code, "not_found", "there is nothing at this path")


async def _mistake(request: Request, mistake: Exception) -> Response:
    """Something that nobody thought of; it is in the log, and its words, which may hold a document's, are not told."""
    del mistake
    answer = problems.plain(500, "unexpected", "something unexpected went wrong; it is in the service's log")
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
            await problems.response(fault)(scope, receive, send)


def _complete_description(app: FastAPI) -> None:
    """Adds to the description what the routes read themselves: bodies, and problem documents."""
    made = app.openapi

    def described() -> dict[str, Any]:
        description = made()
        schemas = description.setdefault("components", {}).setdefault("schemas", {})
        schemas |= body_schemas() | {"Problem": TypeAdapter(problems.Problem).json_schema()}
        description["components"]["securitySchemes"] = {"credential": {"type": "http", "scheme": "bearer"}}
        for path, methods in description["paths"].items():
            for endpoint in methods.values():
                if path.startswith("/v1/"):
                    endpoint["security"] = [{"credential": []}]
        return description

    app.openapi = described  # type: ignore[method-assign]
