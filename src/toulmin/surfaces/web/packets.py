"""Packets: one decision as a page to read and to print, with what it rests on, and why other documents were not asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.application.packets import PacketView
from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.errors import NotFound
from toulmin.domain.outcome import Excluded
from toulmin.domain.proof.recorded import Recorded, WordsErased, revision
from toulmin.domain.proof.verification import Verification
from toulmin.domain.question.case import Principal
from toulmin.domain.question.eligibility import judge_standing
from toulmin.ports.store import Store
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.sync import verify_packet
from toulmin.surfaces.web.marked import Piece, pieces
from toulmin.surfaces.web.pages import PageRoute, page, source_address
from toulmin.surfaces.web.session import Looker

_UNREADABLE = (SourceState.DELETED, SourceState.ERASED)
_MOST_EXCLUDED = 200
"""Documents that a page lists; how many more there are, it says."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """What a claim cites: its name, its words, those marked that the verdict rests on or an objection is about, and where to read them in their place."""

    source: RevisionId
    span: str
    words: tuple[Piece, ...]
    address: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedClaim:
    """A claim with its verdict in words; what objections are about is marked in its text and in what it cites."""

    words: tuple[Piece, ...]
    status: str
    reason: str | None
    objections: tuple[str, ...]
    citations: tuple[Cited, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPassage:
    """A passage of the evidence with its words."""

    source: RevisionId
    words: str
    address: str | None


@dataclass(frozen=True, kw_only=True)
class Record:
    """A packet's parts as a page shows them. Words that are no longer kept are told as such."""

    view: PacketView

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
        return [
            RecordedPassage(
                source=revision(item),
                words=self._words(item["sha256"]),
                address=self._address(revision(item), (item["start"], item["end"])),
            )
            for item in self.view.body["passages"]
        ]

    def _claim(self, claim: Mapping[str, Any]) -> RecordedClaim:
        verdict = claim["verdict"]
        return RecordedClaim(
            words=self._pieces(claim["text"], [tuple(each["claim"]) for each in verdict["objections"]]),
            status=verdict["status"],
            reason=self._words(verdict["reason"]) if verdict["reason"] else None,
            objections=tuple(self._words(each["says"]) for each in verdict["objections"]),
            citations=tuple(
                self._cited(citation, _marked(verdict, number)) for number, citation in enumerate(claim["citations"])
            ),
        )

    def _cited(self, citation: Mapping[str, Any], marked: list[tuple[int, int]]) -> Cited:
        source, span, digest = revision(citation), citation["span"], citation["sha256"]
        words = pieces("(not in the selected evidence)") if digest is None else self._pieces(digest, marked)
        return Cited(source=source, span=span, words=words, address=self._address(source, self._place(source, span)))

    def _place(self, source: RevisionId, name: str) -> tuple[int, int] | None:
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

    def _address(self, source: RevisionId, place: tuple[int, int] | None) -> str | None:
        """Where to read words of a source: its page, with them marked as long as the text is the one that they were taken from."""
        state = next((each.state for each in self.view.sources if each.id == source), None)
        if state is None or state in _UNREADABLE:
            return None
        span = () if place is None or state is SourceState.CHANGED else place
        return source_address(source.document, source.version, *span)

    def _pieces(self, digest: str, marked: list[tuple[int, int]]) -> tuple[Piece, ...]:
        """Words, some of them marked, as long as they are kept."""
        return pieces(self._words(digest), marked if digest in self.view.texts else ())

    def _words(self, digest: str) -> str:
        return self.view.texts.get(digest, "(these words are no longer kept)")


def _marked(verdict: Mapping[str, Any], number: int) -> list[tuple[int, int]]:
    """What of a citation's words the verdict is about."""
    against = [tuple(each["evidence"]) for each in verdict["objections"] if each["passage"] == number]
    return against + [(start, end) for cited, start, end in verdict["rests_on"] if cited == number]


@router.get("/packets/{packet}")
async def shown(request: Request, packet: str, who: Looker) -> Response:
    """One decision, what has become of its sources, and whether its record verifies."""
    service = service_of(request)
    view, verified = await service.run(_packet, service, packet, who)
    return page(request, "packet.html", record=Record(view=view), view=view, verified=verified)


def _packet(service: Service, packet: str, who: Principal) -> tuple[PacketView, Verification]:
    view = service.workspace.packet(packet, principal=who)
    exported = service.workspace.export_packet(packet, principal=who, sign=False)
    return view, verify_packet(exported.file.encode(), expected=packet)


@router.get("/packets/{packet}/why-not")
async def why_not(request: Request, packet: str, who: Looker) -> Response:
    """The documents that the visitor may see and that the question's rules exclude, each with those rules."""
    service = service_of(request)
    view = await service.run(service.workspace.packet, packet, principal=who)
    excluded = await service.run(lambda: list(_excluded(service.parts.store, view, who)))
    return page(
        request,
        "why_not.html",
        view=view,
        excluded=excluded[:_MOST_EXCLUDED],
        more=max(0, len(excluded) - _MOST_EXCLUDED),
    )


def _excluded(store: Store, view: PacketView, who: Principal) -> Iterator[Excluded]:
    """What the contract of then excludes, for the case and the instant of the question, among the documents as they stand now.

    Raises `NotFound` where the contract is no longer kept, or cannot be read by this version of the program.
    """
    recorded, at = Recorded.of(view.packet), datetime.fromisoformat(view.body["request"]["as_of"])
    try:
        rules, case = recorded.contract.rules, recorded.case
    except (WordsErased, ValueError):
        raise NotFound("no_such_contract", "the rules of this question are no longer kept") from None
    with store.begin(who) as session:
        for standing in session.catalogue.standings():
            reasons = judge_standing(rules, case, standing, at)
            if reasons:
                yield Excluded(standing=standing, reasons=reasons)
