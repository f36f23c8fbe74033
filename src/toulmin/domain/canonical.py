"""Canonical bytes: the one way in which values become bytes before they are hashed.

Two forms are used. *Fields* are length-prefixed, so that no two different lists of fields give the same bytes; every digest of
`docs/reference/digests.md` is a SHA-256 over fields. *Canonical JSON* (RFC 8785) is the text form of a structured field.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from hashlib import sha256
from json.encoder import encode_basestring as _quoted  # escapes what RFC 8785 escapes, and as it does

_TYPE_ERROR = "canonical JSON holds text, booleans, null, finite numbers, lists and string-keyed maps, not {}"

Json = None | bool | int | float | str | Iterable["Json"] | Mapping[str, "Json"]


def digest(*parts: bytes) -> str:
    """Hex SHA-256 of the concatenated parts."""
    return sha256(b"".join(parts)).hexdigest()


def text_digest(text: str) -> str:
    """Hex SHA-256 of a text's UTF-8 bytes."""
    return sha256(text.encode()).hexdigest()


def field(value: str | bytes) -> bytes:
    """One length-prefixed field: an 8-byte big-endian count of bytes, then the bytes (text as UTF-8)."""
    data = value.encode() if isinstance(value, str) else value
    return len(data).to_bytes(8, "big") + data


def fields(*values: str | bytes) -> bytes:
    """Several fields, one after the other."""
    return b"".join(map(field, values))


def counted(items: Iterable[bytes]) -> bytes:
    """A list: an 8-byte big-endian count, then the items' bytes in their order."""
    parts = list(items)
    return len(parts).to_bytes(8, "big") + b"".join(parts)


def number_text(value: float) -> str:
    """The shortest text that reads back as the same double, as ECMAScript prints it (RFC 8785, section 3.2.2.3).

    Raises `ValueError` for NaN and the infinities: they have no canonical form.
    """
    if isinstance(value, int):
        if abs(value) <= 2**53:
            return str(value)
        try:
            value = float(value)
        except OverflowError:
            raise ValueError("an integer beyond the range of a double has no canonical form") from None
    if not math.isfinite(value):
        raise ValueError(f"{value} has no canonical form")
    if value == 0:
        return "0"
    mantissa, _, exponent_text = f"{float(value)!r}".lower().partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    if fraction == "0":
        fraction = ""
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent_text or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    return sign + _place_point(digits, point)


def _place_point(digits: str, point: int) -> str:
    """ECMAScript's Number::toString for `0.<digits> * 10**point`."""
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{point - 1:+d}"


def canonical_json(value: Json) -> str:
    """A value as canonical JSON text (RFC 8785): sorted keys, no white space, shortest numbers.

    Raises `ValueError` for a value that JSON cannot hold (NaN, bytes, a key that is not text).
    """
    if isinstance(value, str):  # the usual cases go first: packets are written on every answer
        return _quoted(value)
    if isinstance(value, dict):
        return _object(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, (list, tuple)):
        return f"[{','.join([canonical_json(item) for item in value])}]"
    if isinstance(value, Mapping):
        return _object(value)
    raise ValueError(_TYPE_ERROR.format(type(value).__name__))


def _object(value: Mapping[str, Json]) -> str:
    return f"{{{','.join([f'{_quoted(key)}:{canonical_json(value[key])}' for key in _sorted_keys(value)])}}}"


def _sorted_keys(value: Mapping[str, Json]) -> list[str]:
    """The keys by their UTF-16 code units, which for most keys is the order of the texts themselves."""
    try:
        letters = "".join(value)
    except TypeError:
        raise ValueError(_TYPE_ERROR.format("a key that is not text")) from None
    return sorted(value) if letters.isascii() else sorted(value, key=lambda key: key.encode("utf-16-be"))
