"""Signed tokens (JWT). Needs the extra `server`, which is loaded when an authenticator is made."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from toulmin.domain.errors import InputError
from toulmin.ports.authenticator import Authenticator
from toulmin.ports.clock import Clock

__all__ = ["Issuer", "jwt_authenticator"]

_VENDORS = ("joserfc", "httpx2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """Whose tokens are believed, and how they are read. `keys` is the file or the address of its JSON Web Key Set."""

    name: str
    audience: str
    keys: Path | str
    algorithms: Collection[str]
    leeway_s: int
    tenant_claim: str
    groups_claim: str
    roles_claim: str


def jwt_authenticator(issuer: Issuer, clock: Clock) -> Authenticator:
    """The `Authenticator` of an issuer's tokens. A file of keys is read at once, an address asked when the first token comes.

    Raises `InputError`: `missing_extra`, and where the file cannot be read or holds no key that could be used.
    """
    missing = next((name for name in _VENDORS if find_spec(name) is None), None)
    if missing:
        raise InputError(
            "missing_extra",
            f"tokens need the package {missing}, which is not installed",
            remedy='install it: pip install "toulmin[server]"',
        )
    from toulmin.adapters.jwt.authenticator import JwtAuthenticator
    from toulmin.adapters.jwt.claims import Trust
    from toulmin.adapters.jwt.fetching import fetched
    from toulmin.adapters.jwt.sources import KeyFile, PublishedKeys

    return JwtAuthenticator(
        trust=Trust(
            issuer=issuer.name,
            audience=issuer.audience,
            leeway_s=issuer.leeway_s,
            tenant=issuer.tenant_claim,
            groups=issuer.groups_claim,
            roles=issuer.roles_claim,
        ),
        keys=KeyFile(issuer.keys)
        if isinstance(issuer.keys, Path)
        else PublishedKeys(partial(fetched, issuer.keys), issuer.keys),
        algorithms=frozenset(issuer.algorithms),
        clock=clock,
    )
