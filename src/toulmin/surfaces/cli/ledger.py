"""`toulmin ledger`: what was done, sealed, checked and told."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.labelled import write
from toulmin.surfaces.cli.options import JsonOption, KeyOption, OutOption, WorkspaceOption
from toulmin.surfaces.cli.terminal import clean, json_line, print_json, print_json_list, table

if TYPE_CHECKING:
    from toulmin.domain.proof.audit import Audit
    from toulmin.surfaces.sync import Workspace

app = typer.Typer(help="The ledger: seal, verify, export.")


@app.command()
def seal(out: OutOption = None, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Seal what was recorded. Prints the checkpoint: kept elsewhere, it shows every later change of what came before it."""
    from toulmin.surfaces.sync import Workspace
    from toulmin.wire.ledger import checkpoint_json

    with Workspace.open(workspace) as place:
        point = place.seal_ledger()
    shape = checkpoint_json(point) if point else None
    if out is not None and shape is not None:
        write(out, [json_line(shape)], anew=True)
    if as_json:
        print_json({"schema": "toulmin.seal/1", "checkpoint": shape})
    elif point is None:
        typer.echo("nothing was recorded yet")
    else:
        signed = f"signed by key {point.key}" if point.signature else "not signed: no key is configured"
        typer.echo(clean(f"sealed up to entry {point.sequence}: {point.link}\n{point.at}, {signed}"))


@app.command()
def verify(
    *,
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option(
            "--checkpoint", metavar="FILE", help="Checkpoints kept elsewhere, or an exported ledger; repeat for more."
        ),
    ] = None,
    key: KeyOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> int:
    """Look for changes to what was recorded. Exit code 8 if there is one up to the last checkpoint that is given."""
    from toulmin.surfaces.sync import Workspace
    from toulmin.wire.ledger import audit_json, read_checkpoints
    from toulmin.wire.source import read_file

    files = checkpoint or ()
    kept = [point for file in files for point in read_checkpoints(read_file(file, str(file), whole=True), str(file))]
    with Workspace.open(workspace) as place:
        found = place.check_ledger(kept=kept, keys=key or ())
    if as_json:
        print_json(audit_json(found))
    else:
        _print(found)
    return Exit.SUCCESS if found.whole else Exit.CHECK_FAILED


@app.command()
def export(out: OutOption = None, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Tell all of the ledger, one JSON object a line: entries, and the checkpoints among them."""
    from toulmin.surfaces.sync import Workspace

    with Workspace.open(workspace) as place:
        if out is not None:
            write(out, _lines(place), anew=True)
        elif as_json:
            print_json_list({"schema": "toulmin.ledger/1"}, "rows", _lines(place))
        else:
            sys.stdout.writelines(_lines(place))
    if out is not None and as_json:
        print_json({"schema": "toulmin.export/1", "file": str(out)})


def _lines(place: Workspace) -> Iterator[str]:
    from toulmin.domain.proof.ledger import Checkpoint
    from toulmin.wire.ledger import checkpoint_json, entry_json

    for row in place.ledger():
        yield json_line(checkpoint_json(row) if isinstance(row, Checkpoint) else entry_json(*row))


def _print(found: Audit) -> None:
    if found.findings:
        rows = [(item.fault.value, _range(item.first, item.last), item.says) for item in found.findings]
        table("what is wrong", ("fault", "entries", ""), rows)
    typer.echo(f"entries: {found.entries}, sealed up to {found.sealed}, {found.tail} after that not sealed")
    typer.echo(f"checkpoints: {found.checkpoints}, the last one {_SIGNATURES[found.signature.value]}")
    if found.kept:
        held = f"up to entry {found.kept}, where the last checkpoint that was given stands"
        typer.echo(f"nothing was changed {held}" if found.whole else "THE LEDGER DOES NOT VERIFY")
    elif found.whole and found.signature.value == "valid":
        typer.echo(f"nothing was changed up to entry {found.sealed}, which a key that was given vouches for")
        typer.echo("give --checkpoint as well: nobody else can tell whether the end was cut off")
    elif found.whole:
        typer.echo(
            "nothing contradicts itself; give --checkpoint or --key: who can write the ledger can rewrite all of it"
        )
    else:
        typer.echo("THE LEDGER DOES NOT VERIFY")


_SIGNATURES = {
    "valid": "signed by a key that was given",
    "unsigned": "not signed",
    "unchecked": "signed, and no key was given to check that with",
    "unknown_key": "signed by a key that was not given",
    "wrong": "with a signature that does not hold",
}


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"
