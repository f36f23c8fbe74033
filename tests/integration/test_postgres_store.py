from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from threading import Barrier

import psycopg
import pytest

from tests.postgres import KEY, Server
from toulmin.adapters.postgres import migrate_database, open_database, schema
from toulmin.adapters.postgres.database import connect
from toulmin.adapters.postgres.schema import migrate, migrations
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sql.curation import SqlCuration
from toulmin.domain.corpus.document import Status
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.question.case import ANONYMOUS
from toulmin.testing.builders import ALWAYS, NOW, descriptor, packet, revision
from toulmin.testing.ledger import append, event, seal
from toulmin.testing.store import ingest, retire, sequence

BRIEFLY_S = 0.05
SCHEMA = """
SELECT 'column', table_name::text, column_name::text, concat(data_type, is_nullable, column_default, collation_name, ordinal_position)
FROM information_schema.columns WHERE table_schema = 'toulmin' AND table_name <> 'migration'
UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = 'toulmin'::regnamespace AND conrelid IS DISTINCT FROM to_regclass('toulmin.migration')
UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'toulmin' AND tablename <> 'migration'
UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'function', proname, '', pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'toulmin'::regnamespace
UNION ALL SELECT 'view', viewname, '', definition FROM pg_views WHERE schemaname = 'toulmin'
UNION ALL SELECT 'policy', tablename, policyname, concat(roles, cmd, qual, with_check) FROM pg_policies WHERE schemaname = 'toulmin'
UNION ALL SELECT 'rights', relname, '', concat(relrowsecurity, relforcerowsecurity, relacl)
FROM pg_class WHERE relnamespace = 'toulmin'::regnamespace AND relname NOT LIKE 'migration%'
ORDER BY 1, 2, 3, 4
"""

FIRST_SCHEMA_ROWS = """
INSERT INTO revision VALUES (1, 'OLD', '1', 'a', 'b', 'utf-8', 'text/plain', 'test/1', 0, 7);
INSERT INTO revision_text VALUES (1, 'Old words.', '[]');
INSERT INTO passage VALUES (1, 0, 0, 10, '[]');
INSERT INTO scope VALUES (1, '{}');
INSERT INTO reader_set VALUES (1, '["public"]');
INSERT INTO reader_token VALUES ('public', 1);
INSERT INTO change VALUES (1, 42);
INSERT INTO standing VALUES (1, 1, NULL, '{"title": null, "author": null, "language": null, "source_type": null, "egress": "any",
    "scope": "{}", "readers": ["public"], "valid_from": null, "valid_to": null, "supersedes": null, "spans": []}',
    1, 1, 0, 9223372036854775807, false, 'live');
INSERT INTO packet VALUES (1, 'pk-old', '{}', 'somebody', 'ev-1', 'co-1', 0);
INSERT INTO packet_source VALUES (1, 'OLD', '1');
INSERT INTO ledger_entry VALUES (1, 'then', 'packet', 'somebody', '{}');
"""


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(postgres_url, KEY, busy_timeout_s=BRIEFLY_S)
    yield store
    store.close()


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """A file with the key of the tests' stores."""
    path = tmp_path / "store.key"
    path.write_bytes(KEY)
    return path


def raw(url: str) -> psycopg.Connection[tuple[object, ...]]:
    """A connection that is not ours."""
    return psycopg.connect(url, autocommit=True, options="-c search_path=toulmin")


def end_others(url: str) -> None:
    """Breaks all other connections to a database, as a network or an operator does."""
    with raw(url) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def code_of(fault: pytest.ExceptionInfo[StoreFault]) -> str:
    assert fault.value.remedy
    return fault.value.code


# Schema


def test_the_schema_of_a_store_is_the_sum_of_the_migrations(postgres: Server, tmp_path: Path) -> None:
    ours, other = postgres.new_database(), postgres.new_database()
    migrate_database(ours, tmp_path / "key")
    with raw(other) as connection:
        connection.execute("CREATE SCHEMA toulmin")
        for script in migrations():
            connection.execute(script.encode())
        wanted = connection.execute(SCHEMA).fetchall()
    with raw(ours) as connection:
        assert connection.execute(SCHEMA).fetchall() == wanted
        assert connection.execute("SELECT number FROM migration ORDER BY number").fetchall() == [
            (number,) for number in range(1, len(migrations()) + 1)
        ]


