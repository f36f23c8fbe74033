"""Reading requests: bodies and parameters, strictly, by the same rules as files, and within limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import BaseModel

from toulmin.domain.errors import InputError, Overdue
from toulmin.surfaces.http.service import service_of
from toulmin.wire import strict_json
from toulmin.wire.model import Strict, read
from toulmin.wire.node import Node, Plain, node_of

M = TypeVar("M", bound=Strict)

BODY, _QUERY = "body", "query"


def json_body(model: type[M]) -> Callable[[Request], Awaitable[M]]:
    """A dependency that reads the body by a model; raises `InputError` with the key path that is wrong."""

    async def read_body(request: Request) -> M:
        return read(model, await json_node(request), BODY, zone=service_of(request).zone)

    return read_body


async def json_node(request: Request) -> Node:
    """The body, before anything in it has a type; raises `InputError` for one that is no JSON, or too large."""
    check_media_type(request, "application/json")
    data = await whole_body(request, service_of(request).limits.json_bytes)
    return strict_json.parse(data, BODY, line=None)


def query(model: type[M]) -> Callable[[Request], M]:
    """A dependency that reads the query by a model; a parameter that is not in it, or that occurs twice, is refused."""

    def read_query(request: Request) -> M:
        stated: dict[str, Plain] = {}
        for name, value in request.query_params.multi_items():
            if name in stated:
                message = f"parameter {name[:80]!r} occurs twice"
                raise InputError("duplicate_key", message, where=_QUERY, remedy="keep one of the two")
            stated[name] = Plain(value)
        return read(model, node_of(stated, _QUERY), _QUERY, zone=service_of(request).zone)

    return read_query


class _NoParameters(Strict):
    """What an endpoint takes whose description has no parameters."""


def check_parameters(request: Request) -> None:
    """Raises `InputError` for a parameter of an endpoint that takes none; what others take is read by their model."""
    route = request.scope["route"]
    assert isinstance(route, APIRoute)
    if "parameters" not in (route.openapi_extra or {}):
        query(_NoParameters)(request)


async def whole_body(request: Request, most: int) -> bytes:
    """The body, as long as it has no more bytes than `most`; what is beyond is not read."""
    return b"".join([part async for part in bounded_stream(request, most)])


async def bounded_stream(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    """The same, in parts as they come.

    Raises `InputError` (`too_large`) with the part that is too much, and `Overdue` where the rest takes longer than a request may.
    """
    stated, size = request.headers.get("content-length", ""), 0
    if stated.isdigit() and int(stated) > most:
        raise _too_large(most)
    async for part in _in_time(request.stream(), service_of(request).limits.request_s):
        size += len(part)
        if size > most:
            raise _too_large(most)
        yield part


async def _in_time(parts: AsyncIterator[bytes], seconds: float) -> AsyncIterator[bytes]:
    """The parts, all of them within so many seconds: who sends a body byte by byte keeps a place from others no longer than who waits for an answer."""
    until = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            async with asyncio.timeout_at(until):
                part = await anext(parts, None)
        except TimeoutError:
            raise Overdue(
                "overdue",
                f"the body took longer than {seconds:g} seconds",
                where=BODY,
                remedy="send it faster, or less",
            ) from None
        if part is None:
            return
        yield part


def _too_large(most: int) -> InputError:
    return InputError("too_large", f"the body has more than {most} bytes", where=BODY, remedy="send less at once")


def check_media_type(request: Request, wanted: str) -> None:
    """Raises `InputError` where the body is of another media type than the one that is wanted."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != wanted:
        raise InputError(
            "unsupported_media_type",
            f"the body is {given[:80]!r}" if given else "the body's media type is not stated",
            where="headers: Content-Type",
            remedy=f"send {wanted}",
        )


_SCHEMAS: dict[str, Any] = {}


def taken(model: type[BaseModel]) -> dict[str, Any]:
    """What a description says of an endpoint that reads its body by a model."""
    _register(model)
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def asked(model: type[BaseModel]) -> dict[str, Any]:
    """The same, where it reads its parameters by one."""
    shape = model.model_json_schema(ref_template="#/components/schemas/{model}")
    required = set(shape.get("required", ()))
    return {
        "parameters": [
            {"name": name, "in": "query", "required": name in required, "schema": schema}
            for name, schema in shape.get("properties", {}).items()
        ]
    }


def _register(model: type[BaseModel]) -> None:
    shape = model.model_json_schema(ref_template="#/components/schemas/{model}")
    _SCHEMAS.update(shape.pop("$defs", {}))
    _SCHEMAS[model.__name__] = shape


def body_schemas() -> dict[str, Any]:
    """The JSON Schemas of all bodies that some endpoint reads, by name."""
    return dict(_SCHEMAS)
