"""`toulmin index`: the derived indexes."""

from __future__ import annotations

import typer

from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.progress import index_progress
from toulmin.surfaces.cli.terminal import print_json

app = typer.Typer(help="The derived indexes: rebuild, embed.", no_args_is_help=True)


@app.command()
def rebuild(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Build the indexes anew from the corpus. Searches go on with the present ones until the new ones are whole."""
    from toulmin.surfaces.sync import Workspace

    with Workspace.open(workspace) as place, index_progress(asked_for=True) as tell:
        sequence = place.rebuild(tell).sequence
    _print("built the index", sequence, as_json=as_json)


@app.command()
def embed(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Make the vectors that are missing. After a change of the embedder that is all; what is done lasts, whenever it is stopped."""
    from toulmin.surfaces.sync import Workspace

    with Workspace.open(workspace) as place, index_progress(asked_for=True) as tell:
        place.catch_up(tell)
        sequence = place.embed_anew(tell).sequence
    _print("made the vectors of all passages", sequence, as_json=as_json)


def _print(done: str, sequence: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"schema": "toulmin.index/1", "sequence": sequence})
    else:
        typer.echo(f"{done} up to change {sequence} of the corpus")
