"""Statements: a claim's sentence beside the sentences of its evidence, and which of them speak about the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.figures import Figures, figures
from toulmin.domain.claims.oracles.words import Word, words
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.corpus.sentences import UnitKind, units

_LEAST = 0.34
"""Of a claim's content, the share that a sentence has to speak about to be taken as speaking about the same thing."""
_NEAR = 0.75
"""Of the best sentence's share, the least that another one has to reach to be aligned as well."""
_ALIGNED = 3
_PASSAGES_KEPT = 256


@dataclass(frozen=True, kw_only=True, eq=False)
class Statement:
    """One sentence, heading, list item, row or piece of code: `text[start:end]`. `passage` is the number of the cited passage, 0 for a claim.

    Each is equal to itself only: what is read from it is kept for it.
    """

    text: str
    start: int
    end: int
    kind: UnitKind = UnitKind.SENTENCE
    passage: int = 0
    language: str | None = None

    @property
    def content(self) -> str:
        """The sentence itself."""
        return self.text[self.start : self.end]

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return tuple(words(self.text, self.start, self.end))

    @cached_property
    def figures(self) -> Figures:
        """The numbers, dates and versions that it names."""
        return figures(self.text, self.start, self.end, self.language)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words that name something."""
        return frozenset(word.stem for word in self.words if word.is_content)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """A claim's statement beside every sentence of what it cites; `context` is what the sources' titles, sections and versions say."""

    claim: Statement
    evidence: tuple[Statement, ...]
    passages: tuple[Cited, ...]
    context: frozenset[str] = frozenset()

    @classmethod
    def of(cls, unit: ReviewUnit) -> Pair:
        """The pair of a unit whose claim is one statement."""
        context = frozenset(
            word.stem
            for cited in unit.passages
            for text in (cited.title or "", cited.version or "", *cited.section)
            for word in words(text)
        )
        return cls(
            claim=Statement(text=unit.claim, start=0, end=len(unit.claim)),
            evidence=tuple(
                statement
                for number, cited in enumerate(unit.passages)
                for statement in _statements(cited.words, number, cited.language)
            ),
            passages=unit.passages,
            context=context,
        )

    @cached_property
    def aligned(self) -> tuple[Statement, ...]:
        """The sentences of the evidence that speak about what the claim speaks about, best first; empty where none does."""
        scored = sorted(((self.share(item), -place) for place, item in enumerate(self.evidence)), reverse=True)
        if not scored:
            return ()
        least = max(_LEAST, scored[0][0] * _NEAR)
        return tuple(self.evidence[-place] for share, place in scored[:_ALIGNED] if share >= least)

    @cached_property
    def in_order(self) -> tuple[Statement, ...]:
        """All sentences of the evidence: first the aligned ones, best first."""
        return *self.aligned, *(item for item in self.evidence if item not in self.aligned)

    @cached_property
    def known(self) -> frozenset[str]:
        """The stems of all words of the evidence, and of what it is called, that name something."""
        return self.context.union(*(statement.stems for statement in self.evidence))

    def share(self, statement: Statement) -> float:
        """Of what the claim names, the share that a sentence names too, names counting double and numbers not at all; from 0 to 1."""
        weights = self._weights
        return sum(weights[stem] for stem in weights.keys() & statement.stems) / self._total if weights else 0.0

    @cached_property
    def _total(self) -> float:
        return sum(self._weights.values())

    @cached_property
    def _weights(self) -> dict[str, float]:
        """What the claim names, by stem, and how much it weighs in alignment."""
        return {
            word.stem: 2.0 if word.is_name else 1.0
            for word in self.claim.words
            if word.is_content and not word.is_number
        }

    def objection(
        self,
        oracle: str,
        strength: Strength,
        says: str,
        *,
        claim: tuple[int, int],
        against: Statement,
        evidence: tuple[int, int],
    ) -> Objection:
        """An objection with the words that it sees on both sides; `evidence` is a range of the text of `against`."""
        return Objection(
            oracle=oracle, strength=strength, claim=claim, passage=against.passage, evidence=evidence, says=says
        )


@lru_cache(maxsize=_PASSAGES_KEPT)
def _statements(text: str, passage: int, language: str | None) -> tuple[Statement, ...]:
    """The statements of a passage, which the claims of one answer have in common: each is read once for all of them."""
    return tuple(
        Statement(text=text, start=unit.start, end=unit.end, kind=unit.kind, passage=passage, language=language)
        for unit in units(text)
    )


def shared(claim: Statement, evidence: Statement) -> Sequence[tuple[Word, Word]]:
    """Words that name something and stand in both: (the claim's, the first of the evidence's with the same stem)."""
    first: dict[str, Word] = {}
    for word in evidence.words:
        first.setdefault(word.stem, word)
    return [(word, first[word.stem]) for word in claim.words if word.is_content and word.stem in first]
