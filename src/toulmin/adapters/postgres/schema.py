"""The schema: numbered migrations that only go forward. The table `migration` says which were applied."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from toulmin.adapters.postgres.database import LOCK, PACKAGE, SCHEMA, Connection, faults_of
from toulmin.adapters.postgres.rights import make_key, pads, read_key
from toulmin.adapters.sql.transaction import scripts
from toulmin.domain.errors import StoreFault

_LEAST_SERVER: Final = 150_000
_PRESENT: Final = "SELECT to_regclass(%s) IS NOT NULL AS present"
_VERSION: Final = "SELECT coalesce(max(number), 0) AS number FROM migration"
_TABLES: Final = "SELECT count(*) AS tables FROM pg_class WHERE relnamespace = to_regnamespace(%s)::oid"


@cache
def migrations() -> tuple[str, ...]:
    """The scripts of all migrations in their order; the first is number 1. They are read once."""
    return scripts(PACKAGE, "migrations")


def migrate(connection: Connection, url: str, known: Sequence[str]) -> None:
    """Brings a database to the last of these migrations, in one transaction, while nobody writes.

    Raises `StoreFault` for a schema newer than this program, for a schema of another program, and for a server that cannot be used.
    """
    with faults_of(url):
        _check_server(connection, url)
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            before = _version(connection, url, newest=len(known))
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
            connection.execute(
                "CREATE TABLE IF NOT EXISTS migration (number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
            )
            connection.execute(
                f"GRANT USAGE ON SCHEMA {SCHEMA} TO PUBLIC".encode()
            )  # every role may ask for the version
            connection.execute("GRANT SELECT ON migration TO PUBLIC")
            for number, script in enumerate(known[before:], start=before + 1):
                connection.execute(script.encode())
                connection.execute("INSERT INTO migration (number) VALUES (%s)", [number])


def put_key(connection: Connection, url: str, path: Path) -> None:
    """Makes the key in a file the one with which this store's rights are signed; the first key of a store is made, where there is no file.

    Raises `InputError` where the store has a key and the file is missing: another one would shut out all other hosts.
    """
    with faults_of(url), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        first = not _one(connection, "SELECT count(*) AS keys FROM rights_key")
        inner, outer = pads(make_key(path) if first and not path.exists() else read_key(path))
        connection.execute(
            "INSERT INTO rights_key (inner_pad, outer_pad) VALUES (%s, %s)"
            " ON CONFLICT (one) DO UPDATE SET inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad",
            [inner, outer],
        )


def check_schema(connection: Connection, url: str) -> None:
    """Raises `StoreFault` unless a database has exactly the present schema."""
    newest = len(migrations())
    with faults_of(url):
        version = _version(connection, url, newest=newest)
    if version < newest:
        raise StoreFault(
            "store_not_migrated",
            f"{url} has schema {version}, this program needs {newest}" if version else f"{url} holds no store yet",
            remedy="run toulmin migrate, as a role that owns the database",
        )


def _version(connection: Connection, url: str, *, newest: int) -> int:
    """The number of the last migration that the database has; 0 for none."""
    if not _one(connection, _PRESENT, f"{SCHEMA}.migration"):
        if _one(connection, _TABLES, SCHEMA):
            raise StoreFault(
                "not_a_store",
                f"the schema {SCHEMA} of {url} is not that of a toulmin store",
                remedy="name another database, or move this schema away",
            )
        return 0
    version: int = _one(connection, _VERSION)
    if version > newest:
        raise StoreFault(
            "newer_store",
            f"{url} has schema {version}, this program knows schemas up to {newest}",
            remedy="use the toulmin release that wrote it, or a later one",
        )
    return version


def _check_server(connection: Connection, url: str) -> None:
    if connection.info.server_version < _LEAST_SERVER:
        raise StoreFault("server_too_old", f"the server of {url} is too old", remedy="use PostgreSQL 15 or later")
    encoding = _one(connection, "SHOW server_encoding")
    if encoding != "UTF8":
        raise StoreFault(
            "bad_encoding", f"{url} keeps texts in {encoding}", remedy="create the database with ENCODING 'UTF8'"
        )


def _one(connection: Connection, query: str, *values: str) -> Any:
    """The only value of a query's only row."""
    row = connection.execute(query.encode(), values).fetchone()
    assert row is not None
    (value,) = row.values()
    return value
