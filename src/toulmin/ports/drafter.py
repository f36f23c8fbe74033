"""The drafter: writes a candidate answer from closed evidence. Its output is a candidate, never a source of truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.domain.outcome import SearchOnlyReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one draft took, whether or not there is one in the end; the default is a drafter that calls nobody.

    `seconds` counts calls and the waiting between them. Tokens are those that the provider told of; None: it told of none.
    """

    calls: int = 0
    seconds: float = 0.0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def plus(self, other: Usage) -> Usage:
        """Both together. Tokens that only one of them was told of are counted as far as they are known."""
        return Usage(
            calls=self.calls + other.calls,
            seconds=self.seconds + other.seconds,
            prompt_tokens=_sum(self.prompt_tokens, other.prompt_tokens),
            completion_tokens=_sum(self.completion_tokens, other.completion_tokens),
        )


NOTHING_USED = Usage()


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """What a drafter wrote, not yet validated."""

    segments: tuple[Segment, ...]
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDrafted:
    """Why there is no draft; `detail` is a stable code without any content, `retry_after_s` what a provider asked for."""

    reason: SearchOnlyReason
    detail: str | None = None
    retry_after_s: float | None = None
    usage: Usage = Usage()


class Drafter(Protocol):
    """Writes drafts; has no retrieval and no tools. Any number of drafts may be written at once, in any threads and event loops."""

    @property
    def profile(self) -> str:
        """Name and version of what writes, for the packet."""

    @property
    def on_this_host(self) -> bool:
        """Whether what it is given stays on this host."""

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        """A draft from the request's evidence and nothing else, within the drafter's own deadline.

        Every fault is a value, its deadline among them. Cancellation passes through.
        """
