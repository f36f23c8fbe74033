"""`toulmin index`: the derived index."""

from __future__ import annotations

from pathlib import Path

import typer

from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.terminal import print_json

app = typer.Typer(help="The derived index: rebuild.")


@app.callback()
def callback() -> None:
    """Keeps `rebuild` a command of its own."""


@app.command()
def rebuild(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Build the index anew from the corpus."""
    from toulmin.surfaces.settings import find_workspace, load
    from toulmin.surfaces.sync import Workspace
    from toulmin.surfaces.wiring import destroy_index

    settings = load(find_workspace(workspace or Path()))
    destroy_index(settings)
    with Workspace.open(settings.workspace) as place:
        sequence = place.catch_up()
    if as_json:
        print_json({"schema": "toulmin.index/1", "sequence": sequence})
    else:
        typer.echo(f"built the index up to change {sequence} of the corpus")