def test_migrating_twice_changes_nothing(store: PostgresStore, postgres_url: str, key_file: Path) -> None:
    standing = ingest(store)
    migrate_database(postgres_url, key_file)
    with store.begin(ANONYMOUS) as session:
        assert list(session.catalogue.standings()) == [standing]


def test_those_who_migrate_at_the_same_time_all_succeed(postgres: Server, tmp_path: Path) -> None:
    url, together = postgres.new_database(), Barrier(4)

    def one(_: int) -> int:
        together.wait()
        return migrate_database(url, tmp_path / "key")

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(one, range(4))) == {len(migrations())}


def test_a_migration_that_fails_leaves_the_database_as_it_was(postgres: Server) -> None:
    url = postgres.new_database()
    with closing(connect(url, 1)) as connection:
        with pytest.raises(StoreFault):
            migrate(connection, url, (*migrations(), "CREATE TABLE one (x text); CREATE TABEL two"))
        migrate(connection, url, migrations())
    PostgresStore(url, KEY).close()


def test_a_store_of_a_newer_release_is_refused(postgres: Server, key_file: Path) -> None:
    url = postgres.new_store()
    with raw(url) as connection:
        connection.execute("INSERT INTO migration (number) VALUES (99)")
    for use in (open_database, migrate_database):
        with pytest.raises(StoreFault) as refused:
            use(url, key_file)
        assert code_of(refused) == "newer_store"


def test_what_an_older_schema_held_survives_each_migration(postgres: Server, key_file: Path) -> None:
    url = postgres.new_database()
    with closing(connect(url, 1)) as connection:
        migrate(connection, url, migrations()[:1])
    with raw(url) as connection:
        connection.execute(FIRST_SCHEMA_ROWS)
        for number in range(2, len(migrations()) + 1):
            with closing(connect(url, 1)) as ours:
                migrate(ours, url, migrations()[:number])
            for table in (
                "revision",
                "revision_text",
                "passage",
                "standing",
                "packet",
                "packet_source",
                "ledger_entry",
            ):
                assert len(connection.execute(f"SELECT * FROM {table}".encode()).fetchall()) == 1, (number, table)
    migrate_database(url, key_file)
    with closing(PostgresStore(url, KEY)) as store, store.begin(ANONYMOUS) as session:
        assert session.corpus.sequence() == 1
        assert [str(standing.id) for standing in session.catalogue.standings()] == ["OLD v1"]
        kept = session.catalogue.revision(1)
        assert kept is not None
        assert kept.text == "Old words."
        assert session.packets.get("pk-old") is not None


def test_an_older_schema_has_to_be_migrated(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    url = postgres.new_store()
    monkeypatch.setattr(schema, "migrations", lambda: (*migrations(), "CREATE TABLE more (x text)"))
    with pytest.raises(StoreFault) as refused:
        PostgresStore(url, KEY)
    assert code_of(refused) == "store_not_migrated"
    assert str(len(migrations())) in refused.value.message


def test_a_schema_of_another_program_is_refused_and_left_alone(postgres: Server, key_file: Path) -> None:
    url = postgres.new_database()
    with raw(url) as connection:
        connection.execute("CREATE SCHEMA toulmin; CREATE TABLE toulmin.note (words text)")
    for use in (open_database, migrate_database):
        with pytest.raises(StoreFault) as refused:
            use(url, key_file)
        assert code_of(refused) == "not_a_store"


def test_a_database_that_does_not_keep_unicode_is_refused(postgres: Server, key_file: Path) -> None:
    with raw(postgres.url("postgres")) as connection:
        connection.execute("CREATE DATABASE bytes_only TEMPLATE template0 ENCODING 'SQL_ASCII'")
    with pytest.raises(StoreFault) as refused:
        migrate_database(postgres.url("bytes_only"), key_file)
    assert code_of(refused) == "bad_encoding"


# Rows


@pytest.mark.parametrize("words", ["a\0b", "\x1a", "\x1a0", "\0\x1a\x1a\0", "\x1a\x1a0"])
def test_every_text_comes_back_as_it_was(store: PostgresStore, words: str) -> None:
    standing = ingest(store, text=words)
    with store.begin(ANONYMOUS) as session:
        kept = session.catalogue.revision(standing.key)
    assert kept == revision(text=words)


@pytest.mark.parametrize("table", ["ledger_entry", "ledger_link", "ledger_checkpoint"])
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM {0}",
        "TRUNCATE {0} CASCADE",
        "UPDATE {0} SET sequence = sequence + 1",
        "INSERT INTO {0} SELECT * FROM {0}",
    ],
)
def test_what_the_ledger_recorded_is_not_changed_by_hand(
    store: PostgresStore, postgres_url: str, table: str, statement: str
) -> None:
    append(store, event(), event())
    seal(store)
    with raw(postgres_url) as connection:
        before = connection.execute(f"SELECT * FROM {table}".encode()).fetchall()
        assert before
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="append-only"):
            connection.execute(statement.format(table).encode())
        assert connection.execute(f"SELECT * FROM {table}".encode()).fetchall() == before


