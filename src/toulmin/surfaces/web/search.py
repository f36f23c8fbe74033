"""Searching: passages for a text, and why other documents are not among them."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.domain.errors import InputError
from toulmin.domain.question.contract import ruled_fields
from toulmin.surfaces.http.problems import status_of
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.web.forms import fields, stated
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Asker
from toulmin.wire.model import read
from toulmin.wire.node import node_of
from toulmin.wire.requests import SearchBody

_EXPLAIN = "explain"

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/search")
async def search(request: Request, who: Asker) -> Response:
    """The form, and what was found for the words in it. What is wrong in the form is told beside it."""
    service = service_of(request)
    workspace = service.workspace
    given = {"profile": "default", **fields(request.query_params.multi_items())}
    rules = workspace.profile(given["profile"])
    explain, result, fault = _EXPLAIN in given, None, None
    try:
        if "text" in given:
            body = read(SearchBody, node_of(stated(given) | {_EXPLAIN: explain}, "form"), "form", zone=service.zone)
            result = await service.desk.search(body, who)
    except InputError as wrong:
        facts(request).code, fault = wrong.code, wrong
    return page(
        request,
        "search.html",
        status=status_of(fault) if fault else 200,
        given=given,
        fields=ruled_fields(rules),
        profiles=sorted(workspace.settings.profiles),
        explain=explain,
        result=result,
        fault=fault,
    )
