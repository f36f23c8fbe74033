"""Retrieval: eligible passages in rank order, every one re-checked against the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from toulmin.application.scopes import EligibleScopes
from toulmin.domain.corpus.boilerplate import weight
from toulmin.domain.corpus.document import Passage, Place, Revision, place_in
from toulmin.domain.evidence.ranking import Ranked, ranked, reranked
from toulmin.domain.outcome import Item
from toulmin.domain.question.case import Case, Principal
from toulmin.domain.question.eligibility import Filter, Rules, admits
from toulmin.ports.index import IndexSnapshot, Searchable
from toulmin.ports.observer import NO_OBSERVER, Observer
from toulmin.ports.reranker import Reranker
from toulmin.ports.store import Session, Store

_GROWTH = 4

Enough = Callable[[Sequence[Ranked]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found: passages in rank order, how many revisions were eligible, and how many hits the truth no longer backs.

    `left_out`: why a part of the index was not asked, so that passages were ranked by their words alone; None where all of it was.
    """

    passages: tuple[Ranked, ...]
    eligible: int
    drift: int
    left_out: str | None = None


class Reading:
    """One principal's view of the corpus and its index: the index snapshot's sequence number is pinned for all of it."""

    def __init__(
        self,
        session: Session,
        snapshot: IndexSnapshot,
        principal: Principal,
        scopes: EligibleScopes,
        reranker: Reranker | None,
        *,
        observer: Observer,
    ) -> None:
        self.session = session
        self._snapshot = snapshot
        self._tokens = principal.tokens
        self._scopes = scopes
        self._reranker = reranker
        self._observer = observer
        self._revisions: dict[int, Revision | None] = {}
        self._places: dict[tuple[int, Passage], Place] = {}

    @property
    def sequence(self) -> int:
        """The corpus sequence number that this view answers for."""
        return self._snapshot.sequence

    def filter(self, rules: Rules, case: Case, at: datetime) -> Filter:
        """What the principal may use for a case at an instant."""
        scopes = self._scopes.find(rules, case, self.session.corpus)
        return Filter(scopes=scopes, readers=self._tokens, at=at)

    def find(self, text: str, wanted: Filter, want: int, enough: Enough) -> Found:
        """Passages for a text, at least until `enough` says so or nothing else matches; the first look asks for `want`.

        Hits are judged by the corpus as of the pinned sequence, and status and readers as of now. A hit that does not pass is dropped and
        counted as drift, and the search goes deeper. Boilerplate counts less than it scores: passages are given only down to where none that
        was not looked at could come before them. A reranker reads the best of them, always as many.
        """
        with self._observer.step("search") as tell:
            found = self._find(text, wanted, want, enough)
            tell(eligible=found.eligible, found=len(found.passages), drift=found.drift)
            return found

    def _find(self, text: str, wanted: Filter, want: int, enough: Enough) -> Found:
        least = self._reranker.depth if self._reranker else 1
        corpus, limit = self.session.corpus, max(want, least)
        while True:
            hits = self._snapshot.search(text, wanted, limit)
            candidates = corpus.candidates([hit.key for hit in hits.hits], self.sequence)
            self._places |= {(known.standing.key, known.passage): known.place for known in candidates.values()}
            passages = ranked(
                Ranked(
                    standing=known.standing,
                    passage=known.passage,
                    text=known.text,
                    score=hit.score * weight(known.passage.heading, known.text, text),
                )
                for hit in hits.hits
                if (known := candidates.get(hit.key)) is not None and admits(wanted, known.scope, known.standing)
            )
            settled = passages if hits.exhausted else tuple(p for p in passages if p.score >= hits.hits[-1].score)
            if not hits.exhausted and len(settled) < least:
                limit *= _GROWTH
                continue
            settled = self._reranked(text, settled)
            if hits.exhausted or enough(settled):
                eligible = self._scopes.counts.find(wanted, self._tokens, corpus)
                drift = len(hits.hits) - len(passages)
                return Found(passages=settled, eligible=eligible, drift=drift, left_out=hits.left_out)
            limit *= _GROWTH

    def _reranked(self, text: str, passages: Sequence[Ranked]) -> tuple[Ranked, ...]:
        if self._reranker is None:
            return tuple(passages)
        read = [passage.text for passage in passages[: self._reranker.depth]]
        return reranked(passages, self._reranker.order(text, read))

    def text(self, key: int) -> str:
        """A revision's canonical text; empty where it may not be read (any longer)."""
        revision = self._revision(key)
        return revision.text if revision else ""

    def parser(self, key: int) -> str:
        """What read a revision, by name and version; empty where it may not be read (any longer)."""
        revision = self._revision(key)
        return revision.parser if revision else ""

    def place(self, key: int, start: int, end: int) -> Place:
        """A range of a revision's text with its UTF-16 offsets and pages."""
        revision = self._revision(key)
        return revision.place(start, end) if revision else place_in("", (), start, end)

    def items(self, passages: Sequence[Ranked]) -> tuple[Item, ...]:
        """Passages that were found in this view, as search results."""
        return tuple(Item(found=p, place=self._places[p.standing.key, p.passage]) for p in passages)

    def _revision(self, key: int) -> Revision | None:
        """A revision, read once."""
        if key not in self._revisions:
            self._revisions[key] = self.session.catalogue.revision(key)
        return self._revisions[key]


@contextmanager
def reading(
    store: Store,
    index: Searchable,
    principal: Principal,
    scopes: EligibleScopes,
    reranker: Reranker | None = None,
    *,
    observer: Observer = NO_OBSERVER,
) -> Iterator[Reading]:
    """Opens a view. The index is pinned first, so that the store is never behind what the index names."""
    snapshot = index.snapshot()
    with store.begin(principal) as session:
        yield Reading(session, snapshot, principal, scopes, reranker, observer=observer)


def this_many(wanted: int) -> Enough:
    """Enough is a number of passages."""
    return lambda passages: len(passages) >= wanted
