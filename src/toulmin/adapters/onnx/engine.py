"""The engine: a model and its tokenizer in memory, which read one text at a time.

A batch would be no faster on a processor by much, and would make a text's probabilities hang on what it is padded to; so there is none, and
no padding. Each reading runs in the thread that asks for it, and in no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, isfinite

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as vendor
from tokenizers import Encoding, Tokenizer

from toulmin.adapters.onnx.folder import MODEL, TOKENIZER, LocalModel
from toulmin.domain.claims.opinion import Probabilities
from toulmin.domain.errors import InputError, ToulminError

_FAULTS = tuple(kind for kind in vars(vendor).values() if isinstance(kind, type) and issubclass(kind, Exception))
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_LOGITS = "logits"
_ERRORS_ONLY = 3


class Engine:
    """Says how likely a text supports a claim; any number of threads may ask at once.

    Raises `InputError` where the model cannot be used: `wrong_digest`, `bad_tokenizer`, `bad_model` (also for other inputs than token ids,
    mask and types, and for other outputs than one number for each class); and `ToulminError` (`model_failed`) where it does not run.
    """

    def __init__(self, model: LocalModel) -> None:
        self._model = model
        self._tokenizer = self._loaded_tokenizer()
        self._session = self._loaded_session()
        self._inputs = self._checked_inputs()
        self._output = self._checked_output()
        self.probabilities("a", "a")  # what no shape tells shows here, and not in the midst of a review

    def measure(self, text: str) -> int:
        """How many tokens the text has, without special ones."""
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def room(self, claim: str) -> int:
        """How many tokens of evidence the model reads beside a claim; negative where the claim alone is too long."""
        special = self._tokenizer.num_special_tokens_to_add(is_pair=True)
        return self._model.max_tokens - special - self.measure(claim)

    def probabilities(self, evidence: str, claim: str) -> Probabilities:
        """What the model makes of a text and a claim that have room together; raises `ToulminError` (`model_failed`) where it fails."""
        pair = (evidence, claim) if self._model.first == "evidence" else (claim, evidence)
        encoding = self._tokenizer.encode(*pair)
        try:
            (logits,) = self._session.run([self._output], self._fed(encoding))
        except _FAULTS as error:
            raise ToulminError(
                "model_failed", f"the model fails: {_brief(error)}", remedy="see toulmin doctor"
            ) from None
        if logits.shape != (1, len(self._model.labels)):
            raise self._unfit(f"its output has the shape {logits.shape} and not (1, {len(self._model.labels)})")
        shares = _softmax(logits[0].tolist())
        if shares is None:
            raise ToulminError(
                "model_failed", "the model gives numbers that are not finite", remedy="see toulmin doctor"
            )
        return Probabilities(**dict(zip(self._model.labels, shares, strict=True)))

    def _fed(self, encoding: Encoding) -> dict[str, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
        given = dict(zip(_INPUTS, (encoding.ids, encoding.attention_mask, encoding.type_ids), strict=True))
        return {name: np.array([given[name]], dtype=np.int64) for name in self._inputs}

    def _loaded_tokenizer(self) -> Tokenizer:
        content = self._model.content(TOKENIZER)
        try:
            tokenizer = Tokenizer.from_buffer(content)
        except ValueError as error:
            raise self._unfit(_brief(error), file=TOKENIZER, code="bad_tokenizer") from None
        tokenizer.no_truncation()  # files often ask for both; nothing is ever cut here without a word
        tokenizer.no_padding()
        return tokenizer

    def _loaded_session(self) -> onnxruntime.InferenceSession:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _ERRORS_ONLY
        try:
            return onnxruntime.InferenceSession(
                self._model.content(MODEL), options, providers=["CPUExecutionProvider"]
            )  # of the bytes that were checked
        except _FAULTS as error:
            raise self._unfit(f"it cannot be loaded: {_brief(error)}") from None

    def _checked_inputs(self) -> Sequence[str]:
        names = [item.name for item in self._session.get_inputs()]
        if _INPUTS[0] not in names or not set(names) <= set(_INPUTS):
            raise self._unfit(f"its inputs are {', '.join(names)} and not {', '.join(_INPUTS)}")
        return names

    def _checked_output(self) -> str:
        names: list[str] = [item.name for item in self._session.get_outputs()]
        if _LOGITS in names:
            return _LOGITS
        if len(names) != 1:
            raise self._unfit(f"its outputs are {', '.join(names)}, and none is called {_LOGITS}")
        return names[0]

    def _unfit(self, what: str, *, file: str = MODEL, code: str = "bad_model") -> InputError:
        advice = "use a classifier of three classes over pairs of texts, exported with its tokenizer"
        return InputError(
            code, f"this is no model that can judge: {what}", where=str(self._model.folder / file), remedy=advice
        )


def _softmax(logits: Sequence[float]) -> Sequence[float] | None:
    if not all(map(isfinite, logits)):
        return None
    weights = [exp(logit - max(logits)) for logit in logits]
    total = fsum(weights)
    return [weight / total for weight in weights]


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
