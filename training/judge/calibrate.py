"""Brings a trained model's logits to scale: `python -m judge.calibrate FOLDER --work FOLDER`; the model is in FOLDER-calibrated.

The classes are as frequent in the training as it happened to be, and a model that is fine-tuned on some domains leaves nearly everything of
another unresolved. So the three logits get one scale and a bias for each class, four numbers in the last layer, by which the development
sets are the likeliest, each set counting the same. What it is worth is told for claims of groups that the numbers were not fitted to.

It needs `judge.evaluate FOLDER --sets dev` before it.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch.nn import functional

from judge import model as judge_model
from judge.measure import figures
from judge.pairs import CLASSES, NOT_SUPPORTED, Pair, read

_SETS = ("dev/scifact_validation", "dev/feversymmetric_v02_dev", "dev/flask_open_half")
_FOLDS = 5
_LEAST = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The pairs of a set, and the model's log probabilities for them (pairs by classes)."""

    pairs: Sequence[Pair]
    log_p: torch.Tensor

    def where(self, wanted: Callable[[Pair], bool]) -> Judged:
        rows = [row for row, pair in enumerate(self.pairs) if wanted(pair)]
        return Judged(pairs=[self.pairs[row] for row in rows], log_p=self.log_p[rows])

    @property
    def labels(self) -> torch.Tensor:
        order = (*CLASSES, NOT_SUPPORTED)
        return torch.tensor([order.index(pair.label) for pair in self.pairs])


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """logits × `scale` + `bias`, a bias for each class; that of the first is 0."""

    scale: torch.Tensor
    bias: torch.Tensor

    def applied(self, log_p: torch.Tensor) -> torch.Tensor:
        return functional.log_softmax(log_p * self.scale + self.bias, -1)


def fitted(sets: Sequence[Judged]) -> Calibration:
    """The calibration under which the sets are likeliest, each set counting the same."""
    wanted = torch.zeros(len(CLASSES), requires_grad=True)  # the scale's logarithm, and the biases but the first
    search = torch.optim.LBFGS([wanted], max_iter=200, line_search_fn="strong_wolfe")

    def made() -> Calibration:
        return Calibration(scale=wanted[0].exp(), bias=torch.cat([torch.zeros(1), wanted[1:]]))

    def cost() -> torch.Tensor:
        search.zero_grad()
        total = torch.stack([_unlikely(made().applied(one.log_p), one.labels) for one in sets]).mean()
        total.backward()
        return total

    search.step(cost)
    found = made()
    return Calibration(scale=found.scale.detach(), bias=found.bias.detach())


def _unlikely(log_p: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean of -log P(label); for NOT_SUPPORTED of -log(1 - P(supported))."""
    scores = torch.cat([log_p, torch.logsumexp(log_p[:, 1:], -1, keepdim=True)], -1)
    return -scores.gather(1, labels[:, None]).mean()


def fold(pair: Pair) -> int:
    """Which part of the sets a pair is in; groups are never parted."""
    return int(sha256(pair.group.encode()).hexdigest()[-4:], 16) % _FOLDS


def cross_validated(sets: Sequence[Judged]) -> list[Judged]:
    """The sets with log probabilities that were calibrated without the pair's own part."""
    parts = [
        fitted([one.where(lambda pair, part=part: fold(pair) != part) for one in sets])  # type: ignore[misc]
        for part in range(_FOLDS)
    ]
    return [
        Judged(
            pairs=one.pairs,
            log_p=torch.stack([parts[fold(p)].applied(row) for p, row in zip(one.pairs, one.log_p, strict=True)]),
        )
        for one in sets
    ]


def judged(folder: Path, work: Path, name: str) -> Judged:
    """What judge.evaluate kept of a set."""
    told = np.load(folder / "results" / f"{Path(name).name}.npy")
    pairs = list(read(work / "data" / f"{name}.jsonl"))
    return Judged(pairs=pairs, log_p=torch.from_numpy(told).clamp_min(_LEAST).log())


def save(folder: Path, home: Path, found: Calibration) -> None:
    """The model with the calibration in its last layer."""
    model = judge_model.load(folder)
    last = cast("torch.nn.Linear", model.get_submodule("classifier.out_proj"))
    with torch.no_grad():
        last.weight.mul_(found.scale)
        last.bias.mul_(found.scale).add_(found.bias)
    model.save_pretrained(home)
    shutil.copy(folder / "tokenizer.json", home)
    told = {"of": folder.name, "scale": float(found.scale), "bias": found.bias.tolist(), "sets": _SETS}
    (home / "calibration.json").write_text(json.dumps(told, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    sets = [judged(given.model, given.work, name) for name in _SETS]
    for name, before, after in zip(_SETS, sets, cross_validated(sets), strict=True):
        print(f"{name} ({len(before.pairs)} pairs): as trained, and calibrated without the pair's own part")
        old, new = (figures(one.log_p.exp().numpy(), one.pairs) for one in (before, after))
        for figure, value in old.items():
            print(f"  {figure}: {value}  {new[figure]}")
    found = fitted(sets)
    print(f"scale {float(found.scale):.3f}, bias {[round(value, 3) for value in found.bias.tolist()]}")
    save(given.model, given.model.with_name(f"{given.model.name}-calibrated"), found)


if __name__ == "__main__":
    main()
