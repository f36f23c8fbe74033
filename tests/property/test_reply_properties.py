"""Replies, one promise: in whatever order requests come, nobody carries out what somebody else is carrying out, or has carried out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.domain.question.case import Principal
from toulmin.ports.replies import KEPT, OtherRequest, Reply, Run, UnderWay
from toulmin.ports.store import Store
from toulmin.testing.builders import NOW
from toulmin.testing.service import abandon, finish
from toulmin.testing.store import ANN, BEN

PATIENCE = timedelta(minutes=5)
PAUSES = (timedelta(0), timedelta(minutes=2), PATIENCE, KEPT - PATIENCE, KEPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A write that was begun, with the run that each store gave for it."""

    who: Principal
    key: str
    fingerprint: str
    at: datetime
    runs: tuple[Run, ...]


class Callers(RuleBasedStateMachine):
    """Callers of two stores, whose clock only goes forward. `kept` is the write that each caller's key stands for, `replies` what came of it."""

    folder: Path
    numbers = count()

    def __init__(self) -> None:
        super().__init__()
        self.stores: tuple[Store, Store] = (MemoryStore(), SqliteStore(self.folder / f"{next(self.numbers)}.db"))
        self.at = NOW
        self.writes: list[Write] = []
        self.kept: dict[tuple[str, str], Write] = {}
        self.replies: dict[tuple[str, str], Reply] = {}

    @rule(
        who=st.sampled_from((ANN, BEN)),
        key=st.sampled_from("kl"),
        fingerprint=st.sampled_from(("one", "other")),
        pause=st.sampled_from(PAUSES),
    )
    def begin(self, who: Principal, key: str, fingerprint: str, pause: timedelta) -> None:
        self.at += pause
        place = (who.id, key)
        found = []
        for store in self.stores:
            with store.begin(who, write=True) as session:
                found.append(session.replies.begin(key, fingerprint, self.at, self.at + PATIENCE))
        wanted = self._wanted(place, fingerprint)
        if wanted is not None:
            assert found == [wanted, wanted]
            return
        runs = tuple(each for each in found if isinstance(each, Run))
        assert len(runs) == len(found)
        self.writes.append(Write(who=who, key=key, fingerprint=fingerprint, at=self.at, runs=runs))
        self.kept[place] = self.writes[-1]
        self.replies.pop(place, None)

    @rule(number=st.integers(0, 9), status=st.sampled_from((200, 409)))
    def finish(self, number: int, status: int) -> None:
        for write in self.writes[number : number + 1]:
            reply = Reply(status=status, body=b"%d" % number)
            for store, run in zip(self.stores, write.runs, strict=True):
                finish(store, run, reply, who=write.who)
            if self._is_under_way(write):
                self.replies[write.who.id, write.key] = reply

    @rule(number=st.integers(0, 9))
    def abandon(self, number: int) -> None:
        for write in self.writes[number : number + 1]:
            for store, run in zip(self.stores, write.runs, strict=True):
                abandon(store, run, who=write.who)
            if self._is_under_way(write):
                del self.kept[write.who.id, write.key]

    def _wanted(self, place: tuple[str, str], fingerprint: str) -> Reply | UnderWay | OtherRequest | None:
        """What a request has to meet; None where it is to be carried out."""
        write = self.kept.get(place)
        if write is None or self.at >= write.at + KEPT:
            return None
        if fingerprint != write.fingerprint:
            return OtherRequest()
        overdue_at = write.at + PATIENCE
        return self.replies.get(place) or (UnderWay(until=overdue_at) if self.at < overdue_at else None)

    def _is_under_way(self, write: Write) -> bool:
        place = (write.who.id, write.key)
        return self.kept.get(place) is write and place not in self.replies

    def teardown(self) -> None:
        for store in self.stores:
            store.close()


def test_no_write_is_carried_out_twice_and_stores_agree(tmp_path: Path) -> None:
    class Here(Callers):
        folder = tmp_path

    run_state_machine_as_test(Here, settings=settings(max_examples=30, stateful_step_count=30))
