"""The embedder that is a model on this host."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from toulmin.adapters.onnx.embedding_folder import EmbeddingModel
from toulmin.domain.errors import InputError, StoreFault, ToulminError
from toulmin.domain.evidence.embedding import EmbeddingProfile
from toulmin.ports.embedder import EmbedderFault, Vectors

if TYPE_CHECKING:
    from toulmin.adapters.onnx.embedding_engine import EmbeddingEngine


class LocalEmbedder:
    """Embeds with one model, loaded with the first text. It needs no closing and serves any thread.

    At most `threads` texts are read at once, each by one thread.
    """

    def __init__(self, model: EmbeddingModel, *, threads: int) -> None:
        self._model = model
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="toulmin-embedder")
        self._loading = Lock()
        self._engine: EmbeddingEngine | None = None

    @property
    def profile(self) -> EmbeddingProfile:
        return self._model.profile

    @property
    def on_this_host(self) -> bool:
        return True

    def load(self) -> EmbeddingEngine:
        """The model, loaded now if it is not yet; raises `ToulminError` where it cannot be used, see `EmbeddingEngine`."""
        from toulmin.adapters.onnx.embedding_engine import EmbeddingEngine

        with self._loading:
            if self._engine is None:
                self._engine = EmbeddingEngine(self._model)
            return self._engine

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(texts, self._model.passage_prefix)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(texts, self._model.query_prefix)

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return Vectors(dimension=self._model.dimension, data=b"")
        try:
            engine = self.load()
            rows = self._threads.map(lambda text: engine.vector(prefix + text if text.strip() else ""), texts)
            data = b"".join(row.astype("<f4").tobytes() for row in rows)
        except InputError as fault:  # of the model's files, and so of nobody who searches
            raise StoreFault(fault.code, fault.message, where=fault.where, remedy=fault.remedy) from None
        except ToulminError as fault:
            raise EmbedderFault(fault.code, fault.message, remedy=fault.remedy) from None
        return Vectors(dimension=self._model.dimension, data=data)
