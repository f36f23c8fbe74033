"""A process that is killed at any moment leaves a corpus that is whole, and an index that catches up."""

from __future__ import annotations

import random
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from tests.integration.workers import Whole, elsewhere, fingerprint, ingest, make_workspace, start, stored
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.application.catchup import catch_up
from toulmin.domain.proof.fingerprint import fingerprint_of
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.index import PassageIndex
from toulmin.surfaces.sync import Workspace

pytestmark = pytest.mark.enable_socket  # the fork server is reached over a Unix socket

DOCUMENTS = 12
CHUNK = 4
SEED = 20260101
QUERIES = ("gateway audit hold", "telemetry 3", "note", "rollback diagnostics export")


def kills() -> int:
    """How many a test makes: few in every run, many under `script/test --hypothesis-profile soak --timeout 0`."""
    return 500 if settings.get_current_profile_name() == "soak" else 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """An ingest that nobody interrupts: what comes out of it, and how long it takes once it has begun."""

    documents: Path
    fingerprint: str
    whole: dict[str, Whole]
    seconds: float


def uninterrupted(folder: Path) -> Run:
    """Ingests documents that it writes in a folder."""
    documents = write_documents(folder / "documents")
    make_workspace(folder / "workspace")
    elsewhere(ingest, make_workspace(folder / "warm-up"), documents, CHUNK)
    expected, seconds = elsewhere(timed_ingest, folder / "workspace", documents)
    return Run(
        documents=documents,
        fingerprint=expected,
        whole=elsewhere(look_at_revisions, folder / "workspace"),
        seconds=seconds,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return uninterrupted(tmp_path_factory.mktemp("uninterrupted"))


def write_documents(folder: Path) -> Path:
    """Documents of two versions each, the second of which supersedes the first, with a few sections."""
    folder.mkdir()
    for number in range(DOCUMENTS):
        for version in ("1", "2"):
            sections = "\n\n".join(
                f"# Part {part}\n\nNote {number} on part {part}: the gateway sends telemetry {part}. "
                + f"Under an audit hold of version {version}, export diagnostics and do no rollback. "
                * (1 + number % 3)
                for part in range(3)
            )
            matter = f'---\ntoulmin: {{id: D{number}, version: "{version}", readers: [public], valid_from: 202{version}-01-01}}\n---\n'
            (folder / f"{number:02}-{version}.md").write_text(f"{matter}\n{sections}\n", encoding="utf-8")
    return folder


def timed_ingest(workspace: Path, documents: Path) -> tuple[str, float]:
    begun = time.monotonic()
    return ingest(workspace, documents, CHUNK), time.monotonic() - begun


def look_at_revisions(workspace: Path) -> dict[str, Whole]:
    with Workspace.open(workspace) as place:
        return {str(name): whole for name, (_, whole) in stored(place).items()}


def look_after_a_crash(workspace: Path, expected: dict[str, Whole]) -> int:
    """Checks all that must hold after a crash, and returns how many revisions there are."""
    database = workspace / ".toulmin" / "corpus.db"
    if database.exists():
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with Workspace.open(workspace) as place:
        assert place.catch_up().lag == 0
        revisions = stored(place)
        assert {str(name): whole for name, (_, whole) in revisions.items()}.items() <= expected.items()
        assert fingerprint(place) == fingerprint_of(standing for standing, _ in revisions.values())
        with closing(TantivyIndex()) as fresh:
            catch_up(place.parts.store, fresh)
            assert everything(place, place.parts.index) == everything(place, fresh)
        return len(revisions)


def everything(place: Workspace, index: PassageIndex) -> list[set[tuple[int, int]]]:
    """All that an index finds for the queries, now and as of before the second versions."""
    store, snapshot = place.parts.store, index.snapshot()
    changes = store.changes(0, 10**9).changes
    scopes = frozenset(change.scope for change in changes)
    instants = {change.standing.validity.start for change in changes if change.standing}
    found = []
    for at in sorted(instants):
        wanted = Filter(scopes=scopes, readers=frozenset({"public"}), at=at)
        hits = [snapshot.search(text, wanted, 10_000) for text in QUERIES]
        assert all(result.exhausted for result in hits)
        found += [{(hit.key.revision, hit.key.ordinal) for hit in result.hits} for result in hits]
    return found


def ingest_from_now_on(begun: Path, workspace: Path, documents: Path) -> None:
    begun.touch()
    ingest(workspace, documents, CHUNK)


def rebuild_again_and_again(begun: Path, workspace: Path) -> None:
    with Workspace.open(workspace) as place:
        begun.touch()
        while True:
            place.rebuild()


def killed(seconds: float, begun: Path, work: Callable[..., object], *arguments: object) -> None:
    """Does some work in a process that is killed so many seconds after it has begun: to start one takes longer than the work."""
    process = start(work, begun, *arguments)
    while not begun.exists():
        assert process.is_alive(), f"{work.__name__} does not begin"
        time.sleep(0.001)
    time.sleep(seconds)
    process.kill()
    process.join()
    begun.unlink()


def search_without_catching_up(workspace: Path) -> list[str]:
    with Workspace.open(workspace) as place:
        return [
            f"{item.found.id} {item.found.passage.id}" for text in QUERIES for item in place.search(text, k=20).items
        ]


def kill_ingests(run: Run, folder: Path, times: int, chance: random.Random) -> set[int]:
    """Kills an ingest into a new workspace so many times, and checks what is left; the numbers of revisions that were there."""
    reached = set[int]()
    for number in range(times):
        workspace = make_workspace(folder / f"workspace {number}")
        killed(chance.uniform(0, run.seconds), folder / "begun", ingest_from_now_on, workspace, run.documents)
        reached.add(elsewhere(look_after_a_crash, workspace, run.whole))
        assert elsewhere(ingest, workspace, run.documents, CHUNK) == run.fingerprint, f"kill {number}"
        assert elsewhere(look_after_a_crash, workspace, run.whole) == 2 * DOCUMENTS
        shutil.rmtree(workspace)
    return reached


def kill_rebuilds(run: Run, folder: Path, times: int, chance: random.Random) -> int:
    """Kills a process that rebuilds so many times, and checks that searches find the same; how many kills came in a rebuild's midst."""
    workspace = make_workspace(folder / "workspace")
    elsewhere(ingest, workspace, run.documents, CHUNK)
    elsewhere(rebuild, workspace)  # statistics now are those of any other rebuild
    expected, index = elsewhere(search_without_catching_up, workspace), workspace / ".toulmin" / "index"
    assert expected
    leftovers = 0
    for number in range(times):
        killed(chance.uniform(0, 0.3), folder / "begun", rebuild_again_and_again, workspace)
        leftovers += len(list(index.glob("generation-*"))) > 1
        assert elsewhere(search_without_catching_up, workspace) == expected, f"kill {number}"
    elsewhere(rebuild, workspace)
    assert len(list(index.glob("generation-*"))) == 1
    return leftovers


@pytest.mark.timeout(0 if settings.get_current_profile_name() == "soak" else 120)
def test_a_kill_at_any_moment_of_an_ingest_leaves_a_whole_corpus(run: Run, tmp_path: Path) -> None:
    reached = kill_ingests(run, tmp_path, kills(), random.Random(SEED))
    assert len(reached) > 3, f"the kills came at few different moments: {reached}"


@pytest.mark.timeout(0 if settings.get_current_profile_name() == "soak" else 120)
def test_a_kill_at_any_moment_of_a_rebuild_leaves_the_old_index_or_the_new_one(run: Run, tmp_path: Path) -> None:
    assert kill_rebuilds(run, tmp_path, kills(), random.Random(SEED)), "no kill came in the middle of a rebuild"


def rebuild(workspace: Path) -> None:
    with Workspace.open(workspace) as place:
        place.rebuild()
