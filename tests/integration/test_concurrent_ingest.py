"""Trouble case O08 and its like: writers at the same time wait or are told so, and readers see whole versions only."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from multiprocessing.context import ForkServerProcess
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path

import pytest

from tests.e2e.cli import started
from tests.integration.workers import PATIENCE_S, context, ingest, make_workspace, start, stay_busy_in, stored
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.application.ingest import FileOutcome, FileReport
from toulmin.application.retrieval import reading, this_many
from toulmin.application.scopes import EligibleScopes
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.errors import Conflict
from toulmin.domain.question.case import ANONYMOUS, Case
from toulmin.domain.question.eligibility import Rules
from toulmin.surfaces.sync import Workspace

pytestmark = pytest.mark.enable_socket  # the fork server is reached over a Unix socket

ROUNDS = 50
VERSIONS = {"v1": ("a1", "a2", "a3"), "v2": ("b1", "b2")}


def write_guide(folder: Path, name: str, document: str, version: str, chunks: tuple[str, ...]) -> Path:
    """A document with one section, and so one passage, a chunk."""
    folder.mkdir(exist_ok=True)
    sections = "".join(f"# Part {place}\n\nguide chunk {chunk}\n\n" for place, chunk in enumerate(chunks))
    file = folder / f"{name}.md"
    file.write_text(f"---\ntoulmin: {{id: {document}, version: {version}, readers: [public]}}\n---\n{sections}")
    return file


def write_round(documents: Path, number: int) -> None:
    """Two versions of one document; in every fifth round both files claim to be the same version."""
    for writer, (version, chunks) in enumerate(VERSIONS.items()):
        stated = "v1" if number % 5 == 0 else version
        write_guide(documents / str(writer), str(number), f"guide-{number}", stated, chunks)


def write_in_turn(workspace: Path, documents: Path, together: Barrier, seed: int, reports: Path) -> None:
    """Ingests its version of each document at the same moment as the other writer does; notes what became of it."""
    chance = random.Random(seed)
    with Workspace.open(workspace) as place, reports.open("w") as notes:
        for number in range(ROUNDS):
            entries = list(place.entries([documents / f"{number}.md"]))
            together.wait(PATIENCE_S)
            time.sleep(chance.uniform(0, 0.003))
            (report,) = place.ingest(entries)  # type: ignore[arg-type]
            notes.write(f"{report.outcome}\n")


def read_all_the_time(workspace: Path, stop: Event, told: Path) -> None:
    """Looks at everything through store and search until told to stop; notes each thing seen that is no whole version."""
    wrong: list[str] = []
    looks = 0
    with Workspace.open(workspace) as place:
        while not stop.is_set():
            wrong += _in_store(place)
            wrong += _in_search(place)
            looks += 1
    told.write_text("\n".join([str(looks), *wrong]))


def _in_store(place: Workspace) -> Iterator[str]:
    current: dict[str, int] = {}
    for name, (standing, _) in stored(place).items():
        revision = place.revision(standing.key)
        assert revision is not None
        chunks = tuple(revision.text[p.start : p.end].split()[-1] for p in revision.passages)
        if chunks not in VERSIONS.values():
            yield f"stored {name}: {chunks}"
        current[name.document] = current.get(name.document, 0) + (not standing.superseded)
    yield from (f"{count} current versions of {name}" for name, count in current.items() if count != 1)


def _in_search(place: Workspace) -> Iterator[str]:
    """What a search finds, by document: a request asks for one document's chunks, all of them."""
    with reading(place.parts.store, place.parts.index, ANONYMOUS, EligibleScopes()) as view:
        wanted = view.filter(Rules(), Case(), place.parts.clock.now())
        found = view.find("guide chunk", wanted, 10_000, this_many(10_000))
    if found.drift:
        yield f"{found.drift} hits were no longer true"
    by_document: dict[str, list[str]] = {}
    for passage in found.passages:
        by_document.setdefault(passage.id.document, []).append(passage.text.split()[-1])
    for name, chunks in by_document.items():
        if tuple(sorted(chunks)) not in VERSIONS.values():
            yield f"found of {name}: {sorted(chunks)}"


