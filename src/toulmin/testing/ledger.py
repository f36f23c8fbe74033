"""The contract of a store's ledger: a test suite that every store passes.

```python
class TestMyLedger(LedgerContract):
    @pytest.fixture
    def store(self) -> Store:
        return MyStore()
```
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest

from toulmin.domain.errors import StoreFault
from toulmin.domain.proof.audit import Audit, audit
from toulmin.domain.proof.ledger import START, Checkpoint, Entry, Event, Kind, chained, checkpoint_at
from toulmin.domain.question.case import ANONYMOUS
from toulmin.ports.ledger import Tail
from toulmin.ports.store import Store
from toulmin.testing.builders import ALWAYS, NOW, descriptor, packet, revision


def event(kind: Kind = Kind.PACKET, number: int = 0, *, at: datetime = NOW) -> Event:
    """An event that differs from another one by its number."""
    return Event(at=at, kind=kind, actor="a" * 64, facts={"number": number, "name": f"Ünïcode {number} \u2028"})


def append(store: Store, *events: Event) -> None:
    """Records events in one session."""
    with store.begin(ANONYMOUS, write=True) as session:
        for each in events:
            session.ledger.append(each)


def entries(store: Store, first: int | None = None) -> list[Entry]:
    """The entries from a number on; without one, all."""
    with store.keep_ledger() as keeping:
        return list(keeping.entries() if first is None else keeping.entries(first))


def seal(store: Store, count: int | None = None) -> Checkpoint:
    """Seals the tail, or the first so many entries of it."""
    with store.keep_ledger(write=True) as keeping:
        tail = keeping.tail()
        links = chained(tail.last, list(keeping.entries(tail.first))[:count])
        point = checkpoint_at(links[-1], tail.last, NOW, "")
        keeping.seal(links, point)
    return point


def audited(store: Store, *kept: Checkpoint) -> Audit:
    """What is wrong with a store's ledger."""
    with store.keep_ledger() as keeping:
        return audit(keeping.entries(), keeping.links(), keeping.checkpoints(), kept=kept)


class LedgerContract:
    """What every store's ledger does. The suite's store is empty."""

    @pytest.fixture
    def store(self) -> Store:
        """The store under test."""
        raise NotImplementedError("give the suite an empty store")

    def test_an_empty_ledger_has_nothing(self, store: Store) -> None:
        with store.keep_ledger() as keeping:
            assert (list(keeping.entries()), list(keeping.links()), list(keeping.checkpoints())) == ([], [], [])
            assert keeping.tail() == Tail(last=None, end=0)
        with store.begin(ANONYMOUS) as session:
            assert session.ledger.last(Kind.PACKET) is None

    def test_entries_come_back_in_their_order_with_the_texts_that_are_chained(self, store: Store) -> None:
        append(store, event(Kind.INGEST, 1), event(Kind.POLICY, 2))
        append(store, event(Kind.PACKET, 3, at=datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)))
        first, second, third = entries(store)
        assert [entry.sequence for entry in (first, second, third)] == [1, 2, 3]
        assert [entry.kind for entry in (first, second, third)] == ["ingest", "policy", "packet"]
        assert first == Entry(
            sequence=1,
            at="2026-01-01T00:00:00Z",
            kind="ingest",
            actor="a" * 64,
            facts='{"name":"Ünïcode 1 \u2028","number":1}',
        )
        assert third.at == "2026-01-02T03:04:05.000678Z"

    def test_reading_may_begin_at_any_number(self, store: Store) -> None:
        append(store, *(event(number=number) for number in range(5)))
        assert [entry.sequence for entry in entries(store, 3)] == [3, 4, 5]
        assert entries(store, 6) == []

    def test_the_last_of_a_kind_is_found_own_entries_included(self, store: Store) -> None:
        append(store, event(Kind.POLICY, 1), event(Kind.PACKET, 2))
        with store.begin(ANONYMOUS, write=True) as session:
            last = session.ledger.last(Kind.POLICY)
            assert last is not None
            assert last.sequence == 1
            session.ledger.append(event(Kind.POLICY, 3))
            last = session.ledger.last(Kind.POLICY)
            assert last is not None
            assert last.sequence == 3
            assert session.ledger.last(Kind.ERASE) is None

    def test_a_session_left_by_an_exception_records_nothing(self, store: Store) -> None:
        append(store, event(number=1))
        with suppress(_Left), store.begin(ANONYMOUS, write=True) as session:
            session.packets.add(packet())
            session.ledger.append(event(number=2))
            raise _Left
        append(store, event(number=3))
        assert [(entry.sequence, entry.facts[-2]) for entry in entries(store)] == [(1, "1"), (2, "3")]

    def test_a_session_that_only_reads_records_nothing(self, store: Store) -> None:
        with store.begin(ANONYMOUS) as session, pytest.raises(StoreFault) as refused:
            session.ledger.append(event())
        assert refused.value.code == "read_only_session"
        assert entries(store) == []

    def test_a_curation_records_with_its_changes_and_a_step_left_by_an_exception_with_none(self, store: Store) -> None:
        with store.curate() as curation:
            with curation.step():
                curation.add(revision("KEPT"), descriptor(), ALWAYS, NOW)
                curation.ledger.append(event(Kind.INGEST, 1))
            with suppress(_Left), curation.step():
                curation.add(revision("LOST"), descriptor(), ALWAYS, NOW)
                curation.ledger.append(event(Kind.INGEST, 2))
                raise _Left
            with curation.step():
                curation.ledger.append(event(Kind.INGEST, 3))
        assert [(entry.sequence, entry.facts[-2]) for entry in entries(store)] == [(1, "1"), (2, "3")]

    def test_what_is_sealed_is_told_and_passes_the_check(self, store: Store) -> None:
        append(store, *(event(number=number) for number in range(3)))
        first = seal(store, 2)
        second = seal(store)
        append(store, event(number=9))
        with store.keep_ledger() as keeping:
            links = list(keeping.links())
            assert links == chained(None, list(keeping.entries())[:3])
            assert list(keeping.links(3)) == links[2:]
            assert list(keeping.checkpoints()) == [first, second]
            assert keeping.tail() == Tail(last=second, end=4)
            assert keeping.tail().first == 4
        assert (first.sequence, first.previous, second.previous) == (2, START, first.digest)
        found = audited(store, second)
        assert (found.findings, found.entries, found.sealed, found.tail, found.kept) == ((), 4, 3, 1, 3)

    def test_a_sealing_left_by_an_exception_seals_nothing(self, store: Store) -> None:
        append(store, event())
        with suppress(_Left), store.keep_ledger(write=True) as keeping:
            (new,) = chained(None, keeping.entries())
            keeping.seal([new], checkpoint_at(new, None, NOW, ""))
            raise _Left
        with store.keep_ledger() as keeping:
            assert list(keeping.links()) == []
            assert keeping.tail() == Tail(last=None, end=1)

    def test_more_entries_than_a_page_are_all_told(self, store: Store) -> None:
        append(store, *(event(number=number) for number in range(2001)))
        seal(store)
        assert [entry.sequence for entry in entries(store)] == list(range(1, 2002))
        assert audited(store).whole


class _Left(Exception):
    """A session's body gives up."""
