"""Whoever writes in the SQLite file, with our triggers dropped, is found by the checkpoint that was kept elsewhere."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.domain.proof.ledger import Checkpoint, Kind
from toulmin.testing.ledger import append, audited, event, seal

TEXTS = {
    "ledger_entry": ("at", "kind", "actor", "facts"),
    "ledger_link": ("digest",),
    "ledger_checkpoint": ("link", "at", "previous", "key", "signature"),
}
ROWS = {"ledger_entry": (1, 2, 3, 4, 5, 6, 7), "ledger_link": (1, 2, 3, 4, 5, 6, 7), "ledger_checkpoint": (2, 5, 7)}


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Checkpoint]:
    """A store whose ledger was sealed three times, its triggers dropped, and its last checkpoint."""
    path = tmp_path_factory.mktemp("sealed") / "corpus.db"
    with closing(SqliteStore(path)) as store:
        points = []
        for first, end in ((1, 3), (3, 6), (6, 8)):
            append(store, *(event(Kind.PACKET, number) for number in range(first, end)))
            points.append(seal(store))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'ledger%'")
        for (name,) in triggers.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("PRAGMA journal_mode = DELETE")
    return path, points[-1]


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, int]:
    """A table and the number of one of its rows."""
    table = draw(st.sampled_from(sorted(ROWS)))
    return table, draw(st.sampled_from(ROWS[table]))


@st.composite
def changes(draw: st.DrawFn) -> list[tuple[str, tuple[object, ...]]]:
    """Statements that change one bit of one value, or one row."""
    table, row = draw(tables())
    kind = draw(st.sampled_from(["flip", "renumber", "remove", "move", "copy"]))
    match kind:
        case "flip":
            column = draw(st.sampled_from(TEXTS[table]))
            place, bit = draw(st.integers(0, 200)), draw(st.integers(0, 7))
            return [(f"flip {table} {column} {row}", (place, bit))]
        case "renumber":
            return [
                (
                    f"UPDATE OR IGNORE {table} SET sequence = ? WHERE sequence = ?",
                    (flipped(row, draw(st.integers(0, 63))), row),
                )
            ]
        case "remove":
            return [(f"DELETE FROM {table} WHERE sequence = ?", (row,))]
        case "move":
            other = draw(st.sampled_from([number for number in ROWS[table] if number != row]))
            return [
                (f"UPDATE {table} SET sequence = 1000 WHERE sequence = ?", (row,)),
                (f"UPDATE {table} SET sequence = ? WHERE sequence = ?", (row, other)),
                (f"UPDATE {table} SET sequence = ? WHERE sequence = 1000", (other,)),
            ]
        case _:
            columns = ", ".join(TEXTS[table])
            free = draw(st.sampled_from([-(2**63), -1, 0]))
            return [
                (
                    f"INSERT INTO {table} (sequence, {columns}) SELECT ?, {columns} FROM {table} WHERE sequence = ?",
                    (free, row),
                )
            ]


def flipped(number: int, bit: int) -> int:
    """A 64-bit number with one bit changed."""
    return int.from_bytes((number ^ 1 << bit).to_bytes(8, "big"), "big", signed=True)


def make(connection: sqlite3.Connection, changes: list[tuple[str, tuple[object, ...]]]) -> bool:
    """Makes the changes; says whether there was anything to change."""
    for statement, values in changes:
        if statement.startswith("flip"):
            _, table, column, row = statement.split()
            return flip(connection, table, column, int(row), values)
        if connection.execute(statement, values).rowcount != 1:
            return False
    return True


def flip(connection: sqlite3.Connection, table: str, column: str, row: int, where: tuple[object, ...]) -> bool:
    read = f"SELECT CAST({column} AS BLOB) FROM {table} WHERE sequence = ?"
    data = bytearray(connection.execute(read, (row,)).fetchone()[0])
    if not data:
        return False
    place, bit = where
    assert isinstance(place, int)
    assert isinstance(bit, int)
    data[place % len(data)] ^= 1 << bit
    written = f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE sequence = ?"
    return connection.execute(written, (bytes(data), row)).rowcount == 1


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(change=changes())
def test_any_one_bit_or_one_row_change_in_the_file_is_found(
    sealed: tuple[Path, Checkpoint], tmp_path: Path, change: list[tuple[str, tuple[object, ...]]]
) -> None:
    path, last = sealed
    copy = shutil.copyfile(path, tmp_path / "corpus.db")
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        changed = make(connection, change)
    with closing(SqliteStore(copy)) as store:
        found = audited(store, last)
    assert found.whole is not changed
    if changed:
        assert found.findings[0].says


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "corpus.db")
    yield store
    store.close()


@pytest.mark.parametrize("table", sorted(ROWS))
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {table} SET sequence = sequence + 100",
        "UPDATE {table} SET {column} = 'other' WHERE sequence = {row}",
        "DELETE FROM {table}",
        "DELETE FROM {table} WHERE sequence = {row}",
        "INSERT OR REPLACE INTO {table} SELECT * FROM {table} WHERE sequence = {row}",
        "INSERT OR IGNORE INTO {table} (sequence, {columns}) SELECT -1, {columns} FROM {table} WHERE sequence = {row}",
        "REPLACE INTO {table} SELECT * FROM {table}",
    ],
)
def test_the_database_refuses_to_change_what_was_recorded(store: SqliteStore, table: str, statement: str) -> None:
    append(store, event(number=1), event(number=2))
    last = seal(store)
    columns = TEXTS[table]
    filled = statement.format(table=table, row=2, column=columns[0], columns=", ".join(columns))
    with (
        closing(sqlite3.connect(store._path, isolation_level=None)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        connection.execute(filled)
    assert audited(store, last).whole
