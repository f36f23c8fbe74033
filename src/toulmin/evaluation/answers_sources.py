"""The stored words that answers are measured by: where gold quotes stand, and what a claim that cites them was reviewed beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from toulmin.application.packets import show_packet
from toulmin.application.parts import Parts
from toulmin.domain.claims.unit import Cited, ReviewUnit, cited
from toulmin.domain.corpus.document import Egress, Revision, RevisionId, Standing
from toulmin.domain.corpus.text import locate
from toulmin.domain.outcome import CitedQuote, ShownClaim
from toulmin.domain.question.case import Principal
from toulmin.evaluation.answers import Asked, Located
from toulmin.evaluation.questions import Gold, Question
from toulmin.ports.store import Session

_KEPT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A claim of an answer as it was reviewed. `may_leave`: no label of what it cites keeps its words on this host."""

    claim: ShownClaim
    unit: ReviewUnit
    may_leave: bool


class Sources:
    """The stored revisions that one principal may read; the last ones that were needed are kept."""

    def __init__(self, parts: Parts, principal: Principal) -> None:
        self._parts = parts
        self._principal = principal
        self._known = lru_cache(maxsize=_KEPT)(self._read)

    def gold(self, question: Question) -> tuple[Located, ...]:
        """Each gold quote of a question with its places in the question's version; white space is compared as a search for quotes does."""
        return tuple(self._located(gold, question.version) for gold in question.gold)

    def subjects(self, asked: Asked) -> Iterator[Subject]:
        """The claims of an outcome, each with what its review was given: the packet has the quotes and the case."""
        receipt = asked.outcome.receipt
        assert receipt is not None  # an outcome that the use case gave out is recorded
        view = show_packet(self._parts.store, receipt.packet, self._principal, self._parts.clock.now())
        case = {item["name"]: item["value"][1:] for item in view.body["case"]}  # behind the letter of its type
        kept = (*view.body["claims"], *view.body["withheld"])
        for claim, record in zip(asked.claims, kept, strict=True):
            yield self._subject(claim, record, view.texts, case)

    def _located(self, gold: Gold, version: str) -> Located:
        known = self._known(RevisionId(gold.path, version))
        if known is None:
            return Located(gold=gold, places=())
        standing, revision = known
        places = tuple((match.start, match.end) for match in locate(revision.text, gold.quote))
        return Located(gold=gold, places=places, source_type=standing.descriptor.source_type)

    def _subject(
        self, claim: ShownClaim, record: Mapping[str, Any], texts: Mapping[str, str], case: Mapping[str, str]
    ) -> Subject:
        quotes = tuple(texts[digest] for digest in record["quotes"])
        passages = tuple(map(self._cited, claim.citations))
        return Subject(
            claim=claim,
            unit=ReviewUnit(claim=claim.text, passages=passages, quotes=quotes, case=case),
            may_leave=all(self._egress(cited.source) is Egress.ANY for cited in claim.citations),
        )

    def _cited(self, quote: CitedQuote) -> Cited:
        known = self._known(quote.source)
        if known is None or quote.place is None:
            return Cited(words=quote.words or "")
        standing, revision = known
        start, end = quote.place.start, quote.place.end
        section = next((p.heading for p in revision.passages if p.start <= start < p.end), ())
        return cited(revision.text, start, end, standing, section)

    def _egress(self, source: RevisionId) -> Egress:
        """The label of a revision as of now; what may not be read (any longer) stays here."""
        with self._parts.store.begin(self._principal) as session:
            standing = _standing(session, source)
        return Egress.LOCAL if standing is None else standing.descriptor.egress

    def _read(self, source: RevisionId) -> tuple[Standing, Revision] | None:
        with self._parts.store.begin(self._principal) as session:
            standing = _standing(session, source)
            revision = None if standing is None else session.catalogue.revision(standing.key)
        return None if standing is None or revision is None else (standing, revision)


def _standing(session: Session, source: RevisionId) -> Standing | None:
    return next((s for s in session.catalogue.standings(source.document) if s.id == source), None)
