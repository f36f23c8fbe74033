"""Reviews outside of an answer: of pairs, and of a text with citation markers against a packet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from toulmin.application.packets import PacketView, show_packet, source_state
from toulmin.application.parts import Parts
from toulmin.application.review import review_all
from toulmin.domain.claims.draft import issue_ids
from toulmin.domain.claims.ground import ground
from toulmin.domain.claims.markers import MarkedClaim, claims_of
from toulmin.domain.claims.report import CitedSource, ReviewedClaim, ReviewReport, SourceState, TextFinding
from toulmin.domain.claims.unit import Cited, ReviewUnit, cited
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.corpus.document import Egress, Revision, RevisionId, Span, Standing, Status
from toulmin.domain.corpus.quotes import Found, find
from toulmin.domain.corpus.sentences import UnitKind
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.ports.store import Session

_BATCH = 16
_GONE = (SourceState.WITHDRAWN, SourceState.DELETED, SourceState.ERASED, SourceState.CHANGED)
_SAY_NOTHING = (UnitKind.HEADING, UnitKind.CODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cite:
    """What a pair cites: a stored revision, and a span of it (curated or a passage) by its id, or words of it."""

    source: RevisionId
    span: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPair:
    """A claim to be reviewed beside a text that the caller gives, or beside what it cites of the corpus."""

    id: str
    claim: str
    evidence: str | tuple[Cite, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resolved:
    """A citation that a deterministic check found good, as a review reads it."""

    source: CitedSource
    cited: Cited
    egress: Egress


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """A claim with what it cites, or the reason why a citation of it is none."""

    id: str
    claim: str
    citations: tuple[_Resolved, ...] = ()
    given: str | None = None
    refusal: str | None = None

    @property
    def unit(self) -> ReviewUnit:
        cited = tuple(item.cited for item in self.citations) if self.given is None else (Cited(words=self.given),)
        return ReviewUnit(claim=self.claim, passages=cited)

    @property
    def may_leave(self) -> bool:
        return all(item.egress is Egress.ANY for item in self.citations)


async def review_pairs(pairs: Sequence[ClaimPair], principal: Principal, parts: Parts) -> ReviewReport:
    """The verdict on each pair, in order. A citation of what the principal may not read is refused like one of what is not there."""
    subjects = await asyncio.to_thread(_pair_subjects, pairs, principal, parts)
    return await _report(subjects, (), parts)


async def review_text(text: str, packet_id: str, principal: Principal, parts: Parts) -> ReviewReport:
    """The verdict on each claim of a text with citation markers, against the evidence of a packet.

    Markers are the numbers that the packet's answer was shown with, in the order of its citations, or the evidence ids that its drafter was
    given (`e1`). Raises `NotFound` where there is no such packet that the principal may see, and `InputError` (`no_claims`) for a text that
    claims nothing.
    """
    subjects, findings = await asyncio.to_thread(_text_subjects, text, packet_id, principal, parts)
    if not (subjects or findings):
        raise InputError("no_claims", "the text claims nothing", remedy="name a text with sentences and markers")
    return await _report(subjects, findings, parts)


async def _report(subjects: Sequence[_Subject], findings: Sequence[TextFinding], parts: Parts) -> ReviewReport:
    verdicts = {place: _refused(item.refusal) for place, item in enumerate(subjects) if item.refusal is not None}
    fault: str | None = None
    for may_leave, chosen in _batches(subjects):
        units = [subjects[place].unit for place in chosen]
        leaves = may_leave and parts.judge_approved
        with parts.observer.step("judge") as tell:
            reviewed = await review_all(units, parts.judge, parts.policy, may_leave=leaves)
            tell(claims=len(units), asked=reviewed.asked)
        verdicts |= zip(chosen, reviewed.verdicts, strict=True)
        fault = fault or (reviewed.fault.reason.value if reviewed.fault else None)
    for verdict in verdicts.values():
        parts.observer.verdict(verdict.status, ground(verdict))
    claims = tuple(
        ReviewedClaim(
            id=item.id,
            claim=item.claim,
            verdict=verdicts[place],
            citations=tuple(cited.source for cited in item.citations),
        )
        for place, item in enumerate(subjects)
    )
    return ReviewReport(policy=parts.policy.version, claims=claims, findings=tuple(findings), fault=fault)


def _batches(subjects: Sequence[_Subject]) -> Iterator[tuple[bool, list[int]]]:
    """The places of the claims to be judged, a few at a time, those together that may leave this host: a judge has its time for each batch."""
    for may_leave in (True, False):
        chosen = [at for at, item in enumerate(subjects) if item.refusal is None and item.may_leave is may_leave]
        for first in range(0, len(chosen), _BATCH):
            yield may_leave, chosen[first : first + _BATCH]


def _refused(reason: str) -> Verdict:
    return Verdict(status=VerdictStatus.UNRESOLVED, reason=reason, checks=())


def _pair_subjects(pairs: Sequence[ClaimPair], principal: Principal, parts: Parts) -> list[_Subject]:
    with parts.store.begin(principal) as session:
        sources = _Sources(session, parts.clock.now())
        return [_subject(pair, sources) for pair in pairs]


def _subject(pair: ClaimPair, sources: _Sources) -> _Subject:
    if isinstance(pair.evidence, str):
        return _Subject(id=pair.id, claim=pair.claim, given=pair.evidence)
    resolved = [sources.resolved(cite) for cite in pair.evidence]
    good = tuple(item for item in resolved if isinstance(item, _Resolved))
    refusal = next((item for item in resolved if isinstance(item, str)), None)
    return _Subject(id=pair.id, claim=pair.claim, citations=good, refusal=refusal)


class _Sources:
    """The stored revisions that one principal may cite, each read once."""

    def __init__(self, session: Session, now: datetime) -> None:
        self._session = session
        self._now = now
        self._known: dict[RevisionId, tuple[Standing, Revision] | str] = {}

    def resolved(self, cite: Cite) -> _Resolved | str:
        """The citation as a review reads it, or in words why it is none."""
        known = self.known(cite.source)
        if isinstance(known, str):
            return known
        standing, revision = known
        if cite.quote is not None:
            place = min(find(revision.text, cite.quote), key=lambda it: _worth(it, revision), default=None)
            span = None if place is None else Span(start=place.start, end=place.end, id=f"p{place.start}-{place.end}")
            fault = f"{cite.source} does not have these words"
        else:
            span = next((span for span in _spans(standing, revision) if span.id == cite.span), None)
            fault = f"{cite.source} has no span {cite.span}"
        return self._cited(standing, revision, span) if span is not None else fault

    def known(self, source: RevisionId) -> tuple[Standing, Revision] | str:
        """A live revision with its text, or in words why there is none to cite."""
        if source not in self._known:
            self._known[source] = self._read(source)
        return self._known[source]

    def _read(self, source: RevisionId) -> tuple[Standing, Revision] | str:
        standing = next((s for s in self._session.catalogue.standings(source.document) if s.id == source), None)
        if standing is None:
            return f"there is no {source} that you may read"
        if standing.status is not Status.LIVE:
            return f"{source} was {standing.status.value}"
        revision = self._session.catalogue.revision(standing.key)
        return (standing, revision) if revision is not None else f"{source} was deleted"

    def _cited(self, standing: Standing, revision: Revision, span: Span) -> _Resolved:
        state = source_state(standing, standing.text_sha256, self._now)
        return _Resolved(
            source=CitedSource(source=standing.id, span=span.id, state=state),
            cited=_in_context(revision.text[span.start : span.end], (standing, revision), span.start),
            egress=standing.descriptor.egress,
        )


def _worth(place: Found, revision: Revision) -> tuple[bool, bool]:
    """Of several places of the same words the one that says most comes first: in a passage, and not cut out of its sentence."""
    is_outside = not any(p.start <= place.start and place.end <= p.end for p in revision.passages)
    return is_outside, place.fragment


def _spans(standing: Standing, revision: Revision) -> Iterator[Span]:
    yield from standing.descriptor.spans
    yield from (Span(start=p.start, end=p.end, id=p.id) for p in revision.passages)


def _in_context(words: str, known: tuple[Standing, Revision] | str, start: int) -> Cited:
    """Words with what stands around them in their revision, where that can be read."""
    if isinstance(known, str):
        return Cited(words=words)
    standing, revision = known
    section = next((p.heading for p in revision.passages if p.start <= start < p.end), ())
    return cited(revision.text, start, start + len(words), standing, section)


def _text_subjects(
    text: str, packet_id: str, principal: Principal, parts: Parts
) -> tuple[list[_Subject], list[TextFinding]]:
    now = parts.clock.now()
    view = show_packet(parts.store, packet_id, principal, now)
    with parts.store.begin(principal) as session:
        known = _evidence(view, _Sources(session, now))
    claims = claims_of(text, known)
    findings = [TextFinding(start=run.start, end=run.end, says=run.says) for claim in claims for run in claim.findings]
    judged = [claim for claim in claims if claim.text and (claim.ids or claim.kind not in _SAY_NOTHING)]
    return [_marked(claim, number, known) for number, claim in enumerate(judged, start=1)], findings


def _marked(claim: MarkedClaim, number: int, known: Mapping[str, _Resolved]) -> _Subject:
    """A claim of a text. One that cites what was withdrawn or deleted since has nothing to rest on, and is refused like one with a bad marker."""
    citations = tuple(known[key] for key in claim.ids)
    gone = next((item.source for item in citations if item.source.state in _GONE), None)
    refusal = None
    if claim.findings:
        refusal = claim.findings[0].says
    elif gone is not None:
        refusal = f"{gone.source} was {gone.state.value} since the packet was made"
    return _Subject(id=f"c{number}", claim=claim.text, citations=citations, refusal=refusal)


def _evidence(view: PacketView, sources: _Sources) -> dict[str, _Resolved]:
    """What the markers of an answer may stand for: its citations by number, as they were shown, and its evidence by the ids of the draft."""
    states = {source.id: source.state for source in view.sources}
    spans: dict[tuple[RevisionId, str], _Resolved] = {}
    for document in view.body["documents"]:
        source = RevisionId(document["document"], document["version"])
        known = sources.known(source)
        for span in document["spans"]:
            spans[source, span["id"]] = _Resolved(
                source=CitedSource(source=source, span=span["id"], state=states[source]),
                cited=_in_context(view.texts.get(span["sha256"], ""), known, span["start"]),
                egress=Egress.LOCAL if isinstance(known, str) else known[0].descriptor.egress,
            )
    shown = dict.fromkeys(_shown(view.body))
    numbered = {str(number): spans[key] for number, key in enumerate(shown or spans, start=1) if key in spans}
    return {**numbered, **dict(zip(issue_ids(len(spans)), spans.values(), strict=True))}


def _shown(body: Mapping[str, Any]) -> Iterator[tuple[RevisionId, str]]:
    """The citations of the delivered claims, in the order in which an answer numbers them."""
    for claim in body["claims"]:
        for citation in claim["citations"]:
            yield RevisionId(citation["document"], citation["version"]), citation["span"]
