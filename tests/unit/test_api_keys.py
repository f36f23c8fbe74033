from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.world import StillClock
from toulmin.adapters.memory.store import MemoryStore
from toulmin.application.api_keys import IssuedKey, examine, new_key, revoke_key
from toulmin.domain.canonical import canonical_json, text_digest
from toulmin.domain.errors import Conflict, InputError, NotFound
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.question.api_key import ApiKey, Refusal, read_token, token_of
from toulmin.domain.question.case import Principal
from toulmin.testing.builders import NOW
from toulmin.testing.ledger import entries

DESK = Principal(id="desk", tenant="acme", groups=("ops",), roles=("reader", "service"))
DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)
SECRETS = st.text("0123456789abcdef", min_size=64, max_size=64)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def issued(store: MemoryStore, clock: StillClock) -> IssuedKey:
    """A key that lives for a day."""
    return new_key(DESK, store, clock, label="the desk", expires_at=NOW + DAY)


def other(text: str) -> str:
    """A text of the same length that differs in its last digit."""
    return text[:-1] + ("1" if text[-1] == "0" else "0")


# Tokens


@given(st.text("0123456789abcdef", min_size=10, max_size=10), SECRETS)
def test_a_token_is_read_as_the_id_and_the_secret_that_it_was_made_of(key_id: str, secret: str) -> None:
    assert read_token(token_of(key_id, secret)) == (key_id, secret)


@given(
    st.text() | SECRETS.map(lambda secret: f"tlm_{secret}") | SECRETS.map(lambda secret: f"tlm_0123456789_{secret}\n")
)
def test_nothing_else_is_read_as_a_token(text: str) -> None:
    assert read_token(text) is None


@given(SECRETS, SECRETS)
def test_only_the_secret_itself_is_accepted(secret: str, presented: str) -> None:
    key = ApiKey(id="0a", secret_sha256=text_digest(secret), principal=DESK, created_at=NOW)
    assert (key.refusal(presented, NOW) is None) == (presented == secret)
    assert key.refusal(text_digest(secret), NOW) is Refusal.WRONG_SECRET, "what is kept opens nothing"


# Making


def test_a_new_key_stands_for_its_principal(store: MemoryStore, clock: StillClock, issued: IssuedKey) -> None:
    assert examine(issued.token, store, clock) == DESK
    assert store.api_key(issued.key.id) == issued.key
    assert (issued.key.label, issued.key.expires_at, issued.key.created_at) == ("the desk", NOW + DAY, NOW)


def test_a_secret_is_256_random_bits_and_nothing_that_is_kept_or_shown_holds_it(
    store: MemoryStore, clock: StillClock
) -> None:
    made = [new_key(DESK, store, clock) for _ in range(20)]
    secrets = [read_token(each.token) for each in made]
    assert len({secret for _, secret in filter(None, secrets)}) == 20
    assert all(re.fullmatch("tlm_[0-9a-f]{10}_[0-9a-f]{64}", each.token) for each in made)
    said = repr((made, store.api_keys(), entries(store)))
    assert [secret for _, secret in filter(None, secrets) if secret in said] == []


def test_a_key_without_a_role_is_refused(store: MemoryStore, clock: StillClock) -> None:
    with pytest.raises(InputError) as refused:
        new_key(replace(DESK, roles=()), store, clock)
    assert refused.value.code == "no_role"
    assert "--role" in (refused.value.remedy or "")


@pytest.mark.parametrize("label", ["", "  ", "two\nlines", "\x1b[31m", "x" * 1001])
def test_a_label_that_cannot_be_shown_is_refused(store: MemoryStore, clock: StillClock, label: str) -> None:
    with pytest.raises(InputError) as refused:
        new_key(DESK, store, clock, label=label)
    assert refused.value.code == "bad_label"


