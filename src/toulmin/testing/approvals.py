"""The contract of kept approvals: what every store promises of them.

```python
class TestMyApprovals(ApprovalsContract):
    @pytest.fixture
    def store(self) -> Store:
        return MyStore()
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from toulmin.domain.canonical import text_digest
from toulmin.domain.corpus.document import RevisionId, Status
from toulmin.domain.errors import Conflict, Refused, StoreFault
from toulmin.domain.policy import Policy
from toulmin.domain.proof.approval import (
    Approval,
    Lease,
    Operation,
    Person,
    Result,
    State,
    Step,
    Worker,
    parameters,
    request,
)
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.ports.approvals import Wanted
from toulmin.ports.store import Store
from toulmin.testing.builders import NOW, packet
from toulmin.testing.store import ANN, BEN, give_to, ingest, retire

CAT = Principal(id="cat", roles=("reader",))
LATER = NOW + timedelta(minutes=5, microseconds=7)
DAY = timedelta(days=1)
BEFORE = NOW - 30 * DAY


def approval_on(
    packet_id: str,
    approval_id: str = "ap-1",
    *,
    name: str = "send",
    requester: Principal = CAT,
    instance: str = "once",
    comment: str | None = None,
) -> Approval:
    """A request on a packet; another name, instance or packet's evidence make another operation."""
    operation = Operation(
        name=name,
        params=parameters({"to": "größe@example.com", "cc": "b"}),
        instance=instance,
        evidence=f"ev-{text_digest('')}",
        policy=Policy().digest,
        answer=text_digest("Yes."),
    )
    return request(
        operation,
        approval_id=approval_id,
        packet=packet_id,
        principal=requester,
        at=NOW,
        policy=Policy(),
        comment=comment,
    )


def step(state: State, *, by: Principal | None = BEN, says: tuple[str, ...] = (), result: Result | None = None) -> Step:
    """A step, a while after the request."""
    lease = Lease(worker=Worker(host="here", process="1 2"), until=LATER) if state is State.EXECUTING else None
    person = None if by is None else Person.of(by)
    return Step(state=state, at=LATER, by=person, says=says, lease=lease, result=result)


