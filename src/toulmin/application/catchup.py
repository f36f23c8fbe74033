"""Catching the derived index up with the corpus, or building it anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toulmin.domain.errors import Conflict
from toulmin.ports.index import IndexUnreadable, IndexWriter, PassageIndex
from toulmin.ports.store import Store

BATCH = 20_000
"""Passages an index commit takes at a time: bounds memory, and how much is done again after a crash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far the work has come: passages done, of how many. `reason`: why the index is built anew; None where it is only brought up."""

    done: int
    total: int
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaughtUp:
    """How far the index is: the sequence number that it has reached, and how many changes behind the corpus that is."""

    sequence: int
    lag: int


Tell = Callable[[Step], None]
"""Is told about work on the index: before the first batch, and after each."""


def catch_up(store: Store, index: PassageIndex, tell: Tell | None = None) -> CaughtUp:
    """Applies every change that the index has not seen.

    An index that cannot be read, or that followed another history (a store that was replaced, or restored from a backup), is built anew.
    While another process is at work on the index it is left to that one, and the result says how far it lags: what is there may be
    searched. Raises `Conflict` only where there is no usable index yet.
    """
    reason = _unusable(store, index)
    if reason is not None:
        return rebuild(store, index, reason, tell)
    try:
        _bring_up(store, index, tell)
    except Conflict:
        return _state(store, index)
    return _state(store, index)


def rebuild(store: Store, index: PassageIndex, reason: str, tell: Tell | None = None) -> CaughtUp:
    """Builds the index anew beside the present one, which serves until then. Raises `Conflict` while another process does the same."""
    with index.replacement() as fresh:
        _bring_up(store, fresh, tell, reason)
    return _state(store, index)


def _unusable(store: Store, index: PassageIndex) -> str | None:
    """Why the index is of no use for this store; None where it is."""
    try:
        snapshot = index.snapshot()
    except IndexUnreadable as fault:
        return fault.message
    if store.outlook(snapshot.sequence).mark != snapshot.mark:
        return "it does not belong to this corpus"
    return None


def _bring_up(store: Store, index: IndexWriter, tell: Tell | None, reason: str | None = None) -> None:
    """Applies all changes, also those that come meanwhile."""
    reached, done = index.snapshot().sequence, 0
    outlook = store.outlook(reached)
    total = outlook.passages
    if reached == 0 < outlook.sequence:
        reason = reason or "it is missing or empty"
    while True:
        if tell is not None:
            tell(Step(done=done, total=max(done, total), reason=reason))
        changes = store.changes(reached, BATCH)
        if changes.sequence == reached:
            return
        index.apply(changes)
        reached, done = changes.sequence, done + sum(len(change.passages) for change in changes.changes)


def _state(store: Store, index: PassageIndex) -> CaughtUp:
    sequence = index.snapshot().sequence
    return CaughtUp(sequence=sequence, lag=store.outlook(sequence).sequence - sequence)
