"""`toulmin document erase`: the words of a document, gone from everything that the workspace holds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toulmin.domain.errors import InputError
from toulmin.surfaces.cli.documents import VersionOption, print_stale
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption
from toulmin.surfaces.cli.progress import index_progress
from toulmin.surfaces.cli.terminal import clean, counted, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from toulmin.application.erasure import Erased
    from toulmin.domain.corpus.document import RevisionId
    from toulmin.surfaces.sync import Workspace


def erase(
    document: Annotated[str | None, typer.Argument(metavar="[ID]", help="The document's id.")] = None,
    version: VersionOption = None,
    expired: Annotated[
        bool, typer.Option("--expired", help="Erase what the policy's retention_days keep no longer.")
    ] = False,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Finish what an earlier erasure left undone.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be erased.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase a document's words, in packets and files too. Ids and digests stay. There is no way back."""
    _check(document, version, expired=expired, unfinished=unfinished)
    with opened(workspace) as place:
        work = _work(place, document, version, expired=expired)
        planned = work(dry_run=True)
        if dry_run:
            _tell(planned, as_json=as_json, done=False)
            return
        if planned.revisions and not yes:
            _ask(planned, place.settings.workspace, as_json=as_json)
        with index_progress(asked_for=True) as tell:
            erased = work(dry_run=False, tell=tell)
        _tell(erased, as_json=as_json, done=True)


def _check(document: str | None, version: str | None, *, expired: bool, unfinished: bool) -> None:
    if [document is not None, expired, unfinished].count(True) != 1:
        raise InputError("usage", "it is not clear what to erase", remedy="give an ID, or --expired, or --unfinished")
    if version is not None and document is None:
        raise InputError("usage", "--version without a document", remedy="give the document's ID")


def _work(place: Workspace, document: str | None, version: str | None, *, expired: bool) -> Callable[..., Erased]:
    """What was asked for, as a function that plans it or does it."""
    if document is not None:
        return lambda **how: place.erase(document, version=version, **how)
    return place.erase_expired if expired else place.finish_erasures


def _ask(planned: Erased, workspace: Path, *, as_json: bool) -> None:
    """Asks on a terminal; elsewhere, silence is no consent."""
    if as_json or not sys.stdin.isatty():
        raise InputError("not_confirmed", "erasing cannot be undone", remedy="look with --dry-run, then add --yes")
    _print(planned, done=False)
    typer.confirm(clean(f"Erase this from {workspace} for good?"), abort=True)


def _tell(erased: Erased, *, as_json: bool, done: bool) -> None:
    if as_json:
        print_json(
            {
                "schema": "toulmin.erasure/1",
                "done": done,
                "documents": [_named(standing.id) for standing in erased.revisions],
                "packets": list(erased.packets),
                "stale": list(erased.stale),
                "finished": [_named(rid) for rid in erased.finished],
            }
        )
    else:
        _print(erased, done=done)


def _named(rid: RevisionId) -> dict[str, Any]:
    return {"document": rid.document, "version": rid.version}


def _print(erased: Erased, *, done: bool) -> None:
    for standing in erased.revisions:
        typer.echo(clean(f"{'erased' if done else 'to be erased'}: {standing.id}"))
    for rid in erased.finished:
        typer.echo(clean(f"{'finished' if done else 'to be finished'}: {rid}"))
    if erased.packets:
        what = "are gone" if done else "would go"
        typer.echo(f"words {what} from {counted(len(erased.packets), 'packet')}: {', '.join(erased.packets)}")
    if done:
        print_stale(erased.stale)
    elif erased.stale:
        typer.echo(f"{counted(len(erased.stale), 'approval')} would end as stale: {', '.join(erased.stale)}")
    if not (erased.revisions or erased.finished):
        typer.echo("there is nothing to erase")
