"""Results of `eval claims`: judges and baselines over the same labelled claims, as JSON and as lines of their own for each claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NotRequired, TypedDict

from toulmin.domain.claims.objection import Objection
from toulmin.evaluation.claims import (
    KIND,
    Bin,
    Judged,
    Operating,
    by_oracle,
    calibration_error,
    confusion,
    judged,
    reliability,
    report,
    tradeoff,
)
from toulmin.evaluation.labels import CLASSES, LabelledClaim
from toulmin.evaluation.report import MeasureJson, Report, SliceJson, measure_json, parts_json, slice_json
from toulmin.evaluation.rulings import Ruling


@dataclass(frozen=True, kw_only=True)
class Assessed:
    """What one judge, or baseline, said of every claim, and what that is worth."""

    name: str
    rulings: tuple[Ruling, ...]
    rows: tuple[Judged, ...]

    @classmethod
    def of(cls, name: str, claims: Sequence[LabelledClaim], rulings: Sequence[Ruling]) -> Assessed:
        """The rulings on claims, in their order."""
        rows = tuple(judged(claim, ruling) for claim, ruling in zip(claims, rulings, strict=True))
        return cls(name=name, rulings=tuple(rulings), rows=rows)

    @cached_property
    def report(self) -> Report:
        return report(self.rows)

    @cached_property
    def reliability(self) -> tuple[Bin, ...]:
        return reliability(self.rows)

    @cached_property
    def tradeoff(self) -> tuple[Operating, ...]:
        return tradeoff(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Judges, and the baselines beside them, over the same claims under one policy, whose threshold for `supported` is `threshold`."""

    claims: tuple[LabelledClaim, ...]
    policy: str
    threshold: float
    judges: tuple[Assessed, ...]
    baselines: tuple[Assessed, ...]

    @property
    def all(self) -> tuple[Assessed, ...]:
        return (*self.judges, *self.baselines)


class ConfusionJson(TypedDict):
    """`counts[i][j]`: how many claims labelled `classes[i]` got the verdict `classes[j]`."""

    classes: list[str]
    counts: list[list[int]]


class BinJson(TypedDict):
    """Of the claims with `low` ≤ P(supported) < `high`: their mean P, and the share that is labelled supported."""

    low: float
    high: float
    n: int
    mean: float | None
    share: MeasureJson


class ReliabilityJson(TypedDict):
    """The expected calibration error, and the bins that it is over."""

    ece: float | None
    bins: list[BinJson]


class OperatingJson(TypedDict):
    """What a threshold would do to the same claims; of thresholds that do the same, the highest."""

    threshold: float
    delivered: int
    false_accepts: int
    metrics: dict[str, MeasureJson]


class TradeoffJson(TypedDict):
    """The policy's threshold for `supported`, and what it and others would do, strictest first."""

    threshold: float
    points: list[OperatingJson]


class AssessedJson(SliceJson):
    """What one judge is worth, and which oracle objects how often. `reliability` and `tradeoff` are null where it gives no probabilities."""

    by: dict[str, dict[str, SliceJson]]
    oracles: dict[str, dict[str, MeasureJson]]
    confusion: ConfusionJson
    reliability: ReliabilityJson | None
    tradeoff: TradeoffJson | None


class ResultsJson(TypedDict):
    """`toulmin.eval/1` of claims: with one judge, `judge` and all of `AssessedJson` at the top; with several, `judges` by their names."""

    schema: Literal["toulmin.eval/1"]
    kind: str
    policy: str
    n: int
    judge: NotRequired[str]
    metrics: NotRequired[dict[str, MeasureJson]]
    by: NotRequired[dict[str, dict[str, SliceJson]]]
    oracles: NotRequired[dict[str, dict[str, MeasureJson]]]
    confusion: NotRequired[ConfusionJson]
    reliability: NotRequired[ReliabilityJson | None]
    tradeoff: NotRequired[TradeoffJson | None]
    judges: NotRequired[dict[str, AssessedJson]]
    baselines: dict[str, AssessedJson]


def results_json(results: Results) -> ResultsJson:
    """The results as `toulmin.eval/1`."""
    shape: ResultsJson = {
        "schema": "toulmin.eval/1",
        "kind": KIND,
        "policy": results.policy,
        "n": len(results.claims),
        "baselines": {item.name: _assessed_json(item, results.threshold) for item in results.baselines},
    }
    if len(results.judges) == 1:
        only = results.judges[0]
        return {**shape, "judge": only.name, **_assessed_json(only, results.threshold)}
    return {**shape, "judges": {item.name: _assessed_json(item, results.threshold) for item in results.judges}}


def lines(results: Results) -> Iterator[dict[str, Any]]:
    """One line for each claim: the claim, its label, and all that each judge and baseline said of it.

    For looking at failures, and for comparing two results claim by claim.
    """
    for at, claim in enumerate(results.claims):
        yield {
            "id": claim.id,
            "group": claim.group,
            "phenomenon": claim.phenomenon,
            "version": claim.version,
            "source_type": claim.source_type,
            "claim": claim.unit.claim,
            "label": claim.label.value,
            "verdicts": {item.name: _ruling_json(item.rulings[at]) for item in results.all},
        }


def _assessed_json(item: Assessed, threshold: float) -> AssessedJson:
    bins, points = item.reliability, item.tradeoff
    return {
        **slice_json(item.report.whole),
        "by": parts_json(item.report),
        "oracles": {
            oracle: {name: measure_json(measure) for name, measure in found.items()}
            for oracle, found in by_oracle(item.rows).items()
        },
        "confusion": {"classes": [*CLASSES], "counts": [[*row] for row in confusion(item.rows)]},
        "reliability": {"ece": calibration_error(bins), "bins": [*map(_bin_json, bins)]} if bins else None,
        "tradeoff": {"threshold": threshold, "points": [*map(_operating_json, points)]} if points else None,
    }


def _operating_json(point: Operating) -> OperatingJson:
    return OperatingJson(
        threshold=point.threshold,
        delivered=point.delivered,
        false_accepts=point.false_accepts,
        metrics={name: measure_json(measure) for name, measure in point.metrics.items()},
    )


def _bin_json(part: Bin) -> BinJson:
    return BinJson(low=part.low, high=part.high, n=part.n, mean=part.mean, share=measure_json(part.share))


def _ruling_json(ruling: Ruling) -> Mapping[str, Any]:
    return {
        "verdict": ruling.verdict.value,
        "reason": ruling.reason,
        "supported": ruling.supported,
        "objections": None if ruling.objections is None else [*map(_objection_json, ruling.objections)],
    }


def _objection_json(item: Objection) -> Mapping[str, Any]:
    return {
        "oracle": item.oracle,
        "strength": item.strength.value,
        "claim_span": [*item.claim],
        "evidence_span": [*item.evidence],
        "says": item.says,
    }
