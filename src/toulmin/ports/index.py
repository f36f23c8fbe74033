"""The passage index: derived, rebuildable, and never believed. Every hit is re-checked against the store before use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.question.eligibility import Filter
from toulmin.ports.store import Changes, PassageKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that matched, with its score: above 0, higher is better, comparable inside one search only."""

    key: PassageKey
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Hits by falling score, equal scores by key. `exhausted`: nothing else matches."""

    hits: tuple[Hit, ...]
    exhausted: bool


class IndexSnapshot(Protocol):
    """The index as it stood at one sequence number; later changes do not show in it."""

    @property
    def sequence(self) -> int:
        """The corpus sequence number that the snapshot has reached."""

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        """The best `limit` matches among the passages that the filter lets through, and every match that ties with the last of them.

        Exact: a filtered search is the unfiltered ranking without the rows that the filter stops. The text is words, never a
        query syntax. A text without words, or a filter that lets nothing through, matches nothing.
        """


class PassageIndex(Protocol):
    """A derived index of passages."""

    def snapshot(self) -> IndexSnapshot:
        """The index as it stands now."""

    def apply(self, changes: Changes) -> None:
        """Applies changes and the sequence number that they reach, both or neither. Applying again changes nothing."""

    def clear(self) -> None:
        """Empties the index back to sequence 0."""

    def close(self) -> None:
        """Releases everything; further use is an error."""
