"""`toulmin export` and `toulmin import`: a store as one file, to move it between SQLite and PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.terminal import counted, print_json

_FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The file.", show_default=False)]


def export(file: _FileArgument, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Write the whole corpus database to a new file.

    It holds documents, whoever may read them, packets, approvals and ledger, and is made for its owner alone.
    """
    from toulmin.surfaces.transfer import export_store

    _print("exported", export_store(file, workspace), as_json=as_json)


def import_(file: _FileArgument, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Fill an empty corpus database with an exported one. All identities stay."""
    from toulmin.surfaces.transfer import import_store

    _print("imported", import_store(file, workspace), as_json=as_json)


def _print(done: str, rows: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"schema": "toulmin.transfer/1", "rows": rows})
    else:
        typer.echo(f"{done} {counted(rows, 'row')}")
