"""The observer: is told of the steps of a request, with counts and codes. It never gets a text, a value of a case, or a name of anything."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Final, Literal, Protocol, TypedDict, Unpack

from toulmin.domain.claims.ground import Ground
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.outcome import EvidenceReason, OutcomeName, SearchOnlyReason

Step = Literal["gather", "search", "cover", "route", "draft", "ask_drafter", "judge", "repair", "commit", "index"]
"""The steps that are observed. `gather` holds a `search`, `draft` may hold an `ask_drafter`; `index` applies changes to an index."""

DraftSource = Literal["kept", "shared", "fresh", "saturated"]
"""Where a draft came from: the cache, an identical request under way, the drafter; or from nowhere, for want of a place."""

IndexName = Literal["words", "meaning"]


class Told(TypedDict, total=False):
    """What a step tells: how many there were of something, None where nobody knows; and the code of what it failed of, where that is a value."""

    eligible: int
    found: int
    drift: int
    taken: int
    left_out: int
    missing: int
    asked: int
    claims: int
    delivered: int
    repaired: int
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    passages: int
    fault: SearchOnlyReason


class Tell(Protocol):
    """Takes what a step tells, in one call or in several."""

    def __call__(self, **told: Unpack[Told]) -> None: ...


class Observer(Protocol):
    """Is told what happens, from any thread and event loop, and never fails for it. What it does takes microseconds and waits for nobody."""

    def step(self, name: Step) -> AbstractContextManager[Tell]:
        """The block is one step: how long it takes, what it tells, and the fault that ends it, which passes through."""

    def draft(self, source: DraftSource) -> None:
        """A draft of a model was asked for, and came from here."""

    def verdict(self, status: VerdictStatus, ground: Ground) -> None:
        """A claim has its final verdict."""

    def outcome(self, name: OutcomeName, reason: SearchOnlyReason | EvidenceReason | None) -> None:
        """A question ended."""

    def lag(self, index: IndexName, changes: int, passages: int) -> None:
        """So many changes of the corpus, with so many passages, are not in an index yet."""


def _unheard(**told: Unpack[Told]) -> None:
    """Nobody listens."""


_UNOBSERVED: Final = nullcontext(_unheard)


class _Nobody:
    """An observer that is not there."""

    def step(self, name: Step) -> AbstractContextManager[Tell]:  # noqa: ARG002
        return _UNOBSERVED

    def draft(self, source: DraftSource) -> None: ...

    def verdict(self, status: VerdictStatus, ground: Ground) -> None: ...

    def outcome(self, name: OutcomeName, reason: SearchOnlyReason | EvidenceReason | None) -> None: ...

    def lag(self, index: IndexName, changes: int, passages: int) -> None: ...


NO_OBSERVER: Final[Observer] = _Nobody()
"""Where nobody observes."""
