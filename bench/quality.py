"""What the local judge is worth beside the oracles: each alone, both together, and rules that read next to nothing; and the curve of thresholds.

Usage: quality.py DATA [--model FOLDER] [--sets NAME...] [--keep FILE]
DATA is the folder with `claims/` and `flask-eval/`; without --model it is the installed toulmin-judge. Every claim is judged once, and every
threshold is applied to what was found; --keep keeps that for the next run of the same model. Of flask-eval, by phenomenon and by threshold
there is only the open half (`--groups 0-7`); the kept half is counted in the table, and nowhere looked at.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from common import report, say

from toulmin.adapters.onnx import Stated, onnx_judge
from toulmin.application.review import hear
from toulmin.domain.canonical import digest, fields
from toulmin.domain.claims.opinion import Opinion, Probabilities
from toulmin.domain.claims.review import Review
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.domain.policy import Policy
from toulmin.evaluation import claims as metrics
from toulmin.evaluation.claims import Judged, judged
from toulmin.evaluation.intervals import briefly
from toulmin.evaluation.labels import Label, LabelledClaim, hashed_into, read_labelled
from toulmin.evaluation.rulings import Ruling, majority, overlap
from toulmin.ports.judge import Judge, NotJudged, Opinions

OPEN_HALF = "01234567"
FLASK, FLASK_OPEN, FLASK_KEPT = "flask-eval", "flask-eval, open half", "flask-eval, kept half"
SETS: Mapping[str, Sequence[str]] = {
    FLASK: ("flask-eval/claims_open.jsonl",),
    "scifact": ("claims/dev/scifact_validation.jsonl",),
    "feversymmetric": ("claims/dev/feversymmetric_v02_dev.jsonl",),
    "citint": ("claims/dev/citint_dev.jsonl",),
    "anli": tuple(f"claims/dev/anli_dev_r{number}.jsonl" for number in (1, 2, 3)),
}
CHOSEN_ON = (FLASK_OPEN, "scifact", "feversymmetric", "citint")
"""What the operating point of the default policy is chosen on; ANLI may only be reported."""

LOWEST = replace(Policy(), version="lowest", supported=0.501, contradicted=0.501)
"""The likeliest class, as near as a policy comes to it."""
THRESHOLDS = (0.501, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995, 1.0)

FINE = tuple(number / 100 for number in range(51, 101))
MOST_WRONG = 0.05
"""By the rule of docs/decisions/0013: the share of unsupported claims that is delivered, and of supported ones that the judge contradicts."""

_AT_ONCE = 32
_DEADLINE_S = 3600.0
_SHOWN = (
    "accuracy",
    "macro_f1",
    "balanced_accuracy",
    "auroc",
    "unsupported_claim_rate",
    "false_accept_rate",
    "false_rejection_rate",
    "coverage",
)
_OF_A_CURVE = ("unsupported_claim_rate", "false_accept_rate", "false_rejection_rate", "coverage")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A labelled claim, its review with the judge's opinions on what the checks leave open, and its opinion on the whole claim."""

    claim: LabelledClaim
    review: Review
    opinions: tuple[Opinion, ...]
    whole: Opinion


Rule = Callable[[Told, Policy], Ruling]


def together(told: Told, policy: Policy) -> Ruling:
    """As the product decides."""
    return Ruling.of(told.review.verdict(told.opinions, policy))


def objections_final(told: Told, policy: Policy) -> Ruling:
    """As the product would decide if it put no claim to the judge that an oracle objects to."""
    return Ruling.of(told.review.verdict(told.opinions if told.review.hangs_on_judge else (), policy))


def oracles_alone(told: Told, policy: Policy) -> Ruling:
    """Verbatim proofs and objections; no judge is asked."""
    return Ruling.of(told.review.verdict((), policy))


def judge_alone(told: Told, policy: Policy) -> Ruling:
    """The judge's opinion on the claim as it stands, by the same thresholds."""
    given = told.whole.probabilities
    if given is None:
        return Ruling(verdict=Label.UNRESOLVED)
    verdict = Label.UNRESOLVED
    if given.supported >= policy.supported:
        verdict = Label.SUPPORTED
    elif given.contradicted >= policy.contradicted:
        verdict = Label.CONTRADICTED
    return Ruling(verdict=verdict, supported=given.supported)


