"""An observer for tests: it keeps what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Unpack

from toulmin.domain.claims.ground import Ground
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.outcome import EvidenceReason, OutcomeName, SearchOnlyReason
from toulmin.ports.observer import DraftSource, IndexName, Step, Tell, Told


@dataclass
class Recorder:
    """`steps` are all that have ended, with what they told; `open` those that have not. The rest is in the order of the calls."""

    steps: list[tuple[Step, dict[str, Any]]] = field(default_factory=list)
    open: list[Step] = field(default_factory=list)
    drafts: list[DraftSource] = field(default_factory=list)
    verdicts: list[tuple[VerdictStatus, Ground]] = field(default_factory=list)
    outcomes: list[tuple[OutcomeName, SearchOnlyReason | EvidenceReason | None]] = field(default_factory=list)
    lags: list[tuple[IndexName, int, int]] = field(default_factory=list)

    @contextmanager
    def step(self, name: Step) -> Iterator[Tell]:
        kept: dict[str, Any] = {}

        def tell(**told: Unpack[Told]) -> None:
            kept.update(told)

        self.open.append(name)
        try:
            yield tell
        finally:
            self.open.remove(name)
            self.steps.append((name, kept))

    def draft(self, source: DraftSource) -> None:
        self.drafts.append(source)

    def verdict(self, status: VerdictStatus, ground: Ground) -> None:
        self.verdicts.append((status, ground))

    def outcome(self, name: OutcomeName, reason: SearchOnlyReason | EvidenceReason | None) -> None:
        self.outcomes.append((name, reason))

    def lag(self, index: IndexName, changes: int, passages: int) -> None:
        self.lags.append((index, changes, passages))

    def told(self, name: Step) -> dict[str, Any]:
        """What the last step of this name told."""
        return next(told for step, told in reversed(self.steps) if step == name)

    async def opened(self, name: Step, times: int) -> None:
        """Waits until so many steps of this name are open."""
        async with asyncio.timeout(10):
            while self.open.count(name) < times:  # noqa: ASYNC110 - steps are told from any thread
                await asyncio.sleep(0)

    @property
    def names(self) -> list[Step]:
        """The steps in the order in which they ended."""
        return [name for name, _ in self.steps]
