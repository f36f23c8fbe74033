"""Segments: rows of the index in one file that is written once, and mapped into memory.

The file is one column after the other, then the lists of readers as JSON. Rows are in the order of their keys.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toulmin.adapters.vectors.quantising import Codes, Floats, Rows
from toulmin.domain.errors import StoreFault
from toulmin.ports.store import PassageKey

Integers = NDArray[np.int64]
Digests = NDArray[np.uint64]

_ORDINAL_BITS = 20
_MAX_ORDINAL = 2**_ORDINAL_BITS - 1
_MAX_REVISION = 2 ** (63 - _ORDINAL_BITS) - 1

_CHUNK = 16_384
"""Rows that are copied at a time, which bounds the memory of a merge."""

DIGEST_WORDS = 4
"""A SHA-256 in numbers of 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Rows in columns: a passage's key, times in microseconds, scope, list of readers (by its number), digest of its embedded text, vector."""

    keys: Integers
    valid_from: Integers
    valid_to: Integers
    scopes: Integers
    readers: Integers
    digests: Digests
    scales: Floats
    errors: Floats
    vectors: Floats
    codes: Codes

    def __len__(self) -> int:
        return len(self.keys)


Readers = tuple[frozenset[str], ...]
"""Lists of readers, by their numbers in a column."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of a segment, or of none yet, that go into a new one."""

    columns: Columns
    readers: Readers
    rows: Rows


class Segment:
    """A segment's file, mapped. It stays readable when the file is removed."""

    def __init__(self, path: Path, rows: int, dimension: int) -> None:
        content = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
        at, columns = 0, {}
        for name, dtype, shape in _layout(rows, dimension):
            end = at + prod(shape) * dtype.itemsize
            columns[name] = content[at:end].view(dtype).reshape(shape)
            at = end
        self.columns = Columns(**columns)
        self.readers: Readers = tuple(map(frozenset, json.loads(bytes(content[at:]))))

    def __len__(self) -> int:
        return len(self.columns)

    @cached_property
    def last_scope(self) -> int:
        """The highest scope key of any row."""
        return int(self.columns.scopes.max())

    @cached_property
    def all_in_force(self) -> tuple[int, int]:
        """The times, in microseconds, from which and until which all rows are in force; the second may be the earlier one."""
        return int(self.columns.valid_from.max()), int(self.columns.valid_to.min())

    def rows_of(self, revision: int) -> range:
        """The rows of a revision's passages."""
        first, last = pack(PassageKey(revision, 0)), pack(PassageKey(revision, _MAX_ORDINAL))
        keys = self.columns.keys
        return range(int(np.searchsorted(keys, first)), int(np.searchsorted(keys, last, side="right")))

    def find(self, keys: Integers) -> tuple[Rows, NDArray[np.bool_]]:
        """The row of each key, and whether there is one; where there is none, the row says nothing."""
        return _found(self.columns.keys, keys)

    def vectors_of(self, digests: Digests) -> Iterator[tuple[int, Floats]]:
        """The vectors that are known for these digests, each with the place of its digest."""
        order, firsts = self._by_digest
        if not len(order):
            return
        places, found = _found(firsts, digests[:, 0])
        for place in np.flatnonzero(found):
            row = order[places[place]]
            if (self.columns.digests[row] == digests[place]).all():
                yield int(place), self.columns.vectors[row]

    @cached_property
    def _by_digest(self) -> tuple[Rows, Digests]:
        """The rows that have a vector in the order of their digests' first words, and these words."""
        embedded = np.flatnonzero(self.columns.scales)
        firsts = self.columns.digests[embedded, 0]
        order = np.argsort(firsts, kind="stable")
        return embedded[order], firsts[order]


def pack(key: PassageKey) -> int:
    """A passage key as one number that sorts as the key does; raises `StoreFault` for one that does not fit."""
    if key.ordinal > _MAX_ORDINAL or key.revision > _MAX_REVISION:
        raise StoreFault(
            "index_limit",
            f"{key} is beyond what the index can number",
            remedy=f"split documents of more than {_MAX_ORDINAL + 1} passages",
        )
    return key.revision << _ORDINAL_BITS | key.ordinal


def packed(keys: Collection[PassageKey]) -> Integers:
    """Passage keys as numbers."""
    return np.fromiter(map(pack, keys), dtype=np.int64, count=len(keys))


def unpack(number: int) -> PassageKey:
    """The passage key that `pack` made the number of."""
    return PassageKey(number >> _ORDINAL_BITS, number & _MAX_ORDINAL)


class Joined:
    """Parts as one new segment: its rows in the order of their keys, its lists of readers numbered anew."""

    def __init__(self, parts: Sequence[Part]) -> None:
        keys = np.concatenate([part.columns.keys[part.rows] for part in parts])
        order = np.argsort(keys, kind="stable")
        readers = tuple(dict.fromkeys(tokens for part in parts for tokens in part.readers))
        numbers = {tokens: number for number, tokens in enumerate(readers)}
        self._parts = parts
        self._source = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])[order]
        self._rows = np.concatenate([part.rows for part in parts])[order]
        self._renumbered = [np.array([numbers[tokens] for tokens in part.readers], dtype=np.int64) for part in parts]
        self._lists = json.dumps([sorted(tokens) for tokens in readers]).encode()

    def __len__(self) -> int:
        return len(self._rows)

    def content(self) -> Iterator[bytes]:
        """What the file holds, some rows at a time."""
        for column in fields(Columns):
            for at in range(0, len(self), _CHUNK):
                yield self._values(column.name, slice(at, at + _CHUNK)).tobytes()
        yield self._lists

    def _values(self, column: str, which: slice) -> NDArray[Any]:
        """The values of one column in some rows."""
        source, rows = self._source[which], self._rows[which]
        first: NDArray[Any] = getattr(self._parts[0].columns, column)
        values = np.empty((len(rows), *first.shape[1:]), dtype=first.dtype.newbyteorder("<"))
        for number, part in enumerate(self._parts):
            here = source == number
            found: NDArray[Any] = getattr(part.columns, column)[rows[here]]
            values[here] = self._renumbered[number][found] if column == "readers" else found
        return values


def _layout(rows: int, dimension: int) -> Iterator[tuple[str, np.dtype[Any], tuple[int, ...]]]:
    """The columns of a file in their order, each with its type and its shape."""
    widths = {"digests": DIGEST_WORDS, "vectors": dimension, "codes": dimension}
    types = {"digests": "<u8", "scales": "<f4", "errors": "<f4", "vectors": "<f4", "codes": "i1"}
    for column in fields(Columns):
        shape = (rows, widths[column.name]) if column.name in widths else (rows,)
        yield column.name, np.dtype(types.get(column.name, "<i8")), shape


def _found(ordered: NDArray[Any], wanted: NDArray[Any]) -> tuple[Rows, NDArray[np.bool_]]:
    """The place of each wanted value in an ordered column that is not empty, and whether it stands there."""
    places = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return places, ordered[places] == wanted
