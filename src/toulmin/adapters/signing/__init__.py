"""Ed25519 keys in PEM files. Needs the extra `signing`, which is loaded when a key is first used."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from toulmin.domain.errors import InputError

if TYPE_CHECKING:
    from toulmin.adapters.signing.keys import PrivateKey, PublicKeys

__all__ = ["KeyFile", "new_key", "public_keys"]

_VENDOR = "cryptography"


class KeyFile:
    """A `Signer` whose private key is read from its file when it is first asked for something.

    It then raises what `read_private` does; and at once `InputError` (`missing_extra`) where the extra is not installed.
    """

    def __init__(self, path: Path) -> None:
        _check_extra()
        self._path = path
        self._loading = Lock()
        self._key: PrivateKey | None = None

    @property
    def key_id(self) -> str:
        return self._loaded().key_id

    def sign(self, data: bytes) -> bytes:
        return self._loaded().sign(data)

    def _loaded(self) -> PrivateKey:
        from toulmin.adapters.signing.keys import read_private

        with self._loading:
            if self._key is None:
                self._key = read_private(self._path)
            return self._key


def new_key(path: Path) -> PrivateKey:
    """Makes a key and writes it to a file, as `write_new` does."""
    _check_extra()
    from toulmin.adapters.signing.keys import write_new

    return write_new(path)


def public_keys(paths: Sequence[Path]) -> PublicKeys:
    """The `Keyring` of PEM files with one public key or several each, as `read_public` reads them."""
    _check_extra()
    from toulmin.adapters.signing.keys import PublicKeys, read_public

    return PublicKeys([key for path in paths for key in read_public(path)])


def _check_extra() -> None:
    if find_spec(_VENDOR) is None:
        raise InputError(
            "missing_extra",
            f"signatures need the package {_VENDOR}, which is not installed",
            remedy='install it: pip install "toulmin[signing]"',
        )
