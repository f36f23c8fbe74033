"""The store in PostgreSQL. Needs the extra `postgres`, which is loaded when a store is opened."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from toulmin.domain.errors import InputError

if TYPE_CHECKING:
    from toulmin.adapters.postgres.store import PostgresStore

__all__ = ["migrate_database", "open_database"]

_VENDOR = "psycopg"


def open_database(url: str, key_file: Path) -> PostgresStore:
    """The `PostgresStore` of a database, with the key in a file.

    Raises `InputError`: `missing_extra` where the extra is not installed, and as `read_key` does.
    """
    _check_extra()
    from toulmin.adapters.postgres.rights import read_key
    from toulmin.adapters.postgres.store import PostgresStore

    return PostgresStore(url, read_key(key_file))


def migrate_database(url: str, key_file: Path) -> int:
    """Brings a database to the present schema, as `toulmin.adapters.postgres.store.migrate_database` does."""
    _check_extra()
    from toulmin.adapters.postgres.store import migrate_database

    return migrate_database(url, key_file)


def _check_extra() -> None:
    if find_spec(_VENDOR) is None:
        raise InputError(
            "missing_extra",
            f"a store in PostgreSQL needs the package {_VENDOR}, which is not installed",
            remedy='install it: pip install "toulmin[postgres]"',
        )
