"""Trial: made-up claims put to a judge, which tell what works with it. No document goes out with them."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.domain.claims.opinion import Opinion
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.policy import Policy
from toulmin.ports.judge import Judge, Matter, NotJudged, Query

_WORDS = "The valve opens at 3 bar. It has to be checked once a year."


def _unit(claim: str) -> ReviewUnit:
    return ReviewUnit(claim=claim, passages=(Cited(words=_WORDS, title="Valves", version="1", language="en"),))


_SUPPORTED, _CONTRADICTED, _UNRESOLVED = map(
    _unit, ("The valve opens at a pressure of 3 bar.", "The valve opens at 9 bar.", "The valve is made of brass.")
)
_TRUTHS = ("supported", "contradicted", "unresolved")
_QUERY = Query(matter=Matter.SUFFICIENT, question="At what pressure does the valve open?", passages=(_WORDS,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What a judge made of a claim that its passage supports, one that it contradicts, and one that it leaves open; and the seconds.

    `matters`: it says how likely it is that a passage answers a question.
    """

    supported: Opinion
    contradicted: Opinion
    unresolved: Opinion
    matters: bool
    seconds: float

    @property
    def opinions(self) -> tuple[Opinion, ...]:
        return (self.supported, self.contradicted, self.unresolved)

    @property
    def why(self) -> str | None:
        """Why there is no opinion on some of the claims."""
        return next((opinion.why for opinion in self.opinions if opinion.probabilities is None), None)

    @property
    def right(self) -> int:
        """On how many of the three the likeliest class is the right one."""
        told = zip(_TRUTHS, self.opinions, strict=True)
        return sum(name == _likeliest(opinion) for name, opinion in told)

    def misled(self, policy: Policy) -> bool:
        """Whether the policy's thresholds take any of the three for what it is not; one that is left open misleads nobody."""
        told = zip(_TRUTHS, self.opinions, strict=True)
        return any(_decided(opinion, policy) not in (truth, None) for truth, opinion in told)


async def trial(judge: Judge) -> Tried | NotJudged:
    """Asks about three claims, and one question."""
    judged = await judge.support((_SUPPORTED, _CONTRADICTED, _UNRESOLVED))
    if isinstance(judged, NotJudged):
        return judged
    answers = await judge.answer((_QUERY,))
    supported, contradicted, unresolved = judged.opinions
    return Tried(
        supported=supported,
        contradicted=contradicted,
        unresolved=unresolved,
        matters=not isinstance(answers, NotJudged) and answers.yes[0] is not None,
        seconds=judged.usage.seconds + answers.usage.seconds,
    )


def _likeliest(opinion: Opinion) -> str | None:
    told = opinion.probabilities
    if told is None:
        return None
    return max(_TRUTHS, key=lambda name: float(getattr(told, name)))


def _decided(opinion: Opinion, policy: Policy) -> str | None:
    """The class that the opinion comes to by the policy's thresholds; None: it is left open."""
    told = opinion.probabilities
    if told is not None and told.supported >= policy.supported:
        return "supported"
    if told is not None and told.contradicted >= policy.contradicted:
        return "contradicted"
    return None
