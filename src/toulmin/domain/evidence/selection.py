"""Selection: the closed evidence set, chosen before anything is drafted, and what was left out of it with the reason."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import Generic, Protocol, TypeVar

from toulmin.domain.corpus.document import Egress, RevisionId, Span, Standing
from toulmin.domain.corpus.readers import Readers
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.policy import Policy


class Choosable(Protocol):
    """What selection knows of a passage: all that it decides by. Passages with equal `words` say the same."""

    @property
    def id(self) -> RevisionId: ...

    @property
    def rank(self) -> tuple[float, str, str, int, int]: ...

    @property
    def score(self) -> float: ...

    @property
    def words(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def group(self) -> Hashable: ...


_P = TypeVar("_P", bound=Choosable)


class LeftOut(StrEnum):
    """Why a passage that was found is not in the evidence set."""

    BEYOND_K = "beyond_k"
    BELOW_MINIMUM_SCORE = "below_minimum_score"
    DUPLICATE = "duplicate"
    PASSAGE_TOO_LONG = "passage_too_long"
    CONTEXT_FULL = "context_full"
    EARLIER_ROUND = "earlier_round"
    IRRELEVANT = "irrelevant"
    NO_EVIDENCE = "no_evidence"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A span with its words, read from the store."""

    span: Span
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One selected revision, with the spans that its evidence consists of, by (start, end, id)."""

    id: RevisionId
    title: str | None
    author: str | None
    scope: Scope
    readers: Readers
    egress: Egress
    text_sha256: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, kw_only=True)
class EvidenceSet:
    """The closed set that an answer rests on: sources by (document, version), passages in rank order.

    Raises `InputError` (`duplicate_evidence`) for two sources with one id, or two spans with one id in a source: an id that means two
    things can prove neither.
    """

    sources: tuple[Source, ...] = ()
    passages: tuple[Ranked, ...] = ()

    def __post_init__(self) -> None:
        _refuse_repeats("source", [source.id for source in self.sources])
        for source in self.sources:
            _refuse_repeats(f"span of {source.id}", [quote.span.id for quote in source.quotes])

    def source(self, wanted: RevisionId) -> Source | None:
        return next((source for source in self.sources if source.id == wanted), None)

    def quote(self, wanted: RevisionId, span_id: str) -> Quote | None:
        source = self.source(wanted)
        return next((quote for quote in source.quotes if quote.span.id == span_id), None) if source else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The passages taken, in rank order, and those left out with their reason, in rank order."""

    taken: tuple[Ranked, ...]
    left_out: tuple[tuple[Ranked, LeftOut], ...]

    def fills(self, budget: Budget) -> bool:
        """Whether looking for more passages could add nothing: as many documents, or passages, as the budget allows."""
        if budget.documents is None:
            return len(self.taken) >= budget.passages
        return len({item.id for item in self.taken}) >= min(budget.documents, budget.passages)

    def without(self, unwanted: Mapping[Ranked, LeftOut]) -> Selection:
        """The selection less some of what was taken, each with the reason."""
        return Selection(
            taken=tuple(item for item in self.taken if item not in unwanted),
            left_out=tuple(sorted((*self.left_out, *unwanted.items()), key=lambda pair: pair[0].rank)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much may be selected: `documents` in licensed mode, `passages` in all modes, and the bytes of a passage and of all."""

    passages: int
    passage_bytes: int
    context_bytes: int
    documents: int | None = None
    min_score: float = 0.0

    @classmethod
    def of(cls, policy: Policy, *, k: int, by_document: bool, min_score: float) -> Budget:
        return cls(
            passages=policy.passages if by_document else min(k, policy.passages),
            documents=k if by_document else None,
            passage_bytes=policy.passage_bytes,
            context_bytes=policy.context_bytes,
            min_score=min_score,
        )


def select(found: Sequence[Ranked], budget: Budget, *, curated: Collection[RevisionId] = ()) -> Selection:
    """Chooses from passages in rank order.

    The first pass takes one passage per group (document and heading path), the second backfills; both in rank order. Where the budget
    counts documents, a pass before them takes one passage per document, so that a long one does not starve the rest. Passages with
    white-space-equal texts are taken once, from a revision in `curated` if there is one: a copy without curated spans must not hide
    the witness. A passage that does not fit is left out, and smaller later ones may still fit.
    """
    taken, left_out = choose(found, budget, curated=curated)
    return Selection(taken=taken, left_out=left_out)


def choose(
    found: Sequence[_P], budget: Budget, *, curated: Collection[RevisionId] = ()
) -> tuple[tuple[_P, ...], tuple[tuple[_P, LeftOut], ...]]:
    """What `select` takes and leaves out, each in rank order; for passages of any form, so that a packet's can be chosen from again."""
    choice = _Choice[_P](budget=budget)
    for item in _in_passes(_curated_first(found, budget, curated), budget):
        choice.offer(item)
    return (
        tuple(sorted(choice.taken, key=lambda item: item.rank)),
        tuple(sorted(choice.left_out, key=lambda pair: pair[0].rank)),
    )


def _curated_first(found: Sequence[_P], budget: Budget, curated: Collection[RevisionId]) -> list[_P]:
    """The passages in order; of those with equal words the first from a curated revision changes places with the first of all."""
    order, first = list(found), dict[str, int]()
    for at, item in enumerate(found):
        place = first.setdefault(item.words, at)
        better = item.id in curated and order[place].id not in curated and item.score >= budget.min_score
        if better:
            order[place], order[at] = item, order[place]
    return order


def _in_passes(items: Sequence[_P], budget: Budget) -> Iterator[_P]:
    """The passages in the order in which the passes come to them; rank order inside each pass."""
    documents: set[RevisionId] = set()
    groups: set[Hashable] = set()
    passes: tuple[list[_P], list[_P], list[_P]] = ([], [], [])
    for item in items:
        first_of_document = budget.documents is not None and item.id not in documents
        passes[0 if first_of_document else 1 if item.group not in groups else 2].append(item)
        documents.add(item.id)
        groups.add(item.group)
    return chain(*passes)


@dataclass(slots=True, kw_only=True)
class _Choice(Generic[_P]):
    """What has been taken and left out so far."""

    budget: Budget
    taken: list[_P] = field(default_factory=list)
    left_out: list[tuple[_P, LeftOut]] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    used: int = 0

    def offer(self, item: _P) -> None:
        reason = self._refusal(item)
        if reason is not None:
            self.left_out.append((item, reason))
            return
        self.taken.append(item)
        self.words.add(item.words)
        self.used += item.size

    def _refusal(self, item: _P) -> LeftOut | None:
        if not item.score >= self.budget.min_score:  # a score that is not a number passes no minimum
            return LeftOut.BELOW_MINIMUM_SCORE
        if item.words in self.words:
            return LeftOut.DUPLICATE
        if len(self.taken) >= self.budget.passages or self._beyond_documents(item):
            return LeftOut.BEYOND_K
        if item.size > self.budget.passage_bytes:
            return LeftOut.PASSAGE_TOO_LONG
        if self.used + item.size > self.budget.context_bytes:
            return LeftOut.CONTEXT_FULL
        return None

    def _beyond_documents(self, item: _P) -> bool:
        """Whether the item would be one document too many; one whose passages do not fit takes no other's place."""
        chosen = {taken.id for taken in self.taken}
        return self.budget.documents is not None and item.id not in chosen and len(chosen) >= self.budget.documents


def evidence_set(taken: Sequence[Ranked], quotes: Mapping[RevisionId, Sequence[Quote]] | None = None) -> EvidenceSet:
    """The closed set of selected passages.

    `quotes` gives each source's curated quotes (licensed mode); without it, a source's evidence is its selected passages.
    """
    standings = {item.id: item.standing for item in taken}
    sources = tuple(
        _source(standing, quotes.get(rid, ()) if quotes is not None else _passage_quotes(rid, taken))
        for rid, standing in sorted(standings.items())
    )
    return EvidenceSet(sources=sources, passages=tuple(taken))


def _passage_quotes(rid: RevisionId, taken: Sequence[Ranked]) -> list[Quote]:
    return [
        Quote(span=Span(start=item.passage.start, end=item.passage.end, id=item.passage.id), words=item.text)
        for item in taken
        if item.id == rid
    ]


def _source(standing: Standing, quotes: Sequence[Quote]) -> Source:
    descriptor = standing.descriptor
    return Source(
        id=standing.id,
        title=descriptor.title,
        author=descriptor.author,
        scope=descriptor.scope,
        readers=descriptor.readers,
        egress=descriptor.egress,
        text_sha256=standing.text_sha256,
        quotes=tuple(sorted(quotes, key=lambda quote: (quote.span.start, quote.span.end, quote.span.id))),
    )


def _refuse_repeats(what: str, ids: Sequence[RevisionId | str]) -> None:
    for place, item in enumerate(ids):
        if item in ids[:place]:
            raise InputError(
                "duplicate_evidence", f"{what} {item} occurs twice", remedy="give every one an id of its own"
            )
