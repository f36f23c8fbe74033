"""`toulmin init`: a workspace with the sample."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.terminal import print_json

_NEXT = "toulmin ingest documents"


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make, or an empty one.")],
    workspace: WorkspaceOption = None,  # noqa: ARG001 - every command takes it; this one makes its own
    as_json: JsonOption = False,
) -> None:
    """Make a workspace with the gateway sample. It has toulmin.toml, contracts/ and documents/.

    Where the extra "models" is installed, its judge and its embedder are set in toulmin.toml.
    """
    from toulmin.surfaces.sample import write_sample
    from toulmin.surfaces.wiring import has_local_embedder, has_local_judge

    judge = "onnx" if has_local_judge() else "oracles"
    embedder = "onnx" if has_local_embedder() else "none"
    write_sample(folder, local_judge=judge == "onnx", local_embedder=embedder == "onnx")
    made = {"workspace": str(folder), "judge": judge, "embedder": embedder, "next": _NEXT}
    if as_json:
        print_json({"schema": "toulmin.init/1", **made})
        return
    typer.echo(
        f"made a workspace in {folder} (judge of open questions: {judge}; embedder: {embedder})\n"
        f"next: cd {quote(str(folder))} && {_NEXT}"
    )
