from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from toulmin.adapters.sqlite.schema import migrations
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.domain.corpus.document import Status
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.question.case import ANONYMOUS
from toulmin.testing.builders import ALWAYS, NOW, descriptor, packet, revision
from toulmin.testing.store import ingest, retire, sequence

BRIEFLY_S = 0.02


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "corpus.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(path, busy_timeout_s=BRIEFLY_S)
    yield store
    store.close()


def raw(path: Path) -> closing[sqlite3.Connection]:
    """A connection that is not ours."""
    return closing(sqlite3.connect(path, isolation_level=None))


def schema(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    return connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()


# Files


def test_what_was_committed_is_there_after_reopening(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        standing = ingest(store, scope={"model": "G2"})
        with store.begin(ANONYMOUS, write=True) as session:
            session.packets.add(packet(standing.id, texts=["words"]))
            fingerprint = session.corpus.fingerprint()
    with closing(SqliteStore(path)) as reopened, reopened.begin(ANONYMOUS) as session:
        assert list(session.catalogue.standings()) == [standing]
        assert session.catalogue.revision(standing.key) == revision()
        assert session.packets.get(packet(standing.id, texts=["words"]).id) == packet(standing.id, texts=["words"])
        assert session.corpus.sequence() == 1
        assert session.corpus.fingerprint() == fingerprint


def test_a_missing_folder_is_created_but_not_the_one_above_it(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "with a space" / "corpus.db").close()
    assert (tmp_path / "with a space" / "corpus.db").is_file()
    wanted = tmp_path / "missing" / "folder" / "corpus.db"
    with pytest.raises(StoreFault) as refused:
        SqliteStore(wanted)
    assert refused.value.code == "store_inaccessible"
    assert str(wanted) in refused.value.message
    assert refused.value.remedy
    assert not (tmp_path / "missing").exists()


def test_a_folder_in_the_place_of_the_file_is_refused(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreFault) as refused:
        SqliteStore(path)
    assert refused.value.code == "store_inaccessible"
    assert str(path) in refused.value.message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere: run the tests as another user")
def test_a_folder_without_write_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreFault) as refused:
            SqliteStore(tmp_path / "corpus.db")
    finally:
        tmp_path.chmod(0o700)
    assert refused.value.code == "store_inaccessible"


def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    path.write_text("some notes, long enough to be more than an unfinished header " * 20, encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(StoreFault) as refused:
        SqliteStore(path)
    assert refused.value.code == "not_a_store"
    assert str(path) in refused.value.message
    assert path.read_bytes() == before


@pytest.mark.parametrize("script", ["CREATE TABLE note (text)", "PRAGMA user_version = 7", "PRAGMA application_id = 7"])
def test_a_database_of_another_program_is_refused_and_left_alone(path: Path, script: str) -> None:
    with raw(path) as connection:
        connection.execute(script)
    before = path.read_bytes()
    with pytest.raises(StoreFault) as refused:
        SqliteStore(path)
    assert refused.value.code == "not_a_store"
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with closing(SqliteStore(path)) as store:
        assert sequence(store) == 0


def test_a_damaged_file_is_told_as_one(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        ingest(store)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)  # the first page holds the schema; without it the file would be no database at all
        file.write(b"\xff" * (size - 4096))
    with pytest.raises(StoreFault) as refused:
        SqliteStore(path)
    assert refused.value.code == "store_damaged"
    assert str(path) in refused.value.message


# Schema


@pytest.mark.usefixtures("store")
def test_the_schema_of_a_new_store_is_the_sum_of_the_migrations(path: Path) -> None:
    with raw(path) as ours, closing(sqlite3.connect(":memory:")) as other:
        for script in migrations():
            other.executescript(script)
        assert schema(ours) == schema(other)
        assert ours.execute("PRAGMA user_version").fetchone() == (len(migrations()),)


@pytest.mark.usefixtures("store")
def test_every_table_is_strict(path: Path) -> None:
    with raw(path) as connection:
        tables = connection.execute("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'").fetchall()
    views = {"full_standing", "sqlite_schema"}
    assert {name for name, strict in tables if not strict} <= views
    assert len(tables) > len(views)


def test_a_store_with_a_newer_schema_is_refused_and_left_alone(path: Path) -> None:
    SqliteStore(path).close()
    with raw(path) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(StoreFault) as refused:
        SqliteStore(path)
    assert refused.value.code == "newer_store"
    assert str(path) in refused.value.message
    assert "999" in refused.value.message
    with raw(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (999,)


def test_a_failing_migration_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = "CREATE TABLE later (key INTEGER PRIMARY KEY) STRICT;\nCREATE TABLE broken (;\n"
    monkeypatch.setattr("toulmin.adapters.sqlite.schema.migrations", lambda: (*migrations(), broken))
    with pytest.raises(StoreFault):
        SqliteStore(path)
    with raw(path) as connection:
        assert schema(connection) == []
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)


# Settings


def test_every_connection_has_the_settings_that_the_store_relies_on(store: SqliteStore) -> None:
    with store.begin(ANONYMOUS), store.begin(ANONYMOUS):
        pass  # two at once, so that there are two connections
    assert len(store._idle) == 2
    for connection in store._idle:
        settings = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "foreign_keys", "synchronous", "secure_delete")
        }
        assert settings == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2, "secure_delete": 1}


