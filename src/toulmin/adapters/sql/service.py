"""What the service keeps for its callers, over one transaction: API keys, and replies to writes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from secrets import randbits
from typing import Final

from toulmin.adapters.sql.codec import instant, read_principal, write_principal
from toulmin.adapters.sql.transaction import Row, Transaction
from toulmin.domain.corpus.validity import microseconds
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.proof.identity import owner_digest
from toulmin.domain.question.api_key import ApiKey
from toulmin.domain.question.case import Principal
from toulmin.ports.replies import KEPT, Begun, KeptRun, Reply, Run

_RUN_BITS: Final = 62
"""Of a run's number: fits signed integers of 64 bits."""


class SqlApiKeys:
    """`ApiKeys` over one transaction, and all of them."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def get(self, key_id: str) -> ApiKey | None:
        row = self._transaction.row("api_key", id=key_id)
        return None if row is None else _key(row)

    def all(self) -> Sequence[ApiKey]:
        """All keys, by the instant at which they were made, and then by id."""
        return [_key(row) for row in self._transaction.rows("api_keys")]

    def add(self, key: ApiKey) -> None:
        added = self._transaction.row(
            "add_api_key",
            id=key.id,
            secret_sha256=key.secret_sha256,
            principal=write_principal(key.principal),
            label=key.label,
            created_at=microseconds(key.created_at),
            expires_at=None if key.expires_at is None else microseconds(key.expires_at),
        )
        if added is None:
            raise Conflict("api_key_exists", f"there is an API key {key.id} already", remedy="try again")

    def revoke(self, key_id: str, at: datetime) -> None:
        self._transaction.run("revoke_api_key", id=key_id, at=microseconds(at))


class SqlReplies:
    """`Replies` over one transaction: the writer is alone, so that nobody comes between a look and what it leads to."""

    def __init__(self, transaction: Transaction, principal: Principal, *, writable: bool) -> None:
        self._transaction = transaction
        self._owner = owner_digest(principal)
        self._writable = writable

    def begin(self, key: str, fingerprint: str, at: datetime, overdue_at: datetime) -> Begun:
        self._check_writable()
        self._transaction.run("forget_replies", at=microseconds(at))
        row = self._transaction.row("reply", owner=self._owner, key=key)
        met = None if row is None else _kept(row).meets(fingerprint, at)
        if met is not None:
            return met
        run = Run(key=key, number=randbits(_RUN_BITS))
        self._transaction.run(
            "begin_reply",
            owner=self._owner,
            key=key,
            fingerprint=fingerprint,
            run=run.number,
            overdue_at=microseconds(overdue_at),
            expires_at=microseconds(at + KEPT),
        )
        return run

    def finish(self, run: Run, reply: Reply) -> None:
        self._check_writable()
        self._transaction.run(
            "finish_reply", owner=self._owner, key=run.key, run=run.number, status=reply.status, body=reply.body
        )

    def abandon(self, run: Run) -> None:
        self._check_writable()
        self._transaction.run("abandon_reply", owner=self._owner, key=run.key, run=run.number)

    def _check_writable(self) -> None:
        if not self._writable:
            raise StoreFault("read_only_session", "this session keeps no reply", remedy="begin it with write=True")


def _key(row: Row) -> ApiKey:
    return ApiKey(
        id=row["id"],
        secret_sha256=row["secret_sha256"],
        principal=read_principal(row["principal"]),
        label=row["label"],
        created_at=instant(row["created_at"]),
        expires_at=None if row["expires_at"] is None else instant(row["expires_at"]),
        revoked_at=None if row["revoked_at"] is None else instant(row["revoked_at"]),
    )


def _kept(row: Row) -> KeptRun:
    return KeptRun(
        number=row["run"],
        fingerprint=row["fingerprint"],
        overdue_at=instant(row["overdue_at"]),
        expires_at=instant(row["expires_at"]),
        reply=None if row["status"] is None else Reply(status=row["status"], body=row["body"]),
    )
