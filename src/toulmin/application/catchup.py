"""Catching the derived indexes up with the corpus, or building them anew."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from toulmin.domain.errors import Conflict, ToulminError
from toulmin.ports.embedder import EmbedderFault
from toulmin.ports.index import IndexUnreadable, IndexWriter, OtherEmbedder, PassageIndex
from toulmin.ports.observer import NO_OBSERVER, IndexName, Observer
from toulmin.ports.store import Store

BATCH = 20_000
"""Passages an index commit takes at a time: bounds memory, and how much is done again after a crash."""

EMBEDDED = 256
"""The same where each passage has to be embedded, which takes a thousand times as long: some seconds' work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far the work has come: passages done, of how many. `reason`: why the index is built anew; None where it is only brought up."""

    done: int
    total: int
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaughtUp:
    """How far an index is: the sequence number that it has reached, and how many changes, with how many passages, lie after it.

    `fault`: what kept an index by meaning from going further, if anything did.
    """

    sequence: int
    lag: int
    passages: int = 0
    fault: ToulminError | None = None


Tell = Callable[[Step], None]
"""Is told about work on the index: before the first batch, and after each."""


def catch_up(
    store: Store, index: PassageIndex, tell: Tell | None = None, *, observer: Observer = NO_OBSERVER
) -> CaughtUp:
    """Applies every change that the index has not seen.

    An index that cannot be read, or that followed another history (a store that was replaced, or restored from a backup), is built anew.
    While another process is at work on the index it is left to that one, and the result says how far it lags: what is there may be
    searched. Raises `Conflict` only where there is no usable index yet.
    """
    reason = _unusable(store, index)
    if reason is not None:
        reached = rebuild(store, index, reason, tell, observer=observer)
    else:
        with suppress(Conflict):
            _bring_up(store, index, tell, observer=observer)
        reached = _state(store, index)
    return _told(reached, "words", observer)


def embed(
    store: Store,
    meaning: PassageIndex,
    tell: Tell | None = None,
    *,
    most: int | None = None,
    observer: Observer = NO_OBSERVER,
) -> CaughtUp:
    """Brings the index by meaning up, in small steps each of which lasts; anew, where it is of no use.

    Where more than `most` passages are missing nothing is done. The result says how far it lags, and with its fault why: that nothing can be
    embedded now is no fault of the caller's, since the index by words has it all; an index of another embedder stays as it is.
    """
    fault = None
    try:
        if most is None or _state(store, meaning).passages <= most:
            if reason := _unusable(store, meaning):
                rebuild(store, meaning, reason, tell, batch=EMBEDDED, observer=observer)
            _bring_up(store, meaning, tell, batch=EMBEDDED, observer=observer)
    except OtherEmbedder as trouble:  # whose state nobody can tell
        everything = store.outlook(0)
        reached = CaughtUp(sequence=0, lag=everything.sequence, passages=everything.passages, fault=trouble)
        return _told(reached, "meaning", observer)
    except (Conflict, EmbedderFault) as trouble:
        fault = trouble
    return _told(replace(_state(store, meaning), fault=fault), "meaning", observer)


def embed_anew(store: Store, meaning: PassageIndex, tell: Tell | None = None) -> CaughtUp:
    """The same for an index that may be of another embedder: then it is built anew beside that one, which serves the other until it is whole.

    Raises what keeps it from being brought up.
    """
    reached = embed(store, meaning, tell)
    if isinstance(reached.fault, OtherEmbedder):
        return rebuild(store, meaning, reached.fault.message, tell, batch=EMBEDDED)
    if reached.fault is not None:
        raise reached.fault
    return reached


def rebuild(
    store: Store,
    index: PassageIndex,
    reason: str,
    tell: Tell | None = None,
    *,
    batch: int = BATCH,
    observer: Observer = NO_OBSERVER,
) -> CaughtUp:
    """Builds the index anew beside the present one, which serves until then. Raises `Conflict` while another process does the same."""
    with index.replacement() as fresh:
        _bring_up(store, fresh, tell, reason, batch=batch, observer=observer)
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


def _told(reached: CaughtUp, name: IndexName, observer: Observer) -> CaughtUp:
    observer.lag(name, reached.lag, reached.passages)
    return reached


def _bring_up(
    store: Store,
    index: IndexWriter,
    tell: Tell | None,
    reason: str | None = None,
    *,
    batch: int = BATCH,
    observer: Observer,
) -> None:
    """Applies all changes, also those that come meanwhile."""
    reached, done = index.snapshot().sequence, 0
    outlook = store.outlook(reached)
    total = outlook.passages
    if reached == 0 < outlook.sequence:
        reason = reason or "it is missing or empty"
    while True:
        if tell is not None:
            tell(Step(done=done, total=max(done, total), reason=reason))
        changes = store.changes(reached, batch)
        if changes.sequence == reached:
            return
        passages = sum(len(change.passages) for change in changes.changes)
        with observer.step("index") as observed:
            index.apply(changes)
            observed(passages=passages)
        reached, done = changes.sequence, done + passages


def _state(store: Store, index: PassageIndex) -> CaughtUp:
    """How far an index is; one that is of no use has reached nothing."""
    sequence = 0 if _unusable(store, index) else index.snapshot().sequence
    outlook = store.outlook(sequence)
    return CaughtUp(sequence=sequence, lag=outlook.sequence - sequence, passages=outlook.passages)
