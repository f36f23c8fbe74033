"""Files of a model: read whole, and used only where they are those that were stated."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from toulmin.domain.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A file, and the SHA-256 that it is known by."""

    path: Path
    sha256: str

    def content(self) -> bytes:
        """The file's bytes; raises `InputError` (`wrong_digest`) where they are not those that are stated."""
        content = read_bytes(self.path)
        found = sha256(content).hexdigest()
        if found != self.sha256:
            raise InputError(
                "wrong_digest",
                f"the file's SHA-256 is {found}, and {self.sha256} is stated",
                where=str(self.path),
                remedy="get the file again from where the digest comes from; it is not used",
            )
        return content


def digest_of(path: Path) -> str:
    """The SHA-256 of a file as it is."""
    return sha256(read_bytes(path)).hexdigest()


def read_bytes(path: Path) -> bytes:
    """A file's bytes; raises `InputError` (`unreadable_file`)."""
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"the file cannot be read: {error.strerror}"
        raise InputError("unreadable_file", message, where=str(path), remedy="mend its rights") from None
