"""Packets, and what rests on a document."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from toulmin.surfaces.http.bodies import asked, query
from toulmin.surfaces.http.problems import PROBLEMS
from toulmin.surfaces.http.rights import Looker
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.shapes import impact_json, packet_view_json, replay_json
from toulmin.surfaces.sync import verify_packet
from toulmin.wire.packet import PacketFileJson
from toulmin.wire.replay import ReplayJson
from toulmin.wire.requests import ReplayQuery, VersionQuery
from toulmin.wire.shapes import ImpactJson, PacketViewJson
from toulmin.wire.verification import VerificationJson, verification_json

router = APIRouter(prefix="/v1", tags=["packets"], responses=PROBLEMS)


@router.get("/packets/{packet}", response_model=PacketViewJson)
async def show(request: Request, packet: str, who: Looker) -> Response:
    """One decision, and what has become of its sources."""
    service = service_of(request)
    return JSONResponse(packet_view_json(await service.run(service.workspace.packet, packet, principal=who)))


@router.get("/packets/{packet}/verify", response_model=VerificationJson)
async def verify(request: Request, packet: str, who: Looker) -> Response:
    """Whether everything that the kept packet states holds."""
    service = service_of(request)
    exported = await service.run(service.workspace.export_packet, packet, principal=who, sign=False)
    found = await service.run(verify_packet, exported.file.encode(), expected=packet)
    return JSONResponse(verification_json(found))


@router.get("/packets/{packet}/replay", response_model=ReplayJson, openapi_extra=asked(ReplayQuery))
async def replay(
    request: Request, packet: str, who: Looker, wanted: Annotated[ReplayQuery, Depends(query(ReplayQuery))]
) -> Response:
    """The decision made again: as of then from its record, and as of an instant (now, without one) from the corpus."""
    service = service_of(request)
    replayed = await service.run(service.workspace.replay, packet, principal=who, at=wanted.as_of)
    return JSONResponse(replay_json(replayed))


@router.get("/packets/{packet}/envelope", response_model=PacketFileJson)
async def envelope(request: Request, packet: str, who: Looker) -> Response:
    """The packet as a file to keep elsewhere, signed where the service has a key; it verifies there without this service."""
    service = service_of(request)
    exported = await service.run(service.workspace.export_packet, packet, principal=who)
    return Response(exported.file, media_type="application/json")  # its bytes are canonical, and verified as they are


@router.get("/impact/{document:path}", response_model=ImpactJson, openapi_extra=asked(VersionQuery))
async def impact(
    request: Request, document: str, who: Looker, wanted: Annotated[VersionQuery, Depends(query(VersionQuery))]
) -> Response:
    """The decisions that rest on a document, with their approvals, as far as the caller may see both."""
    service = service_of(request)
    resting = await service.run(service.workspace.impact, document, version=wanted.version, principal=who)
    return JSONResponse(impact_json(document, wanted.version, resting))
