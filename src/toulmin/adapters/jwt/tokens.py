"""Signed tokens (RFC 7515 compact form): taken apart, and believed once a key of the issuer has signed them.

Everything in a token is the word of whoever made it. So a key is never taken from it, nor from an address in it; its algorithm is only compared with
those that were pinned; and its claims are not read before the signature was checked.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from toulmin.adapters.jwt.sources import KeySource
from toulmin.domain.errors import InputError
from toulmin.ports.authenticator import Denied, Reason
from toulmin.wire import strict_json

MAX_TOKEN = 16 * 1024
"""The most characters of a token that is looked at."""

_TOKEN = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")
_TYPES = frozenset({"jwt", "at+jwt"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    """A token that nobody has verified."""

    header: Mapping[str, object]
    payload: bytes
    signed: bytes
    signature: bytes


def verified_claims(text: str, keys: KeySource, algorithms: Collection[str]) -> Mapping[str, object] | Denied:
    """The claims of a token, if a key of the issuer has signed it with one of the algorithms; a key that is not known yet is looked for once."""
    token = _taken_apart(text)
    if isinstance(token, Denied):
        return token
    fault = _fault_of(token.header, algorithms)
    if fault is not None:
        return Denied(fault)
    reason = _wrong_signature(token, keys)
    if reason is not None:
        return Denied(reason)
    claims = _json_object(token.payload)
    return Denied(Reason.MALFORMED) if claims is None else claims


def _taken_apart(text: str) -> _Token | Denied:
    if len(text) > MAX_TOKEN:
        return Denied(Reason.TOO_LONG)
    match = _TOKEN.fullmatch(text)
    parts = [_decoded(part) for part in match.groups()] if match else []
    header = _json_object(parts[0]) if parts else None
    if header is None:
        return Denied(Reason.MALFORMED)
    _, payload, signature = parts
    return _Token(header=header, payload=payload, signed=text.rpartition(".")[0].encode(), signature=signature)


def _fault_of(header: Mapping[str, object], algorithms: Collection[str]) -> Reason | None:
    """What stands against a token by its header alone."""
    kind = header.get("typ", "JWT")
    if "crit" in header:
        return Reason.CRITICAL
    if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in _TYPES:
        return Reason.TYPE
    if not isinstance(header.get("alg"), str) or header["alg"] not in algorithms:
        return Reason.ALGORITHM
    if not isinstance(header.get("kid"), str | None):
        return Reason.MALFORMED
    return None


def _wrong_signature(token: _Token, keys: KeySource) -> Reason | None:
    """What stands against a token by the keys of its issuer."""
    algorithm, key_id = str(token.header["alg"]), token.header.get("kid")
    assert isinstance(key_id, str | None)
    fitting = keys.keys().fitting(key_id, algorithm) or keys.newer().fitting(key_id, algorithm)
    if not fitting:
        return Reason.KEY
    signed = any(key.verifies(algorithm, token.signed, token.signature) for key in fitting)
    return None if signed else Reason.SIGNATURE


def _decoded(part: str) -> bytes:
    """The bytes of base64url without padding; none, for a text that no bytes have."""
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        return b""


def _json_object(data: bytes) -> Mapping[str, object] | None:
    """A JSON object that can be read in one way only; None for anything else."""
    try:
        value = strict_json.parse(data, "token").plain()
    except InputError:
        return None
    return value if isinstance(value, dict) else None
