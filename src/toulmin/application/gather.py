"""Gather: reads what a question may be answered from, and closes the evidence set; one read transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from toulmin.application.parts import Parts
from toulmin.application.question import Question
from toulmin.application.retrieval import Found, Reading, reading
from toulmin.domain.claims.unit import Cited, cited
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.evidence.selection import Budget, EvidenceSet, LeftOut, Quote, Selection, evidence_set, select
from toulmin.domain.outcome import CitedQuote, Item
from toulmin.domain.question.contract import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The closed evidence of one question, and how it came about: within which budget, and what parser read each source.

    `quotes` resolves every citation that the evidence allows.
    `cited` has the same quotes as a review reads them, in reviewed mode; `conflicting` names those that speak against the question's premise.
    """

    question: Question
    found: Found
    selection: Selection
    evidence: EvidenceSet
    items: tuple[Item, ...]
    quotes: Mapping[tuple[RevisionId, str], CitedQuote]
    sequence: int
    corpus: str
    budget: Budget
    parsers: Mapping[RevisionId, str]
    cited: Mapping[tuple[RevisionId, str], Cited] = field(default_factory=dict)
    conflicting: frozenset[tuple[RevisionId, str]] = frozenset()

    def without(self, unwanted: Mapping[Ranked, LeftOut]) -> Gathered:
        """The same evidence less some passages, closed again. Not for licensed mode, where it does not consist of passages."""
        selection = self.selection.without(unwanted)
        evidence = evidence_set(selection.taken)
        kept = {(item.id, item.passage.id) for item in selection.taken}
        return replace(
            self,
            selection=selection,
            evidence=evidence,
            items=tuple(item for item in self.items if (item.found.id, item.found.passage.id) in kept),
            quotes={key: quote for key, quote in self.quotes.items() if key in kept},
            cited={key: cited for key, cited in self.cited.items() if key in kept},
        )


def gather(
    question: Question, parts: Parts, *, seen: Collection[tuple[RevisionId, str]] = (), kept: int = 0
) -> Gathered:
    """Searches, re-checks, selects and closes.

    `seen` names passages, by revision and id, that an earlier round had and that are not taken again; `kept` is how many it had that are,
    and that leave no less room for others, within the policy.
    """
    licensed = question.contract.mode is Mode.LICENSED
    budget = Budget.of(parts.policy, k=question.k + kept, by_document=licensed, min_score=question.min_score)
    with (
        parts.observer.step("gather") as tell,
        reading(
            parts.store, parts.searched, question.principal, parts.scopes, parts.reranker, observer=parts.observer
        ) as view,
    ):
        wanted = view.filter(question.contract.rules, question.case, question.at)
        choose = partial(_choose, question=question, budget=budget, seen=seen)
        found = view.find(
            question.search_text, wanted, parts.policy.max_results, lambda passages: choose(passages).fills(budget)
        )
        selection = choose(found.passages)
        tell(taken=len(selection.taken), left_out=len(selection.left_out))
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
            budget=budget,
            parsers={item.id: view.parser(item.standing.key) for item in selection.taken},
            cited=_cited(view, selection.taken) if question.contract.mode is Mode.REVIEWED else {},
        )


def _choose(
    found: Sequence[Ranked], *, question: Question, budget: Budget, seen: Collection[tuple[RevisionId, str]]
) -> Selection:
    facts = {fact.id for fact in question.facts}
    curated = {p.id for p in found if any(span.fact in facts for span in p.standing.descriptor.spans)}
    again = {p: LeftOut.EARLIER_ROUND for p in found if (p.id, p.passage.id) in seen}
    selection = select([p for p in found if p not in again], budget, curated=curated)
    return selection.without(again) if again else selection


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


def _cited(view: Reading, taken: Sequence[Ranked]) -> dict[tuple[RevisionId, str], Cited]:
    return {
        (item.id, item.passage.id): cited(
            view.text(item.standing.key), item.passage.start, item.passage.end, item.standing, item.passage.heading
        )
        for item in taken
    }


def _resolved(view: Reading, selection: Selection, evidence: EvidenceSet) -> dict[tuple[RevisionId, str], CitedQuote]:
    keys = {item.id: item.standing.key for item in selection.taken}
    return {
        (source.id, quote.span.id): CitedQuote(
            source=source.id,
            span=quote.span.id,
            words=quote.words,
            place=view.place(keys[source.id], quote.span.start, quote.span.end),
            title=source.title,
        )
        for source in evidence.sources
        for quote in source.quotes
    }
