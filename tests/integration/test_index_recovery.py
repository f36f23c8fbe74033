"""An index that is lost, damaged, foreign or of another format is built again, and said so; a full disk or a closed folder is told."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import tantivy

from tests.e2e.cli import Run, called
from tests.integration.workers import elsewhere, ingest, make_workspace, stored
from toulmin.adapters.tantivy.folder import FORMAT
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.application.catchup import Step, catch_up
from toulmin.application.retrieval import reading, this_many
from toulmin.domain.errors import Conflict, StoreFault, ToulminError
from toulmin.domain.question.case import Case, Principal
from toulmin.domain.question.eligibility import Rules
from toulmin.ports.index import IndexUnreadable
from toulmin.surfaces.sync import Workspace
from toulmin.testing.index import change, changes, found, wanted

pytestmark = pytest.mark.enable_socket  # the fork server is reached over a Unix socket

NOTE = "note: the index cannot be used"


def write_documents(folder: Path, numbers: range = range(6)) -> Path:
    folder.mkdir(exist_ok=True)
    for number in numbers:
        (folder / f"{number}.md").write_text(
            f"---\ntoulmin: {{id: D{number}, version: v1, readers: [public]}}\n---\n# Note\n\nAudit hold of gateway {number}.\n"
        )
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with six documents, ingested by another process."""
    folder = make_workspace(tmp_path / "workspace")
    elsewhere(ingest, folder, write_documents(tmp_path / "documents"), 2)
    return folder


def search(workspace: Path, *options: str) -> Run:
    return called("search", "audit hold", "-k", "20", *options, at=workspace)


def passages_found(run: Run) -> list[str]:
    return sorted(item["document"] for item in run.json["results"])


def index_of(workspace: Path) -> Path:
    return workspace / ".toulmin" / "index"


def generation_of(workspace: Path) -> Path:
    (generation,) = index_of(workspace).glob("generation-*")
    return generation


def flip(file: Path, place: int) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 0x10
    file.write_bytes(content)


# What is damaged


def segment_files(workspace: Path) -> list[Path]:
    return sorted(file for file in generation_of(workspace).iterdir() if file.suffix in SUFFIXES)


SUFFIXES = (".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term")


