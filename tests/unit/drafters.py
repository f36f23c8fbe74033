"""Drafters for the tests of drafting: they keep what they were given, and write when they are told to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.ports.drafter import Drafted, NotDrafted, Usage

Write = Callable[[DraftRequest], Drafted | NotDrafted]
TOOK = Usage(calls=1, seconds=0.25, prompt_tokens=100, completion_tokens=20)


def faithful(request: DraftRequest) -> Drafted:
    """The licensed clauses, else each piece of evidence in its own words."""
    if request.licensed is not None:
        segments = [
            Segment(text=item.clause, evidence_ids=(item.evidence_id,), fact=item.fact) for item in request.licensed
        ]
    else:
        segments = [Segment(text=item.passage, evidence_ids=(item.id,)) for item in request.evidence]
    return Drafted(segments=tuple(segments), usage=TOOK)


@dataclass
class Writer:
    """Writes at once; `requests` are all that it was given."""

    write: Write = faithful
    profile: str = "writer/1"
    on_this_host: bool = True
    requests: list[DraftRequest] = field(default_factory=list)

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        self.requests.append(request)
        return self.write(request)


@dataclass
class Held(Writer):
    """Writes when it is let go; for one event loop. `cancelled` counts the drafts that were ended before."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Queue[DraftRequest] = field(default_factory=asyncio.Queue)
    cancelled: int = 0

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        self.requests.append(request)
        self.arrived.put_nowait(request)
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return self.write(request)

    async def at_work(self, drafts: int) -> None:
        """Waits until so many more drafts have been asked for."""
        for _ in range(drafts):
            await asyncio.wait_for(self.arrived.get(), 10)
