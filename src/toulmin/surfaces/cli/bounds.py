"""Bounds on metrics: what a measured value must reach for a command to succeed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.errors import InputError
from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.options import pairs

if TYPE_CHECKING:
    from toulmin.evaluation.report import Bound, Report

MinOption = Annotated[
    list[str] | None, typer.Option("--min", metavar="METRIC=V", help="The least that a metric may be; repeatable.")
]
MaxOption = Annotated[
    list[str] | None, typer.Option("--max", metavar="METRIC=V", help="The most that a metric may be; repeatable.")
]


def bounds(minima: Sequence[str] | None, maxima: Sequence[str] | None, known: Sequence[str]) -> tuple[Bound, ...]:
    """The bounds that the options state; raises `InputError` for a metric that is not measured, or no number."""
    from toulmin.evaluation.report import Bound

    return tuple(
        Bound(name=_known(option, name, known), limit=_limit(option, text), upper=upper)
        for option, given, upper in (("--min", minima, False), ("--max", maxima, True))
        for name, text in pairs(option, given).items()
    )


def judged_by(stated: Sequence[Bound], reports: Mapping[str, Report]) -> Exit:
    """The exit code by the bounds on every report, each that is missed told on stderr, after the report's name where it has one."""
    faults = [
        f"{name}: {fault}" if name else fault
        for name, report in reports.items()
        for bound in stated
        if (fault := bound.fault(report))
    ]
    for fault in faults:
        typer.echo(f"missed: {fault}", err=True)
    return Exit.CHECK_FAILED if faults else Exit.SUCCESS


def _known(option: str, name: str, known: Sequence[str]) -> str:
    from toulmin.evaluation.report import ENDS

    metric, _, end = name.rpartition(".")
    if name not in known and not (end in ENDS and metric in known):
        remedy = f"use one of {', '.join(known)}, or an end of its interval: {known[0]}.low, {known[0]}.high"
        raise InputError("usage", f"{option} {name}: no such metric", remedy=remedy)
    return name


def _limit(option: str, text: str) -> float:
    try:
        limit = float(text)
    except ValueError:
        limit = float("nan")
    if not isfinite(limit):
        raise InputError("usage", f"{option} {text!r} is no number", remedy="write a number such as 0.9")
    return limit