def flip_in(suffix: str) -> Callable[[Path], None]:
    def damage(workspace: Path) -> None:
        for file in generation_of(workspace).glob(f"*{suffix}"):
            flip(file, file.stat().st_size // 3)

    return damage


def cut(suffix: str) -> Callable[[Path], None]:
    def damage(workspace: Path) -> None:
        for file in generation_of(workspace).glob(f"*{suffix}"):
            os.truncate(file, file.stat().st_size // 2)

    return damage


def lose(suffix: str) -> Callable[[Path], None]:
    def damage(workspace: Path) -> None:
        for file in generation_of(workspace).glob(f"*{suffix}"):
            file.unlink()

    return damage


def empty_the_file_of_segments(workspace: Path) -> None:
    (generation_of(workspace) / "meta.json").write_bytes(b"")


def write_nonsense_for_segments(workspace: Path) -> None:
    (generation_of(workspace) / "meta.json").write_text('{"segments": [1, {}], "schema": 7}')


def lose_the_generation(workspace: Path) -> None:
    shutil.rmtree(generation_of(workspace))


def empty_the_generation(workspace: Path) -> None:
    for file in generation_of(workspace).iterdir():
        file.unlink()


def lose_the_index(workspace: Path) -> None:
    shutil.rmtree(index_of(workspace))


def empty_the_pointer(workspace: Path) -> None:
    (index_of(workspace) / "current.json").write_bytes(b"")


def point_outside(workspace: Path) -> None:
    (index_of(workspace) / "current.json").write_text(json.dumps({"format": FORMAT, "generation": "../../documents"}))


def write_a_newer_format(workspace: Path) -> None:
    shape = {"format": FORMAT + 1, "generation": generation_of(workspace).name, "more": True}
    (index_of(workspace) / "current.json").write_text(json.dumps(shape))


def write_another_schema(workspace: Path) -> None:
    generation = generation_of(workspace)
    empty_the_generation(workspace)
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body")
    tantivy.Index(builder.build(), path=str(generation))


DAMAGES: list[Callable[[Path], None]] = [
    empty_the_file_of_segments,
    write_nonsense_for_segments,
    lose_the_generation,
    empty_the_generation,
    lose_the_index,
    empty_the_pointer,
    point_outside,
    write_a_newer_format,
    write_another_schema,
]


@pytest.mark.parametrize(
    "damage",
    [*DAMAGES, *(make(suffix) for make in (flip_in, cut, lose) for suffix in SUFFIXES)],
    ids=[
        *(damage.__name__ for damage in DAMAGES),
        *(f"{make.__name__} {suffix}" for make in (flip_in, cut, lose) for suffix in SUFFIXES),
    ],
)
def test_an_index_that_is_of_no_use_is_built_again_and_said_so(workspace: Path, damage: Callable[[Path], None]) -> None:
    expected = passages_found(search(workspace, "--json"))
    assert len(expected) == 6
    damage(workspace)
    run = search(workspace, "--json")
    assert run.code == 0
    assert passages_found(run) == expected
    assert run.err.count(NOTE) == 1
    again = search(workspace, "--json")
    assert passages_found(again) == expected
    assert again.err == ""
    assert generation_of(workspace).is_dir()


@pytest.mark.parametrize("command", [("document", "list"), ("ingest", "../documents"), ("contracts", "check")])
def test_every_command_that_opens_the_workspace_mends_the_index(workspace: Path, command: tuple[str, ...]) -> None:
    empty_the_pointer(workspace)
    run = called(*command, at=workspace)
    assert run.code == 0
    assert NOTE in run.err
    assert search(workspace).err == ""


def test_a_flipped_bit_anywhere_changes_no_passage_that_is_found(workspace: Path) -> None:
    expected = passages_found(search(workspace, "--json"))
    sound = workspace.parent / "sound"
    shutil.copytree(index_of(workspace), sound)
    for file, size in [(file, file.stat().st_size) for file in segment_files(workspace)]:
        for place in range(0, size, 101):
            shutil.rmtree(index_of(workspace))
            shutil.copytree(sound, index_of(workspace))
            flip(file, place)
            with Workspace.open(workspace) as opened:
                assert opened.catch_up().lag == 0
                items = opened.search("audit hold", k=20).items
            assert sorted(item.found.id.document for item in items) == expected, f"{file.suffix} at {place}"


def test_what_a_killed_writer_left_behind_is_no_damage(workspace: Path) -> None:
    (generation_of(workspace) / f"{'0' * 32}.term").write_bytes(b"half a fi")
    assert search(workspace).err == ""


def test_a_file_that_a_killed_writer_wrote_before_its_commit_does_not_stop_the_next_writer(
    workspace: Path, tmp_path: Path
) -> None:
    """Tantivy names the files of a commit by its number, and never writes over one that is there."""
    again = write_documents(tmp_path / "again", range(1))
    (again / "0.md").write_text(
        (again / "0.md").read_text().replace("version: v1", "version: v2") + "\nOne line more.\n"
    )
    rehearsal = tmp_path / "rehearsal"
    shutil.copytree(workspace, rehearsal)
    before = {file.name for file in generation_of(rehearsal).iterdir()}
    elsewhere(ingest, rehearsal, again, 1)
    torn = {
        name for name in {file.name for file in generation_of(rehearsal).iterdir()} - before if name.endswith(".del")
    }
    assert torn
    managed = generation_of(workspace) / ".managed.json"
    managed.write_text(json.dumps([*json.loads(managed.read_text()), *torn]))
    for name in torn:
        (generation_of(workspace) / name).write_bytes(b"torn")
    elsewhere(ingest, workspace, again, 1)
    assert search(workspace).err == ""


# Whose index it is


def another_workspace(tmp_path: Path) -> Path:
    """A workspace with as many changes as the first, and other documents."""
    folder = make_workspace(tmp_path / "other workspace")
    elsewhere(ingest, folder, write_documents(tmp_path / "other documents", range(10, 16)), 2)
    return folder


def test_the_index_of_another_workspace_is_not_believed(workspace: Path, tmp_path: Path) -> None:
    other = another_workspace(tmp_path)
    shutil.rmtree(index_of(workspace))
    shutil.copytree(index_of(other), index_of(workspace))
    run = search(workspace, "--json")
    assert passages_found(run) == [f"D{number}" for number in range(6)]
    assert "it does not belong to this corpus" in run.err
    assert search(workspace).err == ""


def test_an_index_ahead_of_a_restored_store_is_built_again(workspace: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    shutil.copy(workspace / ".toulmin" / "corpus.db", backup)
    assert called("ingest", str(write_documents(tmp_path / "more", range(6, 9))), at=workspace).code == 0
    shutil.copy(backup, workspace / ".toulmin" / "corpus.db")
    run = search(workspace, "--json")
    assert passages_found(run) == [f"D{number}" for number in range(6)]
    assert "it does not belong to this corpus" in run.err


def test_a_backup_that_sqlite_wrote_is_a_store_like_any_other(workspace: Path, tmp_path: Path) -> None:
    backup, database = tmp_path / "backup.db", workspace / ".toulmin" / "corpus.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("VACUUM INTO ?", [str(backup)])
    assert called("document", "withdraw", "D3", at=workspace).code == 0
    for file in database.parent.glob("corpus.db-*"):
        file.unlink()
    shutil.copy(backup, database)
    run = search(workspace, "--json")
    assert passages_found(run) == [f"D{number}" for number in range(6)]
    assert "it does not belong to this corpus" in run.err
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)  # readers never wait for a writer


def test_a_restored_store_that_has_gone_another_way_is_told_from_what_it_was(workspace: Path, tmp_path: Path) -> None:
    """The sequence number alone would not tell: both histories have nine changes."""
    backup, database = tmp_path / "backup.db", workspace / ".toulmin" / "corpus.db"
    shutil.copy(database, backup)
    assert called("ingest", str(write_documents(tmp_path / "more", range(6, 9))), at=workspace).code == 0
    kept = tmp_path / "index"
    shutil.copytree(index_of(workspace), kept)
    shutil.copy(backup, database)
    assert called("ingest", str(write_documents(tmp_path / "else", range(20, 23))), at=workspace).code == 0
    shutil.rmtree(index_of(workspace))
    shutil.copytree(kept, index_of(workspace))
    run = search(workspace, "--json")
    assert passages_found(run) == sorted(f"D{number}" for number in (*range(6), *range(20, 23)))
    assert "it does not belong to this corpus" in run.err


# The whole path


def test_five_eligible_notes_among_five_hundred_are_found_whatever_the_limit(tmp_path: Path) -> None:
    """Trouble case O02: the sizes are 3, 5 and 5, each list starts with the shorter one, ties go by document."""
    workspace, documents = make_workspace(tmp_path / "workspace"), tmp_path / "documents"
    documents.mkdir()
    for number in range(500):
        tenant = "t1" if number % 100 == 0 else "t2"
        (documents / f"d{number}.md").write_text(
            f"---\ntoulmin: {{id: d{number}, readers: ['tenant:{tenant}']}}\n---\nnote {number} about topic {number % 7}\n"
        )
    elsewhere(ingest, workspace, documents)
    with Workspace.open(workspace) as place:
        results = {
            k: place.search("note about topic", k=k, principal=Principal(id="ann", tenant="t1")) for k in (3, 5, 10)
        }
        with reading(
            place.parts.store, place.parts.index, Principal(id="ann", tenant="t1"), place.parts.scopes
        ) as view:
            wanted_notes = view.filter(Rules(), Case(), place.parts.clock.now())
            exact = view.find("note about topic", wanted_notes, 500, this_many(500)).passages
    lists = {k: [item.found.id.document for item in result.items] for k, result in results.items()}
    assert lists[5] == lists[10] == [passage.id.document for passage in exact]
    assert lists[3] == lists[5][:3]
    assert set(lists[5]) == {"d0", "d100", "d200", "d300", "d400"}
    assert {result.eligible for result in results.values()} == {5}
    scores = [(-item.found.score, item.found.id) for item in results[5].items]
    assert scores == sorted(scores)


# Building


def test_a_rebuild_tells_how_far_it_has_come_and_why(workspace: Path) -> None:
    told: list[Step] = []
    with Workspace.open(workspace) as place:
        assert place.rebuild(told.append).lag == 0
    assert [(step.done, step.total) for step in told] == [(0, 6), (6, 6)]
    assert {step.reason for step in told} == {"it was asked for"}


def test_searches_go_on_during_a_rebuild_and_after_it(workspace: Path) -> None:
    with Workspace.open(workspace) as builder, Workspace.open(workspace) as reader:
        before = reader.search("audit hold", k=20)

        def look(step: Step) -> None:
            assert reader.search("audit hold", k=20) == before, step

        builder.rebuild(look)
        after = reader.search("audit hold", k=20)
        assert {item.found.id for item in after.items} == {item.found.id for item in before.items}
        assert len(list(index_of(workspace).glob("generation-*"))) == 1


def test_what_is_ingested_during_a_rebuild_is_not_lost(workspace: Path, tmp_path: Path) -> None:
    more = write_documents(tmp_path / "more", range(6, 8))
    with Workspace.open(workspace) as builder, builder.parts.index.replacement() as fresh:
        fresh.apply(builder.parts.store.changes(0, 1000))
        assert called("ingest", str(more), at=workspace).code == 0
        assert len(passages_found(search(workspace, "--json"))) == 8
    run = search(workspace, "--json")
    assert len(passages_found(run)) == 8
    assert run.err == ""


def test_a_second_rebuild_at_the_same_time_is_told_to_try_again(workspace: Path) -> None:
    with Workspace.open(workspace) as builder, builder.parts.index.replacement():
        run = called("index", "rebuild", at=workspace)
    assert run.code == 1
    assert "another process is building the index" in run.err
    assert "try again" in run.err


def test_a_command_that_finds_only_a_useless_index_being_replaced_is_told_to_try_again(workspace: Path) -> None:
    empty_the_pointer(workspace)
    with Workspace.open(workspace) as builder, builder.parts.index.replacement():
        run = search(workspace)
    assert run.code == 1
    assert "another process is building the index" in run.err


def test_a_writer_that_missed_a_switch_writes_into_the_new_generation(tmp_path: Path) -> None:
    slow, quick = TantivyIndex(tmp_path / "index"), TantivyIndex(tmp_path / "index")
    slow.apply(changes(1, change(1, "audit hold")))
    with quick.replacement() as fresh:
        fresh.apply(changes(1, change(1, "audit hold")))
    slow.apply(changes(2, change(2, "audit"), after=1))
    assert found(quick.snapshot().search("audit hold", wanted(), 5)) == [(1, 0), (2, 0)]


def test_a_gap_that_a_rebuild_by_another_process_leaves_is_filled_by_the_next_catch_up(workspace: Path) -> None:
    with Workspace.open(workspace) as place:
        store, index = place.parts.store, place.parts.index
        with index.replacement() as fresh:
            fresh.apply(store.changes(0, 1))  # a build that ended early
        assert index.snapshot().sequence < 6
        with pytest.raises(Conflict):
            index.apply(store.changes(5, 1000))
        assert catch_up(store, index).sequence == 6


def test_an_unreadable_index_is_a_fault_of_its_own_where_nobody_rebuilds(workspace: Path) -> None:
    empty_the_file_of_segments(workspace)
    with pytest.raises(IndexUnreadable) as caught:
        TantivyIndex(index_of(workspace)).snapshot()
    assert caught.value.code == "index_unreadable"
    assert "toulmin index rebuild" in (caught.value.remedy or "")


def test_a_file_where_the_index_should_be_is_told(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "workspace")
    (workspace / ".toulmin").mkdir()
    index_of(workspace).write_text("a file")
    run = search(workspace)
    assert run.code == 1
    assert str(index_of(workspace)) in run.err


# No room, no right


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small file system can be mounted: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


Told = tuple[str, str, str, str | None]
"""A fault, as it comes from another process: kind, code, place and message, remedy."""


def fault_of(work: Callable[..., object], *arguments: object) -> Told:
    """The fault that the work ends in."""
    with pytest.raises(ToulminError) as caught:
        work(*arguments)
    fault = caught.value
    return type(fault).__name__, fault.code, f"{fault.where} {fault.message}", fault.remedy


def write_large(folder: Path) -> Path:
    folder.mkdir()
    for number in range(40):
        words = "\n\n".join(f"Gateway {number} telemetry line {line} with word{number}x{line}." for line in range(800))
        (folder / f"{number}.md").write_text(f"---\ntoulmin: {{readers: [public]}}\n---\n{words}\n")
    return folder


def test_a_full_disk_stops_an_ingest_and_loses_nothing(small_disk: Path, tmp_path: Path) -> None:
    workspace = make_workspace(small_disk / "workspace")
    elsewhere(ingest, workspace, write_documents(tmp_path / "documents"))
    before = elsewhere(names_stored, workspace)
    run = called("ingest", str(write_large(tmp_path / "large")), at=workspace)
    assert run.code == 1
    assert "Traceback" not in run.err
    assert str(workspace / ".toulmin") in run.err
    assert "try:" in run.err
    assert before < elsewhere(names_stored, workspace)
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert called("ingest", str(tmp_path / "large"), at=workspace).code == 0
    assert len(elsewhere(names_stored, workspace)) == 46
    assert len(passages_found(search(workspace, "--json"))) == 6


def names_stored(workspace: Path) -> set[str]:
    with Workspace.open(workspace) as place:
        return {str(name) for name in stored(place)}


def apply_with_files_limited_to(size: int, folder: Path) -> Told:
    """Writes to an index while no file may grow beyond `size` bytes."""
    index = TantivyIndex(folder)
    index.apply(changes(1, change(1, "audit hold")))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    many = [change(n, *(f"word{n}x{k} audit" for k in range(200))) for n in range(2, 100)]
    told = fault_of(index.apply, changes(2, *many, after=1))
    assert index.snapshot().sequence == 1
    assert found(index.snapshot().search("audit hold", wanted(), 5)) == [(1, 0)]
    return told


def test_an_index_that_cannot_grow_is_told_and_stays_as_it_was(tmp_path: Path) -> None:
    kind, code, message, remedy = elsewhere(apply_with_files_limited_to, 20_000, tmp_path / "index")
    assert (kind, code) == (StoreFault.__name__, "index_unwritable")
    assert str(tmp_path / "index") in message
    assert remedy
    index = TantivyIndex(tmp_path / "index")
    index.apply(changes(2, change(2, "audit"), after=1))
    assert found(index.snapshot().search("audit hold", wanted(), 5)) == [(1, 0), (2, 0)]


def ingest_with_files_limited_to(size: int, workspace: Path, documents: Path) -> Told:
    with Workspace.open(workspace) as place:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return fault_of(lambda: list(place.ingest(place.entries([documents]))))  # type: ignore[arg-type]


def test_a_store_that_cannot_grow_is_told_and_keeps_what_it_has(workspace: Path, tmp_path: Path) -> None:
    database = workspace / ".toulmin" / "corpus.db"
    large = write_large(tmp_path / "large")
    limit = database.stat().st_size + 100_000
    kind, _, message, remedy = elsewhere(ingest_with_files_limited_to, limit, workspace, large)
    assert kind == StoreFault.__name__
    assert str(database) in message
    assert remedy
    assert len(elsewhere(names_stored, workspace)) >= 6
    assert called("ingest", str(large), at=workspace).code == 0
    assert len(elsewhere(names_stored, workspace)) == 46


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter, unlike those that pytest makes."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def ingest_as_somebody_else(workspace: Path, warm_up: Path, documents: Path) -> Told:
    """Ingests as a user to whom no closed folder opens, as it does to root."""
    ingest(warm_up, documents)  # imports what is needed while that may still be read
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    return fault_of(ingest, workspace, documents)


@pytest.mark.parametrize(
    ("closed", "files", "expected"),
    [
        (".toulmin", 0o666, "store_inaccessible"),
        (".toulmin/index", 0o666, "index_unwritable"),
        (".toulmin/index", 0o444, "index_inaccessible"),
    ],
)
def test_a_folder_that_may_not_be_written_is_told(open_folder: Path, closed: str, files: int, expected: str) -> None:
    documents = write_documents(open_folder / "documents")
    workspace = make_workspace(open_folder / "workspace")
    elsewhere(ingest, workspace, write_documents(open_folder / "first", range(3)))
    for path in (workspace / ".toulmin").rglob("*"):
        path.chmod(0o777 if path.is_dir() else 0o666)
    (workspace / ".toulmin").chmod(0o777)
    for path in (workspace / closed, *(workspace / closed).rglob("*")):
        path.chmod(0o555 if path.is_dir() else files)
    warm_up = make_workspace(open_folder / "warm-up")
    try:
        kind, code, message, remedy = elsewhere(ingest_as_somebody_else, workspace, warm_up, documents)
    finally:
        for folder in (workspace / ".toulmin", index_of(workspace), generation_of(workspace)):
            folder.chmod(0o755)
            for file in folder.iterdir():
                file.chmod(0o755)
    assert (kind, code) == (StoreFault.__name__, expected)
    assert str(workspace / ".toulmin") in message
    assert remedy
    assert elsewhere(names_stored, workspace) >= {f"D{number} v1" for number in range(3)}
    assert len(passages_found(search(workspace, "--json"))) >= 3
