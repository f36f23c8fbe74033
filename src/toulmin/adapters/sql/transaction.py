"""A transaction as the rest of this package sees it: statements by name, values by name, rows by column."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import resources
from typing import Any, Protocol

Value = str | int | bytes | None


class Row(Protocol):
    """A row: its columns by name."""

    def keys(self) -> Iterable[str]: ...

    def __getitem__(self, column: str, /) -> Any: ...


class Transaction(ABC):
    """One transaction. A statement is named, and stands in the adapter's `.sql` files; lists are bound as one JSON array.

    All errors of the database are raised as `Conflict` or `StoreFault`.
    """

    @property
    @abstractmethod
    def sequence(self) -> int:
        """The sequence number of the last change before this transaction; 0 where there was none."""

    @abstractmethod
    def rows(self, statement: str, **values: Value) -> Sequence[Row]:
        """All rows of a named statement: none is left to be read when the transaction ends."""

    @abstractmethod
    def run_each(self, statement: str, values: Iterable[Mapping[str, Value]]) -> None:
        """Runs a named statement once for each set of values."""

    @abstractmethod
    def step(self) -> AbstractContextManager[None]:
        """A part of the transaction; left by an exception, it alone is rolled back, unless the database has already rolled back everything."""

    def row(self, statement: str, **values: Value) -> Row | None:
        """The first row of a named statement, or None."""
        return next(iter(self.rows(statement, **values)), None)

    def run(self, statement: str, **values: Value) -> None:
        """Runs a named statement that gives no rows."""
        self.rows(statement, **values)

    def present_sequence(self) -> int:
        """The sequence number as of now, with this transaction's own changes."""
        (row,) = self.rows("sequence")
        return int(row["sequence"])


def statements(*scripts: str) -> dict[str, str]:
    """The statements of scripts by the names in their `-- name:` lines. Raises `ValueError` for a name that stands twice."""
    parts = [part for script in scripts for part in re.split(r"^-- name: (\w+)\n", script, flags=re.MULTILINE)[1:]]
    names, texts = parts[::2], parts[1::2]
    if len(set(names)) < len(names):
        raise ValueError(f"a statement's name stands twice: {names}")
    return dict(zip(names, texts, strict=True))


def scripts(package: str, folder: str) -> tuple[str, ...]:
    """The SQL scripts of a package's folder, by their names."""
    files = (file for file in resources.files(package).joinpath(folder).iterdir() if file.name.endswith(".sql"))
    return tuple(file.read_text(encoding="utf-8") for file in sorted(files, key=lambda file: file.name))
