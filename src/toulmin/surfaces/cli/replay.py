"""`toulmin packet replay`: a decision made again, as of then and as of now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption, instant, reads_as
from toulmin.surfaces.cli.terminal import clean, print_json, table

if TYPE_CHECKING:
    from toulmin.application.replay import Replay


@reads_as
def replay(
    *,
    who: Principal,
    packet: Annotated[str, typer.Argument(metavar="ID", help="The packet's id, pk-...")],
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="T", help="Compare with this instant or date instead of now.")
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> int:
    """Make a decision again: as of then, and as of now. Exit code 8 if its own record does not reproduce it."""
    with opened(workspace) as place:
        at = instant("--as-of", as_of, place.settings.zone)
        replayed = place.replay(packet, principal=who, at=at)
    if as_json:
        from toulmin.surfaces.shapes import replay_json

        print_json(replay_json(replayed))
    else:
        _print(replayed)
    return Exit.SUCCESS if replayed.reproduces else Exit.CHECK_FAILED


def _print(replayed: Replay) -> None:
    from toulmin.domain.corpus.validity import instant_text

    table("as of then", ("step", "result", ""), ((step.name, step.result.value, step.says) for step in replayed.steps))
    then = "the record reproduces" if replayed.reproduces else "THE RECORD DOES NOT REPRODUCE"
    typer.echo(f"{then}: {replayed.evidence}\n")
    now = replayed.now
    if not replayed.by_requester:
        typer.echo("note: somebody else asked; what you may read may be more, or less")
    typer.echo(f"as of {instant_text(now.present.at)}:")
    for difference in now.differences:
        typer.echo(clean(f"  {difference.kind.value.replace('_', ' ')}: {difference.says}"))
    if now.missing:
        typer.echo(clean(f"  missing: {', '.join(now.missing)}"))
    if replayed.unchanged:
        typer.echo("the evidence is the same")
    else:
        typer.echo(f"the evidence is another: {now.evidence or 'nothing could be searched'}")
