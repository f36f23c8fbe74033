"""Opening the workspace of a command, with its index caught up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from toulmin.domain.errors import ToulminError
from toulmin.surfaces.cli.progress import index_progress
from toulmin.surfaces.cli.terminal import clean, counted

if TYPE_CHECKING:
    from toulmin.application.catchup import CaughtUp
    from toulmin.surfaces.sync import Workspace


@contextmanager
def recording(folder: Path | None) -> Iterator[Workspace]:
    """The workspace at a folder or above the current one, its index as it is.

    What the command records in the ledger is sealed at its end; where that is not possible, it is said on stderr, and stays to be sealed.
    """
    from toulmin.surfaces.sync import Workspace

    with Workspace.open(folder) as workspace:
        recorded = workspace.recorded()
        yield workspace
        if workspace.recorded() > recorded:
            _seal(workspace)


@contextmanager
def opened(folder: Path | None) -> Iterator[Workspace]:
    """The same, its index brought up with the corpus, or said on stderr how far it lags."""
    from toulmin.application.catchup import EMBEDDED

    with recording(folder) as workspace:
        with index_progress() as tell:
            reached = workspace.catch_up(tell)
        if reached.lag:
            lag = counted(reached.lag, "change")
            typer.echo(f"note: the index is {lag} behind the corpus: another process is bringing it up", err=True)
        with index_progress(asked_for=True) as tell:
            tell_lag(workspace.embed(tell, most=EMBEDDED))
        yield workspace


def tell_lag(embedded: CaughtUp | None) -> None:
    """Says on stderr what an index by meaning lacks, and why: searches find these passages by their words alone."""
    if embedded is None or not embedded.lag:
        return
    missing = counted(embedded.passages, "passage")
    why = f" ({embedded.fault.message})" if embedded.fault else ""
    note = f"note: {missing} without vectors yet{why}, found by words alone: toulmin index embed makes them"
    typer.echo(clean(note), err=True)


def tell_left_out(code: str | None) -> None:
    """Says on stderr that a search went by words alone, where vectors were to be asked and could not."""
    if code is not None:
        typer.echo(clean(f"note: found by words alone: the passages' vectors could not be asked ({code})"), err=True)


def _seal(workspace: Workspace) -> None:
    try:
        workspace.seal_ledger()
    except ToulminError as fault:  # what the command did is done
        typer.echo(clean(f"note: the ledger was not sealed: {fault}"), err=True)
