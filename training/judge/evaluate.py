"""Measures a model on sets: `python -m judge.evaluate FOLDER --work FOLDER --sets dev` (or `final`, once, at the very end).

FOLDER holds a trained model, or is a file `model.onnx` beside its tokenizer. Writes the probabilities and figures beside it.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from judge import model as judge_model
from judge.measure import Probabilities, by_phenomenon, figures
from judge.onnx import OnnxJudge
from judge.pairs import Pair, read


def judged(model: Path, pairs: list[Pair]) -> Probabilities:
    """The model's probabilities for the pairs, in their order."""
    if model.suffix == ".onnx":
        return OnnxJudge(model).probabilities(pairs)
    torch.set_num_threads(2)
    loaded = judge_model.load(model)
    return judge_model.probabilities(loaded, judge_model.Reader.of(model), pairs).numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sets", choices=("dev", "final"), required=True)
    parser.add_argument("--only", nargs="*", help="names of sets, where not all are wanted")
    parser.add_argument("--most", type=int, help="of each set only the first so many pairs")
    given = parser.parse_args()
    home = given.model.parent / "onnx-results" if given.model.suffix == ".onnx" else given.model / "results"
    home.mkdir(parents=True, exist_ok=True)
    for path in sorted((given.work / "data" / given.sets).glob("*.jsonl")):
        if given.only and path.stem not in given.only:
            continue
        pairs = list(read(path))[: given.most]
        began = time.monotonic()
        told = judged(given.model, pairs)
        seconds = time.monotonic() - began
        found = figures(told, pairs)
        phenomena = by_phenomenon(told, pairs)
        result = {
            "pairs": len(pairs),
            "seconds": round(seconds),
            "figures": {name: asdict(figure) for name, figure in found.items()},
            "phenomena": phenomena,
        }
        (home / f"{path.stem}.json").write_text(json.dumps(result, indent=1))
        np.save(home / f"{path.stem}.npy", told)
        print(f"{path.stem} ({len(pairs)} pairs, {seconds:.0f} s)", flush=True)
        for name, figure in found.items():
            print(f"  {name}: {figure}", flush=True)
        if len(phenomena) > 1:
            print("  " + ", ".join(f"{name} {share:.2f} of {n}" for name, (n, share) in phenomena.items()), flush=True)


if __name__ == "__main__":
    main()
