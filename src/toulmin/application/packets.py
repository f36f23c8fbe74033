"""Looking at a packet: what it says, and what has become of its sources since."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.errors import NotFound
from toulmin.domain.proof.erasure import words_of
from toulmin.domain.proof.packet import Packet
from toulmin.domain.proof.recorded import revision
from toulmin.domain.question.case import Principal
from toulmin.ports.store import Session, Store

_WITHOUT_WORDS = (SourceState.DELETED, SourceState.ERASED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """A selected source with its recorded digest and its present state."""

    id: RevisionId
    text_sha256: str
    state: SourceState


@dataclass(frozen=True, kw_only=True)
class PacketView:
    """A packet as one principal may see it now: without the words that only deleted or erased sources had."""

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
        packet = kept_packet(session, packet_id)
        body = json.loads(packet.body)
        sources = tuple(_source(session, document, at) for document in body["documents"])
    hidden = words_of(packet, {source.id for source in sources if source.state in _WITHOUT_WORDS})
    shown = {key: text for key, text in packet.texts.items() if key not in hidden}
    return PacketView(packet=replace(packet, texts=shown), body=body, sources=sources)


def kept_packet(session: Session, packet_id: str) -> Packet:
    """The packet as it is kept; raises `NotFound` where there is none that the session's principal may read."""
    packet = session.packets.get(packet_id)
    if packet is None:
        raise NotFound(
            "no_such_packet",
            f"no packet {packet_id} that you may read",
            remedy="check the id, and as whom you ask",
        )
    return packet


def _source(session: Session, document: Mapping[str, Any], at: datetime) -> SourceView:
    rid = revision(document)
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
