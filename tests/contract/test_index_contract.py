from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.adapters.vectors.index import VectorIndex
from toulmin.ports.index import PassageIndex
from toulmin.testing.index import IndexContract


class TestOverlapIndex(IndexContract):
    @pytest.fixture
    def index(self) -> Iterator[PassageIndex]:
        index = OverlapIndex()
        yield index
        index.close()


class TestTantivyIndexInAFolder(IndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[PassageIndex]:
        index = TantivyIndex(tmp_path / "not yet" / "index")
        yield index
        index.close()


class TestTantivyIndexInMemory(IndexContract):
    @pytest.fixture
    def index(self) -> Iterator[PassageIndex]:
        index = TantivyIndex()
        yield index
        index.close()


class TestVectorIndex(IndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[PassageIndex]:
        index = VectorIndex(tmp_path / "not yet" / "vectors", WordsEmbedder())
        yield index
        index.close()
