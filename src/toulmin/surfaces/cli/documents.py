"""`toulmin document`: what is in the corpus, and taking it out of service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.corpus.document import Standing, Status
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.errors import NotFound
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import (
    JsonOption,
    WorkspaceOption,
    reads_as,
)
from toulmin.surfaces.cli.terminal import clean, counted, excerpt, indent, one_line, print_json, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toulmin.domain.corpus.document import Revision

app = typer.Typer(help="Documents: list, show, withdraw, delete, erase.")

DocumentArgument = Annotated[str, typer.Argument(metavar="ID", help="The document's id.")]
VersionOption = Annotated[str | None, typer.Option("--version", metavar="V", help="One version only.")]


@app.command("list")
@reads_as
def list_documents(
    *,
    who: Principal,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the revisions that you may read."""
    with opened(workspace) as place:
        standings = place.documents(principal=who)
    if as_json:
        from toulmin.surfaces.shapes import documents_json

        print_json(documents_json(standings))
    elif standings:
        table(None, ("document", "version", "state", "in force (UTC)", "scope", "readers"), map(_row, standings))
    else:
        typer.echo("there is no document that you may read")


@app.command()
@reads_as
def show(
    *,
    who: Principal,
    document: DocumentArgument,
    version: VersionOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a document: revisions, metadata, spans, passages."""
    with opened(workspace) as place:
        standings = [s for s in place.documents(principal=who, document=document) if version in (None, s.id.version)]
        shown = [(standing, place.revision(standing.key, principal=who)) for standing in standings]
    if not shown:
        name = document if version is None else f"{document} v{version}"
        raise NotFound(
            "no_such_document",
            f"no document {name} that you may read",
            remedy="list what you may read: toulmin document list",
        )
    if as_json:
        from toulmin.surfaces.shapes import document_json

        print_json(document_json(shown))
        return
    for standing, revision in shown:
        _print_revision(standing, revision)


@app.command()
def withdraw(
    document: DocumentArgument,
    version: VersionOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a document out of service. Its text stays for the record."""
    _retire(document, version, workspace, Status.WITHDRAWN, as_json=as_json)


@app.command()
def delete(
    document: DocumentArgument,
    version: VersionOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove a document's text from the corpus. Packets keep what they quote, and show it no more; to erase that too: document erase."""
    _retire(document, version, workspace, Status.DELETED, as_json=as_json)


def _retire(document: str, version: str | None, workspace: WorkspaceOption, status: Status, *, as_json: bool) -> None:
    with opened(workspace) as place:
        retired = place.retire(document, status, version=version)
    if as_json:
        from toulmin.surfaces.shapes import retired_json

        print_json(retired_json(retired, status))
        return
    for standing in retired.revisions:
        typer.echo(clean(f"{status.value}: {standing.id}"))
    print_stale(retired.stale)


def print_stale(approvals: Sequence[str]) -> None:
    """Which approvals a change ended; nothing where there are none."""
    if approvals:
        typer.echo(f"{counted(len(approvals), 'approval')} ended as stale: {', '.join(approvals)}")


def _row(standing: Standing) -> tuple[str, ...]:
    return (
        standing.id.document,
        standing.id.version,
        _state(standing),
        _in_force(standing),
        _scope(standing),
        ", ".join(standing.descriptor.readers) or "nobody",
    )


def _state(standing: Standing) -> str:
    return "superseded" if standing.status is Status.LIVE and standing.superseded else standing.status.value


def _in_force(standing: Standing) -> str:
    end = standing.validity.end
    return f"{_day(instant_text(standing.validity.start))} - {_day(instant_text(end)) if end else ''}".strip()


def _day(instant: str) -> str:
    return instant.removesuffix("T00:00:00Z")[:19]


def _scope(standing: Standing) -> str:
    pairs = standing.descriptor.scope.attributes
    return "; ".join(f"{name}={value if isinstance(value, str) else '|'.join(value)}" for name, value in pairs)


def _print_revision(standing: Standing, revision: Revision | None) -> None:
    descriptor = standing.descriptor
    typer.echo(one_line(f"{standing.id}: {descriptor.title or 'untitled'}"))
    lines = {
        "state": _state(standing),
        "in force (UTC)": _in_force(standing),
        "scope": _scope(standing) or "none stated",
        "readers": ", ".join(descriptor.readers) or "nobody",
        "source type": descriptor.source_type or "-",
        "egress": descriptor.egress.value,
        "text sha256": standing.text_sha256,
        "descriptor sha256": descriptor.digest,
    }
    for name, value in lines.items():
        typer.echo(f"  {name + ':':<19}{one_line(value)}")
    if revision is None:
        typer.echo(f"  the text was {standing.status.value}\n")
        return
    for span in descriptor.spans:
        words = " ".join(revision.text[span.start : span.end].split())
        typer.echo(clean(f'  span {span.id} ({span.fact}) [{span.start}-{span.end}]: "{words}"'))
    for passage in revision.passages:
        typer.echo(clean(f"  passage {passage.id}  {' › '.join(passage.heading)}".rstrip()))
        typer.echo(indent(excerpt(revision.text[passage.start : passage.end], lines=3), "    "))
    typer.echo("")
