"""Gather: reads what a question may be answered from, and closes the evidence set; one read transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from toulmin.application.parts import Parts
from toulmin.application.question import Question
from toulmin.application.retrieval import Found, Reading, reading
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.evidence.selection import Budget, EvidenceSet, Quote, Selection, evidence_set, select
from toulmin.domain.outcome import CitedQuote, Item
from toulmin.domain.question.contract import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The closed evidence of one question, and how it came about. `quotes` resolves every citation that the evidence allows."""

    question: Question
    found: Found
    selection: Selection
    evidence: EvidenceSet
    items: tuple[Item, ...]
    quotes: Mapping[tuple[RevisionId, str], CitedQuote]
    sequence: int
    corpus: str


def gather(question: Question, parts: Parts) -> Gathered:
    """Searches, re-checks, selects and closes."""
    licensed = question.contract.mode is Mode.LICENSED
    budget = Budget.of(parts.policy, k=question.k, by_document=licensed, min_score=question.min_score)
    with reading(parts.store, parts.index, question.principal, parts.scopes) as view:
        wanted = view.filter(question.contract.rules, question.case, question.at)
        choose = partial(_choose, question=question, budget=budget)
        found = view.find(
            question.search_text, wanted, parts.policy.max_results, lambda passages: choose(passages).fills(budget)
        )
        selection = choose(found.passages)
        curated = _curated(view, selection, question) if licensed else None
        evidence = evidence_set(selection.taken, curated)
        return Gathered(
            question=question,
            found=found,
            selection=selection,
            evidence=evidence,
            items=view.items(selection.taken),
            quotes=_resolved(view, selection, evidence),
            sequence=view.sequence,
            corpus=view.session.corpus.fingerprint(),
        )


def _choose(found: Sequence[Ranked], *, question: Question, budget: Budget) -> Selection:
    facts = {fact.id for fact in question.facts}
    curated = {p.id for p in found if any(span.fact in facts for span in p.standing.descriptor.spans)}
    return select(found, budget, curated=curated)


def _curated(view: Reading, selection: Selection, question: Question) -> dict[RevisionId, list[Quote]]:
    """The selected revisions' spans that are labelled with an applicable fact, with the store's words."""
    facts = {fact.id for fact in question.facts}
    standings = {item.id: item.standing for item in selection.taken}
    return {
        rid: [
            Quote(span=span, words=view.text(standing.key)[span.start : span.end])
            for span in standing.descriptor.spans
            if span.fact in facts
        ]
        for rid, standing in standings.items()
    }


def _resolved(view: Reading, selection: Selection, evidence: EvidenceSet) -> dict[tuple[RevisionId, str], CitedQuote]:
    keys = {item.id: item.standing.key for item in selection.taken}
    return {
        (source.id, quote.span.id): CitedQuote(
            source=source.id,
            span=quote.span.id,
            words=quote.words,
            place=view.place(keys[source.id], quote.span.start, quote.span.end),
        )
        for source in evidence.sources
        for quote in source.quotes
    }
