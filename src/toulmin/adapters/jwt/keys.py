"""Keys of an issuer: a JSON Web Key Set (RFC 7517), read to what it is good for here: verifying signatures by public keys."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key
from joserfc.jws import JWSRegistry

from toulmin.domain.errors import InputError
from toulmin.wire import strict_json

_RSA = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
_FITTING: Mapping[tuple[str, str | None], frozenset[str]] = {
    ("RSA", None): _RSA,
    ("EC", "P-256"): frozenset({"ES256"}),
    ("EC", "P-384"): frozenset({"ES384"}),
    ("EC", "P-521"): frozenset({"ES512"}),
    ("OKP", "Ed25519"): frozenset({"EdDSA", "Ed25519"}),
}
"""Algorithms by type and curve of a key. A type that is not there, a shared secret above all, verifies nothing."""

_PUBLIC = ("kty", "crv", "n", "e", "x", "y")
_LEAST_RSA_BITS = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyingKey:
    """A public key, its id, and the algorithms that it may have signed with."""

    id: str | None
    algorithms: frozenset[str]
    key: Key

    def verifies(self, algorithm: str, signed: bytes, signature: bytes) -> bool:
        """Whether the signature is by this key; never with an algorithm that is not the key's own."""
        if algorithm not in self.algorithms:
            return False
        return JWSRegistry.algorithms[algorithm].verify(signed, signature, self.key)


@dataclass(frozen=True, slots=True)
class KeySet:
    """The keys of an issuer that can be used."""

    keys: tuple[VerifyingKey, ...]

    def fitting(self, key_id: str | None, algorithm: str) -> Sequence[VerifyingKey]:
        """The keys that a token may be signed with: those of its key id; without one, the only one there is for its algorithm."""
        able = [key for key in self.keys if algorithm in key.algorithms]
        if key_id is None:
            return able if len(able) == 1 else ()
        return [key for key in able if key.id == key_id]


def read_keys(data: bytes, source: str) -> KeySet:
    """The keys of a JWK set. Keys for other purposes, and of types that are not known here, are left out, as RFC 7517 has it.

    Raises `InputError` for what is no such set, and for one without any key to verify with.
    """
    document = strict_json.parse(data, source).plain()
    keys = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(keys, tuple):
        raise InputError("bad_keys", "this is no JSON Web Key Set", where=source, remedy='write {"keys": [...]}')
    found = tuple(key for entry in keys for key in _verifying(entry))
    if not found:
        advice = "publish the issuer's public keys there: RSA of 2048 bits or more, P-256, P-384, P-521 or Ed25519"
        raise InputError("bad_keys", "no key in it can verify a signature", where=source, remedy=advice)
    return KeySet(found)


def _verifying(entry: object) -> Iterator[VerifyingKey]:
    """The key of an entry; nothing, where it is of no use here. Private halves are not even looked at."""
    if not isinstance(entry, Mapping) or not _is_for_signatures(entry):
        return
    key_id, curve, stated = entry.get("kid"), entry.get("crv"), entry.get("alg")
    public = {name: entry[name] for name in _PUBLIC if name in entry}
    able = _FITTING.get((str(entry.get("kty")), None if curve is None else str(curve)), frozenset())
    algorithms = able if stated is None else able & {str(stated)}
    if not algorithms or not isinstance(key_id, str | None) or _is_short(public):
        return
    try:
        key = JWKRegistry.import_key(public)
    except (JoseError, ValueError):  # the latter: a point that is not on its curve, base64 that is none
        return
    yield VerifyingKey(id=key_id, algorithms=algorithms, key=key)


def _is_for_signatures(entry: Mapping[str, object]) -> bool:
    operations = entry.get("key_ops", ("verify",))
    return entry.get("use", "sig") == "sig" and isinstance(operations, tuple) and "verify" in operations


def _is_short(public: Mapping[str, object]) -> bool:
    """Whether it is an RSA key that could be broken."""
    modulus = public.get("n")
    if not isinstance(modulus, str):
        return False
    try:
        number = base64.urlsafe_b64decode(modulus + "=" * (-len(modulus) % 4))
    except ValueError:
        return True
    return int.from_bytes(number).bit_length() < _LEAST_RSA_BITS
