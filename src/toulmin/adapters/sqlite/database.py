"""SQLite itself: connections, transactions, and its errors as faults of ours. The rest of the adapter never sees one of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from toulmin.adapters.sql.transaction import Transaction, Value, scripts, statements
from toulmin.adapters.sql.transfer import transfer_statements
from toulmin.domain.errors import Conflict, StoreFault

PACKAGE: Final = "toulmin.adapters.sqlite"
_PRAGMAS: Final = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = FULL",  # in WAL mode, NORMAL may lose the last commits when power fails; an answer's packet must not be
    "PRAGMA secure_delete = ON",  # a deleted text is overwritten with zeros, not only unlinked
    "PRAGMA trusted_schema = OFF",  # functions hidden in the schema of a file from elsewhere do not run
    "PRAGMA cache_size = -16384",  # KiB a connection: the default of 2 MiB holds few texts, and searches read the same ones
)


_STATEMENTS: Final = statements(*scripts(PACKAGE, "queries")) | transfer_statements(lambda column: f":{column}")


def connect(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    """A connection with our settings, made for one thread at a time. The file is created if absent, its folder is not."""
    with faults_of(path):
        connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False)
        try:
            for pragma in _PRAGMAS:
                connection.execute(pragma)
        except BaseException:
            connection.close()
            raise
    connection.row_factory = sqlite3.Row
    return connection


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """Raises SQLite's errors as `Conflict` or `StoreFault` that name the file and the remedy."""
    try:
        yield
    except sqlite3.Error as error:
        raise _fault(error, path) from error


def _fault(error: sqlite3.Error, path: Path) -> Conflict | StoreFault:
    extended = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    match extended & 0xFF:  # the low byte is the primary code
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Conflict("store_busy", f"another writer keeps {path} busy", remedy="try again when it has finished")
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return StoreFault(
                "store_inaccessible",
                f"{path} cannot be opened for writing: {error}",
                remedy="check that its folder exists and that this user may write in it",
            )
        case sqlite3.SQLITE_NOTADB:
            return not_ours(path)
        case sqlite3.SQLITE_CORRUPT:
            return StoreFault("store_damaged", f"{path} is damaged: {error}", remedy="restore it from a backup")
        case sqlite3.SQLITE_FULL:
            return StoreFault("store_full", f"{path} cannot grow: {error}", remedy="make room on its disk")
        case _:
            return StoreFault("store_failed", f"{path}: {error}", remedy="check the disk that it is on, then try again")


def not_ours(path: Path) -> StoreFault:
    """The fault of a file that is something else than a store."""
    return StoreFault(
        "not_a_store", f"{path} is not a toulmin store", remedy="name another file, or move this one away"
    )


class SqliteTransaction(Transaction):
    """One transaction on one connection; what is not committed when it ends is rolled back."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._over = False
        self._sequence = 0

    def begin(self, statement: str) -> None:
        """Begins, with a view from this moment on: SQLite fixes a reader's view at its first read, not at BEGIN."""
        self.run(statement)
        self._sequence = self.present_sequence()

    @property
    def sequence(self) -> int:
        self._usable()
        return self._sequence

    def rows(self, statement: str, **values: Value) -> list[sqlite3.Row]:
        with faults_of(self._path):
            return self._usable().execute(_STATEMENTS[statement], values).fetchall()

    def run_each(self, statement: str, values: Iterable[Mapping[str, Value]]) -> None:
        with faults_of(self._path):
            self._usable().executemany(_STATEMENTS[statement], values)

    @contextmanager
    def step(self) -> Iterator[None]:
        self.run("begin_step")
        try:
            yield
        except BaseException:
            if self._usable().in_transaction:
                self.run("drop_step")
                self.run("end_step")
            raise
        self.run("end_step")

    def end(self) -> None:
        """Rolls back what was not committed. A session that is kept longer than its transaction can do nothing any more."""
        self._over = True
        if self._connection.in_transaction:
            with faults_of(self._path):
                self._connection.rollback()

    def _usable(self) -> sqlite3.Connection:
        if self._over:
            raise StoreFault("session_over", "this session has ended", remedy="begin a new one")
        return self._connection
