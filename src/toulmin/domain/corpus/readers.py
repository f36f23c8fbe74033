"""Readers: who may see a document.

A reader token is `public`, `tenant:T` or `group:T/G`. A group belongs to a tenant, so that two tenants' groups of one
name stay apart. A document without readers is readable by nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from toulmin.domain.errors import InputError

PUBLIC = "public"

Readers = tuple[str, ...]
"""Reader tokens, sorted by their UTF-8 bytes, without repeats."""

_TOKEN = re.compile(r"public|tenant:[^\s:/]+|group:[^\s:/]+/[^\s:/]+")


def tenant_token(tenant: str) -> str:
    """The token of everybody in a tenant."""
    return f"tenant:{tenant}"


def of_another_tenant(tenant: str, tokens: Iterable[str]) -> bool:
    """Whether who holds the tokens belongs to a tenant, and not to this one."""
    held = {token for token in tokens if token.startswith("tenant:")}
    return bool(held) and tenant_token(tenant) not in held


def group_token(tenant: str, group: str) -> str:
    """The token of a tenant's group."""
    return f"group:{tenant}/{group}"


def of_tenant_alone(tenant: str, tokens: Readers) -> bool:
    """Whether there are readers, and each of them is the tenant or one of its groups."""
    groups = group_token(tenant, "")
    return bool(tokens) and all(token == tenant_token(tenant) or token.startswith(groups) for token in tokens)


def readers(tokens: Iterable[str]) -> Readers:
    """The canonical reader list; raises `InputError` naming the token that is none."""
    unique = sorted(set(tokens), key=str.encode)
    for token in unique:
        if not _TOKEN.fullmatch(token):
            raise InputError("bad_reader", f"{token!r} is not a reader", remedy=_remedy(token))
    return tuple(unique)


def _remedy(token: str) -> str:
    if token.startswith("group:"):
        return "a group belongs to a tenant: write group:TENANT/GROUP"
    return "write public, tenant:TENANT or group:TENANT/GROUP"
