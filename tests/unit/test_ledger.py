from __future__ import annotations

from datetime import timedelta

import pytest

from tests.unit.world import StillClock
from toulmin.adapters.memory.store import MemoryStore
from toulmin.application.ledger import check_ledger, ledger_rows, record, seal
from toulmin.domain.errors import ToulminError
from toulmin.domain.policy import Policy
from toulmin.domain.proof.audit import Fault, Signature
from toulmin.domain.proof.ledger import START, Checkpoint, Entry, Kind, entry_of
from toulmin.domain.question.case import ANONYMOUS
from toulmin.testing.builders import NOW
from toulmin.testing.ledger import append, entries, event


class NamedKey:
    """Signs with its name: enough for what is signed when."""

    def __init__(self, name: str = "k") -> None:
        self.key_id = name

    def sign(self, data: bytes) -> bytes:
        return self.key_id.encode() + data[:4]

    def holds(self, key_id: str) -> bool:
        return key_id == self.key_id

    def verifies(self, key_id: str, signature: bytes, data: bytes) -> bool:
        return self.holds(key_id) and signature == self.sign(data)


class LostKey(NamedKey):
    def sign(self, data: bytes) -> bytes:
        raise ToulminError("lost", f"cannot sign {len(data)} bytes")


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def test_nothing_is_sealed_where_nothing_was_recorded(store: MemoryStore) -> None:
    assert seal(store, StillClock(), NamedKey()) is None
    assert check_ledger(store).whole


def test_sealing_twice_seals_once(store: MemoryStore) -> None:
    append(store, event(number=1), event(number=2))
    first = seal(store, StillClock(), None)
    assert first is not None
    assert (first.sequence, first.previous, first.key, first.signature) == (2, START, "", "")
    assert seal(store, StillClock(at=NOW + timedelta(days=1)), None) == first


def test_a_key_signs_each_checkpoint_and_the_chain_goes_on(store: MemoryStore) -> None:
    append(store, event(number=1))
    first = seal(store, StillClock(), None)
    append(store, event(number=2))
    second = seal(store, StillClock(), NamedKey())
    assert first is not None
    assert second is not None
    assert (second.previous, second.key) == (first.digest, "k")
    found = check_ledger(store, kept=[second], keyring=NamedKey())
    assert (found.whole, found.signature, found.kept) == (True, Signature.VALID, 2)
    assert check_ledger(store).signature is Signature.UNCHECKED
    assert check_ledger(store, keyring=NamedKey("other")).findings[0].fault is Fault.CHECKPOINT


def test_a_signature_that_is_no_hex_text_does_not_hold(store: MemoryStore) -> None:
    append(store, event())
    point = seal(store, StillClock(), NamedKey())
    assert point is not None
    bad = Checkpoint(
        sequence=1, link=point.link, at=point.at, previous=point.previous, key="k", signature="no hex text"
    )
    found = check_ledger(store, kept=[bad], keyring=NamedKey())
    assert [finding.fault for finding in found.findings] == [Fault.CHECKPOINT] * 2


def test_what_cannot_be_signed_stays_unsealed_for_the_next_time(store: MemoryStore) -> None:
    append(store, event())
    with pytest.raises(ToulminError, match="cannot sign"):
        seal(store, StillClock(), LostKey())
    assert check_ledger(store).tail == 1
    assert seal(store, StillClock(), NamedKey()) is not None
    assert check_ledger(store).tail == 0


def test_a_long_tail_is_sealed_in_several_transactions_each_with_its_checkpoint(store: MemoryStore) -> None:
    append(store, *(event(number=number) for number in range(7)))
    last = seal(store, StillClock(), None, batch=3)
    assert last is not None
    assert last.sequence == 7
    with store.keep_ledger() as keeping:
        assert [point.sequence for point in keeping.checkpoints()] == [3, 6, 7]
    assert check_ledger(store, kept=[last]).whole


def test_a_tail_that_fills_its_transactions_leaves_no_empty_one(store: MemoryStore) -> None:
    append(store, *(event(number=number) for number in range(6)))
    last = seal(store, StillClock(), None, batch=3)
    with store.keep_ledger() as keeping:
        assert [point.sequence for point in keeping.checkpoints()] == [3, 6]
        assert keeping.tail().last == last


def test_rows_are_told_by_number_with_their_links_and_checkpoints_after_their_entries(store: MemoryStore) -> None:
    append(store, event(number=1), event(number=2))
    point = seal(store, StillClock(), None)
    append(store, event(number=3))
    rows = list(ledger_rows(store))
    told = [row.sequence if isinstance(row, Checkpoint) else (row[0].sequence, row[1] is not None) for row in rows]
    assert told == [(1, True), (2, True), 2, (3, False)]
    assert rows[2] == point


def test_the_policy_is_recorded_when_another_one_is_in_force(store: MemoryStore) -> None:
    strict = Policy(version="mine/1", supported=0.99)
    for policy in (Policy(), Policy(), strict, Policy()):
        with store.begin(ANONYMOUS, write=True) as session:
            record(session.ledger, event(), policy)
    kinds = [entry.kind for entry in entries(store)]
    assert kinds == ["policy", "packet", "packet", "policy", "packet", "policy", "packet"]
    assert [digest_in(entry) for entry in entries(store) if entry.kind == "policy"] == [
        Policy().digest,
        strict.digest,
        Policy().digest,
    ]


def digest_in(entry: Entry) -> str:
    return entry.facts.split('"')[3]


def test_an_entry_holds_the_event_in_canonical_texts() -> None:
    assert entry_of(event(Kind.ERASE, 5), 9) == Entry(
        sequence=9,
        at="2026-01-01T00:00:00Z",
        kind="erase",
        actor="a" * 64,
        facts='{"name":"Ünïcode 5 \u2028","number":5}',
    )
