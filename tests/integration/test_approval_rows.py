"""What the database itself refuses about approvals, whoever writes into it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.domain.errors import StoreFault
from toulmin.domain.proof.approval import State
from toulmin.testing.approvals import approval_on, step
from toulmin.testing.builders import packet
from toulmin.testing.store import ANN, ingest


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A database with an approved approval and one that was rejected, on one packet."""
    path = tmp_path / "corpus.db"
    with closing(SqliteStore(path)) as store:
        made = packet(ingest(store).id)
        with store.begin(ANN, write=True) as session:
            session.packets.add(made)
            for name, instance, state in (("ap-1", "a", State.APPROVED), ("ap-2", "b", State.REJECTED)):
                known = approval_on(made.id, name, instance=instance)
                session.approvals.add(known)
                session.approvals.advance(known, step(state))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE approval SET answer = 'x'", "what was requested is not changed"),
        ("UPDATE approval SET packet = 2", "what was requested is not changed"),
        ("UPDATE approval SET expires_at = expires_at + 1", "what was requested is not changed"),
        ("DELETE FROM approval", "approvals are append-only"),
        ("UPDATE approval_step SET state = 'executed' WHERE number = 2", "approvals are append-only"),
        ("UPDATE approval_step SET comment = 'x'", "approvals are append-only"),
        ("DELETE FROM approval_step", "approvals are append-only"),
        (
            "INSERT OR REPLACE INTO approval_step (approval, number, state, at, says) VALUES (1, 2, 'executed', 0, '[]')",
            "approvals are append-only",
        ),
        (
            "INSERT INTO approval_step (approval, number, state, at, says) VALUES (1, 4, 'executed', 0, '[]')",
            "approvals are append-only",
        ),
        (
            "UPDATE approval SET state = 'approved', operation = (SELECT operation FROM approval WHERE key = 1) WHERE key = 2",
            "what was requested is not changed",
        ),
    ],
)
def test_what_was_requested_and_what_became_of_it_cannot_be_changed(
    rows: sqlite3.Connection, statement: str, says: str
) -> None:
    before = list(rows.iterdump())
    with pytest.raises(sqlite3.IntegrityError, match=says):
        rows.execute(statement)
    assert list(rows.iterdump()) == before


def test_an_operation_cannot_have_two_approvals_that_may_have_an_effect(rows: sqlite3.Connection) -> None:
    columns = "operation, packet, name, params, instance, evidence, policy, answer, requester, expires_at, steps"
    copy = f"INSERT INTO approval (id, state, {columns}) SELECT 'ap-3', ?, {columns} FROM approval WHERE key = ?"
    for state in ("requested", "approved", "executing", "executed", "failed", "in_doubt"):
        with pytest.raises(sqlite3.IntegrityError, match=r"UNIQUE constraint failed: approval\.operation"):
            rows.execute(copy, (state, 1))
    rows.execute(copy, ("requested", 2))
    with pytest.raises(sqlite3.IntegrityError, match=r"UNIQUE constraint failed: approval\.operation"):
        rows.execute("UPDATE approval SET state = 'approved' WHERE id = 'ap-2'")


def test_an_approval_whose_row_was_changed_behind_the_triggers_is_refused(
    rows: sqlite3.Connection, tmp_path: Path
) -> None:
    rows.execute("DROP TRIGGER approval_stays")
    rows.execute("UPDATE approval SET params = '{\"to\":\"thief@example.com\"}' WHERE id = 'ap-1'")
    with (
        closing(SqliteStore(tmp_path / "corpus.db")) as store,
        store.begin(ANN) as session,
        pytest.raises(StoreFault) as caught,
    ):
        session.approvals.get("ap-1")
    assert (caught.value.code, "ap-1" in caught.value.message) == ("approval_altered", True)