def test_scrubbing_takes_deleted_words_out_of_the_servers_files(postgres: Server) -> None:
    url = postgres.new_store()
    with closing(PostgresStore(url, KEY)) as store:
        gone = ingest(store, "GONE", text="canary words, which the server may not keep\n")
        ingest(store, "STAYS", text="other words, which it has to keep\n")
        retire(store, gone, Status.DELETED)
        store.scrub()
    with raw(url) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    assert row
    files = b"".join(file.read_bytes() for file in (postgres.folder / "data" / "base" / str(row[0])).iterdir())
    assert b"other words" in files
    assert b"canary" not in files


def test_words_that_a_session_may_still_see_are_not_said_to_be_gone(store: PostgresStore) -> None:
    gone = ingest(store)
    with store.begin(ANONYMOUS) as reader:
        retire(store, gone, Status.DELETED)
        with pytest.raises(Conflict):
            store.scrub()
        assert reader.catalogue.revision(gone.key)
    store.scrub()


# Transactions and connections


def test_a_session_kept_longer_than_its_transaction_can_do_nothing(store: PostgresStore) -> None:
    with store.begin(ANONYMOUS) as session:
        pass
    with pytest.raises(StoreFault) as refused:
        session.corpus.sequence()
    assert code_of(refused) == "session_over"


@pytest.mark.parametrize("more", [False, True])
def test_what_stands_beside_a_failed_statement_is_never_taken_for_committed(store: PostgresStore, more: bool) -> None:
    def go_on_after_it() -> None:
        with store.curate() as curation:
            curation.add(revision(), descriptor(), ALWAYS, NOW)
            with suppress(StoreFault):
                _fail(curation)
            if not more:
                curation._buckets.clear()  # so that the session's end is the commit

    with pytest.raises(StoreFault) as refused:
        go_on_after_it()
    assert code_of(refused) == "transaction_failed"
    assert sequence(store) == 0


def test_a_step_that_failed_leaves_the_rest_of_its_session_whole(store: PostgresStore) -> None:
    with store.curate() as curation:
        with curation.step():
            curation.add(revision("KEPT"), descriptor(), ALWAYS, NOW)
        with suppress(StoreFault), curation.step():
            curation.add(revision("LOST"), descriptor(), ALWAYS, NOW)
            _fail(curation)
    with store.begin(ANONYMOUS) as session:
        assert [str(standing.id) for standing in session.catalogue.standings()] == ["KEPT v1"]


def test_writers_in_many_threads_take_numbers_one_after_the_other(postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url, KEY, most_connections=6)) as store, ThreadPoolExecutor(6) as threads:
        standings = list(threads.map(lambda number: ingest(store, f"D{number}"), range(20)))
        assert sorted(standing.since for standing in standings) == list(range(1, 21))
        with raw(postgres_url) as connection:
            (used,) = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).fetchone() or (0,)
        assert used == 3  # the other half is for readers


def test_those_who_wait_to_write_leave_connections_to_readers(postgres_url: str) -> None:
    with (
        closing(PostgresStore(postgres_url, KEY, busy_timeout_s=1, most_connections=4)) as store,
        closing(PostgresStore(postgres_url, KEY)) as elsewhere,
        ThreadPoolExecutor(6) as threads,
    ):
        with elsewhere.curate():
            waiting = [threads.submit(ingest, store, f"D{number}") for number in range(6)]
            began = time.monotonic()
            while time.monotonic() - began < 0.8:
                with store.begin(ANONYMOUS) as session:
                    assert not session.catalogue.standings()
                time.sleep(0.05)
            assert not any(each.done() for each in waiting)
        assert {type(each.exception()) for each in waiting} <= {type(None), Conflict}


