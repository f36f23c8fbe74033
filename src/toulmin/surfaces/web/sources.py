"""Sources: the text of a version, with the words that somebody cites marked in their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.application.packets import source_state
from toulmin.domain.corpus.document import Page, Revision, Standing
from toulmin.domain.errors import InputError, NotFound
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.web.marked import Piece, pieces
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Browser
from toulmin.wire.model import Strict
from toulmin.wire.scalars import Identifier, Whole, not_below

WINDOW = 12_000
"""Code points of a text that a page has from its first marked word on, and as many before it."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)

_Offset = Annotated[Whole, not_below(0)]


class SourceQuery(Strict):
    """A version, the words of it that are marked, and where the page begins if nothing is; in code points."""

    version: Identifier
    start: _Offset | None = None
    end: _Offset | None = None
    offset: _Offset = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """A part of a text, `text[start:end]` of `length` code points, with the pages and the headings that the marked words, or else it all, stand under."""

    pieces: tuple[Piece, ...]
    start: int
    end: int
    length: int
    pages: tuple[Page, ...]
    heading: tuple[str, ...]

    @property
    def earlier(self) -> int | None:
        """Where the page before this one begins; None: this is the beginning of the text."""
        return max(0, self.start - WINDOW) if self.start else None

    @property
    def later(self) -> int | None:
        """Where the next one begins; None: this is the end."""
        return self.end if self.end < self.length else None


@router.get("/sources/{document:path}")
async def shown(
    request: Request, document: str, who: Browser, wanted: Annotated[SourceQuery, Depends(query(SourceQuery))]
) -> Response:
    """A version's text around what is marked, as far as the visitor may read it now."""
    service = service_of(request)
    standing, revision = await service.run(_revision, service, document, wanted.version, who)
    mark = _mark(wanted, revision)
    return page(
        request,
        "source.html",
        standing=standing,
        state=source_state(standing, standing.text_sha256, service.parts.clock.now()),
        extract=_extract(revision, mark, wanted.offset),
        is_marked=mark is not None,
    )


def _revision(service: Service, document: str, version: str, who: Principal) -> tuple[Standing, Revision]:
    known = service.workspace.documents(principal=who, document=document)
    standing = next((each for each in known if each.id.version == version), None)
    revision = None if standing is None else service.workspace.revision(standing.key, principal=who)
    if standing is None or revision is None:
        raise NotFound("no_such_document", f"no document {document} v{version} that you may read")
    return standing, revision


def _mark(wanted: SourceQuery, revision: Revision) -> tuple[int, int] | None:
    """The range to be marked. Raises `InputError` for one that does not lie in the text."""
    if wanted.start is None and wanted.end is None:
        return None
    if wanted.start is None or wanted.end is None or not wanted.start < wanted.end <= len(revision.text):
        message = f"no words from {wanted.start} to {wanted.end} in a text of {len(revision.text)} code points"
        raise InputError("bad_range", message, where="query", remedy="follow a citation of this version")
    return wanted.start, wanted.end


def _extract(revision: Revision, mark: tuple[int, int] | None, offset: int) -> Extract:
    """The part of a text around the marked words; that from an offset on, where nothing is marked."""
    length = len(revision.text)
    first, last = mark or (min(offset, length), min(offset, length))
    start = max(0, first - WINDOW) if mark else first
    end = min(length, first + WINDOW)
    told = mark or (start, end)
    return Extract(
        pieces=pieces(revision.text[start:end], [(first - start, last - start)] if mark else []),
        start=start,
        end=end,
        length=length,
        pages=revision.place(*told).pages,
        heading=_heading(revision, told[0]),
    )


def _heading(revision: Revision, at: int) -> tuple[str, ...]:
    """The headings above a place."""
    return next((each.heading for each in revision.passages if each.start <= at < each.end), ())
