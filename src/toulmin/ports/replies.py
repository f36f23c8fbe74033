"""Replies to writes, kept by the idempotency key that the caller gave with the request: asked for again, a write is answered and not repeated."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

KEPT: Final = timedelta(hours=24)
"""How long a key is remembered, from the moment its write was begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The caller carries the write out, and then finishes or abandons it. `number` is drawn at random."""

    key: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the write was answered with: an HTTP status and the body's bytes."""

    status: int
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """Somebody else is carrying the write out, and is taken for dead at `until`."""

    until: datetime


@dataclass(frozen=True, slots=True)
class OtherRequest:
    """The key was given with another request."""


Begun = Run | Reply | UnderWay | OtherRequest
"""What becomes of a request with a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """What is kept by a key; without a `reply`, the run of this number is under way."""

    number: int
    fingerprint: str
    overdue_at: datetime
    expires_at: datetime
    reply: Reply | None = None

    def meets(self, fingerprint: str, at: datetime) -> Reply | UnderWay | OtherRequest | None:
        """What a request finds; None where it is to be carried out: the key has expired, or who began is taken for dead."""
        if at >= self.expires_at:
            return None
        if fingerprint != self.fingerprint:
            return OtherRequest()
        if self.reply is not None:
            return self.reply
        return UnderWay(until=self.overdue_at) if at < self.overdue_at else None


class Replies(Protocol):
    """Replies to one principal's writes, by its keys; another id or tenant has keys of its own, other groups and roles have not.

    Replies are kept for a day and outlive an erasure: they may be those of writes of documents and approvals, which hold ids, states and
    digests, and no words of documents. A write whose process died is carried out again, once it is overdue: what it changes must bear that.
    `StoreFault` (`read_only_session`) in a session that does not write.
    """

    def begin(self, key: str, fingerprint: str, at: datetime, overdue_at: datetime) -> Begun:
        """Begins a write, unless its key is known: of those who ask at the same moment, exactly one gets a `Run`.

        `fingerprint` is a digest of all that makes the request; after `overdue_at` the write is taken for dead. Keys that have expired are
        forgotten.
        """

    def finish(self, run: Run, reply: Reply) -> None:
        """Keeps the reply; nothing is kept of a run that was taken for dead and begun again by another."""

    def abandon(self, run: Run) -> None:
        """Forgets the key, so that the request may be sent again at once; nothing happens to a run that was begun again, or has a reply."""
