"""The pages of the service, for people: beside the interface for programs, over the same use cases and rights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fastapi import FastAPI, Request
from starlette.responses import Response

from toulmin.surfaces.web import (
    approvals,
    ask,
    assets,
    curation,
    diff,
    documents,
    intake,
    measurement,
    outline,
    packets,
    printed,
    replay,
    search,
    signing_in,
    sources,
    why_not,
    withdrawal,
)
from toulmin.surfaces.web.pages import problem_page
from toulmin.wire.problem import ProblemJson

PARTS: Final = (
    ask,
    search,
    packets,
    why_not,
    approvals,
    replay,
    documents,
    intake,
    sources,
    outline,
    diff,
    withdrawal,
    curation,
    printed,
    measurement,
    signing_in,
    assets,
)
"""The modules of pages, each with its router."""

_FOR_PROGRAMS: Final = ("/v1/", "/mcp")
"""What lies there answers in documents, whoever asks."""


def add_pages(app: FastAPI) -> None:
    """Adds all pages, and the files that they are shown with, to the application of a service."""
    for part in PARTS:
        app.include_router(part.router)


def page_of(request: Request, told: ProblemJson, headers: Mapping[str, str] | None) -> Response | None:
    """A problem as a page for a browser that is to show what it gets; None for all other requests."""
    if request.url.path.startswith(_FOR_PROGRAMS) or "text/html" not in request.headers.get("accept", ""):
        return None
    return problem_page(request, told, headers or {})
