"""`toulmin approval`: people decide on an operation, and it is carried out at most once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.proof.approval import Approval, State, Step
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption, pairs, reads_as
from toulmin.surfaces.cli.packets import print_claim
from toulmin.surfaces.cli.terminal import clean, indent, one_line, print_json

if TYPE_CHECKING:
    from toulmin.application.packets import PacketView

app = typer.Typer(help="Approvals: people decide on operations.")

ApprovalArgument = Annotated[str, typer.Argument(metavar="ID", help="The approval's id, ap-...")]
CommentOption = Annotated[str | None, typer.Option("--comment", metavar="T", help="Why; kept with the step.")]

_NEXT = {
    State.REQUESTED: "next: a reviewer looks at it (toulmin approval show {id}) and approves or rejects it",
    State.APPROVED: "next: an operator executes it: toulmin approval execute {id}",
    State.EXECUTING: "next: look at it again in a while",
    State.IN_DOUBT: (
        "next: find out whether it was carried out, then: toulmin approval resolve {id} --outcome executed|failed --comment ...\n"
        "      or, if its effect is idempotent, execute it again: toulmin approval execute {id}"
    ),
    State.STALE: "next: ask again, and request the new answer's packet",
    State.FAILED: "next: mend what failed, and request the operation under another --instance",
}


@app.command()
@reads_as
def request(
    *,
    who: Principal,
    packet: Annotated[str, typer.Argument(metavar="PACKET", help="The answer's packet, pk-...")],
    operation: Annotated[str, typer.Option("--operation", metavar="NAME", help="An [effects.NAME] of toulmin.toml.")],
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="A parameter; repeat for more.")
    ] = None,
    instance: Annotated[
        str | None,
        typer.Option("--instance", metavar="I", help="Tells repetitions apart [default: the packet's id]."),
    ] = None,
    comment: CommentOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Request that an operation be carried out on an answer. The same request again shows the present one."""
    with opened(workspace) as place:
        approval = place.request_approval(
            packet,
            operation,
            params=pairs("--param", param),
            instance=instance,
            comment=comment,
            principal=who,
        )
    _print_brief(approval, as_json=as_json)


