"""The corpus database on a PostgreSQL server: one writer at a time, many readers on many hosts, each with its own view."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import BoundedSemaphore

from toulmin.adapters.postgres.database import Connection, Connections, PostgresTransaction, Role, connect
from toulmin.adapters.postgres.feed import PostgresFeed
from toulmin.adapters.postgres.rights import signed
from toulmin.adapters.postgres.schema import check_schema, migrate, migrations, put_key
from toulmin.adapters.sql.changes import read_changes, read_outlook
from toulmin.adapters.sql.codec import array
from toulmin.adapters.sql.curation import SqlCuration
from toulmin.adapters.sql.examination import report
from toulmin.adapters.sql.ledger import SqlLedgerKeeping
from toulmin.adapters.sql.service import SqlApiKeys
from toulmin.adapters.sql.session import SqlSession
from toulmin.adapters.sql.transfer import exported, imported
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.question.api_key import ApiKey
from toulmin.domain.question.case import Principal
from toulmin.ports.health import StoreReport
from toulmin.ports.store import Changes, Outlook, PassageKey
from toulmin.ports.transfer import Record


def migrate_database(url: str, key_file: Path, *, wait_s: float = 60.0) -> int:
    """Brings a database to the present schema, and gives it the key in a file, as `put_key` does; the number of its last migration.

    Raises `Conflict` where writers keep it busy for so long, and `StoreFault` as `migrate` does.
    """
    connection = connect(url, wait_s)
    try:
        migrate(connection, url, migrations())
        put_key(connection, url, key_file)
    finally:
        connection.close()
    return len(migrations())


class PostgresStore:
    """A `Store` in the schema `toulmin` of a PostgreSQL database, for all threads, processes and hosts.

    `key` is the one that `migrate_database` gave it: with it the rights of principals are signed, which the database itself then enforces.
    `most_connections` bounds those of this store, of which writers take half; `busy_timeout_s` is how long a writer waits for another one, or anybody for a
    connection, before `Conflict`. A commit is on the server's disk when it returns. Raises `StoreFault` for a server that cannot be reached,
    and for a database without the present schema: only `migrate_database` changes that.
    """

    def __init__(self, url: str, key: bytes, *, busy_timeout_s: float = 10.0, most_connections: int = 8) -> None:
        self._url = url
        self._key = key
        self._busy_timeout_s = busy_timeout_s
        self._connections = Connections(url, most=most_connections, wait_s=busy_timeout_s)
        self._writers = BoundedSemaphore(max(1, most_connections // 2))
        connection = self._connections.take()
        try:
            check_schema(connection, url)
        except BaseException:
            self._connections.close()
            raise
        finally:
            self._connections.give_back(connection)

    @contextmanager
    def begin(self, principal: Principal, *, write: bool = False) -> Iterator[SqlSession]:
        with self._transaction(Role.APP, principal, write=write) as transaction:
            yield SqlSession.of(transaction, principal, writable=write)

    @contextmanager
    def curate(self) -> Iterator[SqlCuration]:
        with self._transaction(Role.WORKER, write=True) as transaction:
            curation = SqlCuration(transaction)
            yield curation
            curation.finish()
            transaction.run("notify")

    @contextmanager
    def keep_ledger(self, *, write: bool = False) -> Iterator[SqlLedgerKeeping]:
        with self._transaction(Role.WORKER if write else Role.AUDITOR, write=write) as transaction:
            yield SqlLedgerKeeping(transaction)

    def api_key(self, key_id: str) -> ApiKey | None:
        with self._transaction(Role.APP) as transaction:
            return SqlApiKeys(transaction).get(key_id)

    def api_keys(self) -> Sequence[ApiKey]:
        with self._transaction(Role.WORKER) as transaction:
            return SqlApiKeys(transaction).all()

    def changes(self, after: int, limit: int) -> Changes:
        with self._transaction(Role.WORKER) as transaction:
            return read_changes(transaction, after, limit)

    def outlook(self, after: int) -> Outlook:
        with self._transaction(Role.WORKER) as transaction:
            return read_outlook(transaction, after)

    def feed(self) -> PostgresFeed:
        return PostgresFeed(self._url, self._busy_timeout_s)

    def examine(self) -> StoreReport:
        """Reads all standings; that pages are whole and rows belong together is the server's own matter (`pg_amcheck`)."""
        with self._transaction(Role.WORKER) as transaction:
            (size,) = transaction.rows("size")
            return report(transaction, schema=len(migrations()), size=size["bytes"], faults=())

    def sample(self, size: int) -> tuple[PassageKey, ...]:
        with self._transaction(Role.WORKER) as transaction:
            return tuple(PassageKey(row["revision"], row["ordinal"]) for row in transaction.rows("sample", size=size))

    def held(self, keys: Collection[PassageKey]) -> frozenset[PassageKey]:
        wanted = array([key.revision, key.ordinal] for key in keys)
        with self._transaction(Role.WORKER) as transaction:
            rows = transaction.rows("held", keys=wanted)
        return frozenset(PassageKey(row["revision"], row["ordinal"]) for row in rows)

    @contextmanager
    def export_rows(self) -> Iterator[Iterator[Record]]:
        with self._transaction(Role.WORKER) as transaction:
            yield exported(transaction)

    def import_rows(self, records: Iterable[Record]) -> int:
        with self._transaction(Role.WORKER, write=True) as transaction:
            return imported(transaction, records)

    def scrub(self) -> None:
        """Rewrites the tables that held words. The server's log, its archive and backups keep them until they are recycled."""
        connection = self._connections.take()
        try:
            alone = PostgresTransaction(connection, self._url)
            (views,) = alone.rows("older_views")
            if not views["owner"]:
                raise StoreFault(
                    "store_inaccessible",
                    f"the role of {self._url} may not rewrite the store's tables",
                    remedy="finish it as the role that owns them: toulmin document erase --unfinished",
                )
            if views["others"]:
                raise Conflict(
                    "store_busy",
                    f"another session reads {self._url}, so that what was removed must stay for it",
                    remedy="try again when it has finished",
                )
            alone.run("rewrite")
        finally:
            self._connections.give_back(connection)

    def close(self) -> None:
        self._connections.close()

    @contextmanager
    def _transaction(
        self, role: Role, principal: Principal | None = None, *, write: bool = False
    ) -> Iterator[PostgresTransaction]:
        """A transaction with one view from its first moment on, committed when it is left without an exception."""
        with self._turn() if write else nullcontext():
            connection = self._connections.take()
            with self._begun(connection, role, principal, write=write) as transaction:
                yield transaction

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """The turn of one of a few writers of this store: each holds a connection while it waits for the one writer of all hosts, and readers need some."""
        if not self._writers.acquire(timeout=self._busy_timeout_s):
            raise Conflict(
                "store_busy", f"other writers keep {self._url} busy", remedy="try again when they have finished"
            )
        try:
            yield
        finally:
            self._writers.release()

    @contextmanager
    def _begun(
        self, connection: Connection, role: Role, principal: Principal | None, *, write: bool
    ) -> Iterator[PostgresTransaction]:
        """The transaction on a connection, which is given back at its end."""
        transaction = PostgresTransaction(connection, self._url)
        try:
            claims = signed(self._key, principal, connection.info.backend_pid) if principal else ""
            transaction.begin(role, claims, write=write)
            yield transaction
            transaction.commit()
        finally:
            try:
                transaction.end()
            finally:
                self._connections.give_back(connection)
