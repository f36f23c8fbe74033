"""Catching the derived index up with the corpus."""

from __future__ import annotations

from collections.abc import Callable

from toulmin.ports.index import PassageIndex
from toulmin.ports.store import Store

BATCH = 20_000
"""Passages an index commit takes at a time: bounds memory, and how much is done again after a crash."""


def catch_up(store: Store, index: PassageIndex, progress: Callable[[int], None] | None = None) -> int:
    """Applies every change that the index has not seen; returns the corpus sequence number that it has reached.

    An index that is ahead of its corpus belongs to another one (a store that was replaced or restored): it is emptied and built again.
    `progress` is told the sequence number after each batch.
    """
    reached = index.snapshot().sequence
    while True:
        changes = store.changes(reached, BATCH)
        if changes.sequence == reached:
            return reached
        if changes.sequence < reached:
            index.clear()
            reached = 0
            continue
        index.apply(changes)
        reached = changes.sequence
        if progress is not None:
            progress(reached)
