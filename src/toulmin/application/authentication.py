"""Knowing a caller by a credential, whatever its kind: API keys, the subjects that a proxy has verified, and several kinds of tokens together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toulmin.application.api_keys import examine
from toulmin.domain.question.api_key import Refusal
from toulmin.domain.question.case import Principal
from toulmin.ports.api_keys import KeptApiKeys
from toulmin.ports.authenticator import Authenticator, Denied, Reason
from toulmin.ports.clock import Clock

_API_KEY = "tlm_"
"""How every API key begins, and no signed token does."""


@dataclass(frozen=True, slots=True)
class ApiKeyAuthenticator:
    """Knows callers by their API keys; a revoked one is not known from the next request on."""

    keys: KeptApiKeys
    clock: Clock

    def authenticate(self, credential: str) -> Principal | Denied:
        found = examine(credential, self.keys, self.clock)
        return Denied(Reason.API_KEY) if isinstance(found, Refusal) else _active(found)


@dataclass(frozen=True, slots=True)
class SubjectAuthenticator:
    """Knows callers by the exact name of the subject that somebody else has verified."""

    subjects: Mapping[str, Principal]

    def authenticate(self, credential: str) -> Principal | Denied:
        found = self.subjects.get(credential)
        return Denied(Reason.SUBJECT) if found is None else _active(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenAuthenticator:
    """Knows callers by bearer tokens of either kind, which the token itself tells; None: that kind is not accepted."""

    api_keys: Authenticator | None = None
    signed: Authenticator | None = None

    def authenticate(self, credential: str) -> Principal | Denied:
        chosen = self.api_keys if credential.startswith(_API_KEY) else self.signed
        return Denied(Reason.KIND) if chosen is None else chosen.authenticate(credential)


def _active(principal: Principal) -> Principal | Denied:
    return principal if principal.active else Denied(Reason.INACTIVE)
