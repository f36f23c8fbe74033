from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.samples.tiny_embedders import folder
from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.onnx import StatedEmbedder, onnx_embedder
from toulmin.adapters.openai import EmbeddingForm, Endpoint, LazyEmbedder, Limits
from toulmin.ports.embedder import Embedder
from toulmin.testing.embedder import EmbedderContract
from toulmin.testing.embeddings import DIMENSION
from toulmin.testing.provider import Provider


class TestWordsEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return WordsEmbedder()


class TestLocalEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path: Path) -> Embedder:
        return onnx_embedder(StatedEmbedder(folder=folder(tmp_path)))


class TestTheInstalledModel(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return onnx_embedder(StatedEmbedder())


class TestRemoteEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        with Provider() as provider:
            endpoint = Endpoint(base_url=provider.base_url, model="any")
            yield LazyEmbedder(endpoint, Limits(deadline_s=10), EmbeddingForm(dimension=DIMENSION, max_chars=1000))
