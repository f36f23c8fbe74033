"""`toulmin index`: the derived index."""

from __future__ import annotations

import typer

from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.progress import index_progress
from toulmin.surfaces.cli.terminal import print_json

app = typer.Typer(help="The derived index: rebuild.")


@app.callback()
def callback() -> None:
    """Keeps `rebuild` a command of its own."""


@app.command()
def rebuild(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Build the index anew from the corpus. Searches go on with the present one until the new one is whole."""
    from toulmin.surfaces.sync import Workspace

    with Workspace.open(workspace) as place, index_progress(asked_for=True) as tell:
        sequence = place.rebuild(tell).sequence
    if as_json:
        print_json({"schema": "toulmin.index/1", "sequence": sequence})
    else:
        typer.echo(f"built the index up to change {sequence} of the corpus")
