"""The engine: a classifier in memory, which says of one text how likely it supports a claim."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, isfinite

from toulmin.adapters.onnx.folder import MODEL, TOKENIZER, LocalModel
from toulmin.adapters.onnx.runtime import Runtime, model_failed
from toulmin.domain.claims.opinion import Probabilities
from toulmin.domain.errors import InputError


class Engine:
    """Says how likely a text supports a claim; any number of threads may ask at once.

    Raises `InputError` where the model cannot be used: `wrong_digest`, `bad_tokenizer`, `bad_model` (also for other inputs than token ids,
    mask and types, and for other outputs than one number for each class); and `ToulminError` (`model_failed`) where it does not run.
    """

    def __init__(self, model: LocalModel) -> None:
        self._model = model
        self._runtime = Runtime(model.content(MODEL), model.content(TOKENIZER), self._unfit)
        self._output = self._runtime.output("logits")
        self.probabilities("a", "a")  # what no shape tells shows here, and not in the midst of a review

    def measure(self, text: str) -> int:
        """How many tokens the text has, without special ones."""
        return len(self._runtime.tokenizer.encode(text, add_special_tokens=False))

    def room(self, claim: str) -> int:
        """How many tokens of evidence the model reads beside a claim; negative where the claim alone is too long."""
        special = self._runtime.tokenizer.num_special_tokens_to_add(is_pair=True)
        return self._model.max_tokens - special - self.measure(claim)

    def probabilities(self, evidence: str, claim: str) -> Probabilities:
        """What the model makes of a text and a claim that have room together; raises `ToulminError` (`model_failed`) where it fails."""
        pair = (evidence, claim) if self._model.first == "evidence" else (claim, evidence)
        logits = self._runtime.run(self._output, self._runtime.tokenizer.encode(*pair))
        if logits.shape != (1, len(self._model.labels)):
            raise self._unfit(f"its output has the shape {logits.shape} and not (1, {len(self._model.labels)})")
        shares = _softmax(logits[0].tolist())
        if shares is None:
            raise model_failed("the model gives numbers that are not finite")
        return Probabilities(**dict(zip(self._model.labels, shares, strict=True)))

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
