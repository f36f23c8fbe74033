"""How work on the index comes along, on stderr."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import typer

from toulmin.surfaces.cli.terminal import clean, console

if TYPE_CHECKING:
    from toulmin.application.catchup import Step, Tell

_WORTH_A_BAR = 5_000
"""Passages; fewer are done before a bar has been read."""


@contextmanager
def index_progress(*, asked_for: bool = False) -> Iterator[Tell]:
    """Gives the function that is told about each step; it says why the index is built anew, unless that was asked for.

    On a terminal much work has a bar: passages done of all, rate and time left.
    """
    with ExitStack() as shown:
        bar: Tell | None = None

        def tell(step: Step) -> None:
            nonlocal bar
            if step.done == 0 and step.reason and not asked_for:
                typer.echo(clean(f"note: the index cannot be used ({step.reason}): building it again"), err=True)
            if bar is None and step.total >= _WORTH_A_BAR:
                bar = shown.enter_context(_bar())
            if bar is not None:
                bar(step)

        yield tell


@contextmanager
def _bar() -> Iterator[Tell]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    out = console(stderr=True)
    columns = (TextColumn("passages"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, TimeRemainingColumn(), console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def tell(step: Step) -> None:
            bar.update(task, completed=step.done, total=step.total)
            rate = bar.tasks[0].speed
            bar.update(task, description="" if rate is None else f"{rate:.0f}/s")

        yield tell
