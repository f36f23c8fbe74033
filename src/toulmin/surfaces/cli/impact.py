"""`toulmin impact`: what rests on a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.documents import DocumentArgument, VersionOption
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption, reads_as
from toulmin.surfaces.cli.terminal import print_json, table

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
        packets = [_shape(each) for each in resting]
        print_json({"schema": "toulmin.impact/1", "document": document, "version": version, "packets": packets})
    elif resting:
        table(None, ("packet", "made (UTC)", "question", "outcome", "rests on", "approvals"), map(_row, resting))
    else:
        typer.echo("no decision that you may see rests on it")


def _shape(resting: Resting) -> dict[str, Any]:
    return {
        "packet": resting.packet.id,
        "made_at": instant_text(resting.packet.made_at),
        "evidence": resting.packet.evidence,
        "contract": resting.contract,
        "outcome": resting.outcome,
        "versions": [rid.version for rid in resting.revisions],
        "approvals": [
            {"id": each.id, "state": each.state.value, "operation": each.operation_id} for each in resting.approvals
        ],
    }


def _row(resting: Resting) -> tuple[str, ...]:
    return (
        resting.packet.id,
        instant_text(resting.packet.made_at)[:19],
        resting.contract,
        resting.outcome,
        ", ".join(str(rid) for rid in resting.revisions),
        ", ".join(f"{each.id} {each.state.value}" for each in resting.approvals) or "-",
    )
