"""What a store says of itself, for the operator, as far as its rows tell it."""

from __future__ import annotations

from collections.abc import Iterator

from toulmin.adapters.sql.codec import read_standing
from toulmin.adapters.sql.transaction import Transaction
from toulmin.domain.corpus.document import Status
from toulmin.domain.proof.fingerprint import EMPTY, fingerprint, fingerprint_of
from toulmin.ports.health import DraftSums, JudgeSums, StoreReport


def report(transaction: Transaction, *, schema: int, size: int, faults: tuple[str, ...]) -> StoreReport:
    """The store's report, with the faults that the database itself has found."""
    (unreadable,) = transaction.rows("unreadable")
    (scopes,) = transaction.rows("live_scopes")
    (drafts,) = transaction.rows("draft_sums")
    (judgements,) = transaction.rows("judge_sums")
    return StoreReport(
        schema=schema,
        size=size,
        faults=(*faults, *inconsistencies(transaction)),
        revisions={Status(row["status"]): row["revisions"] for row in transaction.rows("census")},
        unreadable=unreadable["revisions"],
        scopes=scopes["scopes"],
        drafts=DraftSums(**dict(drafts)),
        judgements=JudgeSums(**dict(judgements)),
        unfinished=len(transaction.rows("unfinished_erasures")),
    )


def inconsistencies(transaction: Transaction) -> Iterator[str]:
    """What rows say that contradicts other rows."""
    root = transaction.row("node", level=0, place=0)
    if fingerprint(root["digest"] if root else EMPTY) != fingerprint_of(
        map(read_standing, transaction.rows("every_standing"))
    ):
        yield "the corpus fingerprint is not that of the documents"
