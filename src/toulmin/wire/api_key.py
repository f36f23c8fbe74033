"""API keys as JSON. Nothing of a secret is in it, but for the token of a key that was made this moment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from typing_extensions import TypedDict

from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.question.api_key import ApiKey


class KeyPrincipalJson(TypedDict):
    """Whom a key stands for."""

    id: str
    tenant: str | None
    groups: list[str]
    roles: list[str]


class ApiKeyJson(TypedDict):
    """`toulmin.api-key/1`. `token` is what a client presents: told by the command that made the key, and null ever after."""

    schema: Literal["toulmin.api-key/1"]
    id: str
    token: str | None
    principal: KeyPrincipalJson
    label: str | None
    created_at: str
    expires_at: str | None
    revoked_at: str | None


class ApiKeysJson(TypedDict):
    """`toulmin.api-keys/1`: keys in the order in which they were made."""

    schema: Literal["toulmin.api-keys/1"]
    keys: list[ApiKeyJson]


def api_key_json(key: ApiKey, token: str | None = None) -> ApiKeyJson:
    """A key as `toulmin.api-key/1`."""
    who = key.principal
    return {
        "schema": "toulmin.api-key/1",
        "id": key.id,
        "token": token,
        "principal": {"id": who.id, "tenant": who.tenant, "groups": list(who.groups), "roles": list(who.roles)},
        "label": key.label,
        "created_at": instant_text(key.created_at),
        "expires_at": instant_text(key.expires_at) if key.expires_at else None,
        "revoked_at": instant_text(key.revoked_at) if key.revoked_at else None,
    }


def api_keys_json(keys: Iterable[ApiKey]) -> ApiKeysJson:
    """Keys as `toulmin.api-keys/1`."""
    return {"schema": "toulmin.api-keys/1", "keys": [api_key_json(key) for key in keys]}
