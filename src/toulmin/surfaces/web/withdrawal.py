"""What rests on a document, and taking it out of service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.application.documents import Retired
from toulmin.application.impact import Resting
from toulmin.domain.corpus.document import Standing, Status
from toulmin.domain.errors import NotFound
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.web.forms import sent_form
from toulmin.surfaces.web.listing import Part, part
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Keeper, Looker
from toulmin.surfaces.web.sources import LOOKERS
from toulmin.wire.model import Strict, read
from toulmin.wire.node import node_of
from toulmin.wire.scalars import Count, Identifier

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class OneVersion(Strict):
    """A version of a document."""

    version: Identifier


class ImpactQuery(Strict):
    """A version of a document, or all of it; and the number of the first thing that is shown."""

    version: Identifier | None = None
    first: Count = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Concerned:
    """A version that is to be withdrawn. `resting` is None for who may not see what rests on it."""

    standing: Standing
    resting: tuple[Resting, ...] | None


@router.get("/impact/{document:path}")
async def impact(
    request: Request, document: str, who: Looker, wanted: Annotated[ImpactQuery, Depends(query(ImpactQuery))]
) -> Response:
    """The packets that rest on a document, with their approvals, as far as the visitor may see them."""
    service = service_of(request)
    known = await service.run(service.workspace.impact, document, version=wanted.version, principal=who)
    shown: Part[Resting] = part(known, wanted.first, request.url)
    return page(request, "impact.html", document=document, version=wanted.version, resting=shown)


@router.get("/withdraw/{document:path}")
async def form(
    request: Request, document: str, who: Keeper, wanted: Annotated[OneVersion, Depends(query(OneVersion))]
) -> Response:
    """What withdrawing a version means, and the button for it."""
    service = service_of(request)
    concerned = await service.run(_concerned, service, document, wanted.version, who)
    return page(request, "withdraw.html", standing=concerned.standing, resting=concerned.resting)


@router.post("/withdraw/{document:path}")
async def withdrawn(request: Request, document: str, who: Keeper) -> Response:
    """Takes a version out of service. A form that is sent again finds nothing left to be done, which is told as what it is."""
    service = service_of(request)
    wanted = read(OneVersion, node_of(await sent_form(request), "form"), "form")
    retired: Retired = await service.run(
        service.workspace.retire, document, Status.WITHDRAWN, version=wanted.version, curator=who
    )
    return page(request, "withdrawn.html", document=document, retired=retired)


def _concerned(service: Service, document: str, version: str, who: Principal) -> Concerned:
    known: Mapping[str, Standing] = {
        each.id.version: each for each in service.workspace.documents(principal=who, document=document)
    }
    if version not in known or known[version].status is not Status.LIVE:
        raise NotFound("no_such_document", f"no document {document} v{version} that you may withdraw")
    may_see = bool(LOOKERS & set(who.roles))
    resting = service.workspace.impact(document, version=version, principal=who) if may_see else None
    return Concerned(standing=known[version], resting=resting)
