"""`toulmin eval compare`: two results against each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.errors import InputError
from toulmin.surfaces.cli.options import JsonOption
from toulmin.surfaces.cli.terminal import clean, counted, print_json, table

if TYPE_CHECKING:
    from toulmin.evaluation.comparison import Comparison, Difference

_NO_CLAIM = "no claim"
_FILE = "Metrics (what --json printed) or rows (.jsonl, what --rows wrote)."


def compare(
    *,
    a: Annotated[Path, typer.Argument(metavar="A", help=_FILE)],
    b: Annotated[Path, typer.Argument(metavar="B", help=_FILE)],
    judges: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="Whose, where a file holds several: one name for both files, or one for each.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what B differs by from A, with intervals.

    Claim by claim, or question by question, where both files hold rows.
    """
    from toulmin.evaluation.comparison import compared, comparison_json, read_side

    of_a, of_b = _each(judges)
    found = compared(read_side(a, of_a), read_side(b, of_b))
    if as_json:
        print_json(comparison_json(found))
    else:
        _print(found)


def _each(judges: Sequence[str] | None) -> tuple[str | None, str | None]:
    match list(judges or ()):
        case []:
            return None, None
        case [one]:
            return one, one
        case [one, other]:
            return one, other
        case many:
            raise InputError("usage", f"--judge is given {len(many)} times", remedy="name one judge for each file")


def _print(found: Comparison) -> None:
    typer.echo(clean(f"A: {found.a}\nB: {found.b}"))
    table(
        _how(found),
        (found.kind, "A", "B", "B - A", "B is"),
        [(name.replace("_", " "), *_cells(item)) for name, item in found.metrics.items()],
    )
    if any(item.claimed is False for item in found.metrics.values()):
        typer.echo(f"{_NO_CLAIM}: the interval holds 0, so no difference can be claimed")
    for n, side in ((found.only_a, "A"), (found.only_b, "B")):
        if n:
            typer.echo(f"left out: {counted(n, _thing(found))} that only {side} has")


def _thing(found: Comparison) -> str:
    """What the rows of the two files are about."""
    return "claim" if found.kind == "claims" else "question"


def _how(found: Comparison) -> str:
    if found.paired is None:
        return "two files without verdicts on the same rows, as independent samples, 95 % intervals"
    thing = _thing(found)
    return f"{counted(found.paired, thing)} that both judged, {thing} by {thing}, 95 % intervals"


def _cells(item: Difference) -> tuple[str, str, str, str]:
    """A, B, B minus A, and what may be said of it."""
    from toulmin.evaluation.intervals import briefly

    by = item.difference
    if by.value is None or by.low is None or by.high is None:
        return briefly(item.a), briefly(item.b), "-", ""
    if item.claimed is None:
        return f"{item.a.value:g}", f"{item.b.value:g}", f"{by.value:+g}", "a count"
    claim = _NO_CLAIM if not item.claimed else "higher" if by.value > 0 else "lower"
    return briefly(item.a), briefly(item.b), f"{by.value:+.2f} ({by.low:+.2f} to {by.high:+.2f})", claim
