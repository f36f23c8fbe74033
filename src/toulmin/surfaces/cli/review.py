"""`toulmin review`: verdicts on claims, beside their evidence or as a text with citation markers says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption, reads_as
from toulmin.surfaces.cli.terminal import clean, one_line, print_json

if TYPE_CHECKING:
    from toulmin.domain.claims.report import ReviewReport


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
    text = None
    if packet is not None:
        text = _text(file)
    elif file.suffix in _TEXTS:
        raise InputError("usage", f"{file} is a text", remedy="name the packet that it answers from: --packet pk-...")
    with opened(workspace) as place:
        if text is not None and packet is not None:
            report = place.review_text(text, packet, principal=who)
        else:
            from toulmin.evaluation.pairs import read_pairs

            report = place.review_pairs(read_pairs(file), principal=who)
    if report.fault is not None:
        typer.echo(f"note: {_FAULTS.get(report.fault, _FAILED.format(report.fault))}", err=True)
    if as_json:
        from toulmin.wire.review import review_json

        print_json(review_json(report))
    else:
        _print(report, text)


_FAULTS = {
    "egress_denied": "the judge is not on this host and was not asked: [judge] external = true approves it, labels permitting"
}
_FAILED = "the judge failed ({}); `toulmin doctor` says what works with it"
_TEXTS = frozenset({".md", ".markdown", ".txt", ".rst"})


def _text(file: Path) -> str:
    from toulmin.wire.source import decoded, read_file

    return decoded(read_file(file, str(file)), str(file))


def _print(report: ReviewReport, text: str | None) -> None:
    for item in report.claims:
        verdict = item.verdict
        typer.echo(clean(f"{item.id}  {verdict.status}: {one_line(item.claim)}"))
        if verdict.reason:
            typer.echo(clean(f"    {one_line(verdict.reason)}"))
        for objection in verdict.objections:
            start, end = objection.claim
            typer.echo(clean(f'    {objection.oracle}, at "{one_line(item.claim[start:end])}": {objection.says}'))
        for citation in item.citations:
            state = "" if citation.state.value == "current" else f" ({citation.state.value.replace('_', ' ')})"
            typer.echo(clean(f"    cites {citation.source}, {citation.span}{state}"))
    for finding in report.findings:
        words = one_line((text or "")[finding.start : finding.end])
        typer.echo(clean(f'at {finding.start}-{finding.end}, "{words}": {finding.says}'))
    counts = Counter(item.verdict.status.value for item in report.claims)
    told = [f"{counts[name]} {name}" for name in ("supported", "contradicted", "unresolved")]
    typer.echo(f"{', '.join(told)}; policy {report.policy}")
