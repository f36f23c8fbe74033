"""`toulmin packet`: the record of one decision."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.labelled import write
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import (
    JsonOption,
    KeyOption,
    OutOption,
    WorkspaceOption,
    reads_as,
)
from toulmin.surfaces.cli.terminal import clean, indent, print_json, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toulmin.application.packets import PacketView
    from toulmin.domain.proof.verification import Verification

app = typer.Typer(help="Packets: show, verify, replay, export.")


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
        from toulmin.surfaces.shapes import packet_view_json

        print_json(packet_view_json(view))
    else:
        _print(view)


@app.command()
@reads_as
def export(
    *,
    who: Principal,
    packet: Annotated[str, typer.Argument(metavar="ID", help="The packet's id, pk-...")],
    out: OutOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a packet to keep elsewhere. It is signed where a key is configured, and verifies there without this workspace."""
    if out is None and sys.stdout.isatty():
        raise InputError("usage", "a packet's words are not for a terminal", remedy="give --out FILE, or redirect")
    with opened(workspace) as place:
        exported = place.export_packet(packet, principal=who)
    if out is None:
        sys.stdout.write(exported.file)
        return
    write(out, [exported.file], anew=True)
    keys = [made.key for made in exported.signatures]
    if as_json:
        print_json({"schema": "toulmin.export/1", "file": str(out), "packet": packet, "keys": keys})
        return
    typer.echo(clean(f"wrote {out}, {'signed by key ' + keys[0] if keys else 'not signed: no key is configured'}"))


@app.command()
@reads_as
def verify(
    *,
    who: Principal,
    packet: Annotated[
        str, typer.Argument(metavar="FILE|ID", help="An exported packet, or the id of one that is kept here.")
    ],
    key: KeyOption = None,
    expected: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="The packet that it has to be, pk-...")
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> int:
    """Check everything that a packet states. For a file neither workspace nor network is needed. Exit code 8 if anything fails."""
    from toulmin.surfaces.sync import verify_packet
    from toulmin.wire.source import read_file
    from toulmin.wire.verification import verification_json

    file = Path(packet)
    if packet.startswith("pk-") and not file.exists():
        with opened(workspace) as place:
            data = place.export_packet(packet, principal=who, sign=False).file.encode()
        expected = expected or packet
    else:
        data = read_file(file, packet, whole=True)
    found = verify_packet(data, keys=key or (), expected=expected)
    if as_json:
        print_json(verification_json(found))
    else:
        _print_verification(found)
    return Exit.SUCCESS if found.valid else Exit.CHECK_FAILED


def _print_verification(found: Verification) -> None:
    rows = ((item.name, "holds" if item.holds else "FAILS", item.says) for item in found.statements)
    table(None, ("statement", "result", ""), rows)
    if found.erased:
        typer.echo(f"erased: {len(found.erased)} of the texts that the packet names are no longer beside it")
        for digest in found.erased:
            typer.echo(f"  {digest}")
    if found.packet is not None:
        typer.echo(f"packet {found.packet}\nevidence {found.evidence}")
    typer.echo("the packet verifies" if found.valid else "THE PACKET DOES NOT VERIFY")


def _print(view: PacketView) -> None:
    body = view.body
    _print_question(view)
    if body["answer"]:
        typer.echo("\n" + indent(clean(_words(view, body["answer"])), "  "))
    for title in ("claims", "withheld"):
        if body[title]:
            typer.echo(f"\n{title}:")
        for claim in body[title]:
            print_claim(view, claim)
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


def print_claim(view: PacketView, claim: Mapping[str, Any]) -> None:
    """A claim with its verdict, and what it cites with its words."""
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
    return ": ".join(filter(None, (step["step"].replace("_", " "), ", ".join(told))))


def _told(name: str, value: Any) -> str:
    named = name.replace("_", " ")
    if isinstance(value, list):
        return f"{named} " + " ".join(f"{passage['document']}/{passage['passage']}" for passage in value)
    return named if value is True else f"{named} {value}"


def _words(view: PacketView, digest: str | None) -> str:
    if digest is None:
        return "(not in the selected evidence)"
    return view.texts.get(digest, f"(text no longer kept, sha256 {digest})")
