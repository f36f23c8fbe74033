"""The exported judge as the product runs it: ONNX Runtime, bounded threads, no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime

from judge import model as judge_model
from judge.measure import Probabilities
from judge.pairs import CLASSES, Pair


class OnnxJudge:
    """A `model.onnx` beside its `tokenizer.json`."""

    def __init__(self, path: Path, threads: int = 2) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self._reader = judge_model.Reader.of(path.parent)

    def probabilities(self, pairs: Sequence[Pair], size: int = 32) -> Probabilities:
        """The probabilities of each pair (pairs by classes), in their order; computed in batches of like length."""
        out = np.empty((len(pairs), len(CLASSES)), np.float32)
        for rows in self._reader.by_length(pairs, size):
            encoded = self._reader.encoded([pairs[row] for row in rows])
            ids = np.array([one.ids for one in encoded], np.int64)
            mask = np.array([one.attention_mask for one in encoded], np.int64)
            (logits,) = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
            raised = np.exp(logits - logits.max(1, keepdims=True))
            out[rows] = raised / raised.sum(1, keepdims=True)
        return out
