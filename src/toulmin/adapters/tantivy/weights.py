"""Weights: the most that a question's words could score, by which BM25 becomes a share between 0 and 1.

BM25 gives each word of a question its weight (how rare it is) times a factor that grows with the word's frequency in the passage and never
reaches `k1 + 1`. So a passage's score over the sum of all weights times `k1 + 1` is the share of the question that it carries. It depends
on the question and on how often its words occur in the index as a whole: no filter, and no other passage that was found, moves it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from math import log1p

from tantivy import Searcher

from toulmin.adapters.tantivy import rows
from toulmin.adapters.tantivy.words import Word

_SATURATED = 2.2
"""`k1 + 1`, with tantivy's `k1` of 1.2."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of words in one state of the index, which has so many rows as BM25 counts them: those not yet merged away included."""

    searcher: Searcher
    rows: int

    @classmethod
    def of(cls, searcher: Searcher) -> Weights:
        """The weights in a searcher's state. Tantivy tells how many rows it counts only where it explains a score."""
        (found,) = searcher.search(rows.marker_query(), 1, count=False).hits
        explained = json.loads(rows.marker_query().explain(searcher, found[1]).to_json())
        return cls(searcher, int(explained["details"][1]["details"][1]["value"]))

    def most(self, words: Iterable[Word]) -> float:
        """The least number that no passage's score reaches. A word that no passage has counts as well: none carries that part."""
        return _SATURATED * sum(word.weight * self._weight(word) for word in words)

    def _weight(self, word: Word) -> float:
        """How rare the word is, in passages and in what stands above them; where nothing has it there, none can score by it."""
        passages, above = (self._fewest(field, word) for field in ("body", "context"))
        return self._rarity(passages) * rows.SHARES["body"] + (
            self._rarity(above) * rows.SHARES["context"] if above else 0
        )

    def _fewest(self, field: str, word: Word) -> int:
        """How many rows have the rarest of a word's stems, of those that any has."""
        return min(filter(None, (self.searcher.doc_freq(field, stem) for stem in word.stems)), default=0)

    def _rarity(self, holding: int) -> float:
        return log1p((self.rows - holding + 0.5) / (holding + 0.5))
