"""`toulmin eval`: how good search and judgement are, measured on labelled data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.bounds import MaxOption, MinOption, bounds, judged_by
from toulmin.surfaces.cli.evaluate_answers import TemplatesOption, answers
from toulmin.surfaces.cli.evaluate_claims import claims
from toulmin.surfaces.cli.evaluate_compare import compare
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
    from toulmin.evaluation.questions import Question
    from toulmin.evaluation.report import Report, Slice
    from toulmin.evaluation.retrieval import Judged
    from toulmin.surfaces.sync import Workspace

app = typer.Typer(help="Measure on labelled data: retrieval, claims, answers, compare.", no_args_is_help=True)
app.command()(claims)
app.command()(answers)
app.command()(compare)


@app.command()
@reads_as
def retrieval(
    *,
    who: Principal,
    dataset: Annotated[
        Path, typer.Argument(metavar="DATASET", help="Questions with gold quotes, one JSON object a line.")
    ],
    workspace: WorkspaceOption = None,
    case: TemplatesOption = None,
    profile: ProfileOption = None,
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, help="How many passages recall looks at.")] = 5,
    minima: MinOption = None,
    maxima: MaxOption = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="List the questions whose gold was not found.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Measure how well searches find the answers. Exit code 8 if a bound is missed."""
    from toulmin.evaluation.questions import read_questions
    from toulmin.evaluation.report import report_json
    from toulmin.evaluation.retrieval import names, report

    stated = bounds(minima, maxima, names(k))
    questions, templates = read_questions(dataset), pairs("--case", case)
    with opened(workspace) as place:
        rows = list(_searched(place, questions, templates, profile or "default", who, k))
    found = report(rows, k)
    if as_json:
        print_json(report_json(found))
    else:
        _print(found, rows, k, verbose=verbose)
    return judged_by(stated, {"": found})


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
    from toulmin.evaluation.intervals import in_words

    return (title, str(part.n), str(part.counts["answerable"]), *map(in_words, part.metrics.values()))


def _print_missed(rows: Sequence[Judged], k: int) -> None:
    from toulmin.evaluation.retrieval import found_within

    for row in rows:
        if row.question.answerable and not found_within(row, k):
            where = f"first at rank {row.rank}" if row.rank else f"not among {row.passages} passages"
            typer.echo(clean(f"missed: {row.question.id}: {where}"))
