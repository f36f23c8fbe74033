"""What rests on documents, and the erasure of their words, over one writing transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from toulmin.adapters.sql.approvals import SqlApprovals, read_approvals
from toulmin.adapters.sql.codec import array, read_standing
from toulmin.adapters.sql.session import read_packet
from toulmin.adapters.sql.transaction import Transaction
from toulmin.domain.corpus.document import RevisionId, Standing
from toulmin.domain.proof.approval import Approval, Step
from toulmin.domain.proof.packet import Packet


class SqlDependents:
    """`Dependents` over one writing transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def packets(self, document: str, version: str | None = None) -> Sequence[str]:
        return [row["id"] for row in self._transaction.rows("packet_ids_on", document=document, version=version)]

    def packet(self, packet_id: str) -> Packet | None:
        row = self._transaction.row("packet", id=packet_id)
        if row is None:
            return None
        sources = self._transaction.rows("packet_sources", packet=row["key"], tokens=array(()))
        return read_packet(self._transaction, row, sources)

    def open_approvals(self, document: str) -> Sequence[Approval]:
        return read_approvals(self._transaction, self._transaction.rows("open_approvals_on", document=document))

    def advance(self, approval: Approval, step: Step) -> Approval:
        return SqlApprovals(self._transaction, frozenset(), writable=True).advance(approval, step)

    def forget(self, packet_id: str, digests: Collection[str]) -> None:
        self._transaction.run_each(
            "forget_packet_text", ({"packet": packet_id, "sha256": digest} for digest in digests)
        )
        self._transaction.run("forget_outputs", packet=packet_id)


class SqlErasures:
    """`Erasures` over one writing transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def candidates(self) -> Iterable[Standing]:
        return tuple(map(read_standing, self._transaction.rows("unerased")))

    def unfinished(self) -> Sequence[RevisionId]:
        rows = self._transaction.rows("unfinished_erasures")
        return [RevisionId(row["document"], row["version"]) for row in rows]

    def finish(self, revisions: Collection[RevisionId]) -> None:
        self._transaction.run_each(
            "finish_erasure", ({"document": rid.document, "version": rid.version} for rid in revisions)
        )
