"""The principal, where a text states it: a file or options (local use), the settings, the claims of a token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import AfterValidator, ValidationInfo

from toulmin.domain.corpus.readers import group_token, readers, tenant_token
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.wire import strict_toml
from toulmin.wire.model import Strict, read
from toulmin.wire.node import Node
from toulmin.wire.scalars import Identifier, Truth, choice, fault

T = TypeVar("T")

Role = Literal["reader", "curator", "reviewer", "operator", "auditor", "service"]
ROLES: tuple[str, ...] = get_args(Role)


def _checked(value: T, check: Callable[[], object], advice: str | None = None) -> T:
    """The value, if a domain rule has nothing against it."""
    try:
        check()
    except InputError as error:
        raise fault(error.code, error.message, advice or error.remedy or "") from None
    return value


def _tenant(tenant: str | None) -> str | None:
    return tenant if tenant is None else _nameable(tenant, tenant_token(tenant))


def _groups(groups: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    tenant = info.data.get("tenant", "")  # one that is wrong is told by itself
    _checked(groups, lambda: Principal(id=info.data.get("id", ""), tenant=tenant, groups=groups))
    for group in groups if tenant else ():
        _nameable(group, group_token(tenant, group))
    return groups


def _nameable(name: str, token: str) -> str:
    """A tenant or group that a reader token can name; else it would be another's, or nobody's."""
    return _checked(name, lambda: readers([token]), "use no white space, ':' or '/' in tenants and groups")


class PrincipalForm(Strict):
    """A principal as it is written. A tenant or group that no reader token could name is refused."""

    id: Identifier
    tenant: Annotated[Identifier | None, AfterValidator(_tenant)] = None
    groups: Annotated[tuple[Identifier, ...], AfterValidator(_groups)] = ()
    roles: tuple[Annotated[Role, choice(*ROLES)], ...] = ()
    active: Truth = True

    def value(self) -> Principal:
        return Principal(**self.model_dump())


def read_principal(data: str | bytes, source: str) -> Principal:
    """The principal of a `principal.toml`; raises `InputError` with file and key path."""
    return principal_of(strict_toml.parse(data, source), source)


def principal_of(node: Node, source: str) -> Principal:
    """The principal that a node states; raises `InputError` with the key path of whatever is wrong."""
    return read(PrincipalForm, node, source).value()
