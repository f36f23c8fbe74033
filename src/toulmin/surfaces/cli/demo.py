"""`toulmin demo`: the worked example, end to end."""

from __future__ import annotations

import typer

from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.terminal import print_json


def demo(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:  # noqa: ARG001 - every command takes it
    """Run the gateway sample end to end in a temporary workspace."""
    from toulmin.surfaces.cli.ask import print_answer
    from toulmin.surfaces.demo import worked_example
    from toulmin.wire.outcome import outcome_json

    lines: list[str] = []
    for item in worked_example():
        if isinstance(item, str):
            lines.append(item)
            typer.echo(item, err=as_json)
        elif as_json:
            print_json({"schema": "toulmin.demo/1", "lines": lines, "outcome": outcome_json(item)})
        else:
            typer.echo("")
            print_answer(item)
