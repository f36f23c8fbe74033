"""The contract of erasure: what every store promises of what rests on documents, and of words that go.

```python
class TestMyErasure(ErasureContract):
    @pytest.fixture
    def store(self) -> Store:
        return MyStore()
```
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from toulmin.domain.canonical import Json, text_digest
from toulmin.domain.corpus.document import RevisionId, Status
from toulmin.domain.errors import Conflict
from toulmin.domain.proof.approval import Result, State
from toulmin.domain.proof.packet import Packet
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.ports.store import PassageKey, Store
from toulmin.testing.approvals import approval_on, step
from toulmin.testing.builders import ALWAYS, NOW, descriptor, packet, revision
from toulmin.testing.store import ANN, BEN, ingest, retire

STATES = tuple(Status)


def resting(*selected: RevisionId, candidates: tuple[RevisionId, ...] = (), texts: tuple[str, ...] = ()) -> Packet:
    """A packet that rests on revisions, and names others only as candidates."""
    named = [{"document": rid.document, "version": rid.version} for rid in selected]
    body: dict[str, Json] = {"documents": named, "texts": list(map(text_digest, texts))}
    return packet(*selected, *candidates, requester=ANN, body=body, texts=texts)


def keep(store: Store, *packets: Packet) -> None:
    """Keeps packets in a session of its own."""
    with store.begin(ANN, write=True) as session:
        for each in packets:
            session.packets.add(each)


class DependentsContract:
    """What rests on documents. Needs an empty `store`."""

    def test_a_packet_rests_on_what_it_selected_and_not_on_a_candidate(self, store: Store) -> None:
        one, two = ingest(store, "DOC", "1").id, ingest(store, "DOC", "2").id
        other = ingest(store, "OTHER").id
        first, second = resting(one, other), resting(two)
        keep(store, first, second, resting(other, candidates=(one, two)), resting())
        with store.curate() as session:
            assert session.dependents.packets("DOC") == [first.id, second.id]
            assert session.dependents.packets("DOC", "1") == [first.id]
            assert session.dependents.packets("DOC", "3") == []
            assert session.dependents.packets("unknown") == []

    def test_a_principal_sees_the_resting_packets_that_it_may_read(self, store: Store) -> None:
        shared = ingest(store, "SHARED", readers=["tenant:a", "tenant:b"]).id
        of_ann = ingest(store, "OF-ANN", readers=["tenant:a"]).id
        both, one = resting(shared, of_ann), resting(shared)
        keep(store, both, one)
        assert self._seen(store, ANN, "SHARED") == [both.id, one.id]
        assert self._seen(store, BEN, "SHARED") == [one.id]
        assert self._seen(store, BEN, "OF-ANN") == []
        assert self._seen(store, ANN, "OF-ANN", "2") == []
        assert self._seen(store, ANONYMOUS, "SHARED") == []

    def test_a_packet_is_read_whoever_may_see_it(self, store: Store) -> None:
        made = resting(ingest(store, "A", readers=[]).id, texts=("words",))
        keep(store, made)
        with store.curate() as session:
            assert session.dependents.packet(made.id) == made
            assert session.dependents.packet("pk-unknown") is None

    def test_open_approvals_are_those_that_are_requested_or_approved(self, store: Store) -> None:
        made = resting(ingest(store, "DOC").id)
        keep(store, made, resting(ingest(store, "OTHER").id))
        for number, states in enumerate(((), (State.APPROVED,), (State.REJECTED,), (State.APPROVED, State.EXECUTING))):
            with store.begin(ANN, write=True) as session:
                approval = approval_on(made.id, f"ap-{number}", instance=str(number))
                session.approvals.add(approval)
                for state in states:
                    approval = session.approvals.advance(approval, step(state))
        with store.curate() as session:
            found = session.dependents.open_approvals("DOC")
            assert [(each.id, each.state.value) for each in found] == [("ap-0", "requested"), ("ap-1", "approved")]
            assert session.dependents.open_approvals("OTHER") == []
            session.dependents.advance(found[0], step(State.STALE, by=None, says=("it is gone",)))
            assert [each.id for each in session.dependents.open_approvals("DOC")] == ["ap-1"]
        with store.begin(ANN) as session:
            stale = session.approvals.get("ap-0")
        assert stale is not None
        assert (stale.state, stale.last.says) == (State.STALE, ("it is gone",))

    def test_an_approval_that_moved_meanwhile_is_not_advanced(self, store: Store) -> None:
        made = resting(ingest(store, "DOC").id)
        keep(store, made)
        with store.begin(ANN, write=True) as session:
            session.approvals.add(approval_on(made.id))
        with store.curate() as session:
            (found,) = session.dependents.open_approvals("DOC")
        with store.begin(ANN, write=True) as session:
            session.approvals.advance(found, step(State.REJECTED))
        with pytest.raises(Conflict), store.curate() as session:
            session.dependents.advance(found, step(State.STALE, by=None))

    def test_forgetting_takes_texts_and_what_effects_said_and_nothing_else(self, store: Store) -> None:
        source = ingest(store, "DOC").id
        made, other = resting(source, texts=("gone", "kept")), resting(source, texts=("gone",))
        keep(store, made, other)
        with store.begin(ANN, write=True) as session:
            approval = approval_on(made.id)
            session.approvals.add(approval)
            for state in (State.APPROVED, State.EXECUTING):
                approval = session.approvals.advance(approval, step(state))
            ended = step(State.EXECUTED, result=Result(code="exit_0", output="gone"))
            session.approvals.advance(approval, ended)
        with store.curate() as session:
            session.dependents.forget(made.id, [text_digest("gone"), text_digest("never there")])
        with store.begin(ANN) as session:
            left, untouched, done = (
                session.packets.get(made.id),
                session.packets.get(other.id),
                session.approvals.get(approval.id),
            )
        assert left == replace(made, texts={text_digest("kept"): "kept"})
        assert untouched == other
        assert done is not None
        assert done.result == Result(code="exit_0", output=None)

    @staticmethod
    def _seen(store: Store, principal: Principal, document: str, version: str | None = None) -> list[str]:
        with store.begin(principal) as session:
            return [each.id for each in session.packets.resting_on(document, version)]


class ErasedContract:
    """Erased revisions. Needs an empty `store`."""

    def test_an_erased_revision_has_no_text_and_no_words_of_its_own_about_it(self, store: Store) -> None:
        with store.curate() as curation:
            described = descriptor(title="Words", author="Somebody", source_type="chat", readers=["tenant:a"])
            standing = curation.add(revision(), described, ALWAYS, NOW)
        retire(store, standing, Status.ERASED)
        with store.begin(ANN) as session:
            (now,) = session.catalogue.standings("DOC")
            assert session.catalogue.revision(standing.key) is None
            assert session.corpus.candidates([PassageKey(standing.key, 0)], 1) == {}
        bare = replace(standing.descriptor, title=None, author=None)
        assert now == replace(standing, status=Status.ERASED, descriptor=bare, since=2)
        assert store.changes(0, 10).changes[0].standing is None
        with store.begin(BEN) as session:
            assert list(session.catalogue.standings()) == []

    @pytest.mark.parametrize("before", [Status.LIVE, Status.WITHDRAWN, Status.DELETED])
    def test_whatever_was_not_erased_may_be_and_then_nothing_more(self, store: Store, before: Status) -> None:
        standing = ingest(store)
        retire(store, standing, before)
        retire(store, standing, Status.ERASED)
        retire(store, standing, Status.ERASED)
        for state in STATES[:-1]:
            with pytest.raises(Conflict):
                retire(store, standing, state)
        with pytest.raises(Conflict):
            ingest(store, text="other words")

    def test_an_erasure_is_unfinished_until_it_is_said_to_be_finished(self, store: Store) -> None:
        one, two = ingest(store, "A"), ingest(store, "B")
        retire(store, ingest(store, "C"), Status.DELETED)
        for standing in (two, one):
            retire(store, standing, Status.ERASED)
        assert self._unfinished(store) == [one.id, two.id]
        with store.curate() as session:
            session.erasures.finish([one.id, RevisionId("unknown", "1")])
        assert self._unfinished(store) == [two.id]
        with suppress(_Left), store.curate() as session:
            session.erasures.finish([two.id])
            raise _Left
        assert self._unfinished(store) == [two.id]

    def test_what_may_still_be_erased_is_everything_else_whoever_may_read_it(self, store: Store) -> None:
        live, hidden = ingest(store, "B"), ingest(store, "A", readers=[])
        gone, deleted = ingest(store, "C"), ingest(store, "D")
        retire(store, gone, Status.ERASED)
        retire(store, deleted, Status.DELETED)
        with store.curate() as session:
            found = list(session.erasures.candidates())
        assert found == [hidden, live, replace(deleted, status=Status.DELETED, since=6)]

    def test_scrubbing_changes_nothing_that_is_kept(self, store: Store) -> None:
        standing = ingest(store)
        made = resting(standing.id, texts=("words",))
        keep(store, made)
        retire(store, ingest(store, "GONE"), Status.ERASED)
        store.scrub()
        with store.begin(ANN) as session:
            assert session.packets.get(made.id) == made
            assert session.catalogue.revision(standing.key) == revision()

    @staticmethod
    def _unfinished(store: Store) -> list[RevisionId]:
        with store.curate() as session:
            return list(session.erasures.unfinished())


class ErasureContract(DependentsContract, ErasedContract):
    """All of it. A subclass supplies a `store` fixture: an empty store."""


class _Left(Exception):
    """Raised inside a session to leave it."""
