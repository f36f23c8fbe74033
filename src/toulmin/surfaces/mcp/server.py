"""One server for every transport: the tools and resources over a desk, on behalf of whoever each request comes from."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)
from pydantic import ValidationError

from toulmin import __version__
from toulmin.domain.errors import Conflict, InputError, StoreFault, ToulminError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.desk import Desk
from toulmin.surfaces.mcp.rendering import QUOTED
from toulmin.surfaces.mcp.resources import TEMPLATES, listed, read_resource
from toulmin.surfaces.mcp.tools import TOOLS, Call, failed
from toulmin.wire.error import error_json

_log = logging.getLogger(__name__)

_INSTRUCTIONS = (
    "Answers questions from controlled documents, and keeps the proof. Use ask for an answer, search to read for yourself, review to check "
    f"sentences of your own against stored documents, get_packet for the record of an answer. {QUOTED}"
)

Context = ServerRequestContext[Any]
PrincipalOf = Callable[[Context], Principal]
"""On whose behalf a request is; never what the request says of itself."""


def create_server(desk: Desk, who: PrincipalOf) -> Server[Any]:
    """The server; `who` tells the principal of each request."""

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[tool.definition for tool in TOOLS.values()])

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name[:80]!r}")
        call = Call(desk=desk, who=who(context), arguments=params.arguments or {}, progress=_progress(context))
        try:
            return await tool.answer(call)
        except ToulminError as fault:
            return failed(_told(fault))

    async def list_resources(_: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        try:
            return ListResourcesResult(resources=await listed(desk))
        except ToulminError as fault:
            raise _error(fault) from None

    async def list_templates(_: Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        try:
            return await read_resource(params.uri, desk, who(context))
        except ToulminError as fault:
            raise _error(fault) from None

    server: Server[Any] = Server(
        "toulmin",
        version=__version__,
        title="toulmin",
        instructions=_INSTRUCTIONS,
        get_tool_input_schema=_input_schema,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
    )
    server.middleware.append(_without_insides)
    return server


def _input_schema(name: str) -> Mapping[str, Any] | None:
    return TOOLS[name].definition.input_schema if name in TOOLS else None


def _progress(context: Context) -> Callable[[str], Awaitable[None]]:
    """Tells progress in steps that count up; without effect where the caller did not ask for it."""
    steps = 0

    async def tell(words: str) -> None:
        nonlocal steps
        steps += 1
        await context.session.report_progress(steps, message=words)

    return tell


def _error(fault: ToulminError) -> MCPError:
    """A fault as the protocol's error, with ours as its data."""
    code = INVALID_PARAMS if isinstance(fault, InputError) else INTERNAL_ERROR
    told = _told(fault)
    return MCPError(code, told.message, error_json(told))


def _told(fault: ToulminError) -> ToulminError:
    """A fault as callers hear of it: what is wrong with the workspace's own files is for its operator, and told to the log alone."""
    if not isinstance(fault, StoreFault | Conflict):
        return fault
    _log.error("%s", fault)
    remedy = "try again later" if fault.retryable else "tell whoever runs this"
    return type(fault)(fault.code, "it cannot be done now", remedy=remedy)


async def _without_insides(ctx: Context, call_next: CallNext) -> HandlerResult:
    """The boundary of the server: what nobody foresaw is told to the log by kind and place, and to the caller as just that.

    Its message is told to neither: it may hold words of a document.
    """
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as fault:  # noqa: BLE001 - this is where it ends
        where = traceback.extract_tb(fault.__traceback__)[-1]
        _log.error("unexpected %s in %s at %s:%s", type(fault).__name__, ctx.method, where.name, where.lineno)
        raise MCPError(INTERNAL_ERROR, "something unexpected went wrong") from None
