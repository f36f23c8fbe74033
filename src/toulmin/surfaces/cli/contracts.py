"""`toulmin contracts`: what the contracts would find in the corpus."""

from __future__ import annotations

import typer

from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import (
    JsonOption,
    WorkspaceOption,
    reads_as,
)
from toulmin.surfaces.cli.terminal import clean, counted, print_json

app = typer.Typer(help="Contracts: check them against the corpus.")


@app.callback()
def callback() -> None:
    """Keeps `check` a command of its own."""


@app.command()
@reads_as
def check(
    *,
    who: Principal,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> int:
    """Report, per contract and fact, what is missing or ambiguous. Exit code 8 if a contract could not answer."""
    with opened(workspace) as place:
        findings = place.check_contracts(principal=who)
        contracts = place.parts.contracts.all()
    if as_json:
        from toulmin.surfaces.shapes import contracts_check_json

        print_json(contracts_check_json(contracts, findings))
    else:
        for finding in findings:
            about = f"{finding.contract}, fact {finding.fact}" if finding.fact else finding.contract
            level = "error" if finding.fatal else "warning"
            typer.echo(clean(f"{level}: {about}: {finding.code}: {finding.message}\n  try: {finding.remedy}"))
        fatal = sum(finding.fatal for finding in findings)
        typer.echo(
            f"{counted(len(contracts), 'contract')}: {counted(fatal, 'error')}, {counted(len(findings) - fatal, 'warning')}"
        )
    return Exit.CHECK_FAILED if any(finding.fatal for finding in findings) else Exit.SUCCESS
