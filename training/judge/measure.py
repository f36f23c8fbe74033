"""Figures of one set: what the probabilities are worth against the labels, with intervals over resampled groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judge.pairs import CLASSES, NOT_SUPPORTED, Pair

Probabilities = NDArray[np.float32]

_RESAMPLES = 500
_SEED = 20261130


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class _Set:
    """Probabilities (pairs by classes), labels (index in CLASSES, 3 for NOT_SUPPORTED), and the number of each pair's group."""

    told: Probabilities
    labels: NDArray[np.int64]
    groups: NDArray[np.int64]

    def at(self, rows: NDArray[np.int64]) -> _Set:
        return _Set(self.told[rows], self.labels[rows], self.groups[rows])


def figures(told: Probabilities, pairs: Sequence[Pair]) -> dict[str, Figure]:
    """Every figure that the set's labels allow: accuracy and macro-F1 of the classes only where no label is NOT_SUPPORTED."""
    order = (*CLASSES, NOT_SUPPORTED)
    _, groups = np.unique([pair.group for pair in pairs], return_inverse=True)
    whole = _Set(told, np.array([order.index(pair.label) for pair in pairs]), groups)
    measures: dict[str, Callable[[_Set], float]] = {
        "balanced": lambda of: _balanced(of, of.told.argmax(1) == 0),
        "balanced, best threshold": _best_balanced,
        "auroc": _auroc,
    }
    if whole.labels.max() < len(CLASSES):
        measures = {"accuracy": _accuracy, "macro-F1": _macro_f1, **measures}
    again = _resampled(whole)
    return {name: _figure(measure, whole, again) for name, measure in measures.items()}


def by_phenomenon(told: Probabilities, pairs: Sequence[Pair]) -> Mapping[str, tuple[int, float]]:
    """Of each phenomenon the number of pairs and the share whose likeliest class is the label."""
    rows: dict[str, list[bool]] = {}
    for one, pair in zip(told, pairs, strict=True):
        said = CLASSES[int(one.argmax())]
        right = said == pair.label or (pair.label == NOT_SUPPORTED and said != "supported")
        rows.setdefault(pair.phenomenon, []).append(right)
    return {name: (len(right), sum(right) / len(right)) for name, right in sorted(rows.items())}


def _figure(measure: Callable[[_Set], float], whole: _Set, again: Sequence[_Set]) -> Figure:
    low, high = np.nanpercentile([measure(one) for one in again], (2.5, 97.5))
    return Figure(value=measure(whole), low=float(low), high=float(high))


def _resampled(whole: _Set) -> list[_Set]:
    """Sets of as many groups, drawn with replacement."""
    chance = np.random.default_rng(_SEED)
    members = [np.flatnonzero(whole.groups == group) for group in range(whole.groups.max() + 1)]
    draws = (chance.integers(len(members), size=len(members)) for _ in range(_RESAMPLES))
    return [whole.at(np.concatenate([members[at] for at in draw])) for draw in draws]


def _accuracy(of: _Set) -> float:
    return float((of.told.argmax(1) == of.labels).mean())


def _macro_f1(of: _Set) -> float:
    """The mean over the classes that the labels have."""
    said = of.told.argmax(1)
    shares = []
    for label in np.unique(of.labels):
        both = ((said == label) & (of.labels == label)).sum()
        shares.append(2 * both / ((said == label).sum() + (of.labels == label).sum()))
    return float(np.mean(shares))


def _balanced(of: _Set, accepted: NDArray[np.bool_]) -> float:
    """The mean of the share of the supported that are accepted and that of the others that are not."""
    supported = of.labels == 0
    if supported.all() or not supported.any():
        return float("nan")
    return float((accepted[supported].mean() + (~accepted[~supported]).mean()) / 2)


def _best_balanced(of: _Set) -> float:
    """At the threshold that is best for this very set: what the order is worth, and too good for a threshold chosen elsewhere."""
    return max(_balanced(of, of.told[:, 0] > threshold) for threshold in np.linspace(0.02, 0.98, 49))


def _auroc(of: _Set) -> float:
    """How often a supported pair stands above another one."""
    supported = of.labels == 0
    if supported.all() or not supported.any():
        return float("nan")
    above = np.sort(of.told[~supported, 0])
    mine = of.told[supported, 0]
    below = (np.searchsorted(above, mine, "left") + np.searchsorted(above, mine, "right")) / 2
    return float(below.mean() / len(above))
