"""`toulmin init`: a workspace with the sample."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.terminal import print_json
from toulmin.surfaces.sample import write_sample

_NEXT = "toulmin ingest documents"


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make, or an empty one.")],
    workspace: WorkspaceOption = None,  # noqa: ARG001 - every command takes it; this one makes its own
    as_json: JsonOption = False,
) -> None:
    """Make a workspace with the gateway sample. It has toulmin.toml, contracts/ and documents/."""
    write_sample(folder)
    if as_json:
        print_json({"schema": "toulmin.init/1", "workspace": str(folder), "next": _NEXT})
        return
    typer.echo(f"made a workspace in {folder}\nnext: cd {quote(str(folder))} && {_NEXT}")
