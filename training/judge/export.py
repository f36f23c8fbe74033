"""Writes a trained model as ONNX with weights of 8 or 4 bits: `python -m judge.export FOLDER --work FOLDER --bits 8 --version 0`.

Weights and embeddings are rounded once, in blocks of their own; while the model runs, the numbers between its layers are
rounded to 8 bits for each product, token by token: so a pair's probabilities do not hang on what else is in its batch. That is checked here, on pairs of the development sets, and so is
what the rounding costs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
from transformers import PreTrainedModel

from judge import model as judge_model
from judge.onnx import OnnxJudge
from judge.pairs import CLASSES, Pair, read

_BLOCKS = {8: 128, 4: 32}
"""How many weights share a scale, by their bits."""

_PRODUCTS_IN_INT8 = 4
"""`accuracy_level` of the products: on AVX2 2.4 times as fast as in fp32 for 32 tokens, 1.2 times for 130."""

_MANY_ROWS = 1000
_ALONE_OR_TOGETHER = 1e-3
_CHECKED = 64
_CHECKED_ON = ("scifact_validation", "feversymmetric_v02_dev", "edits_dev")


class _Logits(torch.nn.Module):
    """The model as a function of tensors to a tensor."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(input_ids=input_ids, attention_mask=attention_mask).logits
        return logits


def export(folder: Path, path: Path) -> None:
    """The model of `folder` as fp32 ONNX: `input_ids` and `attention_mask` (pairs by tokens, int64) to `logits`."""
    model = judge_model.load(folder).eval()
    example = torch.ones(2, 16, dtype=torch.int64)
    torch.onnx.export(
        _Logits(model),
        (example, example),
        path,
        input_names=["input_ids", "attention_mask"],
        output_names=["logits"],
        dynamic_axes={
            "input_ids": {0: "pairs", 1: "tokens"},
            "attention_mask": {0: "pairs", 1: "tokens"},
            "logits": {0: "pairs"},
        },
        opset_version=17,
        dynamo=False,
    )


def rounded(plain: Path, path: Path, bits: int) -> None:
    """The same graph with the weights of its products in `bits` bits and its table of embeddings in 8."""
    graph = onnx.load(plain)
    for gather in [node for node in graph.graph.node if node.op_type == "Gather"]:
        _embeddings_in_int8(graph.graph, gather)
    config = DefaultWeightOnlyQuantConfig(
        block_size=_BLOCKS[bits], is_symmetric=True, accuracy_level=_PRODUCTS_IN_INT8, bits=bits
    )
    quantizer = MatMulNBitsQuantizer(graph, algo_config=config)
    quantizer.process()
    quantizer.model.save_model_to_file(str(path), use_external_data_format=False)


def _embeddings_in_int8(graph: onnx.GraphProto, gather: onnx.NodeProto) -> None:
    """Looks up rows of int8 and the scale of each row instead of rows of fp32; tables of few rows are left."""
    table = next((one for one in graph.initializer if one.name == gather.input[0]), None)
    if table is None or len(table.dims) != 2 or table.dims[0] < _MANY_ROWS:
        return
    values = numpy_helper.to_array(table)
    scales = np.maximum(np.abs(values).max(1, keepdims=True), 1e-12) / 127
    rows, row_scales = f"{table.name}.int8", f"{table.name}.scale"
    graph.initializer.extend([
        numpy_helper.from_array(np.rint(values / scales).astype(np.int8), rows),
        numpy_helper.from_array(scales.astype(np.float32), row_scales),
    ])  # fmt: skip
    ids, out = gather.input[1], gather.output[0]
    nodes = [
        helper.make_node("Gather", [rows, ids], [f"{out}.int8"]),
        helper.make_node("Cast", [f"{out}.int8"], [f"{out}.float"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Gather", [row_scales, ids], [f"{out}.scale"]),
        helper.make_node("Mul", [f"{out}.float", f"{out}.scale"], [out]),
    ]
    at = list(graph.node).index(gather)
    graph.node.remove(gather)
    for offset, node in enumerate(nodes):
        graph.node.insert(at + offset, node)
    graph.initializer.remove(table)


def manifest(home: Path, name: str, version: str) -> dict[str, object]:
    """What the product wants to know of the model (`toulmin.judge/1`)."""
    return {
        "schema": "toulmin.judge/1",
        "name": name,
        "version": version,
        "labels": CLASSES,
        "max_tokens": judge_model.Reading.of(home).tokens,
        "first": "claim",
        "languages": ["en"],
        "sha256": {
            file: hashlib.sha256((home / file).read_bytes()).hexdigest() for file in ("model.onnx", "tokenizer.json")
        },
    }


def check(model: Path, path: Path, pairs: Sequence[Pair]) -> None:
    """Tells what rounding costs; refuses an export whose probabilities for a pair hang on its batch."""
    judge = OnnxJudge(path)
    together, alone = judge.probabilities(pairs), judge.probabilities(pairs, size=1)
    exact = judge_model.probabilities(judge_model.load(model), judge_model.Reader.of(model), pairs).numpy()
    rounding = np.abs(together - exact).max(1)
    same = float((together.argmax(1) == exact.argmax(1)).mean())
    print(f"rounded or fp32: mean {rounding.mean():.4f}, at most {rounding.max():.4f} apart, same class {same:.3f}")
    apart = float(np.abs(together - alone).max())
    print(f"alone or together: at most {apart:.2e} apart")
    if apart > _ALONE_OR_TOGETHER:
        raise SystemExit("a pair's probabilities hang on its batch: the export is not fit for use")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--bits", type=int, choices=sorted(_BLOCKS), default=8)
    parser.add_argument("--name", default="toulmin-judge", help="for the manifest, like the version")
    parser.add_argument("--version", required=True)
    given = parser.parse_args()
    torch.set_num_threads(2)
    home = given.model / f"onnx-{given.bits}"
    home.mkdir(exist_ok=True)
    shutil.copy(given.model / "tokenizer.json", home)
    plain, path = given.model / "plain.onnx", home / "model.onnx"
    export(given.model, plain)
    rounded(plain, path, given.bits)
    plain.unlink()
    (home / "manifest.json").write_text(json.dumps(manifest(home, given.name, given.version), indent=2) + "\n")
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")

    check(
        given.model,
        path,
        [p for name in _CHECKED_ON for p in list(read(given.work / f"data/dev/{name}.jsonl"))[:_CHECKED]],
    )


if __name__ == "__main__":
    main()
