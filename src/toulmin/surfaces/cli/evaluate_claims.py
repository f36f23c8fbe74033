"""`toulmin eval claims`: how good judgement is, measured on labelled claims."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.surfaces.cli.bounds import MaxOption, MinOption, bounds, judged_by
from toulmin.surfaces.cli.labelled import GroupsOption, bench, chosen_claims, digits_of, write
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.progress import bar
from toulmin.surfaces.cli.terminal import counted, print_json, table

if TYPE_CHECKING:
    from toulmin.evaluation.labels import LabelledClaim
    from toulmin.evaluation.results import Assessed, Results
    from toulmin.surfaces.cli.labelled import Bench

_SHOWN = (
    "accuracy",
    "false_accept_rate",
    "false_rejection_rate",
    "objected_not_supported",
    "objected_supported",
)
"""What the terminal shows of each part; JSON and HTML have all of it."""


def claims(
    *,
    datasets: Annotated[
        list[Path], typer.Argument(metavar="DATASET...", help="Labelled claims, one JSON object a line; .gz too.")
    ],
    judges: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            metavar="KIND",
            help="oracles, or the kind of [judge] in toulmin.toml [default: that]; repeatable.",
        ),
    ] = None,
    workspace: WorkspaceOption = None,
    phenomena: Annotated[
        list[str] | None, typer.Option("--phenomenon", metavar="P", help="Only claims of this phenomenon; repeatable.")
    ] = None,
    groups: GroupsOption = None,
    rows_file: Annotated[
        Path | None, typer.Option("--rows", metavar="FILE", help="Write every claim's verdicts there, as JSON lines.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a report with charts there.")
    ] = None,
    minima: MinOption = None,
    maxima: MaxOption = None,
    as_json: JsonOption = False,
) -> int:
    """Measure how often verdicts on labelled claims are right. Exit code 8 if a bound is missed."""
    from toulmin.evaluation.claims import names
    from toulmin.evaluation.labels import read_labelled
    from toulmin.evaluation.report import origin_json
    from toulmin.evaluation.results import lines, results_json

    stated = bounds(minima, maxima, names())
    digits = digits_of(groups)
    chosen = chosen_claims(read_labelled(datasets), phenomena, digits)
    results = _assessed(chosen, bench(workspace, judges))
    if rows_file is not None:
        write(rows_file, (json.dumps(line, ensure_ascii=False) + "\n" for line in lines(results)))
    if html is not None:
        from toulmin.evaluation.page import page

        write(html, [page(results, [path.name for path in datasets])])
    if as_json:
        print_json({**results_json(results), **origin_json(datasets, groups)})
    else:
        _print(results)
    several = len(results.judges) > 1
    return judged_by(stated, {item.name if several else "": item.report for item in results.judges})


def _assessed(chosen: Sequence[LabelledClaim], asked: Bench) -> Results:
    import asyncio

    from toulmin.evaluation.calibration import THRESHOLDS
    from toulmin.evaluation.judging import ruled
    from toulmin.evaluation.results import Assessed, Results
    from toulmin.evaluation.rulings import majority, overlap

    thresholds = sorted({*THRESHOLDS, asked.policy.supported}, reverse=True)
    judges = []
    for name, judge in asked.judges.items():
        with bar(f"claims, {name}") as advance:
            rulings = asyncio.run(
                ruled(chosen, judge, asked.policy, lambda done: advance(done, len(chosen), ""), thresholds)
            )
        judges.append(Assessed.of(name, chosen, rulings))
    baselines = (("majority", majority), ("overlap", overlap))
    return Results(
        claims=tuple(chosen),
        policy=asked.policy.version,
        threshold=asked.policy.supported,
        judges=tuple(judges),
        baselines=tuple(Assessed.of(name, chosen, rule(chosen)) for name, rule in baselines),
    )


def _print(results: Results) -> None:
    from toulmin.evaluation.labels import Label

    _print_whole(results)
    for judge in results.judges:
        _print_confusion(judge)
        _print_oracles(judge)
        _print_parts(judge)
    unclear = sum(claim.label is Label.NOT_SUPPORTED for claim in results.claims)
    if unclear:
        left_out = counted(unclear, "claim")
        typer.echo(f"{left_out} labelled only not_supported: not in accuracy, macro_f1 and the confusion matrix")


def _print_whole(results: Results) -> None:
    from toulmin.evaluation.intervals import briefly
    from toulmin.evaluation.rulings import BASELINES

    names = results.judges[0].report.whole.metrics
    counts = ("delivered", "false_accepts")
    table(
        f"{counted(len(results.claims), 'claim')}, policy {results.policy}, 95 % intervals",
        ("", *(item.name for item in results.all)),
        [
            *((name, *(briefly(item.report.whole.metrics[name]) for item in results.all)) for name in names),
            *((name, *(str(item.report.whole.counts[name]) for item in results.all)) for name in counts),
        ],
    )
    for name, rule in BASELINES.items():
        typer.echo(f"{name}: {rule}")
    typer.echo("answer completeness is 1 - false_rejection_rate; a dash is a rate over nothing")


def _print_confusion(judge: Assessed) -> None:
    from toulmin.evaluation.claims import confusion
    from toulmin.evaluation.labels import CLASSES

    lines = [(f"labelled {label}", *map(str, line)) for label, line in zip(CLASSES, confusion(judge.rows), strict=True)]
    typer.echo("")
    table(f"{judge.name}: verdicts", ("", *CLASSES), lines)


def _print_oracles(judge: Assessed) -> None:
    from toulmin.evaluation.claims import by_oracle
    from toulmin.evaluation.intervals import briefly

    found = by_oracle(judge.rows)
    columns = ("objected_not_supported", "objected_supported")
    if found:
        table(
            f"{judge.name}: objections by oracle",
            ("", *(column.replace("_", " ") for column in columns)),
            [(name, *(briefly(measures[column]) for column in columns)) for name, measures in found.items()],
        )


def _print_parts(judge: Assessed) -> None:
    from toulmin.evaluation.intervals import briefly

    columns = ("", "n", *(metric.replace("_", " ") for metric in _SHOWN))
    for name, values in judge.report.by.items():
        lines = [
            (value, str(part.n), *(briefly(part.metrics[metric]) for metric in _SHOWN))
            for value, part in values.items()
        ]
        if lines:
            table(f"{judge.name}: by {name.replace('_', ' ')}", columns, lines)
