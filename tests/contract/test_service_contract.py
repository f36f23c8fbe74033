from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import KEY
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.testing.service import ServiceContract


class TestMemoryService(ServiceContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()


class TestSqliteService(ServiceContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        store = SqliteStore(tmp_path / "corpus.db")
        yield store
        store.close()


class TestPostgresService(ServiceContract):
    @pytest.fixture
    def store(self, postgres_url: str) -> Iterator[PostgresStore]:
        store = PostgresStore(postgres_url, KEY)
        yield store
        store.close()
