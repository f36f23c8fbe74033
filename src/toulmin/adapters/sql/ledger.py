"""The ledger's rows. They are read as bytes, page by page: what was tampered with need not be text, and a ledger need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Final, TypeVar

from toulmin.adapters.sql.transaction import Row, Transaction
from toulmin.domain.errors import StoreFault
from toulmin.domain.proof.ledger import Checkpoint, Entry, Event, Kind, Link, entry_of
from toulmin.ports.ledger import LEAST, Tail

_PAGE: Final = 1000
_ALL: Final = -1

_T = TypeVar("_T", Entry, Link)


class SqlLedger:
    """`Ledger` over one transaction: the writer is alone, so that the numbers are the transactions' order."""

    def __init__(self, transaction: Transaction, *, writable: bool = True) -> None:
        self._transaction = transaction
        self._writable = writable

    def append(self, event: Event) -> None:
        if not self._writable:
            raise StoreFault("read_only_session", "this session records nothing", remedy="begin it with write=True")
        entry = entry_of(event, 0)  # the statement numbers it
        self._transaction.run("append_entry", at=entry.at, kind=entry.kind, actor=entry.actor, facts=entry.facts)

    def last(self, kind: Kind) -> Entry | None:
        row = self._transaction.row("last_entry", kind=kind)
        return None if row is None else _entry(row)


class SqlLedgerKeeping:
    """`LedgerKeeping` over one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def entries(self, first: int = LEAST) -> Iterator[Entry]:
        return self._pages("ledger_entries", first, _entry)

    def links(self, first: int = LEAST) -> Iterator[Link]:
        return self._pages("ledger_links", first, _link)

    def checkpoints(self) -> Sequence[Checkpoint]:
        return [_checkpoint(row) for row in reversed(self._transaction.rows("ledger_checkpoints", limit=_ALL))]

    def tail(self) -> Tail:
        row = self._transaction.row("ledger_checkpoints", limit=1)
        (end,) = self._transaction.rows("ledger_end")
        return Tail(last=None if row is None else _checkpoint(row), end=end["sequence"])

    def seal(self, links: Sequence[Link], checkpoint: Checkpoint) -> None:
        self._transaction.run_each("add_link", ({"sequence": new.sequence, "digest": new.digest} for new in links))
        self._transaction.run("add_checkpoint", **asdict(checkpoint))

    def _pages(self, statement: str, first: int, read: Callable[[Row], _T]) -> Iterator[_T]:
        while rows := self._transaction.rows(statement, first=first, limit=_PAGE):
            yield from map(read, rows)
            if len(rows) < _PAGE:
                return
            first = rows[-1]["sequence"] + 1


def _entry(row: Row) -> Entry:
    return Entry(
        sequence=row["sequence"],
        at=_text(row["at"]),
        kind=_text(row["kind"]),
        actor=_text(row["actor"]),
        facts=_text(row["facts"]),
    )


def _link(row: Row) -> Link:
    return Link(sequence=row["sequence"], digest=_text(row["digest"]))


def _checkpoint(row: Row) -> Checkpoint:
    return Checkpoint(
        sequence=row["sequence"],
        link=_text(row["link"]),
        at=_text(row["at"]),
        previous=_text(row["previous"]),
        key=_text(row["key"]),
        signature=_text(row["signature"]),
    )


def _text(stored: bytes) -> str:
    """The text of stored bytes. Where they are none, the escapes in their place make a text that is not the one that was stored."""
    return stored.decode(errors="backslashreplace")
