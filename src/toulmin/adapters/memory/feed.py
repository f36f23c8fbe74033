"""The feed of a store in memory."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition


class MemoryFeed:
    """A `Feed` that is told: whoever changes the store notifies `changed`."""

    def __init__(self, sequence: Callable[[], int], changed: Condition) -> None:
        self._sequence = sequence
        self._changed = changed
        self._woken = False

    def wait(self, after: int, most_s: float) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self._woken or self._sequence() != after, most_s)
            self._woken = False
            return self._sequence()

    def wake(self) -> None:
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def close(self) -> None:
        """There is nothing to release."""
