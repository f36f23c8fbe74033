"""A strict reader of JSON: duplicate keys, NaN, infinities and trailing data are refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Never

from toulmin.domain.errors import InputError
from toulmin.wire.node import Node, node_of, place
from toulmin.wire.source import decoded


def parse(data: str | bytes, source: str, *, line: int | None = 1) -> Node:
    """The one value of a JSON text that stands on one line; every node has that line, or none where lines are of no help.

    Raises `InputError` with file and line: `bad_json`, `duplicate_key`, `too_deep`, `too_large`, `wrong_encoding`,
    `control_character`.
    """
    text, where = decoded(data, source, first_line=line or 1), place(source, line)
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_bounded
        )
    except InputError as error:
        raise error.at(where) from None
    except RecursionError:
        raise InputError("too_deep", "nested too deep to read", where=where, remedy="write it flatter") from None
    except json.JSONDecodeError as error:
        message = f"malformed JSON: {error.msg} (column {error.colno})"
        raise InputError("bad_json", message, where=where, remedy="write one JSON value, with double quotes") from None
    return node_of(value, source, line=line)


def _object(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise InputError("duplicate_key", f"key {twice[:80]!r} occurs twice", remedy="keep one of the two")
    return entries


def _refuse_constant(name: str) -> Never:
    raise InputError("bad_json", f"{name} is no JSON number", remedy="write a finite number, or null")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        _refuse_constant(text[:20])
    return value


def _bounded(text: str) -> int:
    if len(text) > 20:  # more than 64 bits; Python itself refuses to read thousands of digits
        raise InputError("wrong_type", "a whole number beyond 64 bits", remedy="put long digits in quotes")
    return int(text)
