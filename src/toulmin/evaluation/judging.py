"""Judging: labelled claims are reviewed as the claims of an answer are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toulmin.application.review import review_all
from toulmin.domain.claims.verdict import Verdict
from toulmin.domain.errors import ToulminError
from toulmin.domain.policy import Policy
from toulmin.evaluation.labels import Label, LabelledClaim
from toulmin.evaluation.rulings import Ruling
from toulmin.ports.judge import Judge, NotJudged

_AT_ONCE = 32
"""How many claims are put to a judge in one call: its deadline is for all of them."""


async def ruled(
    claims: Sequence[LabelledClaim], judge: Judge | None, policy: Policy, tell: Callable[[int], None] = lambda _: None
) -> tuple[Ruling, ...]:
    """The verdicts of a review, in the order of the claims; without a judge, those of the deterministic checks alone.

    `tell` hears after each step how many claims have their verdict. Raises `ToulminError` (`judge_failed`) where the judge gives none:
    what it did not look at must not be counted as what it left unresolved.
    """
    found: list[Ruling] = []
    for start in range(0, len(claims), _AT_ONCE):
        part = claims[start : start + _AT_ONCE]
        reviewed = await review_all([claim.unit for claim in part], judge, policy)
        if reviewed.fault is not None:
            raise _failed(reviewed.fault, part)
        found += map(_ruling, reviewed.verdicts)
        tell(len(found))
    return tuple(found)


def _ruling(verdict: Verdict) -> Ruling:
    given = verdict.probabilities
    return Ruling(
        verdict=Label(verdict.status.value),
        reason=verdict.reason,
        objections=verdict.objections,
        supported=given.supported if given is not None else None,
    )


def _failed(fault: NotJudged, part: Sequence[LabelledClaim]) -> ToulminError:
    why = fault.reason.value + (f" ({fault.detail})" if fault.detail else "")
    return ToulminError(
        "judge_failed",
        f"the judge gave no opinion on {len(part)} claims from {part[0].id}: {why}",
        remedy="see whether it works: toulmin doctor; what was judged so far counts for nothing",
    )
