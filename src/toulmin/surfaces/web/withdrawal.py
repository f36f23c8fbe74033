"""What rests on a document, and taking it out of service."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.application.impact import Resting
from toulmin.domain.claims.checks import Finding
from toulmin.domain.corpus.document import Standing, Status, may_become
from toulmin.domain.errors import NotFound
from toulmin.domain.proof.approval import Approval, State
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.web.forms import sent_form
from toulmin.surfaces.web.listing import Part, part
from toulmin.surfaces.web.pages import PageRoute, page, see, withdrawal_address
from toulmin.surfaces.web.session import Keeper, Looker
from toulmin.surfaces.web.sources import LOOKERS
from toulmin.wire.model import Strict, read
from toulmin.wire.node import node_of
from toulmin.wire.scalars import Count, Identifier

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class Wanted(Strict):
    """A version of a document, or all of it."""

    version: Identifier | None = None


class ImpactQuery(Strict):
    """A version of a document, or all of it; and the number of the first thing that is shown."""

    version: Identifier | None = None
    first: Count = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Concerned:
    """Versions that are to be withdrawn, and what rests on them: None for who may not see it; `lost` is what contracts would lack then.

    `others` counts the other versions in service.
    """

    document: str
    version: str | None
    standings: tuple[Standing, ...]
    others: int
    resting: tuple[Resting, ...] | None
    lost: tuple[Finding, ...]

    @property
    def open(self) -> tuple[Approval, ...]:
        """The approvals that would end."""
        known = (approval for each in self.resting or () for approval in each.approvals)
        return tuple(approval for approval in known if approval.state in (State.REQUESTED, State.APPROVED))

    @property
    def ended(self) -> tuple[Approval, ...]:
        """The approvals that have ended because of what became of the evidence."""
        known = (approval for each in self.resting or () for approval in each.approvals)
        return tuple(approval for approval in known if approval.state is State.STALE)


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
    request: Request, document: str, who: Keeper, wanted: Annotated[Wanted, Depends(query(Wanted))]
) -> Response:
    """What withdrawing means, and the button for it; once that is done, what came of it."""
    service = service_of(request)
    concerned = await service.run(_concerned, service, document, wanted.version, who)
    template = "withdraw.html" if concerned.standings else "withdrawn.html"
    return page(request, template, concerned=concerned)


@router.post("/withdraw/{document:path}")
async def withdrawn(request: Request, document: str, who: Keeper) -> Response:
    """Takes a version out of service, or all of a document, and leads to what came of it; there, too, if that was done before."""
    service = service_of(request)
    wanted = read(Wanted, node_of(await sent_form(request), "form"), "form")
    await service.run(_withdraw, service, document, wanted.version, who)
    return see(withdrawal_address(document, wanted.version))


def _withdraw(service: Service, document: str, version: str | None, who: Principal) -> None:
    try:
        service.workspace.retire(document, Status.WITHDRAWN, version=version, curator=who)
    except NotFound:
        if _in_service(_known(service, document, version, who)):  # it is somebody else's
            raise


def _concerned(service: Service, document: str, version: str | None, who: Principal) -> Concerned:
    known = _known(service, document, version, who)
    standings, all_of_it = _in_service(known), _in_service(_known(service, document, None, who))
    may_see = bool(LOOKERS & set(who.roles))
    return Concerned(
        document=document,
        version=version,
        standings=standings,
        others=len(all_of_it) - len(standings),
        resting=service.workspace.impact(document, version=version, principal=who) if may_see else None,
        lost=service.workspace.findings_without([each.id for each in standings], principal=who) if standings else (),
    )


def _known(service: Service, document: str, version: str | None, who: Principal) -> tuple[Standing, ...]:
    """The versions that are meant. Raises `NotFound` where there is none that the curator may read."""
    known = service.workspace.documents(principal=who, document=document)
    found = tuple(each for each in known if version in (None, each.id.version))
    if not found:
        name = document if version is None else f"{document} v{version}"
        raise NotFound("no_such_document", f"no document {name} that you may read")
    return found


def _in_service(standings: Iterable[Standing]) -> tuple[Standing, ...]:
    return tuple(each for each in standings if may_become(each.status, Status.WITHDRAWN))
