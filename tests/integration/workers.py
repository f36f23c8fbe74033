"""What other processes do in tests of crashes and concurrency: functions that can be called over there by name.

The processes come from a fork server that has imported everything and opened nothing, so that one costs milliseconds and starts without
threads, connections or locks of ours.
"""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import TypeVar

from toulmin.domain.corpus.document import RevisionId, Standing
from toulmin.surfaces.sync import Workspace

_T = TypeVar("_T")

PATIENCE_S = 60


def context() -> ForkServerContext:
    """Where processes come from."""
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["tests.integration.workers"])
    return server


def start(work: Callable[..., object], *arguments: object) -> ForkServerProcess:
    """A process that does the work, unless it is killed."""
    process = context().Process(target=work, args=arguments, daemon=True)
    process.start()
    return process


def elsewhere(work: Callable[..., _T], *arguments: object) -> _T:
    """What the work returns in a process of its own; an exception there fails the test here."""
    here, there = context().Pipe(duplex=False)
    process = start(_answer, there, work, arguments)
    there.close()
    try:
        assert here.poll(PATIENCE_S), f"{work.__name__} does not end"
        failed, result = here.recv()
    except EOFError:
        process.join(PATIENCE_S)
        raise AssertionError(f"{work.__name__} died: exit code {process.exitcode}") from None
    process.join(PATIENCE_S)
    assert not failed, result
    return result  # type: ignore[no-any-return]


def _answer(there: Connection, work: Callable[..., object], arguments: Sequence[object]) -> None:
    try:
        there.send((False, work(*arguments)))
    except BaseException:  # noqa: BLE001  # all of it is passed on
        there.send((True, traceback.format_exc()))


def make_workspace(folder: Path) -> Path:
    """An empty workspace."""
    folder.mkdir(parents=True)
    (folder / "toulmin.toml").touch()
    return folder


def ingest(workspace: Path, documents: Path, chunk: int = 1000) -> str:
    """Ingests a folder, catching the index up after every chunk of files; returns the corpus fingerprint."""
    with Workspace.open(workspace) as place:
        entries = [entry for entry in place.entries([documents]) if hasattr(entry, "load")]
        for first in range(0, len(entries), chunk):
            for report in place.ingest(entries[first : first + chunk]):  # type: ignore[arg-type]
                assert report.fault is None, report.fault
        return fingerprint(place)


def fingerprint(place: Workspace) -> str:
    """The corpus fingerprint that the store keeps."""
    from toulmin.domain.question.case import ANONYMOUS

    with place.parts.store.begin(ANONYMOUS) as session:
        return session.corpus.fingerprint()


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A revision as it should be: digest of its text, and its passages as (start, end)."""

    text_sha256: str
    passages: tuple[tuple[int, int], ...]


def stored(place: Workspace) -> dict[RevisionId, tuple[Standing, Whole]]:
    """Every live revision as it is stored, its digest taken from the text itself."""
    from toulmin.domain.canonical import text_digest

    found = {}
    for change in place.parts.store.changes(0, 10**9).changes:
        assert change.standing is not None
        revision = place.revision(change.revision)
        assert revision is not None
        ranges = tuple((passage.start, passage.end) for passage in revision.passages)
        assert ranges == tuple((passage.start, passage.end) for passage, _ in change.passages)
        whole = Whole(text_sha256=text_digest(revision.text), passages=ranges)
        found[change.standing.id] = change.standing, whole
    return found


def stay_busy_in(index: Path, ready: str) -> None:
    """Holds the writer of the index's current generation until it is killed."""
    from tantivy import Index

    (generation,) = index.glob("generation-*")
    _writer = Index.open(str(generation)).writer(20_000_000, 1)
    Path(ready).touch()
    signal.pause()
