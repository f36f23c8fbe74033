"""Inputs: a name for all that the result of reading one document depends on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo
from functools import lru_cache
from hashlib import sha256

from toulmin.domain.canonical import counted, digest, field, fields
from toulmin.domain.corpus.metadata import Metadata
from toulmin.ports.source import Submitted


def input_digest(name: str, submitted: Submitted, zone: tzinfo) -> str:
    """Hex SHA-256 of what a document is made from: equal in every process where nothing has changed, else another one.

    That is its entry's name, default id, bytes and metadata layers, and the zone of dates. Not the parser: another version of it reads what
    is in the corpus again only where that is asked for. What becomes of the document depends besides on what the corpus holds of it.
    """
    return digest(
        fields("toulmin.input/1", name, submitted.default_id, "" if submitted.namesake is None else "namesake"),
        fields(sha256(submitted.data).digest(), str(zone)),
        _layers(submitted.before),
        _layers(submitted.after),
    )


def _layers(layers: Iterable[Metadata]) -> bytes:
    return counted(map(_layer, layers))


@lru_cache(maxsize=64)
def _layer(layer: Metadata) -> bytes:
    """Remembered: the options of a run are a layer of every document."""
    return field(layer.canonical)
