"""The passage index: derived, rebuildable, and never believed. Every hit is re-checked against the store before use.

A score is a number in (0, 1] with a meaning that the index states: the share of the question that the passage carries, in the words of one
index, or in the space of another. It depends on question, passage and the index as a whole, never on the filter, the limit, or what else
was found, so that a minimum means the same for every request.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.errors import StoreFault
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.store import Changes, PassageKey


class IndexUnreadable(StoreFault):
    """The index is damaged, or another version of the program wrote it: nothing is lost, it is built again from the store."""


class OtherEmbedder(StoreFault):
    """The index holds vectors of another embedder than the one that is configured: they are never mixed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that matched, with its score: above 0 and at most 1, higher is better."""

    key: PassageKey
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Hits by falling score, equal scores by key. `exhausted`: nothing else matches.

    `left_out`: the code of the fault for which a part of the index was not asked, so that other hits, and other scores, might be here;
    None where all of it was.
    """

    hits: tuple[Hit, ...]
    exhausted: bool
    left_out: str | None = None


class IndexSnapshot(Protocol):
    """The index as it stood at one sequence number; later changes do not show in it."""

    @property
    def sequence(self) -> int:
        """The corpus sequence number that the snapshot has reached; 0 for an empty index."""

    @property
    def mark(self) -> int:
        """The mark of the change that the sequence number stands for; 0 for an empty index."""

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        """The best `limit` matches among the passages that the filter lets through, and every match that ties with the last of them.

        Exact: a filtered search is the unfiltered ranking without the rows that the filter stops. The text is words, never a
        query syntax. A text without words, or a filter that lets nothing through, matches nothing.
        """

    def scores(self, text: str, keys: Collection[PassageKey]) -> Mapping[PassageKey, float]:
        """The score of each of these passages that the index holds, whatever a filter says of it: as `search` gives it, 0 for no match."""


class Searchable(Protocol):
    """Something that can be searched."""

    def snapshot(self) -> IndexSnapshot:
        """The index as it stands now. Raises `IndexUnreadable` where it cannot be used any more."""


class IndexWriter(Searchable, Protocol):
    """An index that takes changes. One process at a time: the others meet `Conflict`."""

    def apply(self, changes: Changes) -> None:
        """Applies changes, and the sequence number and mark that they reach: all or nothing. Applying again changes nothing.

        Raises `Conflict` for changes that start after what the index has reached: what lies between would be missing.
        """


class PassageIndex(IndexWriter, Protocol):
    """A derived index of passages."""

    @property
    def profile(self) -> str:
        """What ranks here, with its version: where it is another, so may be scores and order. Packets record it."""

    def replacement(self) -> AbstractContextManager[IndexWriter]:
        """An empty index beside this one, which takes its place at once when the block ends without an exception.

        Until then this one serves as before, whatever state it is in; it need not be readable. One at a time: a second one, in any
        process, is a `Conflict`.
        """

    def close(self) -> None:
        """Releases everything; further use is an error."""


__all__ = [
    "Hit",
    "Hits",
    "IndexSnapshot",
    "IndexUnreadable",
    "IndexWriter",
    "OtherEmbedder",
    "PassageIndex",
    "Searchable",
]
