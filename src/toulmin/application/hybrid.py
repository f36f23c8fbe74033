"""Hybrid search: two indexes under one filter, one by words and one by meaning, and one exact ranking of both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from toulmin.domain.errors import InputError
from toulmin.domain.evidence.fusion import mixed, most_unseen, settled
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.embedder import EmbedderFault
from toulmin.ports.index import Hit, Hits, IndexSnapshot, IndexUnreadable, Searchable
from toulmin.ports.store import PassageKey, Store

_DEPTH = 100
"""Hits that each index is asked for at first: mostly enough to be sure of the best ten."""

_GROWTH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridIndex:
    """What is searched where there is an embedder: an index by words, which knows every passage, and one by meaning, which may lag behind."""

    words: Searchable
    meaning: Searchable
    store: Store

    def snapshot(self) -> IndexSnapshot:
        """Both as they stand now. Where the one by meaning is of no use for the store, the other alone, which says so of its hits."""
        try:
            meaning = self.meaning.snapshot()  # first: it is brought up after the other, and so is never ahead of it
        except IndexUnreadable as fault:
            return _WordsAlone(self.words.snapshot(), fault.code)
        words = self.words.snapshot()
        if (meaning.sequence, meaning.mark) != (words.sequence, words.mark) and not self._belongs(meaning):
            return _WordsAlone(words, "index_foreign")
        return HybridSnapshot(words, meaning)

    def _belongs(self, snapshot: IndexSnapshot) -> bool:
        """Whether what the snapshot has reached is of the store's history."""
        return self.store.outlook(snapshot.sequence).mark == snapshot.mark


@dataclass(frozen=True, slots=True)
class HybridSnapshot:
    """An `IndexSnapshot` of both. It has reached what the index by words has: a passage that the other lacks is ranked by its words."""

    words: IndexSnapshot
    meaning: IndexSnapshot

    @property
    def sequence(self) -> int:
        return self.words.sequence

    @property
    def mark(self) -> int:
        return self.words.mark

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        """The best of both, exact: each list is followed until nothing that stands in neither could be among the best.

        Without its vectors, because the embedder failed, the text is searched by its words alone.
        """
        if limit < 1:
            raise InputError("bad_limit", f"a search for {limit} hits", remedy="ask for 1 or more")
        try:
            return self._best(text, wanted, limit)
        except EmbedderFault as fault:
            return _WordsAlone(self.words, fault.code).search(text, wanted, limit)

    def scores(self, text: str, keys: Collection[PassageKey]) -> Mapping[PassageKey, float]:
        by_words, by_meaning = self.words.scores(text, keys), self.meaning.scores(text, keys)
        return {key: mixed(score, by_meaning.get(key)) for key, score in by_words.items()}

    def _best(self, text: str, wanted: Filter, limit: int) -> Hits:
        depth = max(limit, _DEPTH)
        while True:
            by_words = self.words.search(text, wanted, depth)
            by_meaning = self.meaning.search(text, wanted, depth)
            scores = self._mixed(text, by_words, by_meaning)
            best = settled(scores, limit, most_unseen(_last(by_words), _last(by_meaning)))
            if best is not None:
                seen_all = by_words.exhausted and by_meaning.exhausted
                hits = tuple(Hit(key=key, score=score) for key, score in best)
                return Hits(hits=hits, exhausted=seen_all and len(hits) == len(scores))
            depth *= _GROWTH

    def _mixed(self, text: str, *lists: Hits) -> Mapping[PassageKey, float]:
        """The score of every hit of either list; what only one of them found has its true score in the other."""
        words, meaning = ({hit.key: hit.score for hit in hits.hits} for hits in lists)
        words |= self.words.scores(text, meaning.keys() - words.keys())
        meaning |= self.meaning.scores(text, words.keys() - meaning.keys())
        return {key: mixed(words.get(key, 0.0), meaning.get(key)) for key in words.keys() | meaning.keys()}


@dataclass(frozen=True, slots=True)
class _WordsAlone:
    """An `IndexSnapshot` of the index by words, where the other was to be asked too and could not."""

    words: IndexSnapshot
    left_out: str

    @property
    def sequence(self) -> int:
        return self.words.sequence

    @property
    def mark(self) -> int:
        return self.words.mark

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        found = self.words.search(text, wanted, limit)
        return Hits(hits=found.hits, exhausted=found.exhausted, left_out=self.left_out)

    def scores(self, text: str, keys: Collection[PassageKey]) -> Mapping[PassageKey, float]:
        return self.words.scores(text, keys)


def _last(hits: Hits) -> float:
    """The most that a passage after the list can score."""
    return 0.0 if hits.exhausted else hits.hits[-1].score