@app.command()
@reads_as
def approve(
    *,
    who: Principal,
    approval: ApprovalArgument,
    comment: CommentOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let an operation be carried out: as a reviewer, and not on your own request unless the policy allows it."""
    with opened(workspace) as place:
        moved = place.approve(approval, principal=who, comment=comment)
    _print_brief(moved, as_json=as_json)


@app.command()
@reads_as
def reject(
    *,
    who: Principal,
    approval: ApprovalArgument,
    comment: CommentOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Refuse an operation: as a reviewer."""
    with opened(workspace) as place:
        moved = place.reject(approval, principal=who, comment=comment)
    _print_brief(moved, as_json=as_json)


@app.command()
@reads_as
def execute(
    *,
    who: Principal,
    approval: ApprovalArgument,
    comment: CommentOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> int:
    """Carry an approved operation out, at most once: as an operator. What was carried out before is only shown."""
    with opened(workspace) as place:
        moved = place.execute(approval, principal=who, comment=comment)
    _print_brief(moved, as_json=as_json)
    return Exit.SUCCESS if moved.state is State.EXECUTED else Exit.APPROVAL


@app.command()
@reads_as
def revoke(
    *,
    who: Principal,
    approval: ApprovalArgument,
    comment: CommentOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back what is not yet carried out: your own request, or as a reviewer."""
    with opened(workspace) as place:
        moved = place.revoke(approval, principal=who, comment=comment)
    _print_brief(moved, as_json=as_json)


@app.command()
@reads_as
def resolve(
    *,
    who: Principal,
    approval: ApprovalArgument,
    outcome: Annotated[str, typer.Option("--outcome", metavar="STATE", help="What you found out: executed or failed.")],
    comment: Annotated[str, typer.Option("--comment", metavar="T", help="How you found out; kept with the step.")],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what came of an operation in doubt: as an operator who found out."""
    with opened(workspace) as place:
        moved = place.resolve(approval, outcome, principal=who, comment=comment)
    _print_brief(moved, as_json=as_json)


@app.command()
@reads_as
def show(
    *,
    who: Principal,
    approval: ApprovalArgument,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is to be carried out, on which answer and evidence, and what became of it."""
    with opened(workspace) as place:
        known = place.approval(approval, principal=who)
        view = None if as_json else place.packet(known.packet, principal=who)
    if view is None:
        _print_json(known)
    else:
        _print(known, view)


@app.command("list")
@reads_as
def list_approvals(
    *,
    who: Principal,
    state: Annotated[
        str | None, typer.Option("--state", metavar="S", help="Only those in this state, such as requested.")
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the approvals that you may see: those on answers all of whose sources you may read."""
    with opened(workspace) as place:
        known = place.approvals(state=state, principal=who)
    if as_json:
        from toulmin.wire.approval import approvals_json

        print_json(approvals_json(known))
    elif known:
        typer.echo("\n".join(map(_told, known)))
    else:
        typer.echo("there is no approval that you may see" + ("" if state is None else f" and that is {state}"))


def _told(approval: Approval) -> str:
    """An approval with its first and its last step, on lines of their own: no id is broken, so that it can be copied."""
    steps = dict.fromkeys((_taken(approval.history[0]), _taken(approval.last)))
    return f"{approval.id} {one_line(approval.operation.name)}\n  {one_line(', '.join(steps))}"


def _taken(step: Step) -> str:
    """A step: what it came to, when, to the minute, and by whom."""
    by = f" by {_name(step)}" if step.by else ""
    return f"{step.state} {instant_text(step.at)[:16].replace('T', ' ')}{by}"


def _name(step: Step) -> str:
    """Who took a step; empty where time did."""
    if step.by is None:
        return ""
    return step.by.id if step.by.tenant is None else f"{step.by.id} ({step.by.tenant})"


def _print_json(approval: Approval) -> None:
    from toulmin.wire.approval import approval_json

    print_json(approval_json(approval))


def _print_brief(approval: Approval, *, as_json: bool) -> None:
    """What an approval is now, why, and what comes next."""
    if as_json:
        _print_json(approval)
        return
    typer.echo(clean(f"{approval.state}: {approval.operation.name}"))
    _print_step(approval.last)
    typer.echo(f"approval {approval.id}\npacket {approval.packet}\noperation {approval.operation_id}")
    if approval.state in _NEXT:
        typer.echo(_NEXT[approval.state].format(id=approval.id))


def _print(approval: Approval, view: PacketView) -> None:
    operation = approval.operation
    typer.echo(clean(f"{approval.state}: {operation.name}"))
    for name, value in operation.params:
        typer.echo(f"  {one_line(name)} = {one_line(value)}")
    typer.echo(f"instance {one_line(operation.instance)}")
    if approval.state in _OPEN:
        typer.echo(f"expires {instant_text(approval.expires_at)}")
    answer = view.texts.get(operation.answer, "(the text is no longer kept)")
    typer.echo("\nthe answer:\n" + indent(clean(answer), "  ") + "\n\nits claims:")
    for claim in view.body["claims"]:
        print_claim(view, claim)
    typer.echo("\nits sources now:")
    for source in view.sources:
        typer.echo(clean(f"  {source.id}: {source.state.value}"))
    typer.echo("\nwhat became of it:")
    for step in approval.history:
        by = _name(step)
        typer.echo(clean(f"  {instant_text(step.at)} {step.state}{f' by {by}' if by else ''}"))
        _print_step(step)
    typer.echo(f"\napproval {approval.id}\npacket {approval.packet}")
    typer.echo(f"operation {approval.operation_id}\nevidence {operation.evidence}")
    if approval.state in _NEXT:
        typer.echo(_NEXT[approval.state].format(id=approval.id))


_OPEN = (State.REQUESTED, State.APPROVED)


def _print_step(step: Step) -> None:
    """What a step has to say beside its state, each on a line of its own."""
    if step.comment is not None:
        typer.echo(f"    comment: {one_line(step.comment)}")
    for reason in step.says:
        typer.echo(f"    {one_line(reason)}")
    if step.result is not None:
        output = "(no longer kept)" if step.result.output is None else one_line(step.result.output)
        typer.echo(f"    {step.result.code}{f': {output}' if output else ''}")
