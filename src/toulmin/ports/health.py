"""The state of store and index, for the operator: what their own files say, whoever may read the documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.corpus.document import Status
from toulmin.ports.index import PassageIndex
from toulmin.ports.store import PassageKey, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSums:
    """What models took for the drafts of all packets, by the packets' traces.

    `drafts` are those that called a provider, `calls` all their calls. `slowest_s` is the longest draft, `kept` and `shared` the answers
    that needed none of their own. Tokens are those that providers told of.
    """

    drafts: int = 0
    calls: int = 0
    seconds: float = 0.0
    slowest_s: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    kept: int = 0
    shared: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSums:
    """What judges took for all packets, by their traces: `asked` counts claims and other matters, `calls` requests to a provider."""

    asked: int = 0
    calls: int = 0
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreReport:
    """What a store says of itself.

    `faults` are the defects that its own check found, in its own words. `revisions` counts by status; of the live ones, `unreadable` have
    no readers, and `scopes` is how many different scopes there are. `size` is in bytes, `drafts` and
    `judgements` what models have taken so far. `unfinished` revisions were erased while files may still hold their words.
    """

    schema: int
    size: int
    faults: tuple[str, ...]
    revisions: Mapping[Status, int]
    unreadable: int
    scopes: int
    drafts: DraftSums = DraftSums()
    judgements: JudgeSums = JudgeSums()
    unfinished: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What an index says of itself: its format, its size in bytes, its passages, and which of its files are damaged."""

    format: int
    size: int
    passages: int
    damaged: tuple[str, ...]


class Holding(Protocol):
    """Something that holds live passages."""

    def sample(self, size: int) -> tuple[PassageKey, ...]:
        """So many passages chosen at random; all, where there are fewer."""

    def held(self, keys: Collection[PassageKey]) -> frozenset[PassageKey]:
        """Those of the keys whose passages it holds."""


class ExaminedStore(Store, Holding, Protocol):
    """A store that can look at itself."""

    def examine(self) -> StoreReport:
        """Reads the whole store. Raises `StoreFault` where that is not possible."""


class ExaminedIndex(PassageIndex, Holding, Protocol):
    """An index that can look at itself."""

    def examine(self) -> IndexReport:
        """Reads the whole index. Raises `IndexUnreadable` where that is not possible."""
