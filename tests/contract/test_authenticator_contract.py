from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.unit.tokens import ADA, SetClock, jwt, token
from toulmin.adapters.memory.store import MemoryStore
from toulmin.application.api_keys import new_key, revoke_key
from toulmin.application.authentication import ApiKeyAuthenticator, SubjectAuthenticator, TokenAuthenticator
from toulmin.domain.question.case import Principal
from toulmin.ports.authenticator import Authenticator, Denied, Reason
from toulmin.testing.authenticator import AuthenticatorContract

GONE = replace(ADA, active=False)


class TestJwtAuthenticator(AuthenticatorContract):
    @pytest.fixture
    def authenticator(self) -> Authenticator:
        return jwt()

    @pytest.fixture
    def known(self) -> Mapping[str, Principal]:
        return {token(): ADA, token(sub="bo", groups=None): Principal(id="bo", tenant="acme", roles=("reader",))}

    @pytest.fixture
    def inactive(self) -> str:
        return token(active=False)


class TestApiKeyAuthenticator(AuthenticatorContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def authenticator(self, store: MemoryStore) -> Authenticator:
        return ApiKeyAuthenticator(store, SetClock())

    @pytest.fixture
    def known(self, store: MemoryStore) -> Mapping[str, Principal]:
        return {new_key(ADA, store, SetClock()).token: ADA}

    @pytest.fixture
    def inactive(self, store: MemoryStore) -> str:
        return new_key(GONE, store, SetClock()).token

    def test_a_key_that_is_replayed_after_it_was_revoked_is_denied(self, store: MemoryStore) -> None:
        authenticator, made = ApiKeyAuthenticator(store, SetClock()), new_key(ADA, store, SetClock())
        assert authenticator.authenticate(made.token) == ADA
        revoke_key(made.key.id, store, SetClock())
        assert authenticator.authenticate(made.token) == Denied(Reason.API_KEY)


class TestSubjectAuthenticator(AuthenticatorContract):
    @pytest.fixture
    def authenticator(self) -> Authenticator:
        return SubjectAuthenticator({"CN=desk,O=Example": ADA, "CN=gone,O=Example": GONE})

    @pytest.fixture
    def known(self) -> Mapping[str, Principal]:
        return {"CN=desk,O=Example": ADA}

    @pytest.fixture
    def inactive(self) -> str:
        return "CN=gone,O=Example"

    @pytest.mark.parametrize("subject", ["cn=desk,O=Example", "CN=desk, O=Example", "O=Example,CN=desk", "CN=desk"])
    def test_a_subject_is_known_by_its_exact_text(self, authenticator: Authenticator, subject: str) -> None:
        assert authenticator.authenticate(subject) == Denied(Reason.SUBJECT)


class TestTokenAuthenticator(AuthenticatorContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def authenticator(self, store: MemoryStore) -> Authenticator:
        return TokenAuthenticator(api_keys=ApiKeyAuthenticator(store, SetClock()), signed=jwt())

    @pytest.fixture
    def known(self, store: MemoryStore) -> Mapping[str, Principal]:
        return {new_key(ADA, store, SetClock()).token: ADA, token(): ADA}

    @pytest.fixture
    def inactive(self) -> str:
        return token(active=False)

    def test_a_kind_that_is_not_accepted_is_not_even_looked_at(self, store: MemoryStore) -> None:
        made = new_key(ADA, store, SetClock()).token
        assert TokenAuthenticator(signed=jwt()).authenticate(made) == Denied(Reason.KIND)
        assert TokenAuthenticator(api_keys=jwt()).authenticate(token()) == Denied(Reason.KIND)
