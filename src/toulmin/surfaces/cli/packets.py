"""`toulmin packet`: the record of one decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import (
    JsonOption,
    WorkspaceOption,
    reads_as,
)
from toulmin.surfaces.cli.terminal import clean, indent, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toulmin.application.packets import PacketView

app = typer.Typer(help="Packets: show.")


@app.callback()
def callback() -> None:
    """Keeps `show` a command of its own."""


@app.command()
@reads_as
def show(
    *,
    who: Principal,
    packet: Annotated[str, typer.Argument(metavar="ID", help="The packet's id, pk-...")],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one decision: what was asked, answered and rested on. Tells also what has become of the sources since."""
    with opened(workspace) as place:
        view = place.packet(packet, principal=who)
    if as_json:
        print_json(
            {
                "schema": "toulmin.packet-view/1",
                "id": view.packet.id,
                "evidence": view.packet.evidence,
                "corpus": view.packet.corpus,
                "body": view.body,
                "texts": view.texts,
                "sources": [
                    {
                        "document": source.id.document,
                        "version": source.id.version,
                        "state": source.state.value,
                        "text_sha256": source.text_sha256,
                    }
                    for source in view.sources
                ],
            }
        )
    else:
        _print(view)


def _print(view: PacketView) -> None:
    body = view.body
    _print_question(view)
    if body["answer"]:
        typer.echo("\n" + indent(clean(_words(view, body["answer"])), "  "))
    for title in ("claims", "withheld"):
        if body[title]:
            typer.echo(f"\n{title}:")
        for claim in body[title]:
            _print_claim(view, claim)
    typer.echo("\nsources:")
    for source in view.sources:
        typer.echo(clean(f"  {source.id}: {source.state.value}, text sha256 {source.text_sha256}"))
    if body["left_out"]:
        typer.echo("\nfound and left out:")
    for item in body["left_out"]:
        typer.echo(clean(f"  {item['document']} v{item['version']} {item['passage']}: {item['reason']}"))
    typer.echo("\nsteps:")
    for step in body["trace"]:
        typer.echo(clean(f"  {_step(step)}"))
    typer.echo(f"\npacket {view.packet.id}\nevidence {view.packet.evidence}\ncorpus {view.packet.corpus}")
    typer.echo(clean(f"contract sha256 {body['contract']['digest']}, policy {body['policy']['version']}"))


def _print_question(view: PacketView) -> None:
    body = view.body
    outcome, contract = body["outcome"], body["contract"]
    typer.echo(clean(f"{outcome['name']} ({outcome['assurance']}) to {contract['id']} v{contract['version']}"))
    typer.echo(f"made {body['request']['made_at']}, as of {body['request']['as_of']}")
    if body["question"]:
        typer.echo(clean(f"question: {_words(view, body['question'])}"))
    for fact in body["case"]:
        typer.echo(clean(f"case: {fact['name']} = {fact['value'][1:]}"))
    if body["missing"]:
        typer.echo(clean(f"missing: {', '.join(body['missing'])}"))


def _print_claim(view: PacketView, claim: Mapping[str, Any]) -> None:
    verdict = claim["verdict"]
    reason = f": {_words(view, verdict['reason'])}" if verdict["reason"] else ""
    typer.echo(clean(f"  - {_words(view, claim['text'])}\n    {verdict['status']}{reason}"))
    for citation in claim["citations"]:
        words = " ".join(_words(view, citation["sha256"]).split())
        typer.echo(clean(f'    {citation["document"]} v{citation["version"]}, {citation["span"]}: "{words}"'))


def _step(step: Mapping[str, Any]) -> str:
    """One step with its counts, and the passages that it names."""
    told = [
        _told(name, value)
        for name, value in step.items()
        if name not in {"step", "claim"} and value not in (None, False, [])
    ]
    return f"{step['step'].replace('_', ' ')}: {', '.join(told)}"


def _told(name: str, value: Any) -> str:
    named = name.replace("_", " ")
    if isinstance(value, list):
        return f"{named} " + " ".join(f"{passage['document']}/{passage['passage']}" for passage in value)
    return named if value is True else f"{named} {value}"


def _words(view: PacketView, digest: str | None) -> str:
    if digest is None:
        return "(not in the selected evidence)"
    return view.texts.get(digest, f"(text no longer kept, sha256 {digest})")
