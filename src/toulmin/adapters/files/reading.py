"""Reading a file that somebody put there: never waiting for it, and never more of it than asked for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from toulmin.domain.errors import InputError


def read_regular(path: Path, name: str, *, at_most: int) -> bytes:
    """The bytes of a regular file, of a longer one the first `at_most + 1`.

    Raises `InputError` (`unreadable_file`) where it cannot be read, and for a pipe, socket or device: there, reading could wait for ever.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise _unreadable(
                    "it is a pipe or a device, and no regular file", name, "leave it out, or put a file in its place"
                )
            return file.read(at_most + 1)
    except OSError as error:
        raise _unreadable(f"the file cannot be read: {error.strerror}", name, "mend its path or its rights") from None


def read_bounded(path: Path, name: str, *, at_most: int) -> bytes:
    """The bytes of a regular file; raises `InputError` as `read_regular` does, and `too_large` for more than `at_most` bytes."""
    data = read_regular(path, name, at_most=at_most)
    if len(data) > at_most:
        raise InputError(
            "too_large",
            f"the file has more than {at_most} bytes",
            where=name,
            remedy="split it, or raise max_bytes under [parsing] in toulmin.toml",
        )
    return data


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # else opening a pipe waits for someone to write into it


def _unreadable(message: str, name: str, remedy: str) -> InputError:
    return InputError("unreadable_file", message, where=name, remedy=remedy)
