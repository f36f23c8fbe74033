"""Keys and their files."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from toulmin.domain.errors import InputError

_OWNER_ONLY = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----\s*", re.DOTALL)
_MAX_BYTES = 64 * 1024  # some hundred public keys


def key_id(key: Ed25519PublicKey) -> str:
    """The hex SHA-256 of a public key in DER, as `openssl pkey -pubin -outform DER | sha256sum` gives it."""
    return sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


class PrivateKey:
    """A key that signs."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.key_id = key_id(key.public_key())

    def sign(self, data: bytes) -> bytes:
        """The signature of some bytes: 64 bytes."""
        return self._key.sign(data)

    @property
    def public_pem(self) -> str:
        """The public half as PEM."""
        return self._key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


class PublicKeys:
    """A `Keyring`."""

    def __init__(self, keys: Iterable[Ed25519PublicKey]) -> None:
        self._keys = {key_id(key): key for key in keys}

    def holds(self, key_id: str) -> bool:
        """Whether a key is among them."""
        return key_id in self._keys

    def verifies(self, key_id: str, signature: bytes, data: bytes) -> bool:
        """Whether a signature holds."""
        if key_id not in self._keys:
            return False
        try:
            self._keys[key_id].verify(signature, data)
        except InvalidSignature:
            return False
        return True


def write_new(path: Path) -> PrivateKey:
    """Makes a key and writes it as PKCS8 PEM that only its owner may read, on disk when this returns; its folder is made for the owner alone.

    Raises `InputError` for a file that exists, which is never written over, and for a place that cannot be written.
    """
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise InputError(
            "key_exists", f"{path} exists", remedy="name another file: what a key has signed needs its public half"
        ) from None
    except OSError as error:
        raise InputError(
            "unwritable_file", f"{path} cannot be written: {error.strerror}", remedy="mend its path or its rights"
        ) from None
    return PrivateKey(key)


def read_private(path: Path) -> PrivateKey:
    """The private key of a PEM file.

    Raises `InputError`: `unreadable_file`, `key_exposed` for a file that others than its owner may open, `bad_key`.
    """
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            data = file.read(_MAX_BYTES)
    except OSError as error:
        raise _unreadable(path, error, "make a key: toulmin keys new") from None
    if mode & _OTHERS:
        raise InputError(
            "key_exposed",
            f"{path} is a private key that others than its owner may open (mode {mode:04o})",
            remedy=f"chmod 600 {path}, and if others may have read it, make a new key: toulmin keys new",
        )
    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):  # TypeError: it is encrypted
        raise _bad(path, "an unencrypted private key in PEM") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise _bad(path, "an Ed25519 key")
    return PrivateKey(key)


def read_public(path: Path) -> list[Ed25519PublicKey]:
    """The public keys of a PEM file, at least one. Raises `InputError`: `unreadable_file`, and `bad_key` for a file that holds anything else."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except OSError as error:
        raise _unreadable(path, error, "name the file of a public key") from None
    blocks = [found[0] for found in _PEM.finditer(data)]
    if not blocks or b"".join(blocks).strip() != data.strip():
        raise _bad(path, "public keys in PEM and nothing else")
    return [_public(block, path) for block in blocks]


def _public(block: bytes, path: Path) -> Ed25519PublicKey:
    if b"PRIVATE KEY" in block:
        raise _bad(path, "public keys: it holds a private one, which belongs to nobody but the signer")
    try:
        key = load_pem_public_key(block)
    except (ValueError, UnsupportedAlgorithm):
        raise _bad(path, "public keys in PEM and nothing else") from None
    if not isinstance(key, Ed25519PublicKey):
        raise _bad(path, "Ed25519 keys")
    return key


def _unreadable(path: Path, error: OSError, remedy: str) -> InputError:
    return InputError("unreadable_file", f"{path} cannot be read: {error.strerror}", remedy=remedy)


def _bad(path: Path, wanted: str) -> InputError:
    return InputError("bad_key", f"{path} is not {wanted}", remedy="make a pair of keys: toulmin keys new")