RULES: Mapping[str, Rule] = {
    "oracles and judge": together,
    "judge alone": judge_alone,
    "oracles alone": oracles_alone,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--sets", nargs="*", choices=SETS, default=list(SETS))
    given = parser.parse_args()
    judge = _Remembering(onnx_judge(Stated(folder=given.model), deadline_s=_DEADLINE_S), given.keep)
    told = {name: asyncio.run(_told(given.data, SETS[name], judge)) for name in given.sets}
    if FLASK in told:
        told[FLASK_OPEN] = [item for item in told[FLASK] if hashed_into(item.claim, OPEN_HALF)]
        told[FLASK_KEPT] = [item for item in told[FLASK] if not hashed_into(item.claim, OPEN_HALF)]
    chosen_on = [name for name in CHOSEN_ON if name in told]
    point = _operating_point([told[name] for name in chosen_on])
    settings = {"judge": judge.profile, "policy": Policy().version, "sets": list(told), "point": point}
    notes = (
        f"95 % intervals over groups; policy {Policy().version}: supported from {Policy().supported}, contradicted from {Policy().contradicted}",
        "lowest: both thresholds 0.501; a dash is a rate over nothing",
        f"by the rule of 0013 over {', '.join(chosen_on)}: {point}",
    )
    report("quality", [row for name in told for row in _table(name, told[name])], notes=notes, **settings)
    report("quality-curve", [row for name in chosen_on for row in _curve(name, told[name])], notes=notes, **settings)
    report(
        "quality-denials", [row for name in chosen_on for row in _denials(name, told[name])], notes=notes, **settings
    )
    report("quality-objected", [_objected(name, told[name]) for name in told], notes=notes, **settings)
    if FLASK_OPEN in told:
        report("quality-phenomena", _phenomena(told[FLASK_OPEN]), notes=(*notes, FLASK_OPEN), **settings)


async def _told(data: Path, files: Sequence[str], judge: Judge) -> list[Told]:
    """Every claim of the files, judged once."""
    claims = read_labelled([data / file for file in files])
    found: list[Told] = []
    for start in range(0, len(claims), _AT_ONCE):
        part = claims[start : start + _AT_ONCE]
        heard = await hear([claim.unit for claim in part], judge, _DEADLINE_S)
        whole = await judge.support([claim.unit for claim in part])
        if heard.fault is not None or isinstance(whole, NotJudged):
            raise SystemExit(f"the judge failed: {heard.fault or whole}")
        found += (
            Told(claim=claim, review=review, opinions=opinions, whole=opinion)
            for claim, (review, opinions), opinion in zip(part, heard.by_unit, whole.opinions, strict=True)
        )
        say(f"{files[0]}: {len(found)} of {len(claims)}")
    return found


class _Remembering:
    """A judge that is asked once about the same claim and words; `file` is for the next run, a line an opinion."""

    def __init__(self, judge: Judge, file: Path | None) -> None:
        self._judge = judge
        self._file = file
        self._known: dict[str, Opinion] = {}
        self.on_this_host = judge.on_this_host
        self.profile = judge.profile
        self.answer = judge.answer
        if file is not None and file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                key, given, why = json.loads(line)
                self._known[key] = Opinion(probabilities=given and Probabilities(**given), why=why)

    async def support(self, units: Sequence[ReviewUnit]) -> Opinions | NotJudged:
        unknown = {key: unit for unit in units if (key := self._key(unit)) not in self._known}
        given = await self._judge.support(list(unknown.values()))
        if isinstance(given, NotJudged):
            return given
        self._keep(dict(zip(unknown, given.opinions, strict=True)))
        return Opinions(opinions=tuple(self._known[self._key(unit)] for unit in units))

    def _key(self, unit: ReviewUnit) -> str:
        return digest(fields(self.profile, unit.claim, *(cited.words for cited in unit.passages)))

    def _keep(self, found: Mapping[str, Opinion]) -> None:
        self._known |= found
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                for key, opinion in found.items():
                    given = opinion.probabilities and asdict(opinion.probabilities)
                    file.write(json.dumps([key, given, opinion.why]) + "\n")


def _ruled(told: Sequence[Told], rule: Rule, policy: Policy) -> list[Judged]:
    return [judged(item.claim, rule(item, policy)) for item in told]


def _table(name: str, told: Sequence[Told]) -> list[dict[str, Any]]:
    """Every rule under both policies; the policy makes no difference to those that ask no judge."""
    claims = [item.claim for item in told]
    rows: dict[tuple[str, str], list[Judged]] = {
        (rule, policy.version): _ruled(told, RULES[rule], policy)
        for policy in (Policy(), LOWEST)
        for rule in ("oracles and judge", "judge alone")
    }
    rows["oracles alone", "-"] = _ruled(told, oracles_alone, Policy())
    for baseline, rulings in (("overlap", overlap(claims)), ("majority", majority(claims))):
        rows[baseline, "-"] = [judged(claim, ruling) for claim, ruling in zip(claims, rulings, strict=True)]
    return [
        {"set": name, "n": len(told), "rule": rule, "policy": policy, **_measures(found, _SHOWN)}
        for (rule, policy), found in rows.items()
    ]


def _measures(rows: Sequence[Judged], names: Sequence[str]) -> dict[str, str]:
    found = metrics.estimates(rows)
    return {name: briefly(found[name].measure) for name in names}


def _curve(name: str, told: Sequence[Told]) -> list[dict[str, Any]]:
    """What each threshold of `supported` does, with oracles and without."""
    rows = []
    for rule in ("oracles and judge", "judge alone"):
        for threshold in THRESHOLDS:
            found = _ruled(told, RULES[rule], replace(Policy(), supported=threshold))
            accepted = {
                "delivered": sum(row.delivered for row in found),
                "false": sum(row.delivered and not row.is_supported for row in found),
            }
            rows.append(
                {"set": name, "rule": rule, "supported from": threshold, **accepted, **_measures(found, _OF_A_CURVE)}
            )
    return rows


def _denials(name: str, told: Sequence[Told]) -> list[dict[str, Any]]:
    """What each threshold of `contradicted` does, with oracles: claims with that verdict, and how many of them are labelled supported."""
    rows = []
    for threshold in THRESHOLDS:
        found = _ruled(told, together, replace(Policy(), contradicted=threshold))
        denied = [row for row in found if row.verdict is Label.CONTRADICTED]
        counts = {label.value: sum(row.label is label for row in denied) for label in Label}
        rows.append(
            {
                "set": name,
                "contradicted from": threshold,
                "contradicted": len(denied),
                **{f"labelled {k}": v for k, v in counts.items()},
            }
        )
    return rows


def _objected(name: str, told: Sequence[Told]) -> dict[str, Any]:
    """What it costs and brings to put claims to the judge that an oracle objects to: `questions` to it, and verdicts that become `contradicted`."""
    asked = [item for item in told if item.review.questions]
    beside = [item for item in asked if not item.review.hangs_on_judge]
    before, after = (_ruled(told, rule, Policy()) for rule in (objections_final, together))
    denied = [
        now.label
        for was, now in zip(before, after, strict=True)
        if was.verdict is not now.verdict is Label.CONTRADICTED
    ]
    scores = ("accuracy", "macro_f1", "coverage")
    without, along = (_measures(found, scores) for found in (before, after))
    return {
        "set": name,
        "claims": len(told),
        "questions": sum(len(item.review.questions) for item in asked),
        "on objected claims": sum(len(item.review.questions) for item in beside),
        "contradicted": len(denied),
        **{f"labelled {label.value}": denied.count(label) for label in Label},
        **{f"{score}, without": without[score] for score in scores},
        **{score: along[score] for score in scores},
    }


def _operating_point(sets: Sequence[Sequence[Told]]) -> dict[str, float | None]:
    """The lowest threshold of each kind under which the mean over the sets of what is wrong is low enough; None where there is none."""
    accepting = (
        threshold
        for threshold in FINE
        if fmean(_wrongly_accepted(told, replace(Policy(), supported=threshold)) for told in sets) <= MOST_WRONG
    )
    denying = (
        threshold
        for threshold in FINE
        if fmean(_wrongly_denied(told, replace(Policy(), contradicted=threshold)) for told in sets) <= MOST_WRONG
    )
    return {"supported": next(accepting, None), "contradicted": next(denying, None)}


def _wrongly_accepted(told: Sequence[Told], policy: Policy) -> float:
    """Of the claims that are not supported, the share that is delivered."""
    return fmean(row.delivered for row in _ruled(told, together, policy) if not row.is_supported)


def _wrongly_denied(told: Sequence[Told], policy: Policy) -> float:
    """Of the supported claims, the share that the judge contradicts; what the oracles contradict is no threshold's."""
    supported = [item for item in told if item.claim.label is Label.SUPPORTED]
    return fmean(
        together(item, policy).verdict is Label.CONTRADICTED
        and oracles_alone(item, policy).verdict is not Label.CONTRADICTED
        for item in supported
    )


def _phenomena(told: Sequence[Told]) -> list[dict[str, Any]]:
    """By phenomenon, as the default policy decides."""
    parts = metrics.report(_ruled(told, together, Policy())).by["phenomenon"]
    lowest = metrics.report(_ruled(told, together, LOWEST)).by["phenomenon"]
    return [
        {
            "phenomenon": name,
            "n": part.n,
            "delivered": part.counts["delivered"],
            "false": part.counts["false_accepts"],
            **{metric: briefly(part.metrics[metric]) for metric in _OF_A_CURVE},
            "accuracy, lowest": briefly(lowest[name].metrics["accuracy"]),
            "unsupported_claim_rate, lowest": briefly(lowest[name].metrics["unsupported_claim_rate"]),
        }
        for name, part in parts.items()
    ]


if __name__ == "__main__":
    main()
