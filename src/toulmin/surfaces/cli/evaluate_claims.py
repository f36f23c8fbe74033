"""`toulmin eval claims`: how good judgement is, measured on labelled claims."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.errors import InputError
from toulmin.surfaces.cli.bounds import MaxOption, MinOption, bounds, judged_by
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.progress import bar
from toulmin.surfaces.cli.terminal import counted, print_json, table

if TYPE_CHECKING:
    from toulmin.application.parts import Parts
    from toulmin.domain.policy import Policy
    from toulmin.evaluation.labels import LabelledClaim
    from toulmin.evaluation.results import Assessed, Results
    from toulmin.ports.judge import Judge

ORACLES = "oracles"
_SHOWN = (
    "accuracy",
    "false_accept_rate",
    "false_rejection_rate",
    "objected_not_supported",
    "objected_supported",
)
"""What the terminal shows of each part; JSON and HTML have all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """Judges by the names that they were asked for by, None for the deterministic checks alone, and the policy of their verdicts."""

    judges: dict[str, Judge | None]
    policy: Policy


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
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            metavar="RANGE",
            help="Only groups whose SHA-256 begins with one of these hex digits, as 0-7: a lasting split.",
        ),
    ] = None,
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
    from toulmin.evaluation.results import lines, results_json

    stated = bounds(minima, maxima, names())
    digits = _digits(groups)
    chosen = _chosen(read_labelled(datasets), phenomena, digits)
    results = _assessed(chosen, _bench(workspace, judges))
    if rows_file is not None:
        _write(rows_file, (json.dumps(line, ensure_ascii=False) + "\n" for line in lines(results)))
    if html is not None:
        from toulmin.evaluation.page import page

        _write(html, [page(results, [path.name for path in datasets])])
    if as_json:
        print_json(results_json(results))
    else:
        _print(results)
    several = len(results.judges) > 1
    return judged_by(stated, {item.name if several else "": item.report for item in results.judges})


def _digits(groups: str | None) -> str | None:
    """The hex digits of a range such as `0-7`, or of a single one; None where no range is given."""
    if groups is None:
        return None
    digits = "0123456789abcdef"
    found = re.fullmatch(r"([0-9a-f])(?:-([0-9a-f]))?", groups)
    chosen = digits[digits.index(found[1]) : digits.index(found[2] or found[1]) + 1] if found else ""
    if not chosen:
        raise InputError("usage", f"--groups {groups!r} is no range of hex digits", remedy="write for instance 0-7")
    return chosen


def _chosen(
    read: Sequence[LabelledClaim], phenomena: Sequence[str] | None, digits: str | None
) -> tuple[LabelledClaim, ...]:
    """The claims that the options ask for, those left out counted on stderr; raises `InputError` where none is left."""
    from toulmin.evaluation.labels import hashed_into

    known = {claim.phenomenon for claim in read}
    for name in phenomena or ():
        if name not in known:
            there = ", ".join(sorted(filter(None, known))) or "none"
            raise InputError("usage", f"--phenomenon {name}: no claim has it", remedy=f"the dataset has: {there}")
    chosen = tuple(
        claim
        for claim in read
        if (not phenomena or claim.phenomenon in phenomena) and (digits is None or hashed_into(claim, digits))
    )
    if not chosen:
        raise InputError("empty_dataset", "no claim is left to measure", remedy="ask for more groups or phenomena")
    if len(chosen) < len(read):
        typer.echo(f"note: {len(chosen)} of {counted(len(read), 'claim')}, as --phenomenon and --groups say", err=True)
    return chosen


def _bench(folder: Path | None, names: Sequence[str] | None) -> _Bench:
    """The judges by their kinds, in the order in which they were asked for; outside a workspace there are only the oracles."""
    from toulmin.domain.policy import Policy
    from toulmin.surfaces.settings import find_workspace

    wanted = list(dict.fromkeys(names)) if names else None
    try:
        place = folder or find_workspace(Path())
    except InputError:
        if wanted not in (None, [ORACLES]):
            raise
        return _Bench(judges={ORACLES: None}, policy=Policy())
    return _configured(place, wanted)


def _configured(place: Path, wanted: Sequence[str] | None) -> _Bench:
    from toulmin.surfaces.sync import Workspace

    with Workspace.open(place) as workspace:
        kind, parts = workspace.settings.judge.kind, workspace.parts
        found: dict[str, Judge | None] = {}
        for name in wanted or [kind]:
            if name not in (ORACLES, kind):
                advice = f"use {ORACLES}, or set kind in [judge] of toulmin.toml"
                raise InputError("usage", f"--judge {name} is not configured", remedy=advice)
            found[name] = None if name == ORACLES else _ready(parts, kind)
        return _Bench(judges=found, policy=parts.policy)


def _ready(parts: Parts, kind: str) -> Judge:
    """The judge, if it is there, and if the claims of a dataset, which no label protects, may be sent to where it is."""
    judge = parts.judge
    if judge is None:
        raise InputError("no_judge", f"this version has no judge of the kind {kind}", remedy="see toulmin doctor")
    if not (judge.on_this_host or parts.judge_approved):
        message = f"the judge {kind} is not on this host, and nobody approved that text is sent to it"
        raise InputError(
            "egress_denied", message, remedy="set external = true in [judge] once a person has approved it"
        )
    return judge


def _assessed(chosen: Sequence[LabelledClaim], bench: _Bench) -> Results:
    import asyncio

    from toulmin.evaluation.judging import ruled
    from toulmin.evaluation.results import Assessed, Results
    from toulmin.evaluation.rulings import majority, overlap

    judges = []
    for name, judge in bench.judges.items():
        with bar(f"claims, {name}") as advance:
            rulings = asyncio.run(ruled(chosen, judge, bench.policy, lambda done: advance(done, len(chosen), "")))
        judges.append(Assessed.of(name, chosen, rulings))
    baselines = (("majority", majority), ("overlap", overlap))
    return Results(
        claims=tuple(chosen),
        policy=bench.policy.version,
        judges=tuple(judges),
        baselines=tuple(Assessed.of(name, chosen, rule(chosen)) for name, rule in baselines),
    )


def _write(path: Path, parts: Iterable[str]) -> None:
    try:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(parts)
    except OSError as error:
        message = f"the file cannot be written: {error.strerror}"
        raise InputError("unwritable_file", message, where=str(path), remedy="name a file that you may write") from None


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