def test_two_ingests_of_one_document_never_interleave(tmp_path: Path) -> None:
    """Trouble case O08."""
    workspace, documents = make_workspace(tmp_path / "workspace"), tmp_path / "documents"
    documents.mkdir()
    for number in range(ROUNDS):
        write_round(documents, number)
    ingest(workspace, make_empty(tmp_path / "nothing"))
    together, stop = context().Barrier(2), context().Event()
    writers = [
        start(write_in_turn, workspace, documents / str(writer), together, writer, tmp_path / f"writer {writer}")
        for writer in range(2)
    ]
    readers = [start(read_all_the_time, workspace, stop, tmp_path / f"reader {reader}") for reader in range(4)]
    ended(*writers)
    stop.set()
    ended(*readers)
    for reader in range(4):
        looks, *wrong = (tmp_path / f"reader {reader}").read_text().splitlines()
        assert int(looks) > 3
        assert wrong == []
    outcomes = [(tmp_path / f"writer {writer}").read_text().split() for writer in range(2)]
    with Workspace.open(workspace) as place:
        place.catch_up()
        assert [*_in_store(place), *_in_search(place)] == []
        kept = set(stored(place))
    for number, both in enumerate(zip(*outcomes, strict=True)):
        refused = [outcome for outcome in both if outcome == FileOutcome.REFUSED]
        versions = {RevisionId(f"guide-{number}", version) for version in VERSIONS}
        assert len(refused) == (number % 5 == 0), f"round {number}: {both}"
        assert len(versions & kept) == 2 - len(refused), f"round {number}: {kept}"


def make_empty(folder: Path) -> Path:
    folder.mkdir()
    return folder


def ended(*processes: ForkServerProcess) -> None:
    for process in processes:
        process.join(PATIENCE_S)
        assert process.exitcode == 0


# One writer at a time


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with one version of one document, whose store waits only briefly for another writer."""
    folder = make_workspace(tmp_path / "workspace")
    write_guide(tmp_path, "first", "guide", "v1", VERSIONS["v1"])
    ingest(folder, tmp_path / "first.md")
    with Workspace.open(folder) as opened:
        opened.parts.store.close()
        brief = SqliteStore(folder / ".toulmin" / "corpus.db", busy_timeout_s=0.05)
        with Workspace(opened.settings, replace(opened.parts, store=brief)) as briefly:
            yield briefly


def take_in(place: Workspace, file: Path) -> FileReport:
    (report,) = place.ingest(place.entries([file]))  # type: ignore[arg-type]
    return report


def test_a_writer_that_waits_in_vain_is_told_so_and_nothing_is_changed(place: Workspace, tmp_path: Path) -> None:
    second = write_guide(tmp_path, "second", "guide", "v2", VERSIONS["v2"])
    with place.parts.store.curate():
        refused = take_in(place, second)
    assert refused.outcome is FileOutcome.REFUSED
    assert isinstance(refused.fault, Conflict)
    assert refused.fault.retryable
    assert "try again" in (refused.fault.remedy or "")
    assert len(stored(place)) == 1
    assert take_in(place, second).outcome is FileOutcome.SUPERSEDED


def test_the_command_line_tells_a_user_to_try_again(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "workspace")
    file = write_guide(tmp_path, "first", "guide", "v1", VERSIONS["v1"])
    assert started("ingest", str(file), at=folder).code == 0
    second = write_guide(tmp_path, "second", "guide", "v2", VERSIONS["v2"])
    with closing(sqlite3.connect(folder / ".toulmin" / "corpus.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        run = started("ingest", str(second), at=folder)
    assert run.code == 2
    assert "another writer keeps" in run.out
    assert "try again" in run.out
    assert "Traceback" not in run.err
    assert "1 superseded" in started("ingest", str(second), at=folder).out


def test_a_search_goes_on_while_another_process_is_at_the_index(place: Workspace, tmp_path: Path) -> None:
    folder, ready = place.settings.workspace, tmp_path / "ready"
    holder = start(stay_busy_in, folder / ".toulmin" / "index", str(ready))
    while not ready.exists():
        time.sleep(0.01)
    take_in(place, write_guide(tmp_path, "second", "other", "v1", ("c1",)))
    assert place.catch_up().lag == 1
    for extra in ((), ("--json",)):
        run = started("search", "guide chunk", *extra, at=folder)
        assert run.code == 0
        assert "the index is 1 change behind the corpus" in run.err
        assert "chunk a1" in run.out
        assert "chunk c1" not in run.out
    holder.kill()
    holder.join()
    run = started("search", "guide chunk", at=folder)
    assert "behind" not in run.err
    assert "chunk c1" in run.out


def test_a_pinned_request_keeps_its_results_while_documents_come_and_go(place: Workspace, tmp_path: Path) -> None:
    store, index = place.parts.store, place.parts.index
    with reading(store, index, ANONYMOUS, EligibleScopes()) as view:
        wanted = view.filter(Rules(), Case(), place.parts.clock.now())
        before = view.find("guide chunk", wanted, 20, this_many(20))
        take_in(place, write_guide(tmp_path, "second", "guide", "v2", VERSIONS["v2"]))
        for number in range(20):
            take_in(place, write_guide(tmp_path, f"more {number}", f"more-{number}", "v1", (f"m{number}",)))
        place.rebuild()
        assert view.find("guide chunk", wanted, 20, this_many(20)) == before
        assert [passage.text.split()[-1] for passage in before.passages] == ["a1", "a2", "a3"]
        assert before.drift == 0
    assert len(place.search("guide chunk", k=20).items) == 20
