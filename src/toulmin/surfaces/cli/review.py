"""`toulmin review`: verdicts on claims, beside their evidence or as a text with citation markers says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption, reads_as
from toulmin.surfaces.cli.progress import bar
from toulmin.surfaces.cli.terminal import clean, json_line, one_line, print_json, print_json_list

if TYPE_CHECKING:
    from toulmin.domain.claims.report import ReviewReport
    from toulmin.surfaces.sync import Workspace

_AT_ONCE = 64
"""Pairs that are reviewed in one step: the bar moves, and what they came to is put away."""


@reads_as
def review(
    *,
    who: Principal,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Pairs as JSON lines; with --packet a text with citation markers.")
    ],
    packet: Annotated[
        str | None, typer.Option("--packet", metavar="ID", help="Review a text against this packet's evidence.")
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether the evidence supports each claim, and why."""
    text = None if packet is None else _text(file)
    if packet is None and file.suffix in _TEXTS:
        raise InputError("usage", f"{file} is a text", remedy="name the packet that it answers from: --packet pk-...")
    with opened(workspace) as place:
        if packet is None or text is None:
            _review_pairs(file, place, who, as_json=as_json)
        else:
            _review_text(text, place.review_text(text, packet, principal=who), as_json=as_json)


def _review_pairs(file: Path, place: Workspace, who: Principal, *, as_json: bool) -> None:
    """Reviews the pairs a few at a time, and shows all results at the end; until then they lie on disk: there may be very many."""
    from toulmin.domain.claims.report import ReviewReport
    from toulmin.evaluation.pairs import read_pairs
    from toulmin.wire.review import review_json

    pairs = read_pairs(file)
    counts: Counter[str] = Counter()
    whole = ReviewReport(policy=place.parts.policy.version, claims=())
    with TemporaryFile("w+", encoding="utf-8", newline="\n") as kept:
        with bar("claims") as advance:
            for start in range(0, len(pairs), _AT_ONCE):
                report = place.review_pairs(pairs[start : start + _AT_ONCE], principal=who)
                counts.update(_counts(report))
                whole = replace(whole, fault=whole.fault or report.fault)
                kept.writelines(map(json_line, review_json(report)["results"]) if as_json else _lines(report))
                advance(start + len(report.claims), len(pairs), "")
        kept.seek(0)
        _note_fault(whole)
        if as_json:
            shape: dict[str, Any] = {**review_json(whole)}
            shape.pop("results")
            print_json_list(shape, "results", kept)
        else:
            for line in kept:
                typer.echo(line, nl=False)
            typer.echo(_sum(counts, whole))


def _review_text(text: str, report: ReviewReport, *, as_json: bool) -> None:
    _note_fault(report)
    if as_json:
        from toulmin.wire.review import review_json

        print_json(review_json(report))
        return
    for line in _lines(report):
        typer.echo(line, nl=False)
    for finding in report.findings:
        words = one_line(text[finding.start : finding.end])
        typer.echo(clean(f'at {finding.start}-{finding.end}, "{words}": {finding.says}'))
    typer.echo(_sum(_counts(report), report))


def _note_fault(report: ReviewReport) -> None:
    if report.fault is not None:
        typer.echo(f"note: {_FAULTS.get(report.fault, _FAILED.format(report.fault))}", err=True)


_FAULTS = {
    "egress_denied": "the judge is not on this host and was not asked: [judge] external = true approves it, labels permitting"
}
_FAILED = "the judge failed ({}); `toulmin doctor` says what works with it"
_TEXTS = frozenset({".md", ".markdown", ".txt", ".rst"})


def _text(file: Path) -> str:
    from toulmin.wire.source import decoded, read_file

    return decoded(read_file(file, str(file)), str(file))


def _lines(report: ReviewReport) -> Iterator[str]:
    """What is shown of each claim, line by line."""
    for item in report.claims:
        verdict = item.verdict
        yield _line(f"{item.id}  {verdict.status}: {one_line(item.claim)}")
        if verdict.reason:
            yield _line(f"    {one_line(verdict.reason)}")
        for objection in verdict.objections:
            start, end = objection.claim
            yield _line(f'    {objection.oracle}, at "{one_line(item.claim[start:end])}": {objection.says}')
        for citation in item.citations:
            state = "" if citation.state.value == "current" else f" ({citation.state.value.replace('_', ' ')})"
            yield _line(f"    cites {citation.source}, {citation.span}{state}")


def _line(text: str) -> str:
    return clean(text) + "\n"


def _counts(report: ReviewReport) -> Counter[str]:
    return Counter(item.verdict.status.value for item in report.claims)


def _sum(counts: Counter[str], report: ReviewReport) -> str:
    told = [f"{counts[name]} {name}" for name in ("supported", "contradicted", "unresolved")]
    return f"{', '.join(told)}; policy {report.policy}"
