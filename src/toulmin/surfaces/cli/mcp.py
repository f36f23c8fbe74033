"""`toulmin mcp`: the corpus for an agent on this host."""

from __future__ import annotations

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption, reads_as

_VENDOR = "mcp"


@reads_as
def mcp(
    *,
    who: Principal,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,  # noqa: ARG001 - every command takes it; of this one, only a fault at its start is told so
) -> None:
    """Serve tools for agents (MCP) on standard input and output. All calls read as whoever the command names."""
    import asyncio  # here, since every other command starts sooner without it

    try:
        from toulmin.surfaces.desk import Desk
        from toulmin.surfaces.mcp.stdio import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != _VENDOR:
            raise
        raise InputError(
            "missing_extra",
            f"this needs the package {_VENDOR}, which is not installed",
            remedy='install it: pip install "toulmin[mcp]"',
        ) from None
    with opened(workspace) as place:
        asyncio.run(serve(Desk(workspace=place, follows=True), who))
