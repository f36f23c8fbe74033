"""The server over standard input and output: one caller, who is whoever the program was started as."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from toulmin.domain.question.case import Principal
from toulmin.surfaces.desk import Desk
from toulmin.surfaces.mcp.server import create_server


async def serve(desk: Desk, who: Principal) -> None:
    """Serves until standard input ends. Meanwhile standard output carries the protocol alone: what anything else prints goes to standard error."""
    server = create_server(desk, lambda _: who)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
