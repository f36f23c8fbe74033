"""`toulmin doctor`: whether all is well with a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.options import (
    JsonOption,
    WorkspaceOption,
    reads_as,
)
from toulmin.surfaces.cli.terminal import clean, counted, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toulmin.application.health import Check


@reads_as
def doctor(
    *,
    who: Principal,
    workspace: WorkspaceOption = None,
    offline: Annotated[bool, typer.Option("--offline", help="Ask nothing of a model's provider.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Look for what is wrong with store, index, settings, model. Exit code 8 if anything is."""
    from toulmin.application.doctor import diagnose
    from toulmin.application.health import Grade
    from toulmin.surfaces.settings import find_workspace, load
    from toulmin.surfaces.wiring import patient

    checks = diagnose(patient(load(workspace or find_workspace(Path())), offline=offline), who)
    wrong = sum(check.grade is Grade.WRONG for check in checks)
    if as_json:
        print_json({"schema": "toulmin.doctor/1", "well": not wrong, "checks": [_shape(check) for check in checks]})
    else:
        _print(checks, wrong)
    return Exit.CHECK_FAILED if wrong else Exit.SUCCESS


def _shape(check: Check) -> dict[str, Any]:
    return {
        "name": check.name,
        "grade": check.grade.value,
        "message": check.message,
        "facts": dict(check.facts),
        "remedy": check.remedy,
    }


def _print(checks: Sequence[Check], wrong: int) -> None:
    for check in checks:
        typer.echo(clean(f"{check.grade:<8} {check.name}: {check.message}"))
        if check.remedy:
            typer.echo(clean(f"         try: {check.remedy}"))
    warnings = sum(check.grade.value == "warning" for check in checks)
    typer.echo(
        f"{counted(wrong, 'thing')} wrong, {counted(warnings, 'warning')}" if wrong or warnings else "all is well"
    )
