"""Claims of a verified token: whom it was made for, when it holds, and whom it tells of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeGuard

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.ports.authenticator import Denied, Reason
from toulmin.wire.node import node_of
from toulmin.wire.principal import ROLES, principal_of

Claims = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Which tokens are believed: by whom and for whom they are made, how many seconds the clocks may differ; and what their claims are called."""

    issuer: str
    audience: str
    leeway_s: int
    tenant: str
    groups: str
    roles: str


def principal_in(claims: Claims, trust: Trust, now: datetime) -> Principal | Denied:
    """The principal that claims tell of, if the token is for here and now."""
    reason = _wrong_parties(claims, trust) or _wrong_time(claims, trust.leeway_s, now.timestamp())
    return Denied(reason) if reason else _principal(claims, trust)


def _wrong_parties(claims: Claims, trust: Trust) -> Reason | None:
    audience = claims.get("aud")
    if claims.get("iss") != trust.issuer:
        return Reason.ISSUER
    if trust.audience not in (audience if isinstance(audience, tuple) else (audience,)):
        return Reason.AUDIENCE
    return None


def _wrong_time(claims: Claims, leeway_s: int, now: float) -> Reason | None:
    """A token has to say when it ends. One that says it was issued later than now holds as little as one that does not hold yet."""
    times = {name: claims[name] for name in ("exp", "nbf", "iat") if name in claims}
    if "exp" not in times or not _are_times(times):
        return Reason.TIME
    if now >= times.pop("exp") + leeway_s:
        return Reason.EXPIRED
    return Reason.NOT_YET if any(now < begins - leeway_s for begins in times.values()) else None


def _are_times(values: dict[str, object]) -> TypeGuard[dict[str, float]]:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values.values())


def _principal(claims: Claims, trust: Trust) -> Principal | Denied:
    """The claims as a principal, none taken for another type. Roles of other programs are left out: they give no right here."""
    stated = {"id": "sub", "tenant": trust.tenant, "groups": trust.groups, "roles": trust.roles, "active": "active"}
    given = {name: claims[claim] for name, claim in stated.items() if claim in claims}
    roles = given.get("roles")
    if isinstance(roles, tuple):
        given["roles"] = tuple(role for role in roles if role in ROLES or not isinstance(role, str))
    try:
        principal = principal_of(node_of(given, "token"), "token")
    except InputError:
        return Denied(Reason.CLAIMS)
    return principal if principal.active else Denied(Reason.INACTIVE)
