"""`toulmin ingest`: documents into the corpus, with an outcome for each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.opening import opened, tell_lag
from toulmin.surfaces.cli.options import JsonOption, WorkspaceOption, lists
from toulmin.surfaces.cli.progress import bar, index_progress
from toulmin.surfaces.cli.terminal import clean, counted, print_json

if TYPE_CHECKING:
    from toulmin.application.ingest import FileReport
    from toulmin.domain.corpus.metadata import Metadata
    from toulmin.ports.source import Skipped

_OPTIONS = "options"
"""Where a value of an option is said to stand."""

_LISTED_FILES = 40
"""Up to this many files are listed one by one; beyond it, only those that say something, unless --verbose."""


def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Files and folders.")],
    workspace: WorkspaceOption = None,
    manifest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Metadata by path, one JSON object a line.")
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="Default scope; again for more, or for a list of values.")
    ] = None,
    version: Annotated[str | None, typer.Option(metavar="V", help="Default version.")] = None,
    readers: Annotated[
        list[str] | None, typer.Option(metavar="R", help="Default reader: public, tenant:T or group:T/G; repeatable.")
    ] = None,
    source_type: Annotated[str | None, typer.Option(metavar="T", help="Default source type.")] = None,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read again what is in the corpus, after an upgrade of a parser.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="List every file.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Take documents into the corpus; each whole or not at all. Exit code 2 if any was refused."""
    from toulmin.ports.source import Skipped

    options = _options(scope, version, readers, source_type)
    with opened(workspace) as place, index_progress(asked_for=True) as tell:
        found = list(place.entries(paths, manifest=manifest, options=options))
        skipped = [item for item in found if isinstance(item, Skipped)]
        entries = [item for item in found if not isinstance(item, Skipped)]
        with _progress(len(entries), shown=not as_json) as advance:
            reports = [advance(report) for report in place.ingest(entries, reparse=reparse, tell=tell)]
        tell_lag(place.embed(most=0))
    if as_json:
        from toulmin.surfaces.shapes import ingest_json

        print_json(ingest_json(reports, skipped))
    else:
        _print(reports, skipped, every=verbose or len(reports) <= _LISTED_FILES)
    return Exit.USAGE if any(report.fault for report in reports) else Exit.SUCCESS


def _options(
    scope: Sequence[str] | None, version: str | None, readers: Sequence[str] | None, source_type: str | None
) -> Metadata:
    """What the options state, as the last layer of metadata, read like a sidecar."""
    from toulmin.wire.metadata import read_metadata
    from toulmin.wire.node import node_of

    stated = {
        "scope": lists("--scope", scope) or None,
        "version": version,
        "readers": readers or None,
        "source_type": source_type,
    }
    given = {key: value for key, value in stated.items() if value is not None}
    return read_metadata(node_of(given, _OPTIONS), _OPTIONS, UTC)  # no option is a date: the zone does not matter


@contextmanager
def _progress(total: int, *, shown: bool) -> Iterator[Callable[[FileReport], FileReport]]:
    """A progress bar on stderr, where that is a terminal; gives the function that counts a report and passes it on."""
    done = 0
    with bar("files", shown=shown) as tell:

        def advance(report: FileReport) -> FileReport:
            nonlocal done
            done += 1
            tell(done, total, report.name)
            return report

        yield advance


def _print(reports: Sequence[FileReport], skipped: Sequence[Skipped], *, every: bool) -> None:
    for report in reports:
        if every or report.fault or report.warnings or report.stale:
            _print_report(report)
    counts = Counter(report.outcome.value for report in reports)
    passages = sum(report.passages for report in reports)
    summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) or "nothing to ingest"
    typer.echo(f"{summary}; {counted(passages, 'passage')}" if passages else summary)
    stale = sum(len(report.stale) for report in reports)
    if stale:
        typer.echo(f"{counted(stale, 'approval')} ended as stale: what they rest on has changed")
    if skipped:
        reasons = Counter(item.reason for item in skipped)
        typer.echo(f"{len(skipped)} skipped: " + "; ".join(f"{reason} ({count})" for reason, count in reasons.items()))


def _print_report(report: FileReport) -> None:
    what = f": {report.revision}" if report.revision else ""
    notes = []
    if report.reread:
        notes.append("read again")
    if report.described:
        notes.append("its descriptor changed")
    if report.supersedes:
        notes.append(f"supersedes {', '.join(report.supersedes)}")
    note = f" ({'; '.join(notes)})" if notes else ""
    typer.echo(clean(f"{report.outcome.value:<10} {report.name}{what}{note}"))
    if report.stale:
        typer.echo(f"           ends {counted(len(report.stale), 'approval')}: {', '.join(report.stale)}")
    for warning in report.warnings:
        typer.echo(clean(f"           warning: {warning}"))
    if report.fault:
        typer.echo(clean(f"           {report.fault.message}"))
        if report.fault.where and report.fault.where != report.name:
            typer.echo(clean(f"           at: {report.fault.where}"))
        typer.echo(clean(f"           try: {report.fault.remedy}"))
