"""API keys: who serves looks them up, the product's own hand makes and revokes them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from toulmin.domain.question.api_key import ApiKey


class ApiKeys(Protocol):
    """The keys, as part of a curation session. A key is never changed, but that it may be revoked, once."""

    def get(self, key_id: str) -> ApiKey | None:
        """The key; None where there is none."""

    def add(self, key: ApiKey) -> None:
        """Keeps a new key. Raises `Conflict` (`api_key_exists`) where its id is taken."""

    def revoke(self, key_id: str, at: datetime) -> None:
        """Revokes a key; one that was revoked before stays as it is."""


class KeptApiKeys(Protocol):
    """A store's keys, for those who look. Reads in a transaction of its own and never waits for a writer; what was committed is seen at once."""

    def api_key(self, key_id: str) -> ApiKey | None:
        """The key, revoked and expired ones included; None where there is none."""

    def api_keys(self) -> Sequence[ApiKey]:
        """All keys, by the instant at which they were made, and then by id."""
