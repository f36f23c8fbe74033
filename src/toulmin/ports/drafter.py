"""The drafter: writes a candidate answer from closed evidence. Its output is a candidate, never a source of truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.domain.outcome import SearchOnlyReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """What a drafter wrote, not yet validated."""

    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDrafted:
    """Why there is no draft; `detail` is a stable code without any content, `retry_after_s` what a provider asked for."""

    reason: SearchOnlyReason
    detail: str | None = None
    retry_after_s: float | None = None


class Drafter(Protocol):
    """Writes drafts; has no retrieval and no tools."""

    @property
    def profile(self) -> str:
        """Name and version of what writes, for the packet."""

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        """A draft from the request's evidence and nothing else. Cancellation passes through; every fault is a value."""