class ApprovalsContract:
    """What every store does with approvals. Needs a `store` fixture: an empty store."""

    def test_a_request_comes_back_unchanged(self, store: Store) -> None:
        made = approval_on(_packet(store), comment="Größe\nzwei")
        _add(store, made)
        assert _get(store, made.id) == made
        assert _get(store, "ap-2") is None

    def test_every_step_comes_back_unchanged_and_in_order(self, store: Store) -> None:
        known = approval_on(_packet(store))
        _add(store, known)
        for next_step in (
            step(State.APPROVED),
            step(State.EXECUTING, says=("note one", "note two")),
            step(State.IN_DOUBT, by=None, says=("lost",)),
            step(State.EXECUTED, result=Result(code="exit_0", output="sent\n\t")),
        ):
            known = _advance(store, known, next_step)
            assert _get(store, known.id) == known
        assert len(known.history) == 5

    def test_a_step_on_what_has_moved_on_changes_nothing(self, store: Store) -> None:
        known = approval_on(_packet(store))
        _add(store, known)
        approved = _advance(store, known, step(State.APPROVED))
        for late in (State.REJECTED, State.APPROVED):
            with pytest.raises(Conflict) as caught:
                _advance(store, known, step(late))
            assert caught.value.code == "approval_moved"
        assert _get(store, known.id) == approved

    def test_a_step_that_may_not_follow_changes_nothing(self, store: Store) -> None:
        known = approval_on(_packet(store))
        _add(store, known)
        with pytest.raises(Refused):
            _advance(store, known, step(State.EXECUTED))
        assert _get(store, known.id) == known

    def test_another_tenant_does_not_see_what_a_tenant_asks_for_though_it_reads_the_sources(self, store: Store) -> None:
        known = approval_on(_packet(store), requester=ANN)
        _add(store, known)
        for who, seen in ((ANN, True), (BEN, False), (ANONYMOUS, True), (replace(ANN, id="other"), True)):
            with store.begin(who) as session:
                assert (session.approvals.get(known.id) == known) is seen
                assert (known in session.approvals.all()) is seen
                assert (session.approvals.holding(known.operation_id) == known) is seen

    def test_an_operation_has_one_approval_until_it_ends_without_effect(self, store: Store) -> None:
        on = _packet(store)
        first, second = approval_on(on), approval_on(on, "ap-2")
        _add(store, first)
        assert _holding(store, first.operation_id) == first
        with pytest.raises(Conflict) as caught:
            _add(store, second)
        assert caught.value.code == "operation_taken"
        assert _all(store) == [first]
        rejected = _advance(store, first, step(State.REJECTED))
        assert _holding(store, first.operation_id) is None
        _add(store, second)
        assert _holding(store, first.operation_id) == second
        assert _all(store) == [rejected, second]

    @pytest.mark.parametrize("ending", [State.EXECUTED, State.FAILED, State.IN_DOUBT, None])
    def test_an_operation_that_was_begun_is_never_requested_again(self, store: Store, ending: State | None) -> None:
        on = _packet(store)
        known = approval_on(on)
        _add(store, known)
        known = _advance(store, _advance(store, known, step(State.APPROVED)), step(State.EXECUTING))
        if ending is not None:
            known = _advance(store, known, step(ending, result=Result(code="c", output="")))
        with pytest.raises(Conflict):
            _add(store, approval_on(on, "ap-2"))
        assert _all(store) == [known]

    def test_the_same_operation_on_another_packet_is_the_same_operation(self, store: Store) -> None:
        one, other = _packet(store), _packet(store, "OTHER")
        _add(store, approval_on(one))
        with pytest.raises(Conflict):
            _add(store, approval_on(other, "ap-2"))
        _add(store, approval_on(other, "ap-3", instance="twice"))
        assert [each.id for each in _all(store)] == ["ap-1", "ap-3"]

    def test_all_come_in_the_order_of_their_requests(self, store: Store) -> None:
        on = _packet(store)
        ids = [f"ap-{number}" for number in (3, 1, 2)]
        for name in ids:
            _add(store, approval_on(on, name, instance=name))
        assert [each.id for each in _all(store)] == ids

    def test_a_queue_has_a_part_of_them_in_the_wanted_order_and_counts_all(self, store: Store) -> None:
        on = _packet(store)
        made = [replace(approval_on(on, f"ap-{n}", instance=str(n)), expires_at=LATER - n * DAY) for n in range(4)]
        for each in made:
            _add(store, each)
        made[1] = _advance(store, made[1], step(State.REJECTED))
        counts = {State.REQUESTED: 3, State.REJECTED: 1}
        assert _queue(store, Wanted(at=BEFORE)) == (["ap-3", "ap-2", "ap-1", "ap-0"], counts)
        assert _queue(store, Wanted(at=BEFORE, by_deadline=True, skip=1, limit=2)) == (["ap-2", "ap-1"], counts)
        assert _queue(store, Wanted(at=BEFORE, states=frozenset({State.REJECTED}))) == (["ap-1"], counts)
        with store.begin(ANN) as session:
            assert session.approvals.queue(Wanted(at=BEFORE, limit=4)).approvals == made[::-1]

    def test_what_has_expired_is_queued_as_such_before_anybody_records_it(self, store: Store) -> None:
        on = _packet(store)
        for name, expires_at in (("ap-1", LATER), ("ap-2", LATER + DAY), ("ap-3", LATER - DAY)):
            _add(store, replace(approval_on(on, name, instance=name), expires_at=expires_at))
        with store.begin(ANN) as session:
            rejected = session.approvals.get("ap-3")
        assert rejected is not None
        _advance(store, rejected, step(State.REJECTED))
        counts = {State.EXPIRED: 1, State.REQUESTED: 1, State.REJECTED: 1}
        assert _queue(store, Wanted(at=LATER, states=frozenset({State.EXPIRED}))) == (["ap-1"], counts)

    def test_a_queue_is_of_an_operation_of_who_requested_it_or_of_everybody_else(self, store: Store) -> None:
        on = _packet(store)
        for name, operation, who in (
            ("ap-1", "send", ANN),
            ("ap-2", "send", CAT),
            ("ap-3", "print", ANN),
            ("ap-4", "print", replace(ANN, tenant=None, groups=())),
        ):
            _add(store, approval_on(on, name, instance=name, name=operation, requester=who))
        assert _queue(store, Wanted(at=NOW, operation="send")) == (["ap-2", "ap-1"], {State.REQUESTED: 2})
        assert _queue(store, Wanted(at=NOW, requester="ann"))[0] == ["ap-4", "ap-3", "ap-1"]
        assert _queue(store, Wanted(at=NOW, but=ANN))[0] == ["ap-4", "ap-2"]
        assert _queue(store, Wanted(at=NOW, but=replace(ANN, tenant=None, groups=())))[0] == ["ap-3", "ap-2", "ap-1"]
        assert _queue(store, Wanted(at=NOW, operation="none")) == ([], {})

    def test_an_approval_is_for_those_who_may_read_all_sources_of_its_packet(self, store: Store) -> None:
        shared = ingest(store, "SHARED", readers=["tenant:a", "tenant:b"])
        of_ann = ingest(store, "OF-ANN", readers=["group:a/ops"])
        one = approval_on(_packet_of(store, shared.id), "ap-1", instance="1")
        both = approval_on(_packet_of(store, shared.id, of_ann.id), "ap-2", instance="2")
        for each in (one, both):
            _add(store, each)
        assert _seen(store, ANN, one, both) == [True, True]
        assert _seen(store, BEN, one, both) == [True, False]
        assert _seen(store, ANONYMOUS, one, both) == [False, False]
        assert _seen(store, replace(ANN, active=False), one, both) == [False, False]

    def test_who_loses_access_to_a_source_loses_the_approval(self, store: Store) -> None:
        standing = ingest(store, readers=["tenant:a"])
        known = approval_on(_packet_of(store, standing.id))
        _add(store, known)
        give_to(store, standing, "tenant:b")
        assert _seen(store, ANN, known) == [False]
        assert _seen(store, BEN, known) == [True]

    @pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
    def test_a_retired_source_keeps_the_readers_that_it_had_last(self, store: Store, status: Status) -> None:
        standing = ingest(store, readers=["tenant:a"])
        known = approval_on(_packet_of(store, standing.id))
        _add(store, known)
        retire(store, standing, status)
        assert _seen(store, ANN, known) == [True]
        assert _seen(store, BEN, known) == [False]

    def test_a_step_is_kept_whoever_may_see_the_approval_by_then(self, store: Store) -> None:
        standing = ingest(store, readers=["tenant:a"])
        known = approval_on(_packet_of(store, standing.id))
        _add(store, known)
        give_to(store, standing, "tenant:b")
        with store.begin(ANN, write=True) as session:
            moved = session.approvals.advance(known, step(State.APPROVED))
        with store.begin(BEN) as session:
            assert session.approvals.get(known.id) == moved

    def test_a_reading_session_keeps_nothing(self, store: Store) -> None:
        on = _packet(store)
        known = approval_on(on)
        with store.begin(ANN) as session, pytest.raises(StoreFault):
            session.approvals.add(known)
        _add(store, known)
        with store.begin(ANN) as session, pytest.raises(StoreFault):
            session.approvals.advance(known, step(State.APPROVED))
        assert _all(store) == [known]

    def test_a_session_left_by_an_exception_keeps_nothing(self, store: Store) -> None:
        known = approval_on(_packet(store))
        with suppress(_Left), store.begin(ANN, write=True) as session:
            session.approvals.add(known)
            raise _Left
        assert _all(store) == []
        _add(store, known)
        with suppress(_Left), store.begin(ANN, write=True) as session:
            session.approvals.advance(known, step(State.APPROVED))
            raise _Left
        assert _get(store, known.id) == known


