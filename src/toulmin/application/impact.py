"""Impact: what rests on documents, and which approvals do not stand any more when one of them changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from toulmin.application.approvals import event_of
from toulmin.domain.corpus.document import RevisionId, Standing
from toulmin.domain.errors import NotFound
from toulmin.domain.proof.approval import Approval, State, Step, checked
from toulmin.domain.proof.packet import Packet
from toulmin.domain.proof.recorded import Recorded
from toulmin.domain.proof.replay import of_sources
from toulmin.domain.question.case import Principal
from toulmin.ports.store import CurationSession, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Resting:
    """A packet that rests on a document: on which of its revisions, how it ended, and its approvals."""

    packet: Packet
    contract: str
    outcome: str
    revisions: tuple[RevisionId, ...]
    approvals: tuple[Approval, ...]


def impact(store: Store, document: str, version: str | None, principal: Principal) -> tuple[Resting, ...]:
    """The packets that rest on a document, or on one version of it, as far as the principal may see them, the latest first.

    Raises `NotFound` for a document that the principal may not read, as for one that is not there.
    """
    with store.begin(principal) as session:
        known = [s for s in session.catalogue.standings(document) if version in (None, s.id.version)]
        if not known:
            name = document if version is None else f"{document} v{version}"
            raise NotFound(
                "no_such_document",
                f"no document {name} that you may read",
                remedy="list what you may read",
            )
        packets, approvals = session.packets.resting_on(document, version), session.approvals.all()
    found = (_resting(packet, document, version, approvals) for packet in packets)
    return tuple(sorted(found, key=lambda each: (each.packet.made_at, each.packet.id), reverse=True))


def _resting(packet: Packet, document: str, version: str | None, approvals: Sequence[Approval]) -> Resting:
    recorded = Recorded.of(packet)
    return Resting(
        packet=packet,
        contract=recorded.body["contract"]["id"],
        outcome=recorded.body["outcome"]["name"],
        revisions=tuple(
            source for source in recorded.sources if source.document == document and version in (None, source.version)
        ),
        approvals=tuple(each for each in approvals if each.packet == packet.id),
    )


def make_stale(session: CurationSession, documents: Iterable[str], at: datetime) -> tuple[str, ...]:
    """Ends the requested and given approvals that rest on what these documents were: their ids, in the order of their requests.

    Called in the session that changed the documents. An approval stands as long as every selected source is live, in force and as it was;
    what else has changed since, in ranking, contract or policy, shows when the operation is executed.
    """
    ended = []
    for document in documents:
        for approval, says in unfounded(session, document, at):
            step = checked(approval, Step(state=State.STALE, at=at, by=None, says=says))
            session.dependents.advance(approval, step)
            session.ledger.append(event_of(approval, step))
            ended.append(approval.id)
    return tuple(ended)


def unfounded(session: CurationSession, document: str, at: datetime) -> tuple[tuple[Approval, tuple[str, ...]], ...]:
    """The requested and given approvals that rest on what a document was, each with what is otherwise, in words."""
    known = ((approval, _why(approval, session, at)) for approval in session.dependents.open_approvals(document))
    return tuple((approval, says) for approval, says in known if says)


def _why(approval: Approval, session: CurationSession, at: datetime) -> tuple[str, ...]:
    """What is otherwise about the sources of an approval's packet, in words."""
    packet = session.dependents.packet(approval.packet)
    assert packet is not None  # an approval belongs to a kept packet
    recorded = Recorded.of(packet)
    standings = _standings(recorded, session)
    return tuple(difference.for_all for difference in of_sources(recorded, standings, at))


def _standings(recorded: Recorded, session: CurationSession) -> dict[RevisionId, Standing]:
    documents = sorted({source.document for source in recorded.sources})
    return {standing.id: standing for document in documents for standing in session.history(document)}
