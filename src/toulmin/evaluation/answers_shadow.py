"""Shadow: a second judge looks at the claims of answers beside the first. What it says is reported, and nothing acts on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypedDict

from toulmin.application.review import hear
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.policy import Policy
from toulmin.evaluation.answers_sources import Subject
from toulmin.evaluation.intervals import Measure, share
from toulmin.evaluation.report import MeasureJson, measure_json
from toulmin.ports.judge import Judge, NotJudged


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """What a review with the second judge says of a claim.

    `verdict` is None where that judge was needed and gave no opinion, `fault` then says why. `is_open`: the deterministic checks, which both
    reviews have in common, do not decide the claim alone.
    """

    verdict: Verdict | None
    is_open: bool
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A claim's verdict as it acted, and the one that the second judge would have led to."""

    group: str
    first: VerdictStatus
    second: Second

    @property
    def agrees(self) -> bool:
        return self.second.verdict is not None and self.second.verdict.status is self.first


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """A second judge by its kind, and the claims that it was shown."""

    judge: str
    compared: tuple[Compared, ...]

    @property
    def judged(self) -> tuple[Compared, ...]:
        """The claims that have two verdicts."""
        return tuple(item for item in self.compared if item.second.verdict is not None)

    @property
    def disagreements(self) -> int:
        return sum(not item.agrees for item in self.judged)

    @property
    def agreement(self) -> Measure:
        """The share of equal verdicts, of the claims that a judge has to decide: of all others two reviews always say the same."""
        return share([(item.group, float(item.agrees)) for item in self.judged if item.second.is_open]).measure

    @property
    def verdicts(self) -> dict[str, dict[str, int]]:
        """How many claims have which verdict of the first review, and which of the second."""
        pairs = Counter((item.first, item.second.verdict.status) for item in self.judged if item.second.verdict)
        firsts, seconds = ({pair[at] for pair in pairs} for at in (0, 1))
        return {
            first.value: {second.value: pairs[first, second] for second in VerdictStatus if second in seconds}
            for first in VerdictStatus
            if first in firsts
        }

    @property
    def not_judged(self) -> dict[str, int]:
        """How many claims the second judge gave no opinion on, by the reason."""
        return dict(sorted(Counter(item.second.fault for item in self.compared if item.second.fault).items()))


class ShadowJson(TypedDict):
    """Two judges over the same claims. `verdicts[first][second]` counts claims; `agreement` is over those that a judge has to decide."""

    judge: str
    claims: int
    judged: int
    open: int
    disagreements: int
    agreement: MeasureJson
    verdicts: dict[str, dict[str, int]]
    not_judged: dict[str, int]


async def seconded(
    subjects: Sequence[Subject], judge: Judge | None, policy: Policy, *, approved: bool
) -> tuple[Second, ...]:
    """What a review with this judge says of each claim, in their order; without one, the deterministic checks alone.

    A judge that is not on this host gets only claims whose evidence may leave it, if a person `approved` that; one that fails is told, and
    ends nothing.
    """
    found: list[Second] = []
    for may_leave, part in groupby(subjects, key=lambda subject: subject.may_leave):
        units = [subject.unit for subject in part]
        heard = await hear(units, judge, policy.provider_deadline_s, may_leave=may_leave and approved)
        for review, opinions in heard.by_unit:
            fault = _told(heard.fault) if heard.fault is not None and review.questions else None
            verdict = review.verdict(opinions, policy) if fault is None else None
            found.append(Second(verdict=verdict, is_open=bool(review.questions), fault=fault))
    return tuple(found)


def shadow_json(shadow: Shadow) -> ShadowJson:
    """The comparison as a part of `toulmin.eval/1`."""
    return {
        "judge": shadow.judge,
        "claims": len(shadow.compared),
        "judged": len(shadow.judged),
        "open": sum(item.second.is_open for item in shadow.judged),
        "disagreements": shadow.disagreements,
        "agreement": measure_json(shadow.agreement),
        "verdicts": shadow.verdicts,
        "not_judged": shadow.not_judged,
    }


def _told(fault: NotJudged) -> str:
    return fault.reason.value + (f" ({fault.detail})" if fault.detail else "")
