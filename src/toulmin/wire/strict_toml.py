"""A strict reader of TOML: the standard library's, with errors that name file and line."""

from __future__ import annotations

import re
import tomllib

from toulmin.domain.errors import InputError
from toulmin.wire.node import Node, node_of, place
from toulmin.wire.source import decoded

_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def parse(data: str | bytes, source: str) -> Node:
    """A TOML source as a node without lines: tomllib tells them for malformed text only.

    Raises `InputError`: `bad_toml` (with the line), `too_deep`, `too_large`, `wrong_encoding`, `control_character`.
    """
    text = decoded(data, source)
    try:
        return node_of(tomllib.loads(text), source)
    except RecursionError:
        raise InputError("too_deep", "nested too deep to read", where=source, remedy="write it flatter") from None
    except ValueError as error:  # TOMLDecodeError, or a number with too many digits
        message = str(error)
        found = _POSITION.search(message)
        line = int(found[1]) if found and found[1] else text.count("\n") + 1 if found else None
        raise InputError(
            "bad_toml",
            f"malformed TOML: {_POSITION.sub('', message)}",
            where=place(source, line),
            remedy='write `key = value`, with text in "double quotes"',
        ) from None
