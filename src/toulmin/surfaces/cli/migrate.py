"""`toulmin migrate`: the schema of the corpus database."""

from __future__ import annotations

import typer

from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.terminal import print_json


def migrate(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Bring the corpus database to the schema of this version. A file is brought there whenever it is opened; a server's database only here."""
    from toulmin.surfaces.sync import Workspace

    migration = Workspace.migrate(workspace)
    if as_json:
        print_json({"schema": "toulmin.migrate/1", "migration": migration})
    else:
        typer.echo(f"the corpus database has schema {migration}")
