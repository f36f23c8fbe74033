"""Claims: how often a judge is right about labelled claims, and what it lets through, turns away and leaves open.

A claim is *delivered* where the verdict is `supported`; a *false accept* is one that is delivered and not labelled so. Labels that say only
`not_supported` count in these rates; what needs all three classes (accuracy, macro F1, the confusion matrix) leaves their rows out.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from toulmin.evaluation.intervals import NOTHING, Estimate, Measure, combined, estimate, share
from toulmin.evaluation.labels import CLASSES, Label, LabelledClaim
from toulmin.evaluation.report import Report, Slice, compiled
from toulmin.evaluation.rulings import Ruling

KIND = "claims"
BINS = 10
"""How many parts of equal width a reliability diagram has."""
TRADED = ("false_accept_rate", "unsupported_claim_rate", "false_rejection_rate", "coverage")
"""The metrics that a threshold weighs against each other."""
_NOTHING = Estimate(measure=NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A label beside what was said of its claim: the verdict, which oracles object to the claim, and how likely it is supported.

    `objected` is None where nobody looked for objections, `supported` where no probability was given; `until` is that of `Ruling`.
    """

    id: str
    group: str
    label: Label
    verdict: Label
    objected: frozenset[str] | None = None
    supported: float | None = None
    until: float | None = None
    phenomenon: str | None = None
    version: str | None = None
    source_type: str | None = None

    @property
    def is_supported(self) -> bool:
        return self.label is Label.SUPPORTED

    @property
    def delivered(self) -> bool:
        return self.verdict is Label.SUPPORTED

    @property
    def three_way(self) -> bool:
        """Whether the label says which of the three classes is right."""
        return self.label is not Label.NOT_SUPPORTED

    @property
    def right(self) -> bool:
        return self.verdict is self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Of the claims with `low` ≤ P(supported) < `high` (the last bin has 1 in it): how many, their mean P, and the share labelled supported."""

    low: float
    high: float
    n: int
    mean: float | None
    share: Measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Operating:
    """What a threshold would do to the same claims: how many it delivers, how many of them falsely, and the metrics of `TRADED`."""

    threshold: float
    delivered: int
    false_accepts: int
    metrics: Mapping[str, Measure]


def judged(claim: LabelledClaim, ruling: Ruling) -> Judged:
    """A labelled claim with its ruling."""
    return Judged(
        id=claim.id,
        group=claim.group,
        label=claim.label,
        verdict=ruling.verdict,
        objected=None if ruling.objections is None else frozenset(item.oracle for item in ruling.objections),
        supported=ruling.supported,
        until=ruling.until,
        phenomenon=claim.phenomenon,
        version=claim.version,
        source_type=claim.source_type,
    )


def report(rows: Sequence[Judged]) -> Report:
    """What the verdicts are worth, also by phenomenon, source type and version; an attribute that no row states has no parts."""
    return compiled(KIND, rows, _measured, by=_ATTRIBUTES)


def names() -> tuple[str, ...]:
    """The names of all metrics and counts that a report has."""
    return (*_METRICS, *_counts(()))


def estimates(rows: Sequence[Judged]) -> dict[str, Estimate]:
    """Every metric over the rows, with what each group adds to its error."""
    return {name: metric(rows) for name, metric in _METRICS.items()}


def confusion(rows: Sequence[Judged]) -> tuple[tuple[int, ...], ...]:
    """How many claims of each label (rows) got each verdict (columns), both in the order of `CLASSES`."""
    counts = Counter((row.label, row.verdict) for row in rows)
    return tuple(tuple(counts[label, verdict] for verdict in CLASSES) for label in CLASSES)


def by_oracle(rows: Sequence[Judged]) -> dict[str, dict[str, Measure]]:
    """For each oracle that objects to anything: the shares of supported and of other claims that it objects to."""
    known = sorted({name for row in rows for name in row.objected or ()})
    return {
        oracle: {
            name: metric([_as_alone(row, oracle) for row in rows]).measure
            for name, metric in _METRICS.items()
            if name.startswith("objected_")
        }
        for oracle in known
    }


def reliability(rows: Sequence[Judged]) -> tuple[Bin, ...]:
    """Whether claims that are said to be supported with a probability of p are so in a share of p; empty where none has a probability."""
    scored = [(row, row.supported) for row in rows if row.supported is not None]
    parts: list[list[tuple[Judged, float]]] = [[] for _ in range(BINS)]
    for row, probability in scored:
        parts[min(BINS - 1, int(probability * BINS))].append((row, probability))
    return tuple(_bin(number, part) for number, part in enumerate(parts)) if scored else ()


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """The expected calibration error: how far mean probability and share are apart, over the bins by their number of claims."""
    n = sum(part.n for part in bins)
    gaps = (
        part.n * abs(part.mean - part.share.value)
        for part in bins
        if part.mean is not None and part.share.value is not None
    )
    return fsum(gaps) / n if n else None


def tradeoff(rows: Sequence[Judged]) -> tuple[Operating, ...]:
    """What each threshold would do, strictest first, beginning with 1; of thresholds that do the same, the highest.

    Empty where no threshold was tried, or none could matter because no claim has a probability.
    """
    if all(row.supported is None for row in rows) or any(row.until is None for row in rows):
        return ()
    levels = {1.0, *(row.until for row in rows if row.until)}
    return tuple(_operating(rows, threshold) for threshold in sorted(levels, reverse=True))


def _operating(rows: Sequence[Judged], threshold: float) -> Operating:
    moved = [replace(row, verdict=_verdict_under(row, threshold)) for row in rows]
    return Operating(
        threshold=threshold,
        delivered=sum(row.delivered for row in moved),
        false_accepts=sum(row.delivered and not row.is_supported for row in moved),
        metrics={name: _METRICS[name](moved).measure for name in TRADED},
    )


def _verdict_under(row: Judged, threshold: float) -> Label:
    """A claim that a stricter threshold no longer delivers is left open: no claim is likely supported and contradicted at once."""
    if (row.until or 0.0) >= threshold:
        return Label.SUPPORTED
    return Label.UNRESOLVED if row.delivered else row.verdict


def _as_alone(row: Judged, oracle: str) -> Judged:
    """The row as it would be if only this oracle had been asked for objections."""
    return replace(row, objected=None if row.objected is None else row.objected & {oracle})


def _bin(number: int, part: Sequence[tuple[Judged, float]]) -> Bin:
    return Bin(
        low=number / BINS,
        high=(number + 1) / BINS,
        n=len(part),
        mean=fsum(probability for _, probability in part) / len(part) if part else None,
        share=share([(row.group, float(row.is_supported)) for row, _ in part]).measure,
    )


def _measured(rows: Sequence[Judged]) -> Slice:
    return Slice(
        n=len(rows),
        metrics={name: found.measure for name, found in estimates(rows).items()},
        counts=_counts(rows),
    )


def _counts(rows: Sequence[Judged]) -> dict[str, int]:
    labels = Counter(row.label for row in rows)
    return {
        **{f"labelled_{label}": labels[label] for label in Label},
        "delivered": sum(row.delivered for row in rows),
        "false_accepts": sum(row.delivered and not row.is_supported for row in rows),
        "with_probability": sum(row.supported is not None for row in rows),
    }


def _share_of(
    counted: Callable[[Judged], bool], among: Callable[[Judged], bool]
) -> Callable[[Sequence[Judged]], Estimate]:
    return lambda rows: share([(row.group, float(counted(row))) for row in rows if among(row)])


def _objected(*labels: Label) -> Callable[[Sequence[Judged]], Estimate]:
    return _share_of(lambda row: bool(row.objected), lambda row: row.objected is not None and row.label in labels)


_accepted = _share_of(lambda row: row.delivered, lambda row: row.is_supported)
_rejected = _share_of(lambda row: not row.delivered, lambda row: not row.is_supported)


def _balanced_accuracy(rows: Sequence[Judged]) -> Estimate:
    """The mean of the shares of supported claims delivered and of others not delivered."""
    return combined([(0.5, _accepted(rows)), (0.5, _rejected(rows))])


def _macro_f1(rows: Sequence[Judged]) -> Estimate:
    """The mean F1 of the classes that occur among the labels; 0 for one that no verdict gets right."""
    clear = [row for row in rows if row.three_way]
    labels = {row.label for row in clear}
    parts = [_f1(clear, label) for label in CLASSES if label in labels]
    return combined([(1 / len(parts), part) for part in parts]) if parts else _NOTHING


def _f1(rows: Sequence[Judged], label: Label) -> Estimate:
    """2 TP / (2 TP + FP + FN): the harmonic mean of precision and recall."""
    concerned = [row for row in rows if label in (row.label, row.verdict)]
    weights = [(row.group, 2.0 * row.right, 2 if row.right else 1) for row in concerned]
    total = sum(weight for _, _, weight in weights)
    value = sum(hit for _, hit, _ in weights) / total
    return estimate(value, ((group, (hit - value * weight) / total) for group, hit, weight in weights), len(concerned))


def _auroc(rows: Sequence[Judged]) -> Estimate:
    """The share of pairs of a supported and another claim in which the supported one is the more probable; equal ones count half.

    The pulls are DeLong's structural components (DeLong, DeLong and Clarke-Pearson 1988), summed by group as by Obuchowski (1997).
    """
    scored = [(row.group, row.supported, row.is_supported) for row in rows if row.supported is not None]
    yes = sorted(score for _, score, is_supported in scored if is_supported)
    no = sorted(score for _, score, is_supported in scored if not is_supported)
    if not yes or not no:
        return _NOTHING
    won = [
        (
            group,
            _share_below(score, no) if is_supported else 1 - _share_below(score, yes),
            len(yes if is_supported else no),
        )
        for group, score, is_supported in scored
    ]
    value = fsum(part / n for (_, part, n), (_, _, is_supported) in zip(won, scored, strict=True) if is_supported)
    return estimate(value, ((group, (part - value) / n) for group, part, n in won), 2 * min(len(yes), len(no)))


def _share_below(score: float, ordered: Sequence[float]) -> float:
    """The share of scores below this one, equal ones counted half."""
    return (bisect_left(ordered, score) + bisect_right(ordered, score)) / (2 * len(ordered))


def _brier(rows: Sequence[Judged]) -> Estimate:
    """The mean squared distance of P(supported) from 1 for a supported claim, and from 0 for another."""
    return share([(row.group, (row.supported - row.is_supported) ** 2) for row in rows if row.supported is not None])


_METRICS: Mapping[str, Callable[[Sequence[Judged]], Estimate]] = {
    "accuracy": _share_of(lambda row: row.right, lambda row: row.three_way),
    "macro_f1": _macro_f1,
    "balanced_accuracy": _balanced_accuracy,
    "unsupported_claim_rate": _share_of(lambda row: not row.is_supported, lambda row: row.delivered),
    "false_accept_rate": _share_of(lambda row: row.delivered, lambda row: not row.is_supported),
    "false_rejection_rate": _share_of(lambda row: not row.delivered, lambda row: row.is_supported),
    "coverage": _share_of(lambda row: row.verdict is not Label.UNRESOLVED, lambda _: True),
    "auroc": _auroc,
    "brier": _brier,
    "objected_supported": _objected(Label.SUPPORTED),
    "objected_not_supported": _objected(Label.CONTRADICTED, Label.UNRESOLVED, Label.NOT_SUPPORTED),
    "objected_contradicted": _objected(Label.CONTRADICTED),
    "objected_unresolved": _objected(Label.UNRESOLVED),
}
"""Every metric by its name, in the order in which they are shown."""

_ATTRIBUTES: Mapping[str, Callable[[Judged], str | None]] = {
    "phenomenon": lambda row: row.phenomenon,
    "source_type": lambda row: row.source_type,
    "version": lambda row: row.version,
}
