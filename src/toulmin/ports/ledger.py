"""The ledger, from two sides: whoever does something appends to it, in the transaction that does it; the keeper seals it and reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.proof.ledger import Checkpoint, Entry, Event, Kind, Link

LEAST = -(2**63)
"""The least number that a row can have: the product's own start at 1, what somebody slipped in need not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """How far a ledger reaches: `last` is its last checkpoint, None where nothing was sealed yet, `end` its last entry's number, 0 without any."""

    last: Checkpoint | None
    end: int

    @property
    def first(self) -> int:
        """The first number that is not sealed."""
        return self.last.sequence + 1 if self.last else 1


class Ledger(Protocol):
    """Where an event is recorded, together with what it records: both are kept, or neither."""

    def append(self, event: Event) -> None:
        """Records an event after all others. Raises `StoreFault` (`read_only_session`) in a session that does not write."""

    def last(self, kind: Kind) -> Entry | None:
        """The last entry of a kind, this session's own included; None where there is none."""


class LedgerKeeping(Protocol):
    """One transaction on the whole ledger. Everything is told by ascending sequence number."""

    def entries(self, first: int = LEAST) -> Iterator[Entry]:
        """The entries from a number on."""

    def links(self, first: int = LEAST) -> Iterator[Link]:
        """The links from a number on."""

    def checkpoints(self) -> Sequence[Checkpoint]:
        """All checkpoints."""

    def tail(self) -> Tail:
        """How far the ledger reaches, and how far it is sealed."""

    def seal(self, links: Sequence[Link], checkpoint: Checkpoint) -> None:
        """Keeps the links of the entries that come next, and the checkpoint of the last of them."""


class KeptLedger(Protocol):
    """A store's ledger, for its keeper."""

    def keep_ledger(self, *, write: bool = False) -> AbstractContextManager[LedgerKeeping]:
        """A transaction; with `write` it waits for another writer, then raises `Conflict`: there is one sealer at a time."""
