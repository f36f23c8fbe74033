"""Tiny classifiers in ONNX with their tokenizers, whose verdicts hang on single words of the evidence and on nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

CLASSES = ("supported", "contradicted", "unresolved")
WORDS: Mapping[str, tuple[float, float, float]] = {
    "[CLS]": (0.0, 0.0, 2.0),  # in doubt, unresolved
    "granted": (9.0, 0.0, 0.0),
    "likely": (3.0, 0.0, 0.0),
    "denied": (0.0, 9.0, 0.0),
    "doubtful": (0.0, 2.0, 0.0),
    **{word: (at * 0.3, 0.9 - at * 0.2, 0.1) for at, word in enumerate("valve opens bar tank holds water".split())},
}
"""What each word adds to supported, contradicted and unresolved, as logits; others add nothing."""
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def tokenizer(*, max_length: int | None = None) -> bytes:
    """A `tokenizer.json`: words in lower case, `[CLS] evidence [SEP] claim [SEP]`. `max_length`: it asks for cuts and padding."""
    names = ["[PAD]", "[UNK]", "[SEP]", *WORDS]
    made = Tokenizer(WordLevel({name: at for at, name in enumerate(names)}, unk_token="[UNK]"))
    made.normalizer = Lowercase()
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, names.index(name)) for name in ("[CLS]", "[SEP]")],
    )
    if max_length is not None:
        made.enable_truncation(max_length)
        made.enable_padding(length=max_length)
    return made.to_str().encode()


def classifier(
    labels: Sequence[str] = CLASSES,
    *,
    inputs: Sequence[str] = INPUTS,
    outputs: Sequence[str] = ("logits",),
    positions: int = 512,
    weight: float = 1.0,
) -> bytes:
    """A `model.onnx`: the sum of what the words of the evidence add, by the order of `labels`; it fails on more than `positions` tokens.

    A label that is no class has what is unresolved. `inputs` that are none of `INPUTS` are not used.
    """
    by_class = np.array([(0.0, 0.0, 0.0)] * 3 + list(WORDS.values()), dtype=np.float32) * weight
    columns = [CLASSES.index(label) if label in CLASSES else 2 for label in labels]
    constants = {
        "table": by_class[:, columns],
        "places": np.zeros((positions, 1), dtype=np.float32),
        "last": np.array([2]),
        "words": np.array([1]),
        "one": np.array(1, dtype=np.float32),
        "zero": np.array(0),
        "axis": np.array(1),
    }
    nodes = [
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "axis"], ["length"], axis=0),
        helper.make_node("Range", ["zero", "length", "axis"], ["numbers"]),
        helper.make_node("Gather", ["places", "numbers"], ["place"]),
        helper.make_node("Gather", ["table", "input_ids"], ["word"]),
        helper.make_node("Add", ["word", "place"], ["placed"]),
    ]
    counted = "placed"
    if "token_type_ids" in inputs:
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
            helper.make_node("Sub", ["one", "types"], ["evidence"]),
            helper.make_node("Unsqueeze", ["evidence", "last"], ["mask"]),
            helper.make_node("Mul", [counted, "mask"], ["masked"]),
        ]
        counted = "masked"
    nodes.append(helper.make_node("ReduceSum", [counted, "words"], [outputs[0]], keepdims=0))
    nodes += [helper.make_node("Identity", [outputs[0]], [name]) for name in outputs[1:]]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", len(labels)]) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(model.SerializeToString())


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def folder(place: Path, model: bytes | None = None, tokens: bytes | None = None, **manifest: object) -> Path:
    """A folder with a model, its tokenizer and a manifest, in which `manifest` replaces what is right; None takes a key away."""
    model, tokens = model or classifier(), tokens or tokenizer()
    place.mkdir(parents=True, exist_ok=True)
    (place / "model.onnx").write_bytes(model)
    (place / "tokenizer.json").write_bytes(tokens)
    stated = {
        "schema": "toulmin.judge/1",
        "name": "tiny",
        "version": "1",
        "labels": CLASSES,
        "max_tokens": 64,
        "sha256": {"model.onnx": digest(model), "tokenizer.json": digest(tokens)},
        **manifest,
    }
    given = {key: value for key, value in stated.items() if value is not None}
    (place / "manifest.json").write_text(json.dumps(given), encoding="utf-8")
    return place
