"""Searching: passages for a text, and why other documents are not among them."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.domain.errors import InputError
from toulmin.domain.outcome import Item, SearchResult
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import ruled_fields
from toulmin.surfaces.http.problems import status_of
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.web.forms import fields, stated
from toulmin.surfaces.web.listing import FIRST, Part, part
from toulmin.surfaces.web.marked import Piece, pieces
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Asker
from toulmin.surfaces.web.why_not import Explained, WhyNotQuery, of_search
from toulmin.surfaces.web.wordmarks import occurrences
from toulmin.wire.model import read
from toulmin.wire.node import Plain, node_of
from toulmin.wire.requests import SearchBody

_EXPLAIN, _DOCUMENT = "explain", "document"

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found, each passage with the words of the question marked in it; `explained` is None where nobody asks why not."""

    result: SearchResult
    passages: list[tuple[Item, tuple[Piece, ...]]]
    explained: Part[Explained] | None


@router.get("/search")
async def search(request: Request, who: Asker) -> Response:
    """The form, and what was found for the words in it. What is wrong in the form is told beside it."""
    workspace = service_of(request).workspace
    given = {"profile": "default", **fields(request.query_params.multi_items())}
    rules = workspace.profile(given["profile"])
    found, fault = None, None
    try:
        if "text" in given:
            found = await _found(request, given, who)
    except InputError as wrong:
        facts(request).code, fault = wrong.code, wrong
    return page(
        request,
        "search.html",
        status=status_of(fault) if fault else 200,
        given=given,
        fields=ruled_fields(rules),
        profiles=sorted(workspace.settings.profiles),
        found=found,
        fault=fault,
    )


async def _found(request: Request, given: dict[str, str], who: Principal) -> Found:
    service, sent = service_of(request), dict(given)
    asked = {name: Plain(sent.pop(name)) for name in (_DOCUMENT, FIRST) if name in sent}
    wanted = read(WhyNotQuery, node_of(asked, "form"), "form")
    explain = sent.pop(_EXPLAIN, None) is not None or wanted.document is not None
    body = read(SearchBody, node_of(stated(sent) | {_EXPLAIN: explain}, "form"), "form", zone=service.zone)
    result = await service.desk.search(body, who)
    explained = await service.run(_explained, service, result, wanted, who) if explain else None
    return Found(
        result=result,
        passages=[(item, pieces(item.found.text, occurrences(body.text, item.found.text))) for item in result.items],
        explained=None if explained is None else part(explained, wanted.first, request.url),
    )


def _explained(service: Service, result: SearchResult, wanted: WhyNotQuery, who: Principal) -> list[Explained]:
    named = wanted.document
    return of_search(result, None if named is None else service.workspace.documents(principal=who, document=named))
