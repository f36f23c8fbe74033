"""The policy that a calibration makes, what its file says about it, and the calibration as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Literal, TypedDict

from toulmin.domain.canonical import canonical_json, digest, field, fields, number_text
from toulmin.domain.claims.review import VERSION
from toulmin.domain.policy import Policy
from toulmin.evaluation.calibration import Calibration, Goal, Point
from toulmin.evaluation.labels import Label, LabelledClaim
from toulmin.wire.policy import policy_yaml

_DIGITS = 8


@dataclass(frozen=True, kw_only=True)
class Calibrated:
    """A calibration of a judge on labelled claims, beside the policy that it started from."""

    calibration: Calibration
    judge: str
    claims: tuple[LabelledClaim, ...]
    base: Policy

    @cached_property
    def policy(self) -> Policy | None:
        """The base with the threshold that was chosen, under a version of its own; None where no threshold passes."""
        chosen = self.calibration.chosen
        return None if chosen is None else replace(self.base, supported=chosen.threshold, version=self.version)

    @cached_property
    def version(self) -> str:
        """`calibrated/` and 8 hex digits of a digest of the labelled claims, judge, checks, goal and base."""
        goal = self.calibration.goal
        promised = (number_text(goal.max_false_accept), number_text(goal.confidence))
        labels = (field(canonical_json(asdict(claim))) for claim in sorted(self.claims, key=lambda claim: claim.id))
        start = fields("toulmin.calibration/1", self.judge, VERSION, *promised, self.base.digest)
        return f"calibrated/{digest(start, *labels)[:_DIGITS]}"

    def file(self) -> str:
        """The policy file; raises `ValueError` where no threshold passes."""
        policy, chosen = self.policy, self.calibration.chosen
        if policy is None or chosen is None:
            raise ValueError("no threshold was chosen")
        note = (
            f"Made by toulmin calibrate from the policy {self.base.version}. {promise(self.calibration.goal)}:",
            f"{chosen.false_accepts} of {chosen.n} labelled ones were, at most {chosen.upper:.4f} of all.",
            f"It holds for claims like those that were labelled, with the judge {self.judge} and the checks {VERSION} only.",
        )
        return policy_yaml(policy, note)


def promise(goal: Goal) -> str:
    """A goal in words."""
    return (
        f"Of claims that are not supported, at most {number_text(goal.max_false_accept)} are delivered, "
        f"with confidence {number_text(goal.confidence)}"
    )


class PointJson(TypedDict):
    """What one threshold does; see `Point`."""

    threshold: float
    false_accepts: int
    n: int
    upper: float
    passes: bool
    completeness: float | None
    coverage: float


class CalibrationJson(TypedDict):
    """`toulmin.calibration/1`: `chosen` and `policy` are null where no threshold passes, `out` where no file was written."""

    schema: Literal["toulmin.calibration/1"]
    judge: str
    checks: str
    max_false_accept: float
    confidence: float
    claims: int
    supported: int
    needed: int
    curve: list[PointJson]
    chosen: PointJson | None
    base: str
    policy: str | None
    out: str | None


def calibration_json(made: Calibrated, out: str | None) -> CalibrationJson:
    """The calibration as `toulmin.calibration/1`."""
    found = made.calibration
    return {
        "schema": "toulmin.calibration/1",
        "judge": made.judge,
        "checks": VERSION,
        "max_false_accept": found.goal.max_false_accept,
        "confidence": found.goal.confidence,
        "claims": len(made.claims),
        "supported": sum(claim.label is Label.SUPPORTED for claim in made.claims),
        "needed": found.goal.needed(),
        "curve": _points(found.curve),
        "chosen": None if found.chosen is None else _point(found.chosen),
        "base": made.base.version,
        "policy": None if made.policy is None else made.policy.version,
        "out": out,
    }


def _points(curve: Sequence[Point]) -> list[PointJson]:
    return [*map(_point, curve)]


def _point(point: Point) -> PointJson:
    return PointJson(
        threshold=point.threshold,
        false_accepts=point.false_accepts,
        n=point.n,
        upper=point.upper,
        passes=point.passes,
        completeness=point.completeness,
        coverage=point.coverage,
    )
