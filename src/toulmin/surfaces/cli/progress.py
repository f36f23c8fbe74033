"""How long work comes along, on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import typer

from toulmin.surfaces.cli.terminal import clean, console, one_line

if TYPE_CHECKING:
    from toulmin.application.catchup import Step, Tell

Advance = Callable[[int, int, str], None]
"""Done, total, and what is at work."""

_WORTH_A_BAR = 5_000
"""Passages; fewer are done before a bar has been read."""


@contextmanager
def index_progress(*, asked_for: bool = False) -> Iterator[Tell]:
    """Gives the function that is told about each step; it says why the index is built anew, unless that was asked for.

    On a terminal much work has a bar: passages done of all, rate and time left.
    """
    with ExitStack() as shown:
        advance: Advance | None = None

        def tell(step: Step) -> None:
            nonlocal advance
            if step.done == 0 and step.reason and not asked_for:
                typer.echo(clean(f"note: the index cannot be used ({step.reason}): building it again"), err=True)
            if advance is None and step.total >= _WORTH_A_BAR:
                advance = shown.enter_context(bar("passages"))
            if advance is not None:
                advance(step.done, step.total, "")

        yield tell


@contextmanager
def bar(unit: str, *, shown: bool = True) -> Iterator[Advance]:
    """A bar on stderr, where that is a terminal: done of all, rate, time left, and what is at work."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    out = console(stderr=True)
    columns = (TextColumn(unit), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    last = TextColumn("{task.description}", markup=False)
    hidden = not (shown and out.is_terminal)
    with Progress(*columns, TimeRemainingColumn(), last, console=out, transient=True, disable=hidden) as progress:
        task = progress.add_task("", total=None, rate="")

        def advance(done: int, total: int, now: str) -> None:
            progress.update(task, completed=done, total=total, description=one_line(now))
            speed = progress.tasks[0].speed
            progress.update(task, rate="" if speed is None else f"{speed:.0f}/s")

        yield advance
