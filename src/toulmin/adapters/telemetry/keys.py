"""The allow-list: what a line of the log may hold. One place, so that nothing is logged that nobody thought about."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any, Final

from toulmin.ports.observer import Told

KEYS: Final = frozenset(Told.__annotations__) | frozenset(
    "at level event version worker "  # of each line
    "request trace method route status seconds caller code detail "  # of a request
    "step outcome reason verdict ground index changes "  # of what the observer is told
    "kind cause frames logger dropped".split()  # of faults and libraries, and of this list
)
"""The keys that a line may have. Their values are ids, counts, codes and durations."""

_TOKEN = re.compile(r"[\w.:/{}@+*<>=-]{1,200}", re.ASCII)


def allowed(_: object, __: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
    """A processor of structlog: the line without what it may not hold; `dropped` counts that.

    Neither a key that is not on the list nor a value that is no single word gets through, whoever wrote it.
    """
    kept = {key: value for key, value in event.items() if key in KEYS and _plain(value)}
    return kept if len(kept) == len(event) else {**kept, "dropped": len(event) - len(kept)}


def _plain(value: object) -> bool:
    if isinstance(value, str):
        return _TOKEN.fullmatch(value) is not None
    if isinstance(value, tuple):
        return all(isinstance(item, str) and _plain(item) for item in value)
    return value is None or isinstance(value, int | float)