def test_an_end_that_is_past_is_refused(store: MemoryStore, clock: StillClock) -> None:
    with pytest.raises(InputError) as refused:
        new_key(DESK, store, clock, expires_at=NOW)
    assert refused.value.code == "already_expired"
    assert list(store.api_keys()) == []
    assert entries(store) == []


def test_an_id_that_is_drawn_twice_takes_no_key_over(store: MemoryStore, clock: StillClock) -> None:
    first = new_key(DESK, store, clock, draw=lambda count: "0a" * count)
    with pytest.raises(Conflict):
        new_key(replace(DESK, id="thief"), store, clock, draw=lambda count: "0a" * count)
    assert examine(first.token, store, clock) == DESK


# Revoking and expiring


def test_a_revoked_key_is_refused_from_the_next_request_on(
    store: MemoryStore, clock: StillClock, issued: IssuedKey
) -> None:
    kept = new_key(DESK, store, clock)
    revoked = revoke_key(issued.key.id, store, clock)
    assert revoked == store.api_key(issued.key.id) == replace(issued.key, revoked_at=NOW)
    assert examine(issued.token, store, clock) is Refusal.REVOKED
    assert examine(kept.token, store, clock) == DESK


def test_a_host_whose_clock_is_behind_refuses_a_revoked_key_as_well(store: MemoryStore, issued: IssuedKey) -> None:
    revoke_key(issued.key.id, store, StillClock(at=NOW + DAY))
    assert examine(issued.token, store, StillClock(at=NOW)) is Refusal.REVOKED


def test_revoking_twice_is_revoking_once(store: MemoryStore, clock: StillClock, issued: IssuedKey) -> None:
    first = revoke_key(issued.key.id, store, clock)
    assert revoke_key(issued.key.id, store, StillClock(at=NOW + DAY)) == first
    assert [entry.kind for entry in entries(store)] == ["issue_key", "revoke_key"]


def test_revoking_what_is_not_there_says_so(store: MemoryStore, clock: StillClock) -> None:
    with pytest.raises(NotFound) as refused:
        revoke_key("0a", store, clock)
    assert refused.value.code == "no_such_api_key"
    assert entries(store) == []


def test_a_key_expires_at_its_end_and_not_before(store: MemoryStore, issued: IssuedKey) -> None:
    assert examine(issued.token, store, StillClock(at=NOW + DAY - MOMENT)) == DESK
    assert examine(issued.token, store, StillClock(at=NOW + DAY)) is Refusal.EXPIRED


def test_the_ledger_tells_of_keys_by_ids_and_digests(store: MemoryStore, clock: StillClock, issued: IssuedKey) -> None:
    revoke_key(issued.key.id, store, clock)
    said = principal_digest(DESK)
    assert [(entry.kind, entry.facts) for entry in entries(store)] == [
        (
            "issue_key",
            canonical_json({"key": issued.key.id, "principal": said, "expires_at": "2026-01-02T00:00:00Z"}),
        ),
        ("revoke_key", canonical_json({"key": issued.key.id, "principal": said})),
    ]


# Refusing


def test_each_way_to_be_refused_is_told_to_the_operator(
    store: MemoryStore, clock: StillClock, issued: IssuedKey
) -> None:
    token = issued.token
    revoked = new_key(DESK, store, clock)
    revoke_key(revoked.key.id, store, clock)
    expired = new_key(DESK, store, StillClock(at=NOW - DAY), expires_at=NOW)
    wrong = {
        Refusal.MALFORMED: ("", "tlm_", token.upper(), f" {token}", f"{token}0", token[4:]),
        Refusal.UNKNOWN: (token.replace(issued.key.id, other(issued.key.id)),),
        Refusal.WRONG_SECRET: (other(token), other(revoked.token), other(expired.token)),
        Refusal.REVOKED: (revoked.token,),
        Refusal.EXPIRED: (expired.token,),
    }
    assert set(wrong) == set(Refusal)
    for refusal, tokens in wrong.items():
        assert {examine(each, store, clock) for each in tokens} == {refusal}
