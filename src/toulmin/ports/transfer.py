"""Moving a store as a whole: every row that makes it up, from one database to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from toulmin.ports.health import ExaminedStore

Cell = str | int | bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A row: the table that it is of, and its cells in the order of the table's columns."""

    table: str
    cells: tuple[Cell, ...]


class Movable(Protocol):
    """A store that can be moved. What is moved is the same for every database: identities, sequence numbers and marks stay."""

    def export_rows(self) -> AbstractContextManager[Iterator[Record]]:
        """All rows as of one moment, in an order in which they can be added one after the other."""

    def import_rows(self, records: Iterable[Record]) -> int:
        """Adds exported rows to an empty store, all of them or none, and says how many.

        Raises `Conflict` (`store_not_empty`) for a store that holds something, and `InputError` (`bad_export`) for rows that make up no store.
        """


class MovableStore(ExaminedStore, Movable, Protocol):
    """A store that can look at itself and be moved."""
