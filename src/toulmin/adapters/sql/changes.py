"""What a derived index is told: the revisions that changed, as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from toulmin.adapters.sql.codec import array, read_passage, read_standing
from toulmin.adapters.sql.session import texts_of
from toulmin.adapters.sql.transaction import Transaction
from toulmin.domain.corpus.document import Passage, Status
from toulmin.ports.store import Change, Changes, Outlook


def read_changes(transaction: Transaction, after: int, limit: int) -> Changes:
    """What changed after a sequence number; a revision's passages count, and at least 1, towards the limit."""
    reached = _reach(transaction, after, limit)
    mark = mark_of(transaction, reached)
    rows = transaction.rows("changed_revisions", after=after, reached=reached)
    standings = [(read_standing(row), row["scope"]) for row in rows]
    contents = _contents(transaction, [now.key for now, _ in standings if now.status is Status.LIVE])
    return Changes(
        after=after,
        sequence=reached,
        mark=0 if mark is None else mark,
        changes=tuple(
            Change(
                revision=now.key,
                standing=now if now.status is Status.LIVE else None,
                scope=scope,
                passages=contents.get(now.key, ()),
            )
            for now, scope in standings
        ),
    )


def read_outlook(transaction: Transaction, after: int) -> Outlook:
    """What lies after a sequence number."""
    (row,) = transaction.rows("passages_after", after=after)
    return Outlook(mark=mark_of(transaction, after), sequence=transaction.sequence, passages=int(row["passages"]))


def mark_of(transaction: Transaction, sequence: int) -> int | None:
    """The mark of a change; 0 for number 0, None where there is no such change."""
    if sequence == 0:
        return 0
    row = transaction.row("mark", sequence=sequence)
    return None if row is None else int(row["mark"])


def _reach(transaction: Transaction, after: int, limit: int) -> int:
    """The first sequence number up to which there are enough passages; the last one where there are fewer."""
    reached, passages = after, 0
    for row in transaction.rows("changed_sequences", after=after, limit=max(1, limit)):
        reached = row["seq_from"]
        passages += row["weight"]
        if passages >= limit:
            break
    return reached


def _contents(transaction: Transaction, keys: Sequence[int]) -> dict[int, tuple[tuple[Passage, str], ...]]:
    """The passages of revisions with their texts; a revision without passages is absent."""
    texts = texts_of(transaction, keys)
    rows = transaction.rows("passages", revisions=array(keys))
    return {
        key: tuple((passage, texts[key][passage.start : passage.end]) for passage in map(read_passage, group))
        for key, group in groupby(rows, key=lambda row: int(row["revision"]))
    }
