"""The corpus database in one SQLite file: write-ahead log, one writer, many readers, each with its own view."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from toulmin.adapters.sql.changes import read_changes, read_outlook
from toulmin.adapters.sql.codec import array
from toulmin.adapters.sql.curation import SqlCuration
from toulmin.adapters.sql.ledger import SqlLedgerKeeping
from toulmin.adapters.sql.service import SqlApiKeys
from toulmin.adapters.sql.session import SqlSession
from toulmin.adapters.sql.transfer import exported, imported
from toulmin.adapters.sqlite.database import SqliteTransaction, connect, faults_of
from toulmin.adapters.sqlite.examination import examine
from toulmin.adapters.sqlite.feed import SqliteFeed
from toulmin.adapters.sqlite.schema import migrate
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.question.api_key import ApiKey
from toulmin.domain.question.case import Principal
from toulmin.ports.health import StoreReport
from toulmin.ports.store import Changes, Outlook, PassageKey
from toulmin.ports.transfer import Record


class SqliteStore:
    """A `Store` in one file, for all threads and processes of one host.

    The file, and the folder that it is in, are created if absent. `busy_timeout_s` is how long a writer waits for another one
    before `Conflict`. A commit is on disk when it returns. Raises `StoreFault` for a path that cannot be written, a file that is
    no store, and a store with a newer schema.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float = 10.0) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._lock = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._create()

    @contextmanager
    def begin(self, principal: Principal, *, write: bool = False) -> Iterator[SqlSession]:
        with self._transaction("begin_write" if write else "begin_read") as transaction:
            yield SqlSession.of(transaction, principal, writable=write)

    @contextmanager
    def curate(self) -> Iterator[SqlCuration]:
        with self._transaction("begin_write") as transaction:
            curation = SqlCuration(transaction)
            yield curation
            curation.finish()

    @contextmanager
    def keep_ledger(self, *, write: bool = False) -> Iterator[SqlLedgerKeeping]:
        with self._transaction("begin_write" if write else "begin_read") as transaction:
            yield SqlLedgerKeeping(transaction)

    def api_key(self, key_id: str) -> ApiKey | None:
        with self._transaction("begin_read") as transaction:
            return SqlApiKeys(transaction).get(key_id)

    def api_keys(self) -> Sequence[ApiKey]:
        with self._transaction("begin_read") as transaction:
            return SqlApiKeys(transaction).all()

    def changes(self, after: int, limit: int) -> Changes:
        with self._transaction("begin_read") as transaction:
            return read_changes(transaction, after, limit)

    def outlook(self, after: int) -> Outlook:
        with self._transaction("begin_read") as transaction:
            return read_outlook(transaction, after)

    def feed(self) -> SqliteFeed:
        return SqliteFeed(self._sequence)

    def examine(self) -> StoreReport:
        """Reads the whole file with SQLite's own checks."""
        with self._transaction("begin_read") as transaction:
            return examine(transaction, self._path)

    def sample(self, size: int) -> tuple[PassageKey, ...]:
        with self._transaction("begin_read") as transaction:
            return tuple(PassageKey(row["revision"], row["ordinal"]) for row in transaction.rows("sample", size=size))

    def held(self, keys: Collection[PassageKey]) -> frozenset[PassageKey]:
        wanted = array([key.revision, key.ordinal] for key in keys)
        with self._transaction("begin_read") as transaction:
            rows = transaction.rows("held", keys=wanted)
        return frozenset(PassageKey(row["revision"], row["ordinal"]) for row in rows)

    @contextmanager
    def export_rows(self) -> Iterator[Iterator[Record]]:
        with self._transaction("begin_read") as transaction:
            yield exported(transaction)

    def import_rows(self, records: Iterable[Record]) -> int:
        with self._transaction("begin_write") as transaction:
            return imported(transaction, records)

    def scrub(self) -> None:
        connection = self._take()
        try:
            with faults_of(self._path):
                connection.execute("VACUUM")  # pages that were freed, and what is left over inside of pages
                busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            self._give_back(connection)
        if busy:
            raise Conflict(
                "store_busy",
                f"another process reads {self._path}, so that its log cannot be emptied",
                remedy="try again when it has finished",
            )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _sequence(self) -> int:
        with self._transaction("begin_read") as transaction:
            return transaction.sequence

    def _create(self) -> None:
        try:
            self._path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreFault(
                "store_inaccessible",
                f"the folder of {self._path} cannot be created: {error.strerror}",
                remedy="check that the folder above it exists and that this user may write in it",
            ) from error
        connection = connect(self._path, self._busy_timeout_s)
        try:
            migrate(connection, self._path)
        except BaseException:
            connection.close()
            raise
        self._give_back(connection)

    @contextmanager
    def _transaction(self, start: str) -> Iterator[SqliteTransaction]:
        """A transaction with one view from its first moment on, committed when it is left without an exception."""
        connection = self._take()
        transaction = SqliteTransaction(connection, self._path)
        try:
            transaction.begin(start)
            yield transaction
            transaction.run("commit")
        finally:
            transaction.end()
            self._give_back(connection)  # not where rolling back failed: that connection is used no more

    def _take(self) -> sqlite3.Connection:
        """A connection for the caller alone: the one used last, whose cache is warm, or a new one."""
        with self._lock:
            if self._closed:
                raise StoreFault("store_closed", f"{self._path} was closed", remedy="open it again")
            if self._idle:
                return self._idle.pop()
        return connect(self._path, self._busy_timeout_s)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()
