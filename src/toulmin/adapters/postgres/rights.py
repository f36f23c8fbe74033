"""What a principal may read, signed, so that the database believes it: HMAC-SHA-256 with a key that the store's functions know."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Final

from toulmin.domain.canonical import canonical_json
from toulmin.domain.errors import InputError
from toulmin.domain.proof.identity import owner_digest, principal_digest
from toulmin.domain.question.case import Principal

_BLOCK: Final = 64
_LEAST: Final = 32
"""Bytes of a key's file."""


def read_key(path: Path) -> bytes:
    """The key in a file. Raises `InputError` where there is none, or one that could be guessed."""
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise InputError(
            "missing_store_key",
            f"the key of the store cannot be read: {path}: {error.strerror}",
            where="toulmin.toml: store.key_file",
            remedy="copy it from the host that ran toulmin migrate",
        ) from error
    if len(key) < _LEAST:
        raise InputError(
            "bad_store_key",
            f"{path} has {len(key)} bytes",
            where="toulmin.toml: store.key_file",
            remedy=f"put at least {_LEAST} random bytes into it, and run toulmin migrate",
        )
    return key


def make_key(path: Path) -> bytes:
    """A new key, written to a file that only its owner may read."""
    key = secrets.token_hex(_LEAST).encode()
    path.parent.mkdir(exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key + b"\n")
    return key


def pads(key: bytes) -> tuple[bytes, bytes]:
    """The inner and outer pad that HMAC makes of a key (RFC 2104)."""
    block = (hashlib.sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return bytes(byte ^ 0x36 for byte in block), bytes(byte ^ 0x5C for byte in block)


def signed(key: bytes, principal: Principal, connection: int) -> str:
    """A principal's rights for one connection, which is named by its server process."""
    said = canonical_json(
        {
            "connection": connection,
            "owner": owner_digest(principal),
            "requester": principal_digest(principal) if principal.active else None,
            "tokens": sorted(principal.tokens),
        }
    )
    return hmac.new(key, said.encode(), hashlib.sha256).hexdigest() + said