class _Left(Exception):
    """Ends a session before its end."""


def _packet(store: Store, document: str = "DOC") -> str:
    """A kept packet that everybody may read."""
    return _packet_of(store, ingest(store, document).id)


def _packet_of(store: Store, *sources: RevisionId) -> str:
    made = packet(*sources)
    with store.begin(ANN, write=True) as session:
        session.packets.add(made)
    return made.id


def _add(store: Store, approval: Approval) -> None:
    with store.begin(ANN, write=True) as session:
        session.approvals.add(approval)


def _advance(store: Store, approval: Approval, next_step: Step) -> Approval:
    with store.begin(ANN, write=True) as session:
        return session.approvals.advance(approval, next_step)


def _get(store: Store, approval_id: str) -> Approval | None:
    with store.begin(ANN) as session:
        return session.approvals.get(approval_id)


def _holding(store: Store, operation: str) -> Approval | None:
    with store.begin(ANN) as session:
        return session.approvals.holding(operation)


def _all(store: Store) -> list[Approval]:
    with store.begin(ANN) as session:
        return list(session.approvals.all())


def _queue(store: Store, wanted: Wanted) -> tuple[list[str], Mapping[State, int]]:
    """The ids of a queue, and its counts."""
    with store.begin(ANN) as session:
        found = session.approvals.queue(wanted)
    return [each.id for each in found.approvals], found.counts


def _seen(store: Store, principal: Principal, *approvals: Approval) -> list[bool]:
    """Which of the approvals a principal sees, after asking every method that shows them."""
    with store.begin(principal) as session:
        got = [session.approvals.get(each.id) for each in approvals]
        held = [session.approvals.holding(each.operation_id) for each in approvals]
        every: Sequence[Approval] = session.approvals.all()
        queued = session.approvals.queue(Wanted(at=NOW))
    seen = [each is not None for each in got]
    assert (sorted(each.id for each in every), sum(queued.counts.values())) == (
        sorted(each.id for each in queued.approvals),
        len(every),
    )
    assert seen == [each is not None for each in held] == [each in every for each in approvals]
    return seen