def test_sessions_one_after_the_other_share_a_connection(store: SqliteStore) -> None:
    for _ in range(3):
        ingest(store, f"D{sequence(store)}")
    assert len(store._idle) == 1


def test_no_row_points_at_nothing(path: Path, store: SqliteStore) -> None:
    kept = ingest(store, "KEPT")
    retire(store, ingest(store, "GONE", readers=["tenant:a"]), Status.DELETED)
    with store.begin(ANONYMOUS, write=True) as session:
        session.packets.add(packet(kept.id, texts=["words"]))
    with raw(path) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        with pytest.raises(sqlite3.IntegrityError):
            store._idle[0].execute("INSERT INTO revision_text (revision, text) VALUES (99, '')")


def test_a_deleted_text_is_overwritten_in_the_file(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        gone = ingest(store, "GONE", text="canary words\n" * 1000)
        ingest(store, "STAYS", text="other words")
        retire(store, gone, Status.DELETED)
    assert not path.with_name("corpus.db-wal").exists()  # closing wrote it back
    assert b"canary" not in path.read_bytes()
    assert b"other words" in path.read_bytes()


# Transactions


def test_a_full_disk_is_told_as_one_and_nothing_of_the_session_stays(store: SqliteStore) -> None:
    connection = store._idle[0]
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 10}")
    with pytest.raises(StoreFault) as refused:
        ingest(store, text="word " * 100_000)
    assert refused.value.code == "store_full"
    connection.execute("PRAGMA max_page_count = 1000000")
    assert ingest(store, text="word " * 100_000).since == 1


def test_a_session_kept_longer_than_its_transaction_can_do_nothing(store: SqliteStore) -> None:
    with store.begin(ANONYMOUS) as session:
        pass
    with store.curate() as curation:
        pass
    with pytest.raises(StoreFault):
        session.corpus.sequence()
    with pytest.raises(StoreFault):
        curation.add(revision(), descriptor(), ALWAYS, NOW)
    assert sequence(store) == 0


def test_a_session_that_ends_after_close_is_still_committed_and_its_connection_released(path: Path) -> None:
    store = SqliteStore(path)
    with store.curate() as curation:
        store.close()
        curation.add(revision(), descriptor(), ALWAYS, NOW)
    assert store._idle == []
    with closing(SqliteStore(path)) as reopened:
        assert sequence(reopened) == 1


def test_writers_in_many_threads_take_numbers_one_after_the_other(path: Path) -> None:
    with closing(SqliteStore(path)) as store, ThreadPoolExecutor(4) as threads:
        standings = list(threads.map(lambda number: ingest(store, f"D{number}"), range(20)))
        assert sorted(standing.since for standing in standings) == list(range(1, 21))
        assert len(store._idle) <= 4


# Processes

OPENER = """
import sys
from pathlib import Path
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.testing.builders import ALWAYS, NOW, descriptor, revision

store = SqliteStore(Path(sys.argv[1]))
"""
HOLDER = f"""{OPENER}
with store.curate() as curation:
    curation.add(revision("THEIRS"), descriptor(), ALWAYS, NOW)
    print("writing", flush=True)
    sys.stdin.readline()
store.close()
"""


def start(script: str, path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_while_another_process_writes_readers_go_on_and_writers_are_told_to_try_again(
    path: Path, store: SqliteStore
) -> None:
    ingest(store, "OURS")
    with start(HOLDER, path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "writing\n"
        assert sequence(store) == 1
        with pytest.raises(Conflict) as refused:
            ingest(store, "LATE")
        holder.communicate("\n")
    assert holder.returncode == 0
    assert refused.value.code == "store_busy"
    assert str(path) in refused.value.message
    assert refused.value.remedy
    assert sequence(store) == 2
    assert ingest(store, "LATE").since == 3


def test_a_process_that_dies_in_a_session_leaves_nothing_of_it(path: Path, store: SqliteStore) -> None:
    with start(HOLDER, path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "writing\n"
        holder.kill()
    assert sequence(store) == 0
    assert ingest(store, "THEIRS").since == 1


def test_processes_that_create_one_store_at_the_same_time_all_succeed(path: Path) -> None:
    processes = [start(OPENER, path) for _ in range(4)]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    with closing(SqliteStore(path)) as store:
        assert sequence(store) == 0
