"""Sources: the small files that people write (contracts, metadata, settings), read whole, bounded, and as clean text."""

from __future__ import annotations

import re
from pathlib import Path

from toulmin.domain.errors import InputError

MAX_SOURCE_BYTES = 1024 * 1024
"""The most bytes that one YAML or TOML file, or one line of JSON, may have."""

# What YAML 1.2 does not call printable: controls but tab and line ends, lone surrogates, U+FFFE and U+FFFF.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def read_file(path: Path, source: str, *, whole: bool = False) -> bytes:
    """A file's bytes, at most one more than `MAX_SOURCE_BYTES` unless all are wanted; raises `InputError` where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(-1 if whole else MAX_SOURCE_BYTES + 1)
    except OSError as error:
        raise InputError(
            "unreadable_file",
            f"the file cannot be read: {error.strerror}",
            where=source,
            remedy="mend its path or its rights",
        ) from None


def decoded(data: str | bytes, source: str, *, first_line: int = 1) -> str:
    """Clean text of a source: UTF-8 without byte-order mark, within the size limit, without control characters.

    Raises `InputError` with the line that is wrong; `first_line` is the number of the data's first line in its file.
    """
    text = data if isinstance(data, str) else _utf8(data, source, first_line)
    if len(text) > MAX_SOURCE_BYTES or (not isinstance(data, str) and len(data) > MAX_SOURCE_BYTES):
        raise InputError(
            "too_large",
            f"more than {MAX_SOURCE_BYTES} bytes",
            where=source,
            remedy="split it, or move the text elsewhere",
        )
    found = _UNPRINTABLE.search(text)
    if found:
        line = first_line + text.count("\n", 0, found.start())
        raise unprintable(found[0], f"{source}:{line}")
    return text


def checked(text: str, where: str) -> str:
    """The same text; raises `InputError` for a control character or a lone surrogate that an escape has put into it."""
    found = _UNPRINTABLE.search(text)
    if found:
        raise unprintable(found[0], where)
    return text


def unprintable(character: str, where: str) -> InputError:
    """The error for a character that no name, label or sentence has a use for, and that may act on a terminal or database."""
    return InputError(
        "control_character", f"control character U+{ord(character):04X}", where=where, remedy="remove the character"
    )


def _utf8(data: bytes, source: str, first_line: int) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise InputError(
            "wrong_encoding", "the text is not UTF-8", where=f"{source}:{line}", remedy="save the file as UTF-8"
        ) from None
