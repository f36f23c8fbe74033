"""`toulmin serve`: the HTTP service."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.surfaces.cli.options import WorkspaceOption, reads_as


@reads_as
def serve(
    *,
    who: Principal,
    workspace: WorkspaceOption = None,
    host: Annotated[str | None, typer.Option(metavar="H", help="Listen here [default: that of toulmin.toml].")] = None,
    port: Annotated[int | None, typer.Option(metavar="P", min=0, max=65535, help="And on this port; 0: any.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", min=1, help="So many processes.")] = None,
    development: Annotated[
        bool,
        typer.Option(
            "--development",
            help="No credentials: whoever calls is the principal of --as, --user, ... On this host alone.",
        ),
    ] = False,
) -> None:
    """Serve the workspace over HTTP, until a signal ends it. All that is wrong with the settings is said at once."""
    from toulmin.surfaces import wiring
    from toulmin.surfaces.http.checking import check_server
    from toulmin.surfaces.http.server import Serving, serve
    from toulmin.surfaces.settings import settings_of

    if who is not ANONYMOUS and not development:
        raise InputError("usage", "callers say who they are", remedy="leave the principal out, or give --development")
    settings = settings_of(workspace)
    stated = {"host": host, "port": port, "workers": workers}
    server = settings.server.model_copy(update={name: value for name, value in stated.items() if value is not None})
    chosen = replace(settings, server=server)
    check_server(chosen, wiring.policy_of(chosen), development=development)
    serving = Serving(workspace=Path(settings.workspace).resolve(), development=who if development else None)
    serve(serving, server, lambda address: typer.echo(f"listening on {address}", err=True))
