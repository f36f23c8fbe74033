"""Where the headings and the curated words of a version stand, however many there are."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.web.listing import Part, part
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Browser
from toulmin.surfaces.web.sources import Attached, Heading, opened
from toulmin.wire.model import Strict
from toulmin.wire.scalars import Count, Identifier

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class OutlineQuery(Strict):
    """A version, and the number of the first heading or curated words that are shown, counted from the beginning of the text."""

    version: Identifier
    first: Count = 1


@router.get("/outline/{document:path}")
async def shown(
    request: Request, document: str, who: Browser, wanted: Annotated[OutlineQuery, Depends(query(OutlineQuery))]
) -> Response:
    """The headings of a version, and the words in it that are curated, in the order of the text."""
    service = service_of(request)
    source = await service.run(opened, service, document, wanted.version, who)
    places: Part[Heading | Attached] = part(source.places, wanted.first, request.url)
    return page(request, "outline.html", standing=source.standing, places=places)
