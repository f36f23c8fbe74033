"""What the store says of itself, for the operator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toulmin.adapters.sql.examination import report
from toulmin.adapters.sql.transaction import Transaction
from toulmin.adapters.sqlite.schema import migrations
from toulmin.ports.health import StoreReport


def examine(transaction: Transaction, path: Path) -> StoreReport:
    """Reads the whole file: SQLite's own checks, and what the rows tell."""
    return report(
        transaction,
        schema=len(migrations()),  # opening brought it there
        size=sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")),
        faults=tuple(_faults(transaction)),
    )


def _faults(transaction: Transaction) -> Iterator[str]:
    for row in transaction.rows("quick_check"):
        if row["quick_check"] != "ok":
            yield str(row["quick_check"])
    for row in transaction.rows("foreign_key_check"):
        yield f"a row of {row['table']} belongs to no row of {row['parent']}"
