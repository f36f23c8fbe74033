"""Results of `eval answers`: as JSON, and as a line of their own for each question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NotRequired

from toulmin.domain.outcome import NAMES, AskForEvidence, CitedQuote, SearchOnly, ShownClaim
from toulmin.evaluation.answers import Asked, Judged, cause, endings, judged, report, withheld
from toulmin.evaluation.answers_shadow import Compared, Second, Shadow, ShadowJson, shadow_json
from toulmin.evaluation.report import EvalJson, Report, report_json


@dataclass(frozen=True, kw_only=True)
class Results:
    """Questions after they were asked, under one policy. `shadow` has what a second judge said of each question's claims, in order."""

    asked: tuple[Asked, ...]
    policy: str
    judge: str
    second: str | None = None
    shadowed: tuple[tuple[Second, ...], ...] = ()

    @cached_property
    def rows(self) -> tuple[Judged, ...]:
        return tuple(map(judged, self.asked))

    @cached_property
    def report(self) -> Report:
        return report(self.rows)

    @cached_property
    def endings(self) -> dict[str, dict[str, int]]:
        return endings(self.asked)

    @cached_property
    def withheld(self) -> dict[str, dict[str, int]]:
        return withheld(self.asked)

    @cached_property
    def shadow(self) -> Shadow | None:
        if self.second is None:
            return None
        compared = (
            Compared(group=asked.question.group, first=claim.verdict.status, second=second)
            for asked, seconds in zip(self.asked, self.shadowed, strict=True)
            for claim, second in zip(asked.claims, seconds, strict=True)
        )
        return Shadow(judge=self.second, compared=tuple(compared))


class AnswersJson(EvalJson):
    """`toulmin.eval/1` of answers: `endings` of questions without an answer by reason, claims `withheld` by cause, both by numbers."""

    policy: str
    judge: str
    endings: dict[str, dict[str, int]]
    withheld: dict[str, dict[str, int]]
    shadow: NotRequired[ShadowJson]


def results_json(results: Results) -> AnswersJson:
    """The results as `toulmin.eval/1`."""
    whole = report_json(results.report)
    shape: AnswersJson = {
        "schema": whole["schema"],
        "kind": whole["kind"],
        "n": whole["n"],
        "metrics": whole["metrics"],
        "by": whole["by"],
        "policy": results.policy,
        "judge": results.judge,
        "endings": results.endings,
        "withheld": results.withheld,
    }
    if results.shadow is not None:
        shape["shadow"] = shadow_json(results.shadow)
    return shape


def lines(results: Results) -> Iterator[dict[str, Any]]:
    """One line for each question: what became of it, and what it adds to each metric.

    For looking at failures, and for comparing two results question by question.
    """
    shadowed = results.shadowed or ((),) * len(results.asked)
    for asked, row, seconds in zip(results.asked, results.rows, shadowed, strict=True):
        question, outcome = asked.question, asked.outcome
        reason = outcome.reason if isinstance(outcome, AskForEvidence | SearchOnly) else None
        yield {
            "id": row.id,
            "group": row.group,
            "phenomenon": row.kind,
            "version": row.version,
            "source_type": row.source_type,
            "question": question.question,
            "answerable": question.answerable,
            "outcome": NAMES[type(outcome)],
            "reason": reason.value if reason is not None else None,
            "detail": outcome.detail if isinstance(outcome, SearchOnly) else None,
            "packet": outcome.receipt.packet if outcome.receipt else None,
            "right": asked.right,
            "gold": [
                {
                    "path": located.gold.path,
                    "quote": located.gold.quote,
                    "places": [[*place] for place in located.places],
                    "selected": asked.selected(located),
                    "covered": asked.covered(located),
                }
                for located in asked.gold
            ],
            "wanted": [{"words": words, "said": asked.is_said(words)} for words in question.wanted],
            "claims": list(_claims(asked, seconds)),
            "points": {name: [*points] for name, points in row.points.items()},
        }


def _claims(asked: Asked, seconds: Sequence[Second]) -> Iterator[dict[str, Any]]:
    count = len(asked.delivered)
    for at, claim in enumerate(asked.claims):
        label = asked.question.label_of(claim.text)
        yield {
            "text": claim.text,
            "delivered": at < count,
            "verdict": claim.verdict.status.value,
            "reason": claim.verdict.reason,
            "cause": None if at < count else cause(claim.verdict),
            "label": label.value if label is not None else None,
            "citations": [_citation(asked, claim, number, cited) for number, cited in enumerate(claim.citations)],
            **({"shadow": _second_json(seconds[at], claim)} if seconds else {}),
        }


def _citation(asked: Asked, claim: ShownClaim, number: int, cited: CitedQuote) -> dict[str, Any]:
    return {
        "document": cited.source.document,
        "version": cited.source.version,
        "span": cited.span,
        "gold": asked.holds_gold(cited),
        "rests_on": [[start, end] for at, start, end in claim.verdict.rests_on if at == number],
    }


def _second_json(second: Second, claim: ShownClaim) -> dict[str, Any]:
    verdict = second.verdict
    return {
        "verdict": verdict.status.value if verdict is not None else None,
        "reason": verdict.reason if verdict is not None else second.fault,
        "open": second.is_open,
        "agrees": None if verdict is None else verdict.status is claim.verdict.status,
    }
