"""`toulmin eval`: how good search is, measured on labelled data."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import (
    JsonOption,
    ProfileOption,
    WorkspaceOption,
    pairs,
    reads_as,
)
from toulmin.surfaces.cli.terminal import clean, print_json, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toulmin.domain.policy import Policy
    from toulmin.evaluation.intervals import Measure
    from toulmin.evaluation.questions import Question
    from toulmin.evaluation.report import Bound, Report, Slice
    from toulmin.evaluation.retrieval import Judged
    from toulmin.surfaces.sync import Workspace

MinOption = Annotated[
    list[str] | None, typer.Option("--min", metavar="METRIC=V", help="The least that a metric may be; repeatable.")
]
MaxOption = Annotated[
    list[str] | None, typer.Option("--max", metavar="METRIC=V", help="The most that a metric may be; repeatable.")
]

app = typer.Typer(help="Evaluation on labelled data: retrieval.", no_args_is_help=True)


@app.callback()
def callback() -> None:
    """Keeps `retrieval` a command of its own."""


@app.command()
@reads_as
def retrieval(
    *,
    who: Principal,
    dataset: Annotated[
        Path, typer.Argument(metavar="DATASET", help="Questions with gold quotes, one JSON object a line.")
    ],
    workspace: WorkspaceOption = None,
    case: Annotated[
        list[str] | None,
        typer.Option(
            "--case", metavar="FIELD=VALUE", help="A fact of the case; {version} is the question's version; repeatable."
        ),
    ] = None,
    profile: ProfileOption = None,
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, help="How many passages recall looks at.")] = 5,
    minima: MinOption = None,
    maxima: MaxOption = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="List the questions whose gold was not found.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Measure whether searches find the passages that hold the answers. Exit code 8 if a bound is missed."""
    from toulmin.evaluation.questions import read_questions
    from toulmin.evaluation.report import report_json
    from toulmin.evaluation.retrieval import names, report

    bounds = _bounds(minima, maxima, names(k))
    questions, templates = read_questions(dataset), pairs("--case", case)
    with opened(workspace) as place:
        rows = list(_searched(place, questions, templates, profile or "default", who, k))
    found = report(rows, k)
    if as_json:
        print_json(report_json(found))
    else:
        _print(found, rows, k, verbose=verbose)
    return _judged_by(bounds, found)


def _searched(
    place: Workspace, questions: Sequence[Question], templates: Mapping[str, str], profile: str, who: Principal, k: int
) -> Iterator[Judged]:
    """Every question after a search as a user would make it, for the case that the templates give."""
    from toulmin.evaluation.questions import filled
    from toulmin.evaluation.retrieval import RANKS, judged

    depth = _affordable(max(k, RANKS), place.parts.policy)
    for question in questions:
        case = filled(templates, question)
        result = place.search(question.question, case=case, profile=profile, principal=who, k=depth)
        yield judged(question, [item.found for item in result.items])


def _affordable(depth: int, policy: Policy) -> int:
    """The number of passages to ask for; raises `InputError` where a search would silently give fewer."""
    if depth > policy.max_results:
        raise InputError(
            "usage",
            f"the metrics look at {depth} passages, and a search gives at most {policy.max_results}",
            remedy="lower -k, or raise max_results in the policy file",
        )
    return depth


def _bounds(minima: Sequence[str] | None, maxima: Sequence[str] | None, known: Sequence[str]) -> tuple[Bound, ...]:
    """The bounds that the options state; raises `InputError` for a metric that is not measured, or no number."""
    from toulmin.evaluation.report import Bound

    return tuple(
        Bound(name=_known(option, name, known), limit=_limit(option, text), upper=upper)
        for option, given, upper in (("--min", minima, False), ("--max", maxima, True))
        for name, text in pairs(option, given).items()
    )


def _known(option: str, name: str, known: Sequence[str]) -> str:
    if name not in known:
        raise InputError("usage", f"{option} {name}: no such metric", remedy=f"use one of {', '.join(known)}")
    return name


def _limit(option: str, text: str) -> float:
    try:
        limit = float(text)
    except ValueError:
        limit = float("nan")
    if not isfinite(limit):
        raise InputError("usage", f"{option} {text!r} is no number", remedy="write a number such as 0.9")
    return limit


def _judged_by(bounds: Sequence[Bound], report: Report) -> Exit:
    """The exit code by the bounds, each that is missed told on stderr."""
    faults = [fault for bound in bounds if (fault := bound.fault(report))]
    for fault in faults:
        typer.echo(f"missed: {fault}", err=True)
    return Exit.CHECK_FAILED if faults else Exit.SUCCESS


def _print(report: Report, rows: Sequence[Judged], k: int, *, verbose: bool) -> None:
    whole = report.whole
    parts = [(f"{name} {value}", part) for name, values in report.by.items() for value, part in values.items()]
    table(
        f"{report.kind} over the questions with gold, 95 % intervals",
        ("questions", "n", "gold", *whole.metrics),
        [_cells(title, part) for title, part in (("all", whole), *parts)],
    )
    typer.echo(
        f"passages of another version: {whole.counts['other_version_passages']} of {whole.counts['passages']} found"
    )
    if verbose:
        _print_missed(rows, k)


def _cells(title: str, part: Slice) -> tuple[str, ...]:
    return (title, str(part.n), str(part.counts["answerable"]), *map(_shown, part.metrics.values()))


def _shown(measure: Measure) -> str:
    if measure.value is None:
        return "-"
    return f"{measure.value:.3f} ({measure.low:.2f}–{measure.high:.2f})"


def _print_missed(rows: Sequence[Judged], k: int) -> None:
    from toulmin.evaluation.retrieval import found_within

    for row in rows:
        if row.question.answerable and not found_within(row, k):
            where = f"first at rank {row.rank}" if row.rank else f"not among {row.passages} passages"
            typer.echo(clean(f"missed: {row.question.id}: {where}"))
