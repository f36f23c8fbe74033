"""Opening the workspace of a command, with its index caught up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from toulmin.surfaces.cli.progress import index_progress
from toulmin.surfaces.cli.terminal import counted

if TYPE_CHECKING:
    from toulmin.surfaces.sync import Workspace


@contextmanager
def opened(folder: Path | None) -> Iterator[Workspace]:
    """The workspace at a folder or above the current one, its index brought up with the corpus, or said on stderr how far it lags."""
    from toulmin.surfaces.sync import Workspace
    from toulmin.surfaces.wiring import without_effect

    with Workspace.open(folder) as workspace:
        for setting in without_effect(workspace.settings):
            typer.echo(f"note: {setting} has no effect in this version", err=True)
        with index_progress() as tell:
            reached = workspace.catch_up(tell)
        if reached.lag:
            lag = counted(reached.lag, "change")
            typer.echo(f"note: the index is {lag} behind the corpus: another process is bringing it up", err=True)
        yield workspace
