"""Bulkhead: at most so many drafts at once, and no queue behind them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class Bulkhead:
    """A fixed number of places, shared by all threads and event loops of a process."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._lock = Lock()

    @contextmanager
    def place(self) -> Iterator[bool]:
        """Takes a place for the block, if one is free; tells whether it did. Never waits."""
        with self._lock:
            taken = self._free > 0
            self._free -= taken
        try:
            yield taken
        finally:
            with self._lock:
                self._free += taken
