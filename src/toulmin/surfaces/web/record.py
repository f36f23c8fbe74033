"""Records: a packet's parts as pages show them, with their words, and where these stand in their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toulmin.application.packets import PacketView, SourceView
from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import Page, Revision, RevisionId, Standing
from toulmin.domain.proof.recorded import PassageName, revision
from toulmin.domain.question.case import Principal
from toulmin.ports.store import Catalogue
from toulmin.surfaces.http.rights import CURATOR, READER, REVIEWER
from toulmin.surfaces.web.excerpts import Excerpt, excerpt, heading
from toulmin.surfaces.web.marked import Piece, Range, disputed_pieces
from toulmin.surfaces.web.pages import source_address

_OF_DOCUMENTS: Final = frozenset({READER, CURATOR, REVIEWER})
"""Roles of which one is needed to look at documents; the same as `session.Browser`."""

_UNREADABLE: Final = frozenset({SourceState.DELETED, SourceState.ERASED})
_OTHER_TEXT: Final = _UNREADABLE | {SourceState.CHANGED}
"""States in which the words of the record have no place in a text any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A source of a packet whose text is the one that was decided from, as the visitor may read it now."""

    standing: Standing
    revision: Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """What a claim cites: its words, those marked that the verdict rests on or an objection is about, and where to read them.

    `state` is None for what was not in the selected evidence; `excerpt` for words that cannot be shown in their place any more.
    """

    source: RevisionId
    title: str | None
    span: str
    words: tuple[Piece, ...]
    state: SourceState | None
    address: str | None
    excerpt: Excerpt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedClaim:
    """A claim with its verdict; each objection (its strength, and what it says) has its number from 1 on the words on both sides."""

    words: tuple[Piece, ...]
    status: str
    reason: str | None
    objections: tuple[tuple[str, str], ...]
    citations: tuple[Cited, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPassage:
    """A passage of the evidence with its words; `conflicting`: a judge found that it speaks against what the question takes for granted."""

    source: RevisionId
    title: str | None
    words: str
    address: str | None
    heading: tuple[str, ...]
    pages: tuple[Page, ...]
    conflicting: bool


@dataclass(frozen=True, kw_only=True)
class Record:
    """A packet's parts as a page shows them. Words that are no longer kept are told as such; `opened` has the sources that are still to be read."""

    view: PacketView
    opened: Mapping[RevisionId, Opened] = field(default_factory=dict)

    @property
    def question(self) -> str | None:
        """An open question's words."""
        return self._words(self.view.body["question"]) if self.view.body["question"] else None

    @property
    def case(self) -> list[tuple[str, str]]:
        """The case's fields with their values."""
        return [(fact["name"], fact["value"][1:]) for fact in self.view.body["case"]]

    @property
    def claims(self) -> list[RecordedClaim]:
        """What was delivered."""
        return [self._claim(claim) for claim in self.view.body["claims"]]

    @property
    def withheld(self) -> list[RecordedClaim]:
        """What was not."""
        return [self._claim(claim) for claim in self.view.body["withheld"]]

    @property
    def passages(self) -> list[RecordedPassage]:
        """The selected passages, best first."""
        conflicting = _conflicting(self.view.body["trace"])
        return [
            self._passage(item, conflicting=(revision(item), item["passage"]) in conflicting)
            for item in self.view.body["passages"]
        ]

    @property
    def sources(self) -> list[tuple[SourceView, str | None]]:
        """The sources with what has become of them, and their titles."""
        return [(source, self._title(source.id)) for source in self.view.sources]

    def _claim(self, claim: Mapping[str, Any]) -> RecordedClaim:
        verdict, objections = claim["verdict"], list(enumerate(claim["verdict"]["objections"], start=1))
        return RecordedClaim(
            words=self._pieces(claim["text"], [(number, tuple(each["claim"])) for number, each in objections]),
            status=verdict["status"],
            reason=self._words(verdict["reason"]) if verdict["reason"] else None,
            objections=tuple((each["strength"], self._words(each["says"])) for _, each in objections),
            citations=tuple(
                self._cited(
                    citation,
                    [(number, tuple(each["evidence"])) for number, each in objections if each["passage"] == place],
                    [(start, end) for cited, start, end in verdict["rests_on"] if cited == place],
                )
                for place, citation in enumerate(claim["citations"])
            ),
        )

    def _cited(
        self, citation: Mapping[str, Any], objections: Sequence[tuple[int, Range]], rests_on: Sequence[Range]
    ) -> Cited:
        source, digest = revision(citation), citation["sha256"]
        place = self._place(source, citation["span"])
        opened = self.opened.get(source)
        return Cited(
            source=source,
            title=self._title(source),
            span=citation["span"],
            words=() if digest is None else self._pieces(digest, objections, rests_on),
            state=None if digest is None else self._state(source),
            address=self._address(source, place),
            excerpt=None if opened is None or place is None else excerpt(opened.revision, *place),
        )

    def _passage(self, item: Mapping[str, Any], *, conflicting: bool) -> RecordedPassage:
        source, place = revision(item), (item["start"], item["end"])
        opened = self.opened.get(source)
        return RecordedPassage(
            source=source,
            title=self._title(source),
            words=self._words(item["sha256"]),
            address=self._address(source, place),
            heading=heading(opened.revision, place[0]) if opened else (),
            pages=opened.revision.place(*place).pages if opened else (),
            conflicting=conflicting,
        )

    def _place(self, source: RevisionId, name: str) -> Range | None:
        """Where a span of a selected source stands in its text."""
        return next(
            (
                (span["start"], span["end"])
                for document in self.view.body["documents"]
                for span in document["spans"]
                if (revision(document), span["id"]) == (source, name)
            ),
            None,
        )

    def _address(self, source: RevisionId, place: Range | None) -> str | None:
        """Where to read words of a source: its page, with them marked as long as the text is the one that they were taken from."""
        state = self._state(source)
        if state is None or state in _UNREADABLE:
            return None
        span = () if place is None or state is SourceState.CHANGED else place
        return source_address(source.document, source.version, *span)

    def _state(self, source: RevisionId) -> SourceState | None:
        return next((each.state for each in self.view.sources if each.id == source), None)

    def _title(self, source: RevisionId) -> str | None:
        opened = self.opened.get(source)
        return opened.standing.descriptor.title if opened else None

    def _pieces(
        self, digest: str, objections: Sequence[tuple[int, Range]], ranges: Sequence[Range] = ()
    ) -> tuple[Piece, ...]:
        """Words, some of them marked, as long as they are kept."""
        kept = digest in self.view.texts
        return disputed_pieces(self._words(digest), objections if kept else (), ranges if kept else ())

    def _words(self, digest: str) -> str:
        return self.view.texts.get(digest, "(these words are no longer kept)")


def open_sources(view: PacketView, catalogue: Catalogue, who: Principal) -> Mapping[RevisionId, Opened]:
    """The sources of a packet whose text is still the one of then, and may be read by the visitor now; none for whose roles documents are not."""
    opened: dict[RevisionId, Opened] = {}
    if not _OF_DOCUMENTS & set(who.roles):
        return opened
    for source in view.sources:
        if source.state in _OTHER_TEXT:
            continue
        for standing in catalogue.standings(source.id.document):
            text = catalogue.revision(standing.key) if standing.id == source.id else None
            if text is not None and text.text_sha256 == source.text_sha256:
                opened[source.id] = Opened(standing=standing, revision=text)
    return opened


def _conflicting(trace: Sequence[Mapping[str, Any]]) -> set[PassageName]:
    """What the judge found to speak against the question's premise, in the round that counts."""
    found: set[PassageName] = set()
    counts = True
    for step in trace:
        if step["step"] == "round":
            counts = step["counts"]
        elif step["step"] == "route" and counts:
            found |= {(revision(item), item["passage"]) for item in step["conflicting"]}
    return found
