"""Signed tokens for tests: an issuer with keys, and tokens that nobody should believe."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from joserfc.jwk import ECKey, Key, OKPKey, RSAKey
from joserfc.jws import JWSRegistry

from toulmin.adapters.jwt.authenticator import JwtAuthenticator
from toulmin.adapters.jwt.claims import Trust
from toulmin.adapters.jwt.keys import KeySet, read_keys
from toulmin.adapters.jwt.sources import KeySource
from toulmin.domain.question.case import Principal

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
TRUST = Trust(
    issuer="https://issuer.example",
    audience="toulmin",
    leeway_s=60,
    tenant="tenant",
    groups="groups",
    roles="roles",
)
ALGORITHMS = frozenset({"RS256", "PS256", "ES256", "Ed25519", "EdDSA"})
CLAIMS: Mapping[str, Any] = {
    "iss": "https://issuer.example",
    "aud": "toulmin",
    "sub": "ada",
    "exp": SECONDS + 300,
    "iat": SECONDS,
    "tenant": "acme",
    "groups": ["desk"],
    "roles": ["reader"],
}
ADA = Principal(id="ada", tenant="acme", groups=("desk",), roles=("reader",))


@dataclass(slots=True)
class SetClock:
    """A clock that shows what it is set to."""

    at: datetime = NOW

    def now(self) -> datetime:
        return self.at

    def new_id(self) -> str:
        return "id"


@dataclass(slots=True)
class StandingKeys:
    """A `KeySource` whose newer keys are others from the second time on; it counts how often it is asked for them."""

    known: KeySet
    later: KeySet | None = None
    asked: int = 0

    def keys(self) -> KeySet:
        return self.known

    def newer(self) -> KeySet:
        self.asked += 1
        self.known = self.later or self.known
        return self.known


@cache
def key(kind: str = "RSA", name: str = "k1") -> Key:
    """A private key; the same for the same name."""
    parameters: Any = {"kid": name}
    made: Mapping[str, Key] = {
        "RSA": RSAKey.generate_key(2048, parameters=parameters),
        "EC": ECKey.generate_key("P-256", parameters=parameters),
        "OKP": OKPKey.generate_key("Ed25519", parameters=parameters),
    }
    return made[kind]


def public(*keys: Key, **more: object) -> dict[str, Any]:
    """The JWK set of keys, with more members for each."""
    return {"keys": [{**each.as_dict(private=False), **more} for each in keys]}


def key_set(*keys: Key, **more: object) -> KeySet:
    return read_keys(json.dumps(public(*keys, **more)).encode(), "jwks")


def encoded(value: object) -> str:
    """A part of a token: base64url of JSON, or of the bytes as they are."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A token in the making: signed with `by`, by `algorithm`, whatever its header says; or with a secret, by HMAC-SHA-256."""

    header: Any = field(default_factory=lambda: {"alg": "RS256", "kid": "k1", "typ": "JWT"})
    claims: Any = field(default_factory=lambda: dict(CLAIMS))
    by: Key | None = None
    algorithm: str = "RS256"
    secret: bytes | None = None

    def __str__(self) -> str:
        signed = f"{encoded(self.header)}.{encoded(self.claims)}"
        return f"{signed}.{encoded(self._signature(signed.encode()))}"

    def _signature(self, signed: bytes) -> bytes:
        if self.secret is not None:
            return hmac.digest(self.secret, signed, "sha256")
        return JWSRegistry.algorithms[self.algorithm].sign(signed, self.by or key())


def token(**claims: object) -> str:
    """A token of the issuer, whose claims are the usual ones but for those that are given; a claim of None is left out."""
    return str(Made(claims={name: value for name, value in {**CLAIMS, **claims}.items() if value is not None}))


def with_header(**header: object) -> str:
    """A token with other members in its header."""
    made = Made()
    return str(replace(made, header={**made.header, **header}))


def jwt(
    keys: Sequence[Key] = (), *, clock: SetClock | None = None, source: KeySource | None = None, **trust: Any
) -> JwtAuthenticator:
    """The authenticator under test, with the issuer's key."""
    return JwtAuthenticator(
        trust=replace(TRUST, **trust),
        keys=source or StandingKeys(key_set(*(keys or (key(),)))),
        algorithms=ALGORITHMS,
        clock=clock or SetClock(),
    )
