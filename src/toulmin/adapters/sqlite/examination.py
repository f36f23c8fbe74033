"""What the store says of itself, for the operator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toulmin.adapters.sqlite.codec import read_standing
from toulmin.adapters.sqlite.database import Transaction
from toulmin.adapters.sqlite.schema import migrations
from toulmin.domain.corpus.document import Status
from toulmin.domain.proof.fingerprint import EMPTY, fingerprint, fingerprint_of
from toulmin.ports.health import DraftSums, JudgeSums, StoreReport


def examine(transaction: Transaction, path: Path) -> StoreReport:
    """Reads the whole file: SQLite's own checks, and whether the fingerprint is that of what is stored."""
    (unreadable,) = transaction.rows("unreadable")
    (scopes,) = transaction.rows("live_scopes")
    (drafts,) = transaction.rows("draft_sums")
    (judgements,) = transaction.rows("judge_sums")
    return StoreReport(
        schema=len(migrations()),  # opening brought it there
        size=sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")),
        faults=tuple(_faults(transaction)),
        revisions={Status(row["status"]): row["revisions"] for row in transaction.rows("census")},
        unreadable=unreadable["revisions"],
        scopes=scopes["scopes"],
        drafts=DraftSums(**dict(drafts)),
        judgements=JudgeSums(**dict(judgements)),
    )


def _faults(transaction: Transaction) -> Iterator[str]:
    for (said,) in transaction.rows("quick_check"):
        if said != "ok":
            yield str(said)
    for row in transaction.rows("foreign_key_check"):
        yield f"a row of {row['table']} belongs to no row of {row['parent']}"
    root = transaction.row("node", level=0, place=0)
    if fingerprint(root["digest"] if root else EMPTY) != fingerprint_of(
        map(read_standing, transaction.rows("every_standing"))
    ):
        yield "the corpus fingerprint is not that of the documents"
