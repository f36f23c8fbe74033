"""Judging: labelled claims are reviewed as the claims of an answer are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

from toulmin.application.review import Heard, hear
from toulmin.domain.claims.opinion import Opinion
from toulmin.domain.claims.review import Review
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.errors import ToulminError
from toulmin.domain.policy import Policy
from toulmin.evaluation.calibration import Scored
from toulmin.evaluation.labels import Label, LabelledClaim
from toulmin.evaluation.rulings import Ruling
from toulmin.ports.judge import Judge, NotJudged

_AT_ONCE = 32
"""How many claims are put to a judge in one call: its deadline is for all of them."""


async def ruled(
    claims: Sequence[LabelledClaim],
    judge: Judge | None,
    policy: Policy,
    tell: Callable[[int], None] = lambda _: None,
    thresholds: Sequence[float] = (),
) -> tuple[Ruling, ...]:
    """The verdicts of a review, in the order of the claims; without a judge, those of the deterministic checks alone.

    Beside the policy's own threshold others are tried, strictest first, if there are any: see `Ruling.until`. `tell` hears after each
    step how many claims have their verdict. Raises `ToulminError` (`judge_failed`) where the judge gives none: what it did not look at
    must not be counted as what it left unresolved.
    """
    tried = _tried(policy, thresholds)
    found: list[Ruling] = []
    async for _, heard in _steps(claims, judge, policy):
        for item, opinions in heard.by_unit:
            until = _until(item, opinions, tried) or 0.0 if tried else None
            found.append(Ruling.of(item.verdict(opinions, policy), until))
        tell(len(found))
    return tuple(found)


async def scored(
    claims: Sequence[LabelledClaim],
    judge: Judge,
    policy: Policy,
    thresholds: Sequence[float],
    tell: Callable[[int], None] = lambda _: None,
) -> tuple[Scored, ...]:
    """Up to which of the thresholds, strictest first, a review would deliver each claim; else as `ruled`.

    Verbatim proofs and objections act as they do in production, since it is the same decision that is made under each threshold.
    """
    policies = _tried(policy, thresholds)
    found: list[Scored] = []
    async for part, heard in _steps(claims, judge, policy):
        found += (
            _scored(claim, item, opinions, policies)
            for claim, (item, opinions) in zip(part, heard.by_unit, strict=True)
        )
        tell(len(found))
    return tuple(found)


async def _steps(
    claims: Sequence[LabelledClaim], judge: Judge | None, policy: Policy
) -> AsyncIterator[tuple[Sequence[LabelledClaim], Heard]]:
    """A part of the claims at a time, with what the checks and the judge have to say about them."""
    for start in range(0, len(claims), _AT_ONCE):
        part = claims[start : start + _AT_ONCE]
        heard = await hear([claim.unit for claim in part], judge, policy.provider_deadline_s)
        if heard.fault is not None:
            raise _failed(heard.fault, part)
        yield part, heard


def _tried(policy: Policy, thresholds: Sequence[float]) -> list[Policy]:
    return [replace(policy, supported=threshold) for threshold in thresholds]


def _until(item: Review, opinions: Sequence[Opinion], policies: Sequence[Policy]) -> float | None:
    """What is delivered under one threshold is so under every lower one, so that the first under which it is tells all."""
    return next((policy.supported for policy in policies if item.verdict(opinions, policy).delivered), None)


def _scored(claim: LabelledClaim, item: Review, opinions: Sequence[Opinion], policies: Sequence[Policy]) -> Scored:
    verdict = item.verdict(opinions, policies[0])
    return Scored(
        id=claim.id,
        group=claim.group,
        is_supported=claim.label is Label.SUPPORTED,
        until=_until(item, opinions, policies),
        contradicted=verdict.status is VerdictStatus.CONTRADICTED,
    )


def _failed(fault: NotJudged, part: Sequence[LabelledClaim]) -> ToulminError:
    why = fault.reason.value + (f" ({fault.detail})" if fault.detail else "")
    return ToulminError(
        "judge_failed",
        f"the judge gave no opinion on {len(part)} claims from {part[0].id}: {why}",
        remedy="see whether it works: toulmin doctor; what was judged so far counts for nothing",
    )
