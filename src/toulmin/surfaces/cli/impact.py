"""`toulmin impact`: what rests on a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.documents import DocumentArgument, VersionOption
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption, reads_as
from toulmin.surfaces.cli.terminal import one_line, print_json

if TYPE_CHECKING:
    from toulmin.application.impact import Resting


@reads_as
def impact(
    *,
    who: Principal,
    document: DocumentArgument,
    version: VersionOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the decisions that rest on a document. With their approvals, as far as you may see both."""
    with opened(workspace) as place:
        resting = place.impact(document, version=version, principal=who)
    if as_json:
        from toulmin.surfaces.shapes import impact_json

        print_json(impact_json(document, version, resting))
    elif resting:
        typer.echo("\n\n".join(map(_told, resting)))
    else:
        typer.echo("no decision that you may see rests on it")


def _told(resting: Resting) -> str:
    """A decision and its approvals, each on lines of its own: no id is broken, so that it can be copied."""
    revisions = ", ".join(map(str, resting.revisions))
    lines = [
        f"{resting.outcome} to {resting.contract}, made {instant_text(resting.packet.made_at)}, rests on {revisions}",
        *(f"{each.id} {each.state}: {each.operation.name}" for each in resting.approvals),
    ]
    return "\n  ".join((resting.packet.id, *map(one_line, lines)))
