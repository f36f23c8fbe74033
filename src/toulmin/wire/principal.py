"""The principal file: who asks, where nobody authenticated them (local use)."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from toulmin.domain.corpus.readers import group_token, readers, tenant_token
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.wire import strict_toml
from toulmin.wire.model import Strict, located, read
from toulmin.wire.node import Node
from toulmin.wire.scalars import Identifier, Truth, choice

Role = Literal["reader", "curator", "reviewer", "operator", "auditor", "service"]


class _Principal(Strict):
    id: Identifier
    tenant: Identifier | None = None
    groups: tuple[Identifier, ...] = ()
    roles: tuple[Annotated[Role, choice(*get_args(Role))], ...] = ()
    active: Truth = True


def read_principal(data: str | bytes, source: str) -> Principal:
    """The principal of a `principal.toml`; raises `InputError` with file and key path."""
    return principal_of(strict_toml.parse(data, source), source)


def principal_of(node: Node, source: str) -> Principal:
    """The principal that a node states: of a file, or of command options.

    Raises `InputError`, also for a tenant or group that no reader token could name.
    """
    form = read(_Principal, node, source)
    try:
        principal = Principal(**form.model_dump())
    except InputError as error:
        raise located(error, node, source, ("groups",)) from None
    if principal.tenant is not None:
        _refuse_unnameable(tenant_token(principal.tenant), "tenant", node, source)
        for group in principal.groups:
            _refuse_unnameable(group_token(principal.tenant, group), "groups", node, source)
    return principal


def _refuse_unnameable(token: str, key: str, node: Node, source: str) -> None:
    try:
        readers([token])
    except InputError as error:
        advice = "use no white space, ':' or '/' in tenants and groups"
        raise located(InputError(error.code, error.message, remedy=advice), node, source, (key,)) from None
