"""The engine of an embedder: a model in memory, which makes a vector of one text."""

from __future__ import annotations

import numpy as np
from tokenizers import Encoding

from toulmin.adapters.onnx.embedding_folder import EmbeddingModel
from toulmin.adapters.onnx.folder import MODEL
from toulmin.adapters.onnx.runtime import Numbers, Runtime, model_failed
from toulmin.domain.errors import InputError


class EmbeddingEngine:
    """Makes vectors of the length 1; any number of threads may ask at once.

    Raises `InputError` where the model cannot be used: `wrong_digest`, `bad_tokenizer`, `bad_model` (also for other inputs than token ids,
    mask and types, and for other outputs than `dimension` numbers for each token); `ToulminError` (`model_failed`) where it does not run.
    """

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model
        self._runtime = Runtime(model.model.content(), model.tokenizer.content(), self._unfit)
        tokenizer = self._runtime.tokenizer
        if model.max_tokens <= tokenizer.num_special_tokens_to_add(is_pair=False):
            raise self._unfit(f"with max_tokens = {model.max_tokens} there is no room for a text")
        tokenizer.enable_truncation(model.max_tokens)  # what is cut off comes as windows of its own
        self._output = self._runtime.output("last_hidden_state")
        self.vector("a")  # what no shape tells shows here, and not in the midst of an index

    def vector(self, text: str) -> Numbers:
        """The vector of a text; that of one that the model cannot read at once is the mean of its windows', by their tokens.

        All zeros where the text says nothing. Raises `ToulminError` (`model_failed`).
        """
        if not text.strip():
            return np.zeros(self._model.dimension, dtype=np.float32)
        first = self._runtime.tokenizer.encode(text)
        windows = (first, *first.overflowing)
        units = [_unit(self._pooled(self._numbers(window))) for window in windows]
        return _unit(np.average(units, axis=0, weights=[len(window.ids) for window in windows]))

    def _numbers(self, window: Encoding) -> Numbers:
        numbers = self._runtime.run(self._output, window)
        wanted = (1, len(window.ids), self._model.dimension)
        if numbers.shape != wanted:
            raise self._unfit(f"its output has the shape {numbers.shape} and not {wanted}")
        if not np.isfinite(numbers).all():
            raise model_failed("the model gives numbers that are not finite")
        return np.asarray(numbers[0])

    def _pooled(self, numbers: Numbers) -> Numbers:
        match self._model.pooling:
            case "mean":
                return np.asarray(numbers.mean(axis=0))
            case "first":
                return np.asarray(numbers[0])
            case "last":
                return np.asarray(numbers[-1])

    def _unfit(self, what: str, *, file: str = MODEL, code: str = "bad_model") -> InputError:
        where = self._model.model if file == MODEL else self._model.tokenizer
        advice = "use an encoder that gives a vector for each token, exported with its tokenizer"
        return InputError(code, f"this is no model that can embed: {what}", where=str(where.path), remedy=advice)


def _unit(vector: Numbers) -> Numbers:
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if length == 0:
        raise model_failed("the model gives a vector without a direction")
    return np.asarray(vector / length, dtype=np.float32)
