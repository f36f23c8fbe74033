from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import KEY
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.testing.feed import FeedContract


class TestMemoryFeed(FeedContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()


class TestSqliteFeed(FeedContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        store = SqliteStore(tmp_path / "corpus.db")
        yield store
        store.close()


class TestPostgresFeed(FeedContract):
    @pytest.fixture
    def store(self, postgres_url: str) -> Iterator[PostgresStore]:
        store = PostgresStore(postgres_url, KEY)
        yield store
        store.close()
