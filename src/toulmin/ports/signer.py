"""Signatures: who makes them, and who can tell whether they hold."""

from __future__ import annotations

from typing import Protocol


class Signer(Protocol):
    """A private key."""

    @property
    def key_id(self) -> str:
        """The id of the key: the hex SHA-256 of its public half in DER (SubjectPublicKeyInfo)."""

    def sign(self, data: bytes) -> bytes:
        """The signature of some bytes. Raises `InputError` where the key cannot be used."""


class MadeKey(Signer, Protocol):
    """A private key that was just made."""

    @property
    def public_pem(self) -> str:
        """Its public half as PEM: what others check its signatures with."""


class Keyring(Protocol):
    """Public keys that are believed."""

    def holds(self, key_id: str) -> bool:
        """Whether a key is among them."""

    def verifies(self, key_id: str, signature: bytes, data: bytes) -> bool:
        """Whether the signature of some bytes is by this key; never by one that is not among them."""
