"""The schema: numbered migrations that only go forward. `PRAGMA user_version` holds the number of the last one applied."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from toulmin.adapters.sql.transaction import scripts
from toulmin.adapters.sqlite.database import PACKAGE, faults_of, not_ours
from toulmin.domain.errors import StoreFault

_APPLICATION: Final = int.from_bytes(b"toul", "big")
"""Marks a file as ours in its header (`PRAGMA application_id`)."""


@cache
def migrations() -> tuple[str, ...]:
    """The scripts of all migrations in their order; the first is number 1. They are read once."""
    return scripts(PACKAGE, "migrations")


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Brings a database to the present schema, in one transaction; an empty file becomes a store.

    Raises `StoreFault` for a schema newer than this program, and for a database of another program.
    """
    known = migrations()
    with faults_of(path):
        version = _version(connection, path, newest=len(known))
        # Kept in the file, but a backup may have been written without it; cannot change inside a transaction.
        connection.execute("PRAGMA journal_mode = WAL")
        if version < len(known):
            connection.execute("BEGIN IMMEDIATE")
            try:
                # Read again under the lock: another process may have migrated meanwhile.
                for script in known[_version(connection, path, newest=len(known)) :]:
                    _apply(connection, script)
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute(f"PRAGMA user_version = {len(known)}")
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.rollback()


def _version(connection: sqlite3.Connection, path: Path, *, newest: int) -> int:
    """The number of the last migration that the database has."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    empty = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    if application != _APPLICATION and not (empty and version == application == 0):
        raise not_ours(path)
    if version > newest:
        raise StoreFault(
            "newer_store",
            f"{path} has schema {version}, this program knows schemas up to {newest}",
            remedy="use the toulmin release that wrote it, or a later one",
        )
    return version


def _apply(connection: sqlite3.Connection, script: str) -> None:
    """Runs a script statement by statement: `executescript` would commit the transaction first."""
    for statement in _split(script):
        connection.execute(statement)


def _split(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
