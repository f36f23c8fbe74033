"""The contract of what a store keeps for the service: API keys, and replies to writes.

```python
class TestMyService(ServiceContract):
    @pytest.fixture
    def store(self) -> Store:
        return MyStore()
```
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Barrier

import pytest

from toulmin.domain.canonical import text_digest
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.question.api_key import ApiKey
from toulmin.domain.question.case import Principal
from toulmin.ports.replies import KEPT, Begun, OtherRequest, Replies, Reply, Run, UnderWay
from toulmin.ports.store import Store
from toulmin.testing.builders import NOW
from toulmin.testing.store import ANN, BEN, sequence

DESK = Principal(id="größe", tenant="a", groups=("ops", "dev"), roles=("reader", "service"))
LATER = NOW + timedelta(minutes=5, microseconds=7)
MOMENT = timedelta(microseconds=1)
ONE, OTHER = text_digest("one request"), text_digest("another")
DONE = Reply(status=201, body=b'{"gr\xc3\xb6\xc3\x9fe": "\\u0000"}\n\x00')


def api_key(key_id: str = "0a", *, created_at: datetime = NOW, **stated: datetime | str | None) -> ApiKey:
    """A key of `DESK`."""
    made = ApiKey(id=key_id, secret_sha256=text_digest(f"secret of {key_id}"), principal=DESK, created_at=created_at)
    return replace(made, **stated)  # type: ignore[arg-type]  # a test states what the fields take


def add(store: Store, *keys: ApiKey) -> None:
    """Keeps keys in one session."""
    with store.curate() as curation:
        for key in keys:
            curation.api_keys.add(key)


def revoke(store: Store, key_id: str, at: datetime) -> None:
    """Revokes a key in a session of its own."""
    with store.curate() as curation:
        curation.api_keys.revoke(key_id, at)


def begin(store: Store, key: str = "k", fingerprint: str = ONE, at: datetime = NOW, *, who: Principal = ANN) -> Begun:
    """Begins a write in a session of its own; it is overdue at `LATER`."""
    with store.begin(who, write=True) as session:
        return session.replies.begin(key, fingerprint, at, LATER)


def begun(store: Store, key: str = "k", fingerprint: str = ONE, at: datetime = NOW, *, who: Principal = ANN) -> Run:
    """The same, where the caller is to carry the write out."""
    run = begin(store, key, fingerprint, at, who=who)
    assert isinstance(run, Run), run
    return run


def finish(store: Store, run: Run, reply: Reply = DONE, *, who: Principal = ANN) -> None:
    """Finishes a write in a session of its own."""
    with store.begin(who, write=True) as session:
        session.replies.finish(run, reply)


def abandon(store: Store, run: Run, *, who: Principal = ANN) -> None:
    """Abandons a write in a session of its own."""
    with store.begin(who, write=True) as session:
        session.replies.abandon(run)


class ApiKeyContract:
    """What every store does with API keys."""

    def test_a_key_comes_back_unchanged(self, store: Store) -> None:
        plain, full = api_key(), api_key("0b", label="Größe\u2028", expires_at=LATER)
        add(store, plain, full)
        assert (store.api_key("0a"), store.api_key("0b")) == (plain, full)
        with store.curate() as curation:
            assert curation.api_keys.get("0b") == full
            assert curation.api_keys.get("0c") is None
        assert store.api_key("0c") is None

    def test_all_keys_come_in_the_order_in_which_they_were_made(self, store: Store) -> None:
        keys = [api_key("0b"), api_key("0c"), api_key("0a", created_at=LATER)]
        assert list(store.api_keys()) == []
        for key in reversed(keys):
            add(store, key)
        assert list(store.api_keys()) == keys

    def test_an_id_that_is_taken_changes_nothing(self, store: Store) -> None:
        add(store, api_key())
        with pytest.raises(Conflict) as refused:
            add(store, api_key("0b"), api_key(label="other"))
        assert refused.value.code == "api_key_exists"
        assert list(store.api_keys()) == [api_key()]

    def test_a_key_is_revoked_once_and_only_that_one(self, store: Store) -> None:
        add(store, api_key(), api_key("0b"))
        revoke(store, "0a", NOW)
        revoke(store, "0a", LATER)
        revoke(store, "0c", LATER)
        assert list(store.api_keys()) == [api_key(revoked_at=NOW), api_key("0b")]

    def test_a_session_or_step_left_by_an_exception_changes_no_key(self, store: Store) -> None:
        add(store, api_key())
        with suppress(_Left), store.curate() as curation:
            curation.api_keys.add(api_key("0b"))
            curation.api_keys.revoke("0a", NOW)
            raise _Left
        with store.curate() as curation:
            with suppress(_Left), curation.step():
                curation.api_keys.add(api_key("0c"))
                curation.api_keys.revoke("0a", NOW)
                raise _Left
            with curation.step():
                curation.api_keys.add(api_key("0d"))
        assert list(store.api_keys()) == [api_key(), api_key("0d")]

    def test_keys_are_no_change_of_the_corpus(self, store: Store) -> None:
        add(store, api_key())
        revoke(store, "0a", NOW)
        assert sequence(store) == 0
        assert store.outlook(0).sequence == 0

    def test_who_looks_a_key_up_does_not_wait_for_a_writer_and_sees_what_is_committed(self, store: Store) -> None:
        add(store, api_key())
        with store.curate() as curation:
            curation.api_keys.revoke("0a", NOW)
            assert store.api_key("0a") == api_key()
        assert store.api_key("0a") == api_key(revoked_at=NOW)


class ReplyContract:
    """What every store does with replies to writes."""

    def test_a_write_is_carried_out_once_and_answered_with_its_reply_from_then_on(self, store: Store) -> None:
        run = begun(store)
        assert begin(store) == UnderWay(until=LATER)
        finish(store, run)
        assert begin(store) == begin(store, at=LATER) == DONE

    def test_a_reply_without_a_body_is_one(self, store: Store) -> None:
        empty = Reply(status=204, body=b"")
        finish(store, begun(store), empty)
        assert begin(store) == empty

    def test_a_key_that_was_given_with_another_request_is_refused(self, store: Store) -> None:
        run = begun(store)
        assert begin(store, fingerprint=OTHER) == begin(store, fingerprint=OTHER, at=LATER) == OtherRequest()
        finish(store, run)
        assert begin(store, fingerprint=OTHER) == OtherRequest()
        assert begin(store) == DONE

    def test_keys_are_apart_and_so_are_principals_and_their_tenants(self, store: Store) -> None:
        runs = [
            begun(store),
            begun(store, "l"),
            begun(store, who=BEN),
            begun(store, who=replace(ANN, tenant="b")),
            begun(store, who=Principal(id=ANN.id)),
        ]
        assert len({run.number for run in runs}) == len(runs)
        finish(store, runs[0])
        assert begin(store) == DONE
        for key, who in (("l", ANN), ("k", BEN), ("k", replace(ANN, tenant="b")), ("k", Principal(id=ANN.id))):
            assert begin(store, key, who=who) == UnderWay(until=LATER)

    def test_a_principal_whose_groups_or_roles_change_keeps_its_keys(self, store: Store) -> None:
        finish(store, begun(store))
        assert begin(store, who=replace(ANN, groups=(), roles=("curator",))) == DONE

    def test_an_abandoned_write_may_be_begun_again_at_once_and_as_another_request(self, store: Store) -> None:
        abandon(store, begun(store))
        begun(store, fingerprint=OTHER)

    def test_a_write_whose_process_died_is_begun_again_once_it_is_overdue(self, store: Store) -> None:
        died = begun(store)
        assert begin(store, at=LATER - MOMENT) == UnderWay(until=LATER)
        again = begun(store, at=LATER)
        assert again != died
        finish(store, again)
        assert begin(store, at=LATER) == DONE

    def test_who_was_taken_for_dead_changes_nothing_any_more(self, store: Store) -> None:
        late = begun(store)
        with store.begin(ANN, write=True) as session:
            again = session.replies.begin("k", ONE, LATER, LATER + timedelta(hours=1))
        assert isinstance(again, Run)
        finish(store, late)
        abandon(store, late)
        assert begin(store, at=LATER) == UnderWay(until=LATER + timedelta(hours=1))
        finish(store, again)
        finish(store, late, Reply(status=500, body=b""))
        abandon(store, again)
        assert begin(store, at=LATER) == DONE

    def test_another_principal_can_neither_finish_nor_abandon_a_write(self, store: Store) -> None:
        run = begun(store)
        finish(store, run, who=BEN)
        abandon(store, run, who=BEN)
        assert begin(store) == UnderWay(until=LATER)

    def test_a_key_expires_a_day_after_its_write_was_begun_whatever_became_of_it(self, store: Store) -> None:
        finish(store, begun(store, "done"))
        begun(store, "under way")
        for key in ("done", "under way"):
            assert begin(store, key, OTHER, NOW + KEPT - MOMENT) == OtherRequest()
        for key in ("done", "under way"):
            begun(store, key, OTHER, NOW + KEPT)

    def test_a_reading_session_keeps_no_reply(self, store: Store) -> None:
        run = begun(store)
        with store.begin(ANN) as session:
            replies: Replies = session.replies
            with pytest.raises(StoreFault):
                replies.begin("l", ONE, NOW, LATER)
            with pytest.raises(StoreFault):
                replies.finish(run, DONE)
            with pytest.raises(StoreFault) as refused:
                replies.abandon(run)
        assert refused.value.code == "read_only_session"
        assert begin(store) == UnderWay(until=LATER)

    def test_a_session_left_by_an_exception_keeps_nothing(self, store: Store) -> None:
        with suppress(_Left), store.begin(ANN, write=True) as session:
            session.replies.begin("k", ONE, NOW, LATER)
            raise _Left
        run = begun(store)
        with suppress(_Left), store.begin(ANN, write=True) as session:
            session.replies.finish(run, DONE)
            raise _Left
        assert begin(store) == UnderWay(until=LATER)

    def test_of_those_who_begin_at_the_same_moment_exactly_one_carries_it_out(self, store: Store) -> None:
        together = Barrier(4)

        def one(_: int) -> Begun:
            together.wait()
            return begin(store)

        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(one, range(4)))
        assert sorted(isinstance(each, Run) for each in found) == [False, False, False, True]
        assert found.count(UnderWay(until=LATER)) == 3


class ServiceContract(ApiKeyContract, ReplyContract):
    """What every store keeps for the service. The suite's store is empty."""

    @pytest.fixture
    def store(self) -> Store:
        """The store under test."""
        raise NotImplementedError("give the suite an empty store")


class _Left(Exception):
    """A session's body gives up."""
