"""`toulmin calibrate`: a threshold with a guarantee, from labelled claims, as a policy file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.errors import InputError
from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.labelled import GroupsOption, bench, chosen_claims, digits_of, write
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.progress import bar
from toulmin.surfaces.cli.terminal import clean, print_json, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toulmin.domain.policy import Policy
    from toulmin.evaluation.calibrated_policy import Calibrated
    from toulmin.evaluation.calibration import Goal, Point
    from toulmin.evaluation.labels import LabelledClaim
    from toulmin.ports.judge import Judge


def calibrate(
    *,
    labels: Annotated[
        list[Path], typer.Argument(metavar="LABELS...", help="Labelled claims, one JSON object a line; .gz too.")
    ],
    max_false_accept: Annotated[
        float,
        typer.Option("--max-false-accept", metavar="A", help="Of claims that are not supported, the most to deliver."),
    ],
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="C", help="How sure that has to be, at least 0.5.")
    ] = 0.95,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the policy there [default: nowhere].")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write it even where the file exists.")] = False,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="KIND", help="The kind of [judge] in toulmin.toml [default: that].")
    ] = None,
    contradicted: Annotated[
        float | None,
        typer.Option(
            "--contradicted", metavar="P", help="The policy's threshold for contradicted, as it stands [default: kept]."
        ),
    ] = None,
    groups: GroupsOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> int:
    """Choose a threshold from labelled claims. Exit code 8 if none keeps the promise."""
    from toulmin.evaluation.calibrated_policy import calibration_json
    from toulmin.evaluation.calibration import Goal
    from toulmin.evaluation.labels import read_labelled

    goal = Goal(max_false_accept=max_false_accept, confidence=confidence)
    if out is not None and out.exists() and not force:
        raise InputError("file_exists", "the file exists", where=str(out), remedy="name another, or add --force")
    claims = chosen_claims(read_labelled(labels), None, digits_of(groups))
    asked, policy = _judge(workspace, judge)
    base = policy if contradicted is None else replace(policy, contradicted=contradicted)
    made = _made(claims, asked, base, goal)
    written = out if made.policy is not None else None
    if written is not None:
        write(written, [made.file()], anew=not force)
    if as_json:
        print_json(calibration_json(made, None if written is None else str(written)))
    else:
        _print(made, written)
    if made.policy is None:
        typer.echo(f"missed: {_why_none(made)}", err=True)
    return Exit.SUCCESS if made.policy is not None else Exit.CHECK_FAILED


def _judge(workspace: Path | None, kind: str | None) -> tuple[Judge, Policy]:
    """The judge that is configured, ready to be asked, and the workspace's policy."""
    found = bench(workspace, None if kind is None else [kind])
    (judge,) = found.judges.values()
    if judge is None:
        raise InputError(
            "no_judge",
            "there is no judge whose threshold could be set: oracles decide without one",
            remedy="set kind in [judge] of toulmin.toml, and calibrate in that workspace",
        )
    return judge, found.policy


def _made(claims: Sequence[LabelledClaim], judge: Judge, base: Policy, goal: Goal) -> Calibrated:
    """The calibration; whether there are labels enough is known, and told, before any claim is judged."""
    import asyncio

    from toulmin.evaluation.calibrated_policy import Calibrated
    from toulmin.evaluation.calibration import THRESHOLDS, calibrated
    from toulmin.evaluation.judging import scored
    from toulmin.evaluation.labels import Label

    goal.require(len({claim.group for claim in claims if claim.label is not Label.SUPPORTED}))
    with bar("claims") as advance:
        rows = asyncio.run(scored(claims, judge, base, THRESHOLDS, lambda done: advance(done, len(claims), "")))
    return Calibrated(calibration=calibrated(rows, goal), judge=judge.profile, claims=tuple(claims), base=base)


def _why_none(made: Calibrated) -> str:
    goal, first = made.calibration.goal, made.calibration.curve[0]
    seen = f"no threshold keeps it: even under 1, {first.false_accepts} of {first.n} are delivered"
    if first.false_accepts < goal.max_false_accept * first.n:
        least = goal.needed(first.false_accepts)
        return f"{seen}; with so many of them it takes at least {least} labelled claims that are not supported"
    return f"{seen}; these are verbatim, or the judge is certain of them: look at eval claims --rows"


def _print(made: Calibrated, written: Path | None) -> None:
    from toulmin.evaluation.calibrated_policy import promise

    found = made.calibration
    table(
        f"{promise(found.goal)}; judge {made.judge}",
        ("down to", "false accepts", "at most", "", "completeness", "coverage"),
        [_cells(point) for point in _turns(found.curve)],
    )
    chosen, policy = found.chosen, made.policy
    if chosen is None or policy is None:
        return
    typer.echo(
        f"chosen: {chosen.threshold:g}, under which {chosen.false_accepts} of {chosen.n} independent claims that are not "
        "supported are delivered"
    )
    typer.echo("it holds for claims drawn as these were, one of each group; measure it on others: toulmin eval claims")
    if written is None:
        typer.echo("nothing is written: name a file with --out")
    else:
        typer.echo(clean(f"wrote {written}: policy {policy.version}; it is in force where [policy] file names it"))


def _turns(curve: Sequence[Point]) -> Iterator[Point]:
    """The lowest of thresholds that do the same."""
    for point, below in zip(curve, (*curve[1:], None), strict=True):
        if below is None or _effect(point) != _effect(below):
            yield point


def _effect(point: Point) -> tuple[float | None, ...]:
    return (point.false_accepts, point.completeness, point.coverage)


def _cells(point: Point) -> tuple[str, ...]:
    return (
        f"{point.threshold:g}",
        f"{point.false_accepts}/{point.n}",
        f"{point.upper:.4f}",
        "passes" if point.passes else "",
        "-" if point.completeness is None else f"{point.completeness:.3f}",
        f"{point.coverage:.3f}",
    )
