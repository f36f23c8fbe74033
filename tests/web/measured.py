"""A folder of reports to look at: made by the evaluation's own code from labelled claims on which judges are right more or less often."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.evaluation.calibration import THRESHOLDS, Goal, Scored, calibrated
from toulmin.evaluation.labels import Label, LabelledClaim
from toulmin.evaluation.results import Assessed, Results, lines, results_json
from toulmin.evaluation.rulings import Ruling, majority, overlap

PHENOMENA = ("number", "negation", "version", "<b>scope</b> & \u0646\u0637\u0627\u0642")
THRESHOLD = 0.9
GOAL = Goal(max_false_accept=0.05, confidence=0.95)


def claims(count: int) -> tuple[LabelledClaim, ...]:
    """So many claims, two of each group, half of them supported."""
    made = (
        LabelledClaim(
            id=f"c-{number}",
            unit=ReviewUnit(claim=f"Lamp {number} is red.", passages=(Cited(words="A lamp is red.", version="1"),)),
            label=(Label.SUPPORTED, Label.CONTRADICTED, Label.SUPPORTED, Label.UNRESOLVED)[number % 4],
            group=f"g-{number // 2}",
            phenomenon=PHENOMENA[number // 4 % len(PHENOMENA)],
        )
        for number in range(count)
    )
    return tuple(made)


def rulings(known: Sequence[LabelledClaim], skill: float, seed: int = 7) -> tuple[Ruling, ...]:
    """What a judge says who knows the label in a share `skill` of the claims, and is as sure of the others."""
    chance = Random(seed)
    return tuple(_ruling(claim.label is Label.SUPPORTED, chance, skill) for claim in known)


def _ruling(is_supported: bool, chance: Random, skill: float) -> Ruling:
    sure = chance.random() ** 0.3
    says = is_supported == (chance.random() < skill)
    probability = round(0.5 + sure / 2 if says else 0.5 - sure / 2, 4)
    until = next((threshold for threshold in THRESHOLDS if threshold <= probability), 0.0)
    verdict = Label.SUPPORTED if probability >= THRESHOLD else Label.UNRESOLVED
    return Ruling(verdict=verdict, supported=probability, until=until)


def results(known: Sequence[LabelledClaim], judges: dict[str, tuple[Ruling, ...]]) -> Results:
    """Judges and baselines over claims."""
    return Results(
        claims=tuple(known),
        policy="built-in/4",
        threshold=THRESHOLD,
        judges=tuple(Assessed.of(name, known, said) for name, said in judges.items()),
        baselines=tuple(
            Assessed.of(name, known, rule(known))
            for name, rule in (("majority", majority), ("overlap", overlap))
            if known
        ),
    )


def report(found: Results) -> dict[str, Any]:
    """What `toulmin eval claims --json` prints."""
    return {**results_json(found), "datasets": ["lamps.jsonl"], "groups": "0-7"}


def calibration(known: Sequence[LabelledClaim], said: Sequence[Ruling]) -> dict[str, Any]:
    """What `toulmin calibrate --json` prints."""
    rows = [
        Scored(id=claim.id, group=claim.group, is_supported=claim.label is Label.SUPPORTED, until=ruling.until)
        for claim, ruling in zip(known, said, strict=True)
    ]
    found = calibrated(rows, GOAL)
    curve = [
        {
            "threshold": point.threshold,
            "false_accepts": point.false_accepts,
            "n": point.n,
            "upper": point.upper,
            "passes": point.passes,
            "completeness": point.completeness,
            "coverage": point.coverage,
        }
        for point in found.curve
    ]
    chosen = next((point for point in reversed(curve) if point["passes"]), None)
    return {
        "schema": "toulmin.calibration/1",
        "judge": "onnx",
        "max_false_accept": GOAL.max_false_accept,
        "confidence": GOAL.confidence,
        "claims": len(known),
        "needed": GOAL.needed(),
        "curve": curve,
        "chosen": chosen,
        "policy": None if chosen is None else "calibrated/1",
    }


def write(folder: Path, name: str, says: object) -> None:
    """Puts a report into the folder."""
    (folder / f"{name}.json").write_text(json.dumps(says), encoding="utf-8")


def write_rows(folder: Path, name: str, rows: Iterable[object]) -> None:
    """Puts the rows of a report beside it."""
    (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def made(folder: Path) -> None:
    """The folder with what looks different: a good judge, a worse one, few rows, a calibration, other kinds, and what is no report."""
    folder.mkdir()
    many = claims(480)
    good, worse = rulings(many, 0.97), rulings(many, 0.7, seed=8)
    for name, said in (("good", good), ("worse", worse)):
        found = results(many, {"onnx": said})
        write(folder, name, report(found))
        write_rows(folder, name, lines(found))
    write(folder, "few", report(results(few := claims(8), {"onnx": rulings(few, 0.9)})))
    write(folder, "none", report(results((), {"onnx": ()})))
    write(folder, "threshold", calibration(many, good))
    write(folder, "search", search())
    (folder / "broken.json").write_text('{"schema": "toulmin.eval/1", "kind": "claims", "n": NaN}', encoding="utf-8")


def search() -> dict[str, Any]:
    """What `toulmin eval retrieval --json` prints."""
    some = {"value": 0.81, "low": 0.74, "high": 0.86}
    metrics = {"ndcg@10": some, "recall@5": some, "mrr@10": some, "answerable": {"value": 90, "low": 90, "high": 90}}
    return {"schema": "toulmin.eval/1", "kind": "retrieval", "n": 100, "metrics": metrics, "by": {}}
