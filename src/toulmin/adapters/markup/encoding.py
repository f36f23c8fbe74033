"""Bytes to text, for formats that are text in an encoding."""

from __future__ import annotations

import codecs

from toulmin.domain.errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
)
"""Byte-order marks, what the encoding is called with one, and the codec of what follows."""


def decoded_as(data: bytes, encoding: str, name: str) -> tuple[str, str]:
    """The text without its byte-order mark, and its encoding: that of the mark, else the one given. Raises `InputError` (`bad_encoding`)."""
    marked = next((found for found in _MARKS if data.startswith(found[0])), (b"", encoding, encoding))
    mark, encoding, codec = marked
    try:
        text = data[len(mark) :].decode(codec)
    except (UnicodeError, LookupError) as error:
        raise _bad_encoding(f"the bytes are not {encoding[:40]}", name) from error
    if "\0" in text:
        raise _bad_encoding("there are NUL characters in it: this is another encoding than stated, or no text", name)
    return text, encoding


def _bad_encoding(what: str, name: str) -> InputError:
    return InputError(
        "bad_encoding", what, where=name, remedy="save the file as UTF-8, and let it state no other encoding"
    )
