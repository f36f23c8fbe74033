"""The manifest of a local embedder (`toulmin.embedder/1`): what stands beside its files, and the words that settings share with it."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from toulmin.wire import strict_json
from toulmin.wire.judge_manifest import Sha256
from toulmin.wire.model import Strict, read
from toulmin.wire.scalars import Count, Identifier, choice

SCHEMA = "toulmin.embedder/1"

Pooling = Literal["mean", "first", "last"]
"""How the vectors of tokens become one: their mean, or that of the first or the last token."""

POOLINGS: tuple[Pooling, ...] = get_args(Pooling)


class Manifest(Strict):
    """What a model is: its name and version, how many numbers it gives, how it pools, how many tokens it reads at most, its files' SHA-256.

    The prefixes stand before each text that it is given, for models that were trained with some.
    """

    version_of_form: Annotated[str, choice(SCHEMA)] = Field(alias="schema")
    name: Identifier
    version: Identifier
    dimension: Count
    pooling: Annotated[Pooling, choice(*POOLINGS)]
    max_tokens: Count
    passage_prefix: str = ""
    query_prefix: str = ""
    sha256: dict[Identifier, Sha256]


def read_manifest(data: bytes, source: str) -> Manifest:
    """The manifest that a `manifest.json` states; raises `InputError` with file and key path."""
    return read(Manifest, strict_json.parse(data, source), source)
