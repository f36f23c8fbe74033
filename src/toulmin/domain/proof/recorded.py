"""Packets read back: from a body and the words that are still beside it to the values that the decision was made from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.claims.opinion import Probabilities
from toulmin.domain.corpus.document import Egress, RevisionId, Span
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.evidence.coverage import Witness, qualifies, witnesses
from toulmin.domain.evidence.selection import Budget, EvidenceSet, LeftOut, Quote, Source
from toulmin.domain.policy import Policy, policy_of
from toulmin.domain.proof.packet import Packet
from toulmin.domain.question.case import Case
from toulmin.domain.question.contract import Contract, Mode, contract_of

PassageName = tuple[RevisionId, str]
"""A passage by its revision and its id there."""


class WordsErased(Exception):
    """Words that are needed are not beside the body any more; the message names their digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage as a packet has it: all that selection decides by, and none of its words; `words` is the digest of the folded ones."""

    id: RevisionId
    passage: str
    start: int
    end: int
    score: float
    sha256: str
    words: str
    size: int
    heading: str
    curated: bool
    ahead: int = 0

    @property
    def rank(self) -> tuple[float, str, str, int, int]:
        """The order of search results, as `evidence.ranking` has it."""
        return (-(self.ahead + self.score), self.id.document, self.id.version, self.start, self.end)

    @property
    def group(self) -> tuple[RevisionId, str]:
        """Revision and heading path."""
        return self.id, self.heading

    @property
    def name(self) -> PassageName:
        """What it is called."""
        return self.id, self.passage


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedVerdict:
    """A verdict as a packet has it; `strengths` are those of the objections, by their names."""

    status: str
    reason: str | None
    checks: tuple[str, ...]
    strengths: tuple[str, ...]
    probabilities: Probabilities | None


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A packet's body with the words that are left of it. What needs words that are gone raises `WordsErased`.

    Raises `ValueError`, when a part is read, for a body that this version of the program did not write.
    """

    packet: Packet
    body: Mapping[str, Any]

    @classmethod
    def of(cls, packet: Packet) -> Recorded:
        """The packet, to be read."""
        return cls(packet=packet, body=json.loads(packet.body))

    def words(self, digest: str) -> str:
        """The words that a digest stands for."""
        kept = self.packet.texts.get(digest)
        if kept is None:
            raise WordsErased(digest)
        return kept

    @property
    def question(self) -> str:
        """An open question's words; empty for a contract's question."""
        digest = self.body["question"]
        return "" if digest is None else self.words(digest)

    @cached_property
    def contract(self) -> Contract:
        """The contract of then."""
        return contract_of(self.words(self.body["contract"]["snapshot"]))

    @cached_property
    def policy(self) -> Policy:
        """The policy of then."""
        return policy_of(self.words(self.body["policy"]["snapshot"]))

    @cached_property
    def case(self) -> Case:
        """The case, with the types that the contract of then gives its fields."""
        return self.contract.recorded_case({fact["name"]: fact["value"] for fact in self.body["case"]})

    @property
    def mode(self) -> Mode:
        """The answer mode."""
        return Mode(self.body["outcome"]["assurance"])

    @property
    def budget(self) -> Budget:
        """What could be selected."""
        return Budget(**self.body["budget"])

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """Everything that was found, in rank order."""
        return tuple(map(_candidate, self.body["candidates"]))

    @property
    def taken(self) -> tuple[PassageName, ...]:
        """The selected passages, in rank order."""
        return tuple((revision(item), item["passage"]) for item in self.body["passages"])

    @property
    def left_out(self) -> tuple[tuple[PassageName, LeftOut], ...]:
        """What was found and not selected, in rank order, each with its reason."""
        return tuple(((revision(item), item["passage"]), LeftOut(item["reason"])) for item in self.body["left_out"])

    @property
    def sources(self) -> Mapping[RevisionId, Mapping[str, Any]]:
        """The selected revisions, as the body has them."""
        return {revision(item): item for item in self.body["documents"]}

    @cached_property
    def evidence(self) -> EvidenceSet:
        """The selected sources with their quotes' words. Titles, authors and passages are no part of what is read back."""
        return EvidenceSet(sources=tuple(self._source(item) for item in self.body["documents"]))

    def labelled(self, source: RevisionId) -> tuple[Span, ...]:
        """The curated spans of a selected source that the decision looked at: of facts that apply; outside of licensed mode, inside of passages."""
        named = [self.sources[source]] if self.mode is Mode.LICENSED else self._passages_of(source)
        return self.counted(source, (_span(span) for item in named for span in item["spans"]))

    def counted(self, source: RevisionId, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Those of some spans on the source's text that the decision would have looked at."""
        facts = self._facts
        places = [(item["start"], item["end"]) for item in self._passages_of(source)]
        return tuple(
            span
            for span in spans
            if span.fact in facts
            and (self.mode is Mode.LICENSED or any(start <= span.start and span.end <= end for start, end in places))
        )

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """What witnessed the facts that apply: in licensed mode the evidence's spans, else the labelled ones inside of passages."""
        facts = self.contract.applicable(self.case)
        if self.mode is Mode.LICENSED:
            return witnesses(self.evidence, facts)
        quoted = list(self._labelled())
        return tuple(
            Witness(fact=fact.id, source=source, quote=quote)
            for fact in facts
            for source, quote in quoted
            if qualifies(quote, fact)
        )

    @property
    def claims(self) -> tuple[tuple[Claim, RecordedVerdict], ...]:
        """The delivered claims, then the withheld ones, each with its verdict."""
        return tuple((self._claim(item), self._verdict(item["verdict"])) for item in self._said())

    @property
    def delivered(self) -> tuple[str, ...]:
        """The sentences of the delivered claims."""
        return tuple(self.words(item["text"]) for item in self.body["claims"])

    @property
    def _facts(self) -> frozenset[str]:
        """The facts that apply; where the contract cannot be read any more, those that a span is left of."""
        try:
            return frozenset(fact.id for fact in self.contract.applicable(self.case))
        except (WordsErased, ValueError):
            return frozenset(span["fact"] for item in self.body["documents"] for span in item["spans"] if span["fact"])

    def _passages_of(self, source: RevisionId) -> list[Mapping[str, Any]]:
        return [item for item in self.body["passages"] if revision(item) == source]

    def _said(self) -> Iterator[Mapping[str, Any]]:
        yield from self.body["claims"]
        yield from self.body["withheld"]

    def _source(self, item: Mapping[str, Any]) -> Source:
        return Source(
            id=revision(item),
            title=None,
            author=None,
            scope=recorded_scope(item),
            readers=tuple(item["readers"]),
            egress=Egress.ANY,
            text_sha256=item["text_sha256"],
            quotes=tuple(Quote(span=_span(span), words=self.words(span["sha256"])) for span in item["spans"]),
        )

    def _labelled(self) -> Iterator[tuple[RevisionId, Quote]]:
        for item in self.body["passages"]:
            for span in item["spans"]:
                words = self.words(item["sha256"])
                inside = words[span["start"] - item["start"] : span["end"] - item["start"]]
                yield revision(item), Quote(span=_span(span), words=inside)

    def _claim(self, item: Mapping[str, Any]) -> Claim:
        return Claim(
            text=self.words(item["text"]),
            fact=item["fact"],
            quotes=tuple(map(self.words, item["quotes"])),
            citations=tuple(Citation(source=revision(cited), span=cited["span"]) for cited in item["citations"]),
        )

    def _verdict(self, item: Mapping[str, Any]) -> RecordedVerdict:
        given = item["probabilities"]
        return RecordedVerdict(
            status=item["status"],
            reason=None if item["reason"] is None else self.words(item["reason"]),
            checks=tuple(item["checks"]),
            strengths=tuple(objection["strength"] for objection in item["objections"]),
            probabilities=None if given is None else Probabilities(**given),
        )


def revision(named: Mapping[str, Any]) -> RevisionId:
    """The revision that a part of a body names."""
    return RevisionId(named["document"], named["version"])


def recorded_scope(item: Mapping[str, Any]) -> Scope:
    """The scope of a recorded source."""
    stated = json.loads(item["scope"])
    return Scope(tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in stated.items()))


def _span(item: Mapping[str, Any]) -> Span:
    return Span(start=item["start"], end=item["end"], id=item["id"], fact=item["fact"])


def _candidate(item: Mapping[str, Any]) -> Candidate:
    return Candidate(
        id=revision(item),
        passage=item["passage"],
        start=item["start"],
        end=item["end"],
        score=item["score"],
        sha256=item["sha256"],
        words=item["words"],
        size=item["bytes"],
        heading=item["heading"],
        curated=item["curated"],
        ahead=item.get("ahead", 0),
    )
