"""Coverage: whether the selected set holds a witness for every required fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.corpus.text import same_words
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.evidence.selection import EvidenceSet, Quote
from toulmin.domain.question.contract import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A span that qualifies for a fact."""

    fact: str
    source: RevisionId
    quote: Quote


def qualifies(quote: Quote, fact: Fact) -> bool:
    """A span qualifies when it carries the fact's label and its words are the fact's proposition.

    A label alone never counts, since labels outlive the text that they were put on. Words are compared after the folds `nfc` and
    `white-space`.
    """
    if quote.span.fact != fact.id:
        return False
    return quote.words == fact.proposition or same_words(quote.words, fact.proposition)  # folding takes its time


def witnesses(evidence: EvidenceSet, facts: Sequence[Fact]) -> tuple[Witness, ...]:
    """The first witness of each fact that has one, in the facts' order; first by (document id, version, span id)."""
    found = ((fact, _first(evidence, fact)) for fact in facts)
    return tuple(witness for _, witness in found if witness is not None)


def witnesses_in_passages(evidence: EvidenceSet, facts: Sequence[Fact]) -> tuple[Witness, ...]:
    """Every witness that a selected passage holds whole, in the facts' order, for evidence that consists of passages."""
    return tuple(
        Witness(fact=fact.id, source=item.id, quote=quote)
        for fact in facts
        for item in evidence.passages
        for quote in _curated(item)
        if qualifies(quote, fact)
    )


def missing(evidence: EvidenceSet, facts: Sequence[Fact]) -> tuple[str, ...]:
    """Required facts without a qualifying witness among the evidence's spans, in the contract's order."""
    return unwitnessed(witnesses(evidence, facts), facts)


def unwitnessed(found: Sequence[Witness], facts: Sequence[Fact]) -> tuple[str, ...]:
    """Required facts that none of the witnesses is for, in the contract's order."""
    covered = {witness.fact for witness in found}
    return tuple(fact.id for fact in facts if fact.required and fact.id not in covered)


def _curated(item: Ranked) -> Iterator[Quote]:
    """The curated spans inside of a passage, with their words."""
    place = item.passage
    for span in item.standing.descriptor.spans:
        if place.start <= span.start and span.end <= place.end:
            yield Quote(span=span, words=item.text[span.start - place.start : span.end - place.start])


def _first(evidence: EvidenceSet, fact: Fact) -> Witness | None:
    qualifying = [
        Witness(fact=fact.id, source=source.id, quote=quote)
        for source in evidence.sources
        for quote in source.quotes
        if qualifies(quote, fact)
    ]
    return min(qualifying, key=lambda witness: (witness.source, witness.quote.span.id), default=None)
