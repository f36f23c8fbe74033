"""The authenticator of signed tokens."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from toulmin.adapters.jwt.claims import Trust, principal_in
from toulmin.adapters.jwt.sources import KeySource
from toulmin.adapters.jwt.tokens import verified_claims
from toulmin.domain.question.case import Principal
from toulmin.ports.authenticator import Denied
from toulmin.ports.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class JwtAuthenticator:
    """Knows callers by tokens that their issuer has signed, with one of some algorithms."""

    trust: Trust
    keys: KeySource
    algorithms: Collection[str]
    clock: Clock

    def authenticate(self, credential: str) -> Principal | Denied:
        claims = verified_claims(credential, self.keys, self.algorithms)
        return claims if isinstance(claims, Denied) else principal_in(claims, self.trust, self.clock.now())
