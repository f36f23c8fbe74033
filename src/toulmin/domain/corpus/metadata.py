"""A document's metadata: what its sidecar, front matter, manifest row and command options state about it.

The sources are layers. Each key is taken from the first layer that states it, whole; null counts as stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from toulmin.domain.canonical import Json, canonical_json
from toulmin.domain.corpus.document import Egress
from toulmin.domain.corpus.readers import Readers
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import instant_text


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedQuote:
    """A curated span before it has offsets: the words to find, between the words before and after them where they occur again.

    `where` names the file, line and key path that states it; it is no part of what is stated.
    """

    id: str
    fact: str
    quote: str
    prefix: str | None = None
    suffix: str | None = None
    where: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """Metadata keys of one document. A key that is not in `stated`, or that is stated as null, is None: its default holds."""

    stated: frozenset[str] = frozenset()
    id: str | None = None
    version: str | None = None
    title: str | None = None
    author: str | None = None
    language: str | None = None
    source_type: str | None = None
    egress: Egress | None = None
    scope: Scope | None = None
    readers: Readers | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    supersedes: tuple[str, ...] | None = None
    spans: tuple[CuratedQuote, ...] | None = None

    @property
    def canonical(self) -> str:
        """What is stated, as canonical JSON: the same text for equal metadata, and another one for any other."""
        return canonical_json({key: _json(getattr(self, key)) for key in self.stated})


KEYS = tuple(key.name for key in fields(Metadata) if key.name != "stated")


def merged(layers: Iterable[Metadata]) -> Metadata:
    """Each key from the first layer that states it: sidecar, front matter, manifest row, command options, in this order."""
    found: dict[str, object] = {}
    for layer in layers:
        found = {key: getattr(layer, key) for key in layer.stated} | found
    return stated_metadata(found)


def stated_metadata(stated: Mapping[str, Any]) -> Metadata:
    """The metadata that states these keys, with values of the keys' types, and no others."""
    return Metadata(stated=frozenset(stated), **stated)


def _json(value: str | datetime | Scope | tuple[str | CuratedQuote, ...] | None) -> Json:
    match value:
        case datetime():
            return instant_text(value)
        case Scope():
            return dict(value.attributes)
        case tuple():
            return [_json_item(item) for item in value]
        case _:
            return value


def _json_item(item: str | CuratedQuote) -> Json:
    if isinstance(item, str):
        return item
    return {"id": item.id, "fact": item.fact, "quote": item.quote, "prefix": item.prefix, "suffix": item.suffix}
