"""What a feed does when the server, or the way to it, does not behave: it says so, or finds the change all the same."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from time import monotonic

import psycopg
import pytest

from tests.postgres import KEY, Server
from toulmin.adapters.postgres.database import connect
from toulmin.adapters.postgres.feed import PostgresFeed
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.domain.errors import StoreFault
from toulmin.testing.feed import LONG_S, SOON_S, later
from toulmin.testing.store import ingest

END = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore(postgres_url, KEY, most_connections=1)) as store:
        yield store


@pytest.fixture
def feed(store: PostgresStore) -> Iterator[PostgresFeed]:
    with closing(store.feed()) as feed:
        yield feed


def run(url: str, statement: str) -> int:
    """Runs a statement as the server's owner; how many rows it gives or changes."""
    with psycopg.connect(url, autocommit=True, options="-c search_path=toulmin") as connection:
        return connection.execute(statement.encode()).rowcount


def test_a_change_that_nobody_tells_of_is_found_all_the_same(feed: PostgresFeed, postgres_url: str) -> None:
    assert feed.wait(0, 0) == 0
    later(lambda: run(postgres_url, "INSERT INTO change VALUES (1, 5)"))
    start = monotonic()
    assert feed.wait(0, LONG_S) == 1
    assert monotonic() - start < LONG_S / 2


def test_a_connection_that_is_ended_in_the_middle_of_a_wait_is_made_anew(
    store: PostgresStore, feed: PostgresFeed, postgres_url: str
) -> None:
    assert feed.wait(0, 0) == 0

    def end_and_change() -> None:
        assert run(postgres_url, END) > 0
        ingest(store)

    later(end_and_change)
    assert feed.wait(0, LONG_S) == 1
    later(lambda: ingest(store, "NEXT"))
    assert feed.wait(1, LONG_S) == 2


def test_while_the_server_is_down_a_wait_says_so_and_after_it_nothing_is_missed(
    store: PostgresStore, feed: PostgresFeed, postgres: Server
) -> None:
    ingest(store)
    assert feed.wait(0, LONG_S) == 1
    postgres.stop()
    try:
        with pytest.raises(StoreFault) as down:
            feed.wait(1, LONG_S)
        assert down.value.code == "store_unreachable"
    finally:
        postgres.start()
    ingest(store, "NEXT")
    assert feed.wait(1, LONG_S) == 2


def test_who_waits_takes_no_connection_from_those_who_work(store: PostgresStore, feed: PostgresFeed) -> None:
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(feed.wait, 0, LONG_S)
        ingest(store)
        assert waiting.result() == 1


def test_a_login_that_may_follow_nothing_is_refused(postgres: Server) -> None:
    url = postgres.new_store()
    run(url, "DO $$ BEGIN CREATE ROLE deaf LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    with closing(PostgresFeed(postgres.url(url.partition("@/")[2].partition("?")[0], "deaf"), 1)) as feed:
        for _ in range(2):
            with pytest.raises(StoreFault) as refused:
                feed.wait(0, SOON_S)
            assert refused.value.code == "store_inaccessible"


def test_any_number_of_wakes_end_one_wait(feed: PostgresFeed) -> None:
    for _ in range(100_000):  # more than the pipe holds
        feed.wake()
    assert feed.wait(0, LONG_S) == 0
    start = monotonic()
    assert feed.wait(0, SOON_S) == 0
    assert monotonic() - start >= SOON_S


def test_to_wake_a_feed_that_was_closed_is_an_error(store: PostgresStore) -> None:
    feed = store.feed()
    feed.close()
    with pytest.raises(OSError, match="descriptor"):
        feed.wake()


def test_a_server_that_the_network_hides_is_given_up_unless_the_url_says_otherwise(postgres_url: str) -> None:
    with closing(connect(postgres_url, 1)) as usual, closing(connect(f"{postgres_url}&keepalives_idle=7", 1)) as stated:
        assert {usual.info.get_parameters()[name] for name in ("keepalives_idle", "tcp_user_timeout")} == {
            "30",
            "30000",
        }
        assert stated.info.get_parameters()["keepalives_idle"] == "7"
