"""The feed of a store in a file: it looks, several times a second."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import Final

_POLL_S: Final = 0.2
"""SQLite tells other processes nothing. A look takes some hundredths of a millisecond."""


class SqliteFeed:
    """A `Feed` that asks for the sequence number again and again."""

    def __init__(self, sequence: Callable[[], int]) -> None:
        self._sequence = sequence
        self._woken = Event()

    def wait(self, after: int, most_s: float) -> int:
        end = monotonic() + most_s
        while True:
            number, left = self._sequence(), end - monotonic()
            if number != after or self._woken.wait(max(0.0, min(left, _POLL_S))) or left <= 0:
                self._woken.clear()
                return number

    def wake(self) -> None:
        self._woken.set()

    def close(self) -> None:
        """There is nothing to release: each look was a transaction of the store."""
