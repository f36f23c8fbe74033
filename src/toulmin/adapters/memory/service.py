"""What the service keeps for its callers, in memory: API keys, and replies to writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from secrets import randbits

from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.proof.identity import owner_digest
from toulmin.domain.question.api_key import ApiKey
from toulmin.domain.question.case import Principal
from toulmin.ports.replies import KEPT, Begun, KeptRun, Reply, Run

_RUN_BITS = 62


class MemoryApiKeys:
    """`ApiKeys` of one session: `kept` is what there is after it."""

    def __init__(self, kept: Mapping[str, ApiKey]) -> None:
        self.kept = dict(kept)

    def get(self, key_id: str) -> ApiKey | None:
        return self.kept.get(key_id)

    def add(self, key: ApiKey) -> None:
        if key.id in self.kept:
            raise Conflict("api_key_exists", f"there is an API key {key.id} already", remedy="try again")
        self.kept[key.id] = key

    def revoke(self, key_id: str, at: datetime) -> None:
        known = self.kept.get(key_id)
        if known is not None and known.revoked_at is None:
            self.kept[key_id] = replace(known, revoked_at=at)


class MemoryReplies:
    """`Replies` of one session, by owner and key: `kept` is what there is after it."""

    def __init__(self, kept: Mapping[tuple[str, str], KeptRun], principal: Principal, *, writable: bool) -> None:
        self.kept = dict(kept)
        self._owner = owner_digest(principal)
        self._writable = writable

    def begin(self, key: str, fingerprint: str, at: datetime, overdue_at: datetime) -> Begun:
        self._check_writable()
        self.kept = {place: known for place, known in self.kept.items() if at < known.expires_at}
        known = self.kept.get((self._owner, key))
        met = None if known is None else known.meets(fingerprint, at)
        if met is not None:
            return met
        run = Run(key=key, number=randbits(_RUN_BITS))
        self.kept[self._owner, key] = KeptRun(
            number=run.number, fingerprint=fingerprint, overdue_at=overdue_at, expires_at=at + KEPT
        )
        return run

    def finish(self, run: Run, reply: Reply) -> None:
        known = self._running(run)
        if known is not None:
            self.kept[self._owner, run.key] = replace(known, reply=reply)

    def abandon(self, run: Run) -> None:
        if self._running(run) is not None:
            del self.kept[self._owner, run.key]

    def _running(self, run: Run) -> KeptRun | None:
        """The run, where it still is the one that its key is kept for, and has no reply."""
        self._check_writable()
        known = self.kept.get((self._owner, run.key))
        return known if known and known.number == run.number and known.reply is None else None

    def _check_writable(self) -> None:
        if not self._writable:
            raise StoreFault("read_only_session", "this session keeps no reply", remedy="begin it with write=True")
