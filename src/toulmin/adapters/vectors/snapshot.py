"""Snapshots: the index as it stood, and the search in it."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from toulmin.adapters.vectors.quantising import Question, Rows
from toulmin.adapters.vectors.ranking import Chosen, best, scores_of
from toulmin.adapters.vectors.segment import Integers, Part, Segment, packed, unpack
from toulmin.adapters.vectors.state import State
from toulmin.domain.corpus.validity import microseconds
from toulmin.domain.errors import InputError
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.index import Hits
from toulmin.ports.store import PassageKey

Ask = Callable[[str], Question | None]
"""Makes a question of a text; None for one that says nothing. Raises `EmbedderFault`."""

_REMEMBERED = 8
"""Filters whose rows are kept, a byte for each: a case's eligible scopes are the same set from one search to the next."""

_NOTHING = Hits(hits=(), exhausted=True)


class View:
    """A segment as one state has it: some of its rows are dead."""

    def __init__(self, segment: Segment, dead: Rows) -> None:
        self.segment = segment
        self.dead = dead
        self._admitted = lru_cache(_REMEMBERED)(self._admitted_ever)

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Whether a row is alive."""
        alive = np.ones(len(self.segment), dtype=np.bool_)
        alive[self.dead] = False
        return alive

    @cached_property
    def embedded(self) -> NDArray[np.bool_]:
        """Whether a row is alive and has a vector."""
        return self.alive & (self.segment.columns.scales > 0)

    @property
    def part(self) -> Part:
        """The rows that are alive, for a new segment."""
        return Part(self.segment.columns, self.segment.readers, np.flatnonzero(self.alive))

    def admitted(self, wanted: Filter) -> Chosen:
        """The rows with a vector that a filter lets through."""
        columns, at = self.segment.columns, microseconds(wanted.at)
        admitted = self._admitted(wanted.scopes, wanted.readers)
        first, last = self.segment.all_in_force
        if not first <= at < last:
            admitted = admitted & (columns.valid_from <= at) & (at < columns.valid_to)
        return Chosen(columns, np.flatnonzero(admitted))

    def _admitted_ever(self, scopes: frozenset[int], readers: frozenset[str]) -> NDArray[np.bool_]:
        """Whether a row has a vector, one of the scopes, and one of the readers."""
        columns, keys = self.segment.columns, _as_keys(scopes)
        is_scope = np.zeros(self.segment.last_scope + 1, dtype=np.bool_)
        is_scope[keys[keys <= self.segment.last_scope]] = True
        is_read = np.array([not readers.isdisjoint(tokens) for tokens in self.segment.readers], dtype=np.bool_)
        return is_scope[columns.scopes] & is_read[columns.readers] & self.embedded

    def find(self, keys: Integers) -> Rows:
        """The rows of those of the keys that have one that is alive."""
        rows, found = self.segment.find(keys)
        return rows[found & self.alive[rows]]


class VectorSnapshot:
    """An `IndexSnapshot`: it keeps the files that it reads, whatever becomes of the index."""

    def __init__(self, state: State, views: Sequence[View], ask: Ask) -> None:
        self.state = state
        self.views = views
        self._ask = ask

    @property
    def sequence(self) -> int:
        return self.state.sequence

    @property
    def mark(self) -> int:
        return self.state.mark

    @property
    def passages(self) -> int:
        """How many passages there are."""
        return self.state.rows

    @property
    def unembedded(self) -> int:
        """How many of them have no vector, since they may not leave this host, and so are found by their words alone."""
        return self.passages - sum(int(np.count_nonzero(view.embedded)) for view in self.views)

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        if limit < 1:
            raise InputError("bad_limit", f"a search for {limit} hits", remedy="ask for 1 or more")
        chosen = self._admitted(wanted)
        question = self._ask(text) if chosen else None
        return best(question, chosen, limit) if question else _NOTHING

    def scores(self, text: str, keys: Collection[PassageKey]) -> Mapping[PassageKey, float]:
        numbers = packed(keys)
        held = [Chosen(view.segment.columns, self._embedded(view, numbers)) for view in self.views]
        held = [part for part in held if len(part.rows)]
        question = self._ask(text) if held else None
        return {
            unpack(key): score for part in held for key, score in zip(_keys(part), _scores(question, part), strict=True)
        }

    def held(self, keys: Collection[PassageKey]) -> frozenset[PassageKey]:
        """Those of the keys that there are passages for."""
        numbers = packed(keys)
        return frozenset(
            unpack(key) for view in self.views for key in view.segment.columns.keys[view.find(numbers)].tolist()
        )

    def sample(self, size: int) -> tuple[PassageKey, ...]:
        """So many passages chosen at random; all, where there are fewer."""
        keys = [key for view in self.views for key in view.segment.columns.keys[view.alive].tolist()]
        return tuple(map(unpack, random.sample(keys, min(size, len(keys)))))

    def _admitted(self, wanted: Filter) -> Sequence[Chosen]:
        if wanted.lets_nothing_through:
            return ()
        chosen = (view.admitted(wanted) for view in self.views)
        return [part for part in chosen if len(part.rows)]

    def _embedded(self, view: View, keys: Integers) -> Rows:
        rows = view.find(keys)
        return rows[view.embedded[rows]]


def _keys(part: Chosen) -> list[int]:
    return list(part.columns.keys[part.rows].tolist())


def _scores(question: Question | None, part: Chosen) -> list[float]:
    if question is None:
        return [0.0] * len(part.rows)
    return list(scores_of(question, part.columns, part.rows).tolist())


@lru_cache(_REMEMBERED)
def _as_keys(scopes: frozenset[int]) -> Integers:
    return np.fromiter(scopes, dtype=np.int64, count=len(scopes))
