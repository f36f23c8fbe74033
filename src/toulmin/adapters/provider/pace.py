"""The pace of calls: evenly spaced over all drafts of one drafter, in whatever threads they are written."""

from __future__ import annotations

from threading import Lock


class Pace:
    """Turns, one every so many seconds; without a pace everybody's turn is now."""

    def __init__(self, per_minute: float | None) -> None:
        self._interval = 60 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._lock = Lock()

    def turn(self, now: float, *, at_most: float) -> float:
        """Seconds from `now` until the caller's turn, which is taken with this; beyond `at_most` none is taken."""
        with self._lock:
            turn = max(now, self._next)
            if turn - now <= at_most:
                self._next = turn + self._interval
            return turn - now
