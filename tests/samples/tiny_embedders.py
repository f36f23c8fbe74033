"""Tiny encoders in ONNX with their tokenizers: each token has one direction, and padding would show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from tests.samples.tiny_models import INPUTS, WORDS, digest, tokenizer

DIMENSION = 16


def encoder(
    *, inputs: Sequence[str] = INPUTS, outputs: Sequence[str] = ("last_hidden_state",), scale: float = 1.0
) -> bytes:
    """A `model.onnx`: of each token its row of a table, of which no two are alike."""
    count = len(WORDS) + 3
    table = np.random.default_rng(7).standard_normal((count, DIMENSION)).astype(np.float32) * np.float32(scale)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], [outputs[0]], axis=0)]
    nodes += [helper.make_node("Identity", [outputs[0]], [name]) for name in outputs[1:]]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", "length", DIMENSION]) for name in outputs],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(model.SerializeToString())


def folder(place: Path, model: bytes | None = None, tokens: bytes | None = None, **manifest: object) -> Path:
    """A folder with a model, its tokenizer and a manifest, in which `manifest` replaces what is right; None takes a key away."""
    model, tokens = model or encoder(), tokens or tokenizer()
    place.mkdir(parents=True, exist_ok=True)
    (place / "model.onnx").write_bytes(model)
    (place / "tokenizer.json").write_bytes(tokens)
    stated = {
        "schema": "toulmin.embedder/1",
        "name": "tiny",
        "version": "1",
        "dimension": DIMENSION,
        "pooling": "mean",
        "max_tokens": 32,
        "sha256": {"model.onnx": digest(model), "tokenizer.json": digest(tokens)},
        **manifest,
    }
    given = {key: value for key, value in stated.items() if value is not None}
    (place / "manifest.json").write_text(json.dumps(given), encoding="utf-8")
    return place
