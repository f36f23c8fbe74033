"""`toulmin keys`: the keys that sign packets and checkpoints of the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.terminal import clean, print_json

app = typer.Typer(help="Keys that sign: new.")

_DEFAULT = "keys/signing.pem"


@app.callback()
def callback() -> None:
    """Keeps `new` a command of its own."""


@app.command()
def new(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help=f"The file to write [default: signing.key_file, or {_DEFAULT}]."),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key that signs, in a file for its owner alone. Prints the public key, which verifies: keep it, and give it to others."""
    from toulmin.surfaces.settings import find_workspace, load
    from toulmin.surfaces.wiring import make_key

    file, configured = path, None
    if file is None:
        settings = load(workspace or find_workspace(Path()))
        configured = settings.signing.key_file
        file = configured or settings.workspace / _DEFAULT
    made = make_key(file)
    if as_json:
        print_json({"schema": "toulmin.key/1", "file": str(file), "key": made.key_id, "public_key": made.public_pem})
        return
    typer.echo(made.public_pem, nl=False)
    typer.echo(clean(f"key {made.key_id}, private half in {file}"), err=True)
    if configured is None:
        typer.echo(
            clean(f'to sign with it, write in toulmin.toml: [signing] key_file = "{path or _DEFAULT}"'), err=True
        )
