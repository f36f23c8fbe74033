"""The ledger in memory: three lists that only grow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toulmin.domain.errors import StoreFault
from toulmin.domain.proof.ledger import Checkpoint, Entry, Event, Kind, Link, entry_of
from toulmin.ports.ledger import LEAST, Tail


@dataclass(frozen=True, slots=True, kw_only=True)
class Chronicle:
    """All that a ledger holds, each by ascending number."""

    entries: tuple[Entry, ...] = ()
    links: tuple[Link, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()


class MemoryLedger:
    """`Ledger` of one session: `kept` is what there is after it."""

    def __init__(self, chronicle: Chronicle, *, writable: bool = True) -> None:
        self._writable = writable
        self.kept = chronicle

    def append(self, event: Event) -> None:
        if not self._writable:
            raise StoreFault("read_only_session", "this session records nothing", remedy="begin it with write=True")
        entry = entry_of(event, len(self.kept.entries) + 1)
        self.kept = replace(self.kept, entries=(*self.kept.entries, entry))

    def last(self, kind: Kind) -> Entry | None:
        return next((entry for entry in reversed(self.kept.entries) if entry.kind == kind), None)


class MemoryLedgerKeeping:
    """`LedgerKeeping` of one session: `kept` is what there is after it."""

    def __init__(self, chronicle: Chronicle) -> None:
        self.kept = chronicle

    def entries(self, first: int = LEAST) -> Iterator[Entry]:
        return (entry for entry in self.kept.entries if entry.sequence >= first)

    def links(self, first: int = LEAST) -> Iterator[Link]:
        return (link for link in self.kept.links if link.sequence >= first)

    def checkpoints(self) -> Sequence[Checkpoint]:
        return self.kept.checkpoints

    def tail(self) -> Tail:
        return Tail(last=next(reversed(self.kept.checkpoints), None), end=len(self.kept.entries))

    def seal(self, links: Sequence[Link], checkpoint: Checkpoint) -> None:
        self.kept = replace(
            self.kept, links=(*self.kept.links, *links), checkpoints=(*self.kept.checkpoints, checkpoint)
        )
