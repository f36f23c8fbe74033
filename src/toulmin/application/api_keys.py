"""API keys: making and revoking them, and knowing a caller by one. Making and revoking are recorded in the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from secrets import token_hex

from toulmin.application import entries
from toulmin.domain.canonical import text_digest
from toulmin.domain.corpus.document import MAX_ID_LENGTH
from toulmin.domain.errors import InputError, NotFound
from toulmin.domain.question.api_key import ID_BYTES, SECRET_BYTES, ApiKey, Refusal, read_token, token_of
from toulmin.domain.question.case import Principal
from toulmin.ports.api_keys import KeptApiKeys
from toulmin.ports.clock import Clock
from toulmin.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedKey:
    """A new key, and the token that is told this once: only its digest is kept."""

    key: ApiKey
    token: str = field(repr=False)


def new_key(
    principal: Principal,
    store: Store,
    clock: Clock,
    *,
    label: str | None = None,
    expires_at: datetime | None = None,
    draw: Callable[[int], str] = token_hex,
) -> IssuedKey:
    """A key that stands for a principal from now on; `draw` gives so many random bytes in hex.

    Raises `InputError` for a principal without a role, which could do nothing, for a label that cannot be shown on a line, and for an end that
    is past.
    """
    if not principal.roles:
        raise InputError(
            "no_role", f"a key of {principal.id} without a role could do nothing", remedy="give it one: --role reader"
        )
    if label is not None and not (label.strip() and label.isprintable() and len(label) <= MAX_ID_LENGTH):
        raise InputError(
            "bad_label", "the label cannot be shown", remedy=f"give 1 to {MAX_ID_LENGTH} printable characters"
        )
    now = clock.now()
    if expires_at is not None and expires_at <= now:
        raise InputError("already_expired", "the key would have expired already", remedy="name a time to come")
    secret = draw(SECRET_BYTES)
    key = ApiKey(
        id=draw(ID_BYTES),
        secret_sha256=text_digest(secret),
        principal=principal,
        created_at=now,
        label=label,
        expires_at=expires_at,
    )
    with store.curate() as curation:
        curation.api_keys.add(key)
        curation.ledger.append(entries.issued(key))
    return IssuedKey(key=key, token=token_of(key.id, secret))


def revoke_key(key_id: str, store: Store, clock: Clock) -> ApiKey:
    """Makes a key worthless from the next request on, in every process and on every host; one that was revoked before stays as it is.

    Raises `NotFound` where there is none.
    """
    with store.curate() as curation:
        known = curation.api_keys.get(key_id)
        if known is None:
            raise NotFound("no_such_api_key", f"there is no API key {key_id}", remedy="list them: toulmin api-key list")
        if known.revoked_at is not None:
            return known
        now = clock.now()
        curation.api_keys.revoke(key_id, now)
        curation.ledger.append(entries.revoked(known, now))
    return replace(known, revoked_at=now)


def examine(token: str, store: KeptApiKeys, clock: Clock) -> Principal | Refusal:
    """Whom a token stands for now; or why nobody, which is for the operator alone."""
    presented = read_token(token)
    if presented is None:
        return Refusal.MALFORMED
    key_id, secret = presented
    known = store.api_key(key_id)
    if known is None:
        return Refusal.UNKNOWN
    return known.refusal(secret, clock.now()) or known.principal
