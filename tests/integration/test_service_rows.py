"""What databases refuse of API keys, whoever writes into them; and one idempotency key that many processes have."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.integration.workers import elsewhere
from tests.postgres import KEY
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.ports.replies import KEPT, Begun, Run, UnderWay
from toulmin.ports.store import Store
from toulmin.testing.builders import NOW
from toulmin.testing.service import DONE, LATER, MOMENT, add, api_key, begin, begun, finish, revoke
from toulmin.testing.store import BEN

PROCESSES = 4
REFUSED = (
    "UPDATE api_key SET secret_sha256 = '0'",
    "UPDATE api_key SET principal = '{}'",
    "UPDATE api_key SET expires_at = NULL",
    "UPDATE api_key SET revoked_at = NULL",
    "UPDATE api_key SET revoked_at = 9",
    "DELETE FROM api_key",
)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty store is: a path or a URL."""
    return str(tmp_path / "corpus.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    with closing(opened(place)) as store:
        yield store


def opened(place: str) -> SqliteStore | PostgresStore:
    return PostgresStore(place, KEY) if "://" in place else SqliteStore(Path(place))


def begun_elsewhere(place: str) -> Begun:
    """What becomes of a write in a process of its own."""
    with closing(opened(place)) as store:
        return begin(store)


def by_hand(place: str, statement: str) -> list[tuple[object, ...]]:
    """The rows of a statement by somebody who has the database."""
    if "://" in place:
        with psycopg.connect(place, options="-c search_path=toulmin") as server:
            return server.execute(statement.encode()).fetchall()
    with closing(sqlite3.connect(place, isolation_level=None)) as file:
        return file.execute(statement).fetchall()


@pytest.mark.parametrize("statement", REFUSED)
def test_a_key_is_not_changed_and_what_was_revoked_stays_revoked(place: str, store: Store, statement: str) -> None:
    add(store, api_key(expires_at=LATER))
    revoke(store, "0a", NOW)
    with pytest.raises((sqlite3.IntegrityError, psycopg.errors.IntegrityConstraintViolation)) as refused:
        by_hand(place, statement)
    assert re.search("append-only|not changed|stays revoked|not removed", str(refused.value))
    assert list(store.api_keys()) == [api_key(expires_at=LATER, revoked_at=NOW)]


@pytest.mark.enable_socket  # the fork server is reached over a Unix socket
def test_of_processes_that_have_the_same_key_at_once_exactly_one_carries_the_write_out(
    place: str, store: Store
) -> None:
    with ThreadPoolExecutor(PROCESSES) as threads:
        found = list(threads.map(lambda _: elsewhere(begun_elsewhere, place), range(PROCESSES)))
    runs = [each for each in found if isinstance(each, Run)]
    assert len(runs) == 1
    assert found.count(UnderWay(until=LATER)) == PROCESSES - 1
    finish(store, runs[0])
    assert elsewhere(begun_elsewhere, place) == DONE


def test_what_has_expired_is_removed_whoever_begins_the_next_write(place: str, store: Store) -> None:
    finish(store, begun(store))
    begun(store, "another", at=NOW + KEPT - MOMENT, who=BEN)
    assert by_hand(place, "SELECT key FROM reply ORDER BY key") == [("another",), ("k",)]
    begun(store, "a third", at=NOW + KEPT, who=BEN)
    assert by_hand(place, "SELECT key FROM reply ORDER BY key") == [("a third",), ("another",)]
