from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import KEY
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.testing.store import StoreContract

BRIEFLY_S = 0.02


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore(busy_timeout_s=BRIEFLY_S)


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        store = SqliteStore(tmp_path / "corpus.db", busy_timeout_s=BRIEFLY_S)
        yield store
        store.close()


class TestPostgresStore(StoreContract):
    @pytest.fixture
    def store(self, postgres_url: str) -> Iterator[PostgresStore]:
        store = PostgresStore(postgres_url, KEY, busy_timeout_s=BRIEFLY_S)
        yield store
        store.close()
