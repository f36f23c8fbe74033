"""What an embedder behind a server says: pure functions from a request's JSON to the reply's, for the provider server."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

DIMENSION = 64

Entries = list[dict[str, Any]]


def embeddings(
    body: Mapping[str, Any], change: Callable[[Entries], Sequence[Mapping[str, Any]]] = lambda entries: entries
) -> dict[str, Any]:
    """The reply to a request for vectors of `DIMENSION` numbers, of which each word of a text adds to one; `change` mends the entries."""
    entries = [
        {"object": "embedding", "index": index, "embedding": _numbers(text)} for index, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 8, "total_tokens": 8}
    return {"object": "list", "data": change(entries), "model": body["model"], "usage": usage}


def _numbers(text: str) -> list[float]:
    """Counts of words, so that no vector has the length 1; every text has one of all words."""
    numbers = [0.0] * DIMENSION
    for word in ["", *re.findall(r"\w+", text.casefold())]:
        numbers[sha256(word.encode()).digest()[0] % DIMENSION] += 1.5
    return numbers
