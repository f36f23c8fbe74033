"""Pages of a document as they are printed, with the words that somebody cites marked upon them; beside each its text, which alone is quoted."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.domain.corpus.document import Page, Revision, Standing
from toulmin.domain.corpus.printed import PrintedPage
from toulmin.domain.errors import InputError, NotFound
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.web.marked import pieces
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Browser
from toulmin.surfaces.web.sources import marked_range, readable
from toulmin.wire.model import Strict
from toulmin.wire.scalars import Identifier, Whole, not_below

router = APIRouter(route_class=PageRoute, include_in_schema=False)

_Offset = Annotated[Whole, not_below(0)]

_NOT_SHOWN: Final = frozenset({"no_original", "page_not_drawn"})
"""Faults that leave the page's text to be shown."""


class PrintedQuery(Strict):
    """A version, and the words of it that are marked, in code points."""

    version: Identifier
    start: _Offset | None = None
    end: _Offset | None = None


class ImageQuery(Strict):
    """A version."""

    version: Identifier


@router.get("/pages/{number}/{document:path}")
async def shown(
    request: Request,
    number: str,
    document: str,
    who: Browser,
    wanted: Annotated[PrintedQuery, Depends(query(PrintedQuery))],
) -> Response:
    """A page as it is printed and its text, with what is marked in both."""
    service = service_of(request)
    standing, revision = await service.run(readable, service, document, wanted.version, who)
    mark = marked_range(wanted.start, wanted.end, revision)
    printed_on = _page(revision, number, service)
    first, last = _part(mark, printed_on)
    printed, fault = await _printed(service, standing, printed_on, who)
    text = revision.text[printed_on.start : printed_on.end]
    boxes = await service.run(printed.marks, text, first, last) if printed and first < last else ()
    return page(
        request,
        "printed.html",
        standing=standing,
        revision=revision,
        page=printed_on,
        mark=mark or (None, None),
        is_marked=first < last,
        pieces=pieces(text, [(first, last)] if first < last else []),
        printed=printed,
        boxes=boxes,
        fault=fault,
    )


@router.get("/page-images/{number}/{document:path}")
async def image(
    request: Request,
    number: str,
    document: str,
    who: Browser,
    wanted: Annotated[ImageQuery, Depends(query(ImageQuery))],
) -> Response:
    """The picture of a page."""
    service = service_of(request)
    standing, revision = await service.run(readable, service, document, wanted.version, who)
    index = _page(revision, number, service).index
    async with service.drawing:
        drawn = await service.run(service.workspace.page_image, standing, index, principal=who)
    return Response(drawn, media_type="image/png")


async def _printed(
    service: Service, standing: Standing, wanted: Page, who: Principal
) -> tuple[PrintedPage | None, InputError | NotFound | None]:
    """Where the page's characters stand; or why it cannot be shown, which is no reason to withhold its text."""
    try:
        async with service.drawing:
            return await service.run(service.workspace.printed_page, standing, wanted.index, principal=who), None
    except (InputError, NotFound) as fault:
        if fault.code not in _NOT_SHOWN:
            raise
        return None, fault


def _page(revision: Revision, number: str, service: Service) -> Page:
    """The page of a number that counts from 1. Raises `NotFound` for one that the file does not have, and for formats that have none to be shown."""
    known = revision.pages if service.workspace.draws(revision) else ()
    for each in known:
        if str(each.number) == number:
            return each
    raise NotFound("no_such_page", f"there is no page {number[:20]} of {revision.id} to be shown")


def _part(mark: tuple[int, int] | None, wanted: Page) -> tuple[int, int]:
    """What of the marked words stands on a page, counted from its first character on; an empty range for nothing."""
    start, end = mark or (0, 0)
    first, last = max(start, wanted.start), min(end, wanted.end)
    return (first - wanted.start, last - wanted.start) if first < last else (0, 0)
