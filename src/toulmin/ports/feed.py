"""The feed of a store: says that the corpus has changed, to a process that waits for it."""

from __future__ import annotations

from typing import Protocol


class Feed(Protocol):
    """One waiter's ear at the store. One thread at a time waits; any thread may wake it."""

    def wait(self, after: int, most_s: float) -> int:
        """Waits until the corpus has another sequence number than `after`, at most so many seconds; the number that it has then.

        No change is missed, however it became known, or however long nobody waited: what counts is the number. Raises `StoreFault` or
        `Conflict` while the store cannot be asked, and may be called again: what was lost of a connection is made anew.
        """

    def wake(self) -> None:
        """Ends the wait that is under way; where there is none, the next one."""

    def close(self) -> None:
        """Releases everything, before the store is closed and when nobody waits any more; further use is an error."""


class Followed(Protocol):
    """A store whose changes can be followed."""

    def feed(self) -> Feed:
        """A feed for the caller alone. Nothing is asked of the store before its first wait."""


__all__ = ["Feed", "Followed"]