def test_who_finds_all_connections_in_use_is_told_to_try_again(postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url, KEY, busy_timeout_s=BRIEFLY_S, most_connections=1)) as store:
        with store.begin(ANONYMOUS), pytest.raises(Conflict) as refused, store.begin(ANONYMOUS):
            pass
        assert refused.value.code == "store_busy"
        assert sequence(store) == 0


def test_a_connection_that_breaks_in_a_session_takes_all_of_it_along_and_the_next_one_works(
    store: PostgresStore, postgres_url: str
) -> None:
    def curate() -> None:
        with store.curate() as curation:
            curation.add(revision("LOST"), descriptor(), ALWAYS, NOW)
            end_others(postgres_url)
            curation.add(revision("MORE"), descriptor(), ALWAYS, NOW)

    kept = ingest(store, "KEPT")
    with pytest.raises(StoreFault) as broken:
        curate()
    assert code_of(broken) == "store_unreachable"
    with store.begin(ANONYMOUS) as session:
        assert list(session.catalogue.standings()) == [kept]
    assert ingest(store, "LOST").since == 2


def test_a_connection_that_breaks_at_the_commit_leaves_it_open_what_became_of_it(
    store: PostgresStore, postgres_url: str
) -> None:
    def keep() -> None:
        with store.begin(ANONYMOUS, write=True) as session:
            session.packets.add(packet())
            end_others(postgres_url)

    with pytest.raises(StoreFault) as broken:
        keep()
    assert code_of(broken) == "commit_unknown"
    with store.begin(ANONYMOUS) as session:
        assert session.packets.get(packet().id) is None


def test_idle_connections_that_the_server_closed_are_replaced(store: PostgresStore, postgres: Server) -> None:
    ingest(store, "BEFORE")
    postgres.stop()
    with pytest.raises(StoreFault) as refused:
        sequence(store)
    assert code_of(refused) == "store_unreachable"
    postgres.start()
    assert sequence(store) == 1
    assert ingest(store, "AFTER").since == 2


def test_a_crash_of_the_server_loses_nothing_that_was_committed_and_keeps_nothing_that_was_not(
    store: PostgresStore, postgres: Server
) -> None:
    def curate() -> None:
        with store.curate() as curation:
            curation.add(revision("LOST"), descriptor(), ALWAYS, NOW)
            postgres.stop()
            postgres.start()

    kept = ingest(store, "KEPT")
    with pytest.raises(StoreFault):
        curate()
    with store.begin(ANONYMOUS) as session:
        assert list(session.catalogue.standings()) == [kept]


def test_a_session_that_ends_after_close_is_still_committed(postgres_url: str) -> None:
    store = PostgresStore(postgres_url, KEY)
    with store.curate() as curation:
        store.close()
        curation.add(revision(), descriptor(), ALWAYS, NOW)
    with closing(PostgresStore(postgres_url, KEY)) as reopened:
        assert sequence(reopened) == 1


# Faults


def test_a_database_that_does_not_exist_and_a_role_that_does_not_are_told(postgres: Server) -> None:
    for url in (postgres.url("no_such_database"), postgres.url("postgres", user="nobody_known")):
        with pytest.raises(StoreFault) as refused:
            PostgresStore(url, KEY)
        assert refused.value.code in {"store_unreachable", "store_inaccessible"}
        assert url in refused.value.message


def test_a_role_that_may_not_read_the_store_is_told_so(postgres: Server) -> None:
    url = postgres.new_store()
    with raw(url) as connection:
        connection.execute("CREATE ROLE stranger LOGIN")
    store = PostgresStore(re.sub("postgres@", "stranger@", url), KEY)
    with closing(store), pytest.raises(StoreFault) as refused:
        sequence(store)
    assert code_of(refused) == "store_inaccessible"


def test_a_fault_never_tells_what_stands_in_a_row(store: PostgresStore) -> None:
    with pytest.raises(StoreFault) as refused, store.curate() as curation:
        _fail(curation, "canary")
    assert code_of(refused) == "store_failed"
    assert "canary" not in str(refused.value)


def _fail(curation: SqlCuration, words: str = "words") -> None:
    """Makes a statement fail in the database: there is no such revision."""
    curation._transaction.run("add_text", revision=-1, text=words, pages="[]")
