"""Judges for tests: they keep what they were asked, and answer by script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from toulmin.domain.claims.opinion import Opinion, Probabilities
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.ports.drafter import Usage
from toulmin.ports.judge import Answers, NotJudged, Opinions, Query

TOOK = Usage(calls=1, seconds=0.5, prompt_tokens=50, completion_tokens=1)


def opinion(supported: float, contradicted: float = 0.0) -> Opinion:
    return Opinion(
        probabilities=Probabilities(
            supported=supported, contradicted=contradicted, unresolved=1 - supported - contradicted
        )
    )


def convinced(_: ReviewUnit) -> Opinion:
    """Finds everything supported: what is not delivered then was held back by something else."""
    return opinion(0.99)


@dataclass
class Scripted:
    """Answers at once. `units` and `queries` are all that it was asked; `fault` is what it gives in place of any opinion."""

    says: Callable[[ReviewUnit], Opinion] = convinced
    knows: Callable[[Query], float | None] = lambda _: None
    fault: NotJudged | None = None
    profile: str = "scripted/1"
    on_this_host: bool = True
    units: list[ReviewUnit] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)

    async def support(self, units: Sequence[ReviewUnit]) -> Opinions | NotJudged:
        self.units += units
        return self.fault or Opinions(opinions=tuple(map(self.says, units)), usage=TOOK)

    async def answer(self, queries: Sequence[Query]) -> Answers | NotJudged:
        self.queries += queries
        return self.fault or Answers(yes=tuple(map(self.knows, queries)), usage=TOOK)
