"""Taking documents in: files with what holds for all of them, and what became of each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.application.ingest import FileReport
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.problems import status_of
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.http.uploads import Parts, received_parts
from toulmin.surfaces.web.forms import check_origin, check_token, fields
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.scopes import stated_scope
from toulmin.surfaces.web.session import Keeper
from toulmin.wire.metadata import read_metadata
from toulmin.wire.node import Plain, node_of

router = APIRouter(route_class=PageRoute, include_in_schema=False)

_TOKEN, _SCOPE, _READERS = "token", "scope", "readers"
_PLAIN = ("version", "source_type", "valid_from", "valid_to", "egress")
_TEXTS = (_TOKEN, _SCOPE, _READERS, *_PLAIN)


@router.get("/documents/new")
async def form(request: Request, who: Keeper) -> Response:  # noqa: ARG001  # the visitor has to have the role
    """The form for files, and for what holds where they state nothing else."""
    return page(request, "intake.html", given={}, fault=None)


@router.post("/documents/new")
async def taken(request: Request, who: Keeper) -> Response:
    """What became of each file. What is wrong in the form is told beside it; its files have to be chosen anew."""
    check_origin(request)
    given: Mapping[str, str] = {}
    try:
        async with received_parts(request, _TEXTS) as parts:
            check_token(request, parts.texts.get(_TOKEN, ""))
            given = fields((name, value) for name, value in parts.texts.items() if name != _TOKEN)
            reports = await _taken(service_of(request), parts, _stated(given, service_of(request)), who)
    except InputError as fault:
        facts(request).code = fault.code
        return page(request, "intake.html", status=status_of(fault), given=given, fault=fault)
    status = 422 if any(report.fault for report in reports) else 200
    return page(request, "taken.html", status=status, reports=reports)


async def _taken(service: Service, parts: Parts, options: Metadata, who: Principal) -> Sequence[FileReport]:
    files = tuple(file for file in parts.files if file.name)  # a browser sends one without a name where none was chosen
    if not files:
        raise InputError("missing_key", "no file was chosen", where="file", remedy="choose at least one")
    until = service.parts.clock.now() + timedelta(seconds=service.limits.request_s)
    async with service.intake:
        entries = service.workspace.uploads(files, options=options)
        return await asyncio.to_thread(service.workspace.take, entries, curator=who, until=until)


def _stated(given: Mapping[str, str], service: Service) -> Metadata:
    """What the form states for all files. Raises `InputError` for what is no metadata."""
    stated: dict[str, object] = {name: Plain(given[name]) for name in _PLAIN if name in given}
    if _READERS in given:
        stated[_READERS] = given[_READERS].replace(",", " ").split()
    if _SCOPE in given:
        stated[_SCOPE] = stated_scope(given[_SCOPE])
    return read_metadata(node_of(stated, "form"), "form", service.zone)
