"""The runtime: a model and its tokenizer in memory, which read one text at a time.

A batch would be no faster on a processor by much, and would make a text's numbers hang on what it is padded to; so there is none, and
no padding. Each reading runs in the thread that asks for it, and in no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as vendor
from tokenizers import Encoding, Tokenizer

from toulmin.adapters.onnx.folder import MODEL, TOKENIZER
from toulmin.domain.errors import InputError, ToulminError

_FAULTS = tuple(kind for kind in vars(vendor).values() if isinstance(kind, type) and issubclass(kind, Exception))
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_ERRORS_ONLY = 3

Numbers = np.ndarray[Any, np.dtype[np.float32]]


class Unfit(Protocol):
    """Makes the fault of a model that is of no use here, for what is wrong with it."""

    def __call__(self, what: str, *, file: str = MODEL, code: str = "bad_model") -> InputError: ...


class Runtime:
    """Runs one model; any number of threads may ask at once.

    Raises what `unfit` makes where the files are no model and tokenizer, or the model has other inputs than token ids, mask and types.
    """

    def __init__(self, model: bytes, tokenizer: bytes, unfit: Unfit) -> None:
        self._unfit = unfit
        self.tokenizer = self._loaded_tokenizer(tokenizer)
        self._session = self._loaded_session(model)
        self._inputs = self._checked_inputs()

    def output(self, name: str) -> str:
        """The output of this name; the only one, whatever its name, where there is none of this."""
        names: list[str] = [item.name for item in self._session.get_outputs()]
        if name in names:
            return name
        if len(names) != 1:
            raise self._unfit(f"its outputs are {', '.join(names)}, and none is called {name}")
        return names[0]

    def run(self, output: str, encoding: Encoding) -> Numbers:
        """What the model gives for one text, under this output; raises `ToulminError` (`model_failed`) where it fails."""
        try:
            (numbers,) = self._session.run([output], self._fed(encoding))
        except _FAULTS as error:
            raise model_failed(f"the model fails: {_brief(error)}") from None
        return np.asarray(numbers)

    def _fed(self, encoding: Encoding) -> dict[str, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
        given = dict(zip(_INPUTS, (encoding.ids, encoding.attention_mask, encoding.type_ids), strict=True))
        return {name: np.array([given[name]], dtype=np.int64) for name in self._inputs}

    def _loaded_tokenizer(self, content: bytes) -> Tokenizer:
        try:
            tokenizer = Tokenizer.from_buffer(content)
        except ValueError as error:
            raise self._unfit(_brief(error), file=TOKENIZER, code="bad_tokenizer") from None
        tokenizer.no_truncation()  # files often ask for both; nothing is ever cut here without a word
        tokenizer.no_padding()
        return tokenizer

    def _loaded_session(self, content: bytes) -> onnxruntime.InferenceSession:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _ERRORS_ONLY
        try:
            return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except _FAULTS as error:
            raise self._unfit(f"it cannot be loaded: {_brief(error)}") from None

    def _checked_inputs(self) -> Sequence[str]:
        names = [item.name for item in self._session.get_inputs()]
        if _INPUTS[0] not in names or not set(names) <= set(_INPUTS):
            raise self._unfit(f"its inputs are {', '.join(names)} and not {', '.join(_INPUTS)}")
        return names


def model_failed(message: str) -> ToulminError:
    """The fault of a model that was loaded and does not do its work."""
    return ToulminError("model_failed", message, remedy="see toulmin doctor")


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
