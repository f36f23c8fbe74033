"""PostgreSQL itself: connections, transactions, and its errors as faults of ours. The rest of the adapter never sees one of them."""

from __future__ import annotations

import re
import select
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from threading import BoundedSemaphore, Lock
from typing import Any, Final

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumperUnknown, TextLoader

from toulmin.adapters.sql.transaction import Row, Transaction, Value, scripts, statements
from toulmin.adapters.sql.transfer import transfer_statements
from toulmin.domain.errors import Conflict, StoreFault

PACKAGE: Final = "toulmin.adapters.postgres"
SCHEMA: Final = "toulmin"
LOCK: Final = int.from_bytes(b"toulmin")
"""The advisory lock of a database's one writer, who may also be one that migrates it."""


def _placeholder(column: str) -> str:
    return "%(superseded)s::integer::boolean" if column == "superseded" else f"%({column})s"


_STATEMENTS: Final = {
    name: text.encode()
    for name, text in (statements(*scripts(PACKAGE, "queries")) | transfer_statements(_placeholder)).items()
}
_CONNECT_S: Final = 10
_SETTINGS: Final = (
    f"search_path={SCHEMA}",
    "client_encoding=UTF8",
    "synchronous_commit=on",  # whatever the server's default: an answer's packet must not be lost with its power
    "idle_in_transaction_session_timeout=5min",  # a host that vanished in the middle of a session holds the writers' lock no longer
    "tcp_keepalives_idle=30",  # the same, where the network hides it
    "tcp_keepalives_interval=10",
    "tcp_keepalives_count=3",
)

