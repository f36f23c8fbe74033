"""Looking at a packet: what it says, and what has become of its sources since."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.errors import NotFound
from toulmin.domain.proof.packet import Packet
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import Mode
from toulmin.ports.store import Session, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """A selected source with its recorded digest and its present state."""

    id: RevisionId
    text_sha256: str
    state: SourceState


@dataclass(frozen=True, kw_only=True)
class PacketView:
    """A packet as one principal may see it now: without the words that only deleted sources had."""

    packet: Packet
    body: Mapping[str, Any]
    sources: tuple[SourceView, ...]

    @property
    def texts(self) -> Mapping[str, str]:
        """Words by their digest."""
        return self.packet.texts


def show_packet(store: Store, packet_id: str, principal: Principal, at: datetime) -> PacketView:
    """The packet; raises `NotFound` where there is none, or where the principal may not read all its sources (told alike)."""
    with store.begin(principal) as session:
        packet = session.packets.get(packet_id)
        if packet is None:
            raise NotFound(
                "no_such_packet",
                f"no packet {packet_id} that you may read",
                remedy="check the id, and as whom you ask (--as, --user, --tenant, --group)",
            )
        body = json.loads(packet.body)
        sources = tuple(_source(session, document, at) for document in body["documents"])
    hidden = _hidden(body, {source.id for source in sources if source.state is SourceState.DELETED})
    shown = {key: text for key, text in packet.texts.items() if key not in hidden}
    return PacketView(packet=replace(packet, texts=shown), body=body, sources=sources)


def _source(session: Session, document: Mapping[str, Any], at: datetime) -> SourceView:
    rid = _revision(document)
    standing = next(s for s in session.catalogue.standings(rid.document) if s.id == rid)
    recorded = document["text_sha256"]
    return SourceView(id=rid, text_sha256=recorded, state=source_state(standing, recorded, at))


def source_state(standing: Standing, recorded: str, at: datetime) -> SourceState:
    """What has become of a revision whose text had the recorded digest."""
    if standing.status is not Status.LIVE:
        return SourceState(standing.status.value)
    if standing.text_sha256 != recorded:
        return SourceState.CHANGED
    if standing.validity.holds_at(at):
        return SourceState.CURRENT
    return SourceState.SUPERSEDED if standing.superseded else SourceState.NOT_IN_FORCE


def _hidden(body: Mapping[str, Any], deleted: set[RevisionId]) -> set[str]:
    """Digests of the words that only deleted sources have: passages, quotes, and what was drafted and said with them in hand."""
    named = [*body["passages"], *({**d, **span} for d in body["documents"] for span in d["spans"])]
    owners = [(_revision(item), item["sha256"]) for item in named]
    kept = {words for rid, words in owners if rid not in deleted}
    said = set(_drafted(body, deleted)) if body["outcome"]["assurance"] != Mode.LICENSED.value else set()
    return ({words for rid, words in owners if rid in deleted} | said) - kept


def _drafted(body: Mapping[str, Any], deleted: set[RevisionId]) -> Iterator[str]:
    """Digests of the claims that cite a deleted source, of what is held against them, and of an answer that has one of them.

    They may repeat its words, as no clause of a contract does.
    """
    for delivered, claims in ((True, body["claims"]), (False, body["withheld"])):
        for claim in claims:
            if any(_revision(citation) in deleted for citation in claim["citations"]):
                yield from (claim["text"], *claim["quotes"])
                yield from _held(claim["verdict"])
                if delivered and body["answer"] is not None:
                    yield body["answer"]


def _held(verdict: Mapping[str, Any]) -> Iterator[str]:
    """Digests of the objections, and of a reason that repeats one."""
    yield from (item["says"] for item in verdict["objections"])
    if verdict["objections"] and verdict["reason"] is not None:
        yield verdict["reason"]


def _revision(named: Mapping[str, Any]) -> RevisionId:
    return RevisionId(named["document"], named["version"])
