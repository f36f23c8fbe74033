"""Documents: what is in the corpus, taking more into it, and taking some out of service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from toulmin.application.curating import Edit
from toulmin.domain.corpus.document import Revision, RevisionId, Standing, Status
from toulmin.domain.errors import NotFound
from toulmin.domain.question.case import Principal
from toulmin.ports.replies import Reply
from toulmin.surfaces.http.bodies import BODY, asked, json_body, json_node, query, taken
from toulmin.surfaces.http.idempotency import once
from toulmin.surfaces.http.problems import PROBLEMS
from toulmin.surfaces.http.rights import Browser, Keeper
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.uploads import BODY as UPLOAD
from toulmin.surfaces.http.uploads import received
from toulmin.surfaces.shapes import (
    document_json,
    documents_json,
    edited_json,
    ingest_json,
    metadata_json,
    retired_json,
)
from toulmin.wire.metadata import EditBody, read_edit
from toulmin.wire.problem import MEDIA_TYPE
from toulmin.wire.requests import DocumentsQuery, TextQuery, VersionQuery, WithdrawBody
from toulmin.wire.shapes import DocumentJson, DocumentsJson, EditedJson, IngestJson, MetadataJson, RetiredJson

router = APIRouter(prefix="/v1", tags=["documents"], responses=PROBLEMS)

_ONE = "/documents/{document:path}"


@router.get(
    "/documents",
    response_model=DocumentsJson,
    openapi_extra=asked(DocumentsQuery),
    responses={200: {"headers": {"Link": {"description": "The next page, `rel=next`", "schema": {"type": "string"}}}}},
)
async def listed(
    request: Request, who: Browser, wanted: Annotated[DocumentsQuery, Depends(query(DocumentsQuery))]
) -> Response:
    """The revisions that the caller may read, a page of documents at a time, by id; the header `Link` names the next page, where there is one."""
    service = service_of(request)
    standings = await service.run(service.workspace.page, wanted.after, wanted.limit + 1, principal=who)
    names = list(dict.fromkeys(standing.id.document for standing in standings))
    page = set(names[: wanted.limit])
    headers = {"Link": _next(names[wanted.limit - 1], wanted.limit)} if len(names) > wanted.limit else {}
    return JSONResponse(documents_json(s for s in standings if s.id.document in page), headers=headers)


def _next(last: str, limit: int) -> str:
    return f'</v1/documents?{urlencode({"after": last, "limit": limit}, quote_via=quote)}>; rel="next"'


@router.post(
    "/documents",
    response_model=IngestJson,
    openapi_extra=UPLOAD,
    responses={
        422: {
            "description": "Files were refused: the body says what became of each. Or the request as such is wrong, and nothing was done",
            "model": IngestJson,
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    },
)
async def ingested(request: Request, who: Keeper) -> Response:
    """What became of each file, once it is durable; searches find it from then on. A request that is sent again finds its documents unchanged."""
    service = service_of(request)
    until = service.parts.clock.now() + timedelta(seconds=service.limits.request_s)
    async with received(request) as given, service.intake:
        entries = service.workspace.uploads(given.files, options=given.options)
        # not given up as `Service.run` does: what became of each file has to be told, and no file is begun after `until`
        reports = await asyncio.to_thread(service.workspace.take, entries, curator=who, until=until)
    refused = any(report.fault for report in reports)
    return JSONResponse(ingest_json(reports), status_code=422 if refused else 200)


@router.get(_ONE, response_model=DocumentJson, openapi_extra=asked(VersionQuery))
async def shown(
    request: Request, document: str, who: Browser, wanted: Annotated[VersionQuery, Depends(query(VersionQuery))]
) -> Response:
    """A document's revisions, as far as the caller may read them, with the places of their passages."""
    service = service_of(request)
    return JSONResponse(await service.run(_shown, service, document, wanted.version, who))


def _shown(service: Service, document: str, version: str | None, who: Principal) -> DocumentJson:
    return document_json(_revisions(service, document, version, who))


@router.get(
    "/texts/{document:path}",
    response_class=PlainTextResponse,
    openapi_extra=asked(TextQuery),
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def text(
    request: Request, document: str, who: Browser, wanted: Annotated[TextQuery, Depends(query(TextQuery))]
) -> Response:
    """The text of a version, into which all offsets point, in code points."""
    service = service_of(request)
    words = await service.run(_text, service, document, wanted.version, who)
    return PlainTextResponse(words, headers={"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"})


def _text(service: Service, document: str, version: str, who: Principal) -> str:
    ((_, revision),) = _revisions(service, document, version, who)
    if revision is None:
        raise _not_found(document, version)
    return revision.text


def _revisions(
    service: Service, document: str, version: str | None, who: Principal
) -> Iterable[tuple[Standing, Revision | None]]:
    """Revisions with their texts, one in memory at a time; raises `NotFound` for none."""
    known = service.workspace.documents(principal=who, document=document)
    standings = [standing for standing in known if version in (None, standing.id.version)]
    if not standings:
        raise _not_found(document, version)
    return ((standing, service.workspace.revision(standing.key, principal=who)) for standing in standings)


def _not_found(document: str, version: str | None) -> NotFound:
    name = document if version is None else f"{document} v{version}"
    return NotFound(
        "no_such_document", f"no document {name} that you may read", remedy="list what you may read: GET /v1/documents"
    )


@router.get("/metadata/{document:path}", response_model=MetadataJson, openapi_extra=asked(TextQuery))
async def described(
    request: Request, document: str, who: Browser, wanted: Annotated[TextQuery, Depends(query(TextQuery))]
) -> Response:
    """What describes a version, as `PUT` takes it."""
    service = service_of(request)
    revision = RevisionId(document, wanted.version)
    known = await service.run(service.workspace.curatable, revision, principal=who)
    return JSONResponse(metadata_json(known))


@router.put(_ONE + "/metadata", response_model=EditedJson, openapi_extra={**asked(TextQuery), **taken(EditBody)})
async def edited(
    request: Request, document: str, who: Keeper, wanted: Annotated[TextQuery, Depends(query(TextQuery))]
) -> Response:
    """Describes a version anew, in one switch: title, scope, readers, validity and curated spans, all of them.

    `replaces` is the digest of the descriptor that the new one was made from; where another one has come in between, nothing is changed.
    """
    service = service_of(request)
    node = await json_node(request)
    replaces, metadata = read_edit(node, BODY, service.zone)
    edit = Edit(revision=RevisionId(document, wanted.version), metadata=metadata, replaces=replaces)

    def write() -> Reply:
        return Reply(status=200, body=json.dumps(edited_json(service.workspace.edit(edit, curator=who))).encode())

    reply = await once(request, who, [replaces.encode(), metadata.canonical.encode()], write)
    return Response(reply.body, status_code=reply.status, media_type="application/json")


@router.post(_ONE + "/withdraw", response_model=RetiredJson, openapi_extra=taken(WithdrawBody))
async def withdrawn(
    request: Request, document: str, who: Keeper, body: Annotated[WithdrawBody, Depends(json_body(WithdrawBody))]
) -> Response:
    """Takes a version of a document out of service, or all of them; the text stays for the record."""
    service = service_of(request)

    def write() -> Reply:
        retired = service.workspace.retire(document, Status.WITHDRAWN, version=body.version, curator=who)
        return Reply(status=200, body=json.dumps(retired_json(retired, Status.WITHDRAWN)).encode())

    reply = await once(request, who, [body.model_dump_json().encode()], write)
    return Response(reply.body, status_code=reply.status, media_type="application/json")