_DEFAULTS: Final = {"tcp_user_timeout": 30_000, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""Where the URL says nothing else: a server that the network hides is given up within a minute, by us as it gives up us."""

Connection = psycopg.Connection[dict[str, Any]]


def connect(url: str, wait_s: float) -> Connection:
    """A connection with our settings; a statement waits so long for a lock."""
    with faults_of(url):
        named = conninfo_to_dict(url)
        stated = str(named.get("options") or "")
        ours = " ".join(f"-c {setting}" for setting in (*_SETTINGS, f"lock_timeout={max(1, round(wait_s * 1000))}"))
        connection = psycopg.connect(
            url,
            autocommit=True,  # transactions are begun and ended by statements of ours
            row_factory=dict_row,
            connect_timeout=_CONNECT_S,
            fallback_application_name="toulmin",
            options=f"{stated} {ours}",
            **{name: value for name, value in _DEFAULTS.items() if name not in named},  # type: ignore[arg-type]  # see its *kwargs*
        )
    connection.adapters.register_dumper(int, Int8Dumper)  # one type for all, so that a statement is prepared once
    connection.adapters.register_dumper(str, _Text)
    connection.adapters.register_loader("text", _StoredText)
    return connection


class _Text(StrDumperUnknown):
    """Text as it is kept: PostgreSQL's has no NUL, so that U+001A stands for it, escaped by itself."""

    def dump(self, obj: str) -> bytes:
        if "\0" in obj or "\x1a" in obj:
            obj = obj.replace("\x1a", "\x1a\x1a").replace("\0", "\x1a0")
        return obj.encode()


class _StoredText(TextLoader):
    """The text that was kept."""

    def load(self, data: bytes | bytearray | memoryview) -> str:
        stored = bytes(data).decode()
        return re.sub("\x1a(.)", _unescaped, stored) if "\x1a" in stored else stored


def _unescaped(found: re.Match[str]) -> str:
    return "\0" if found[1] == "0" else found[1]


@contextmanager
def faults_of(url: str) -> Iterator[None]:
    """Raises PostgreSQL's errors as `Conflict` or `StoreFault` that name the database and the remedy."""
    try:
        yield
    except psycopg.Error as error:
        raise _fault(error, url) from error


def _fault(error: psycopg.Error, url: str) -> Conflict | StoreFault:
    """The fault of an error. Its own words are not told where they may hold words of documents."""
    match error:
        case errors.LockNotAvailable() | errors.DeadlockDetected() | errors.SerializationFailure():
            return Conflict("store_busy", f"another writer keeps {url} busy", remedy="try again when it has finished")
        case errors.TooManyConnections():
            return Conflict(
                "store_busy",
                f"{url} takes no more connections",
                remedy="try again, or raise max_connections of the server",
            )
        case errors.InsufficientPrivilege() | errors.InvalidPassword() | errors.InvalidAuthorizationSpecification():
            return StoreFault(
                "store_inaccessible",
                f"{url} does not let this role do that: {error.diag.message_primary or _first_line(error)}",
                remedy="name a role that may, or grant it what toulmin migrate grants",
            )
        case errors.InFailedSqlTransaction():
            return _rolled_back(url)
        case errors.DiskFull():
            return StoreFault("store_full", f"{url} cannot grow", remedy="make room on its server's disk")
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return StoreFault("store_damaged", f"{url} is damaged", remedy="restore it from a backup")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return StoreFault(
                "store_unreachable",
                f"{url} cannot be reached, or is not any more: {_first_line(error)}",
                remedy="check that its server runs and that the URL is right, then try again",
            )
        case _:
            return StoreFault(
                "store_failed",
                f"{url}: {type(error).__name__} ({error.sqlstate})",
                remedy="look into the server's log",
            )


def _rolled_back(url: str) -> StoreFault:
    return StoreFault("transaction_failed", f"{url} has rolled back what was done", remedy="do all of it again")


def _first_line(error: psycopg.Error) -> str:
    return str(error).partition("\n")[0]


class Role(StrEnum):
    """In whose place a transaction stands, whatever the connection's own role may: see the migration of rights."""

    APP = "toulmin_app"
    WORKER = "toulmin_worker"
    AUDITOR = "toulmin_auditor"


class Connections:
    """At most so many connections to one database, each for one transaction at a time; idle ones are kept for the next.

    Who finds all of them in use waits, and is then told `Conflict`.
    """

    def __init__(self, url: str, *, most: int, wait_s: float) -> None:
        self._url = url
        self._most = most
        self._wait_s = wait_s
        self._free = BoundedSemaphore(most)
        self._lock = Lock()
        self._idle: list[Connection] = []
        self._closed = False

    def take(self) -> Connection:
        """A connection for the caller alone: the one used last, or a new one."""
        self._check_open()
        if not self._free.acquire(timeout=self._wait_s):
            raise Conflict(
                "store_busy", f"all {self._most} connections to {self._url} are in use", remedy="try again later"
            )
        try:
            return self._kept() or connect(self._url, self._wait_s)
        except BaseException:
            self._free.release()
            raise

    def give_back(self, connection: Connection) -> None:
        """Keeps a connection for the next transaction, unless it is in no state for one."""
        with self._lock:
            kept = not self._closed and connection.info.transaction_status is TransactionStatus.IDLE
            if kept:
                self._idle.append(connection)
        if not kept:
            connection.close()
        self._free.release()

    def close(self) -> None:
        """Closes idle connections at once, and others when they are given back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _kept(self) -> Connection | None:
        """An idle connection that the server has not closed meanwhile, as it does when it restarts."""
        self._check_open()
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if _is_quiet(connection):
                return connection
            connection.close()

    def _check_open(self) -> None:
        with self._lock:
            if self._closed:
                raise StoreFault("store_closed", f"{self._url} was closed", remedy="open it again")


def _is_quiet(connection: Connection) -> bool:
    """Whether an idle connection's server has nothing to say: what it would say to one that asks nothing is farewell."""
    heard = select.poll()
    heard.register(connection.fileno(), select.POLLIN)
    return not heard.poll(0)


class PostgresTransaction(Transaction):
    """One transaction on one connection; what is not committed when it ends is rolled back."""

    def __init__(self, connection: Connection, url: str) -> None:
        self._connection = connection
        self._url = url
        self._over = False
        self._sequence = 0

    def begin(self, role: Role, claims: str = "", *, write: bool) -> None:
        """Begins in a role, with a view from this moment on. One that writes waits until it is the only one, then raises `Conflict`."""
        self.run("begin_write" if write else "begin_read")
        self.run("take_role", role=role, claims=claims)
        if write:
            self.run("lock_writers", lock=LOCK)
        self._sequence = self.present_sequence()

    @property
    def sequence(self) -> int:
        self._usable()
        return self._sequence

    def rows(self, statement: str, **values: Value) -> list[Row]:
        with faults_of(self._url):
            cursor = self._usable().execute(_STATEMENTS[statement], values)
            return [*cursor.fetchall()] if cursor.description else []

    def run_each(self, statement: str, values: Iterable[Mapping[str, Value]]) -> None:
        with faults_of(self._url), self._usable().cursor() as cursor:
            cursor.executemany(_STATEMENTS[statement], values)

    @contextmanager
    def step(self) -> Iterator[None]:
        self.run("begin_step")
        try:
            yield
        except BaseException:
            if self._status() in {TransactionStatus.INTRANS, TransactionStatus.INERROR}:
                self.run("drop_step")
                self.run("end_step")
            raise
        self.run("end_step")

    def commit(self) -> None:
        """Makes what was done durable. Raises `StoreFault` where a statement had failed: PostgreSQL would roll back without a word."""
        if self._status() is TransactionStatus.INERROR:
            raise _rolled_back(self._url)
        try:
            self.run("commit")
        except StoreFault as fault:
            if self._connection.closed:
                raise StoreFault(
                    "commit_unknown",
                    f"the connection to {self._url} broke while it committed: what was done is kept whole, or not at all",
                    remedy="look which, before doing it again",
                ) from fault
            raise

    def end(self) -> None:
        """Rolls back what was not committed. A session that is kept longer than its transaction can do nothing any more."""
        if self._status() in {TransactionStatus.INTRANS, TransactionStatus.INERROR}:
            self.run("roll_back")
        self._over = True

    def _status(self) -> TransactionStatus:
        return self._connection.info.transaction_status

    def _usable(self) -> Connection:
        if self._over:
            raise StoreFault("session_over", "this session has ended", remedy="begin a new one")
        return self._connection
