"""Erasure: the words of a revision are gone from the store, the index, the cache, and from the packets that rest on it. Digests stay.

The rows go in one transaction, which also notes that files may still hold the words; then the files are written anew, and the note is taken
back. What is killed in between is finished by the next erasure, and doctor tells of it until then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from toulmin.application.catchup import EMBEDDED, Tell, rebuild
from toulmin.application.entries import retired
from toulmin.application.impact import make_stale
from toulmin.application.ledger import record
from toulmin.application.parts import Parts
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.errors import Conflict, NotFound
from toulmin.domain.policy import Policy
from toulmin.domain.proof.erasure import erased_words
from toulmin.domain.proof.packet import Packet
from toulmin.domain.proof.recorded import Recorded
from toulmin.ports.embedder import EmbedderFault
from toulmin.ports.store import CurationSession

_REASON = "words were erased"

Choose = Callable[[CurationSession], Sequence[Standing]]
"""Which revisions to erase, decided in the transaction that erases them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What an erasure concerns: revisions, packets that lose words, and approvals that it ends; `finished` were erased before, but not their files."""

    revisions: tuple[Standing, ...] = ()
    packets: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    finished: tuple[RevisionId, ...] = ()


def of_document(document: str, version: str | None = None) -> Choose:
    """The revisions of a document, or one version of it."""

    def choose(session: CurationSession) -> Sequence[Standing]:
        return [
            s for s in session.history(document) if version in (None, s.id.version) and s.status is not Status.ERASED
        ]

    return choose


def expired(policy: Policy, at: datetime) -> Choose:
    """The revisions that the policy keeps no longer: those of a source type that were ingested more than its `retention_days` ago."""
    days = dict(policy.retention_days)

    def is_due(standing: Standing) -> bool:
        kept = days.get(standing.descriptor.source_type or "")
        return kept is not None and standing.ingested_at + timedelta(days=kept) <= at

    return lambda session: [standing for standing in session.erasures.candidates() if is_due(standing)]


def nothing_more(_: CurationSession) -> Sequence[Standing]:
    """No further revision: only what is unfinished."""
    return ()


def plan(choose: Choose, parts: Parts) -> Erased:
    """What `erase` would do, without doing it; approvals are those that would be ended."""
    with parts.store.curate() as session:
        chosen = tuple(choose(session))
        packets = _resting(session, chosen)
        approvals = [a for name in _documents(chosen) for a in session.dependents.open_approvals(name)]
        return Erased(
            revisions=chosen,
            packets=packets,
            stale=tuple(approval.id for approval in approvals if approval.packet in packets),
            finished=tuple(session.erasures.unfinished()),
        )


def erase(choose: Choose, parts: Parts, *, actor: str = "", tell: Tell | None = None) -> Erased:
    """Erases the chosen revisions, and finishes what an earlier erasure left undone.

    Raises `Conflict` (`erasure_unfinished`) where another process keeps files in use: then the words are gone from all that is served, and
    only the files are left to be written anew.
    """
    at = parts.clock.now()
    with parts.store.curate() as session:
        finished = tuple(session.erasures.unfinished())
        done = _erase_rows(tuple(choose(session)), session, parts, at, actor)
        unfinished = tuple(session.erasures.unfinished())
    if unfinished:
        _erase_files(unfinished, parts, tell)
    return Erased(revisions=done.revisions, packets=done.packets, stale=done.stale, finished=finished)


def named(erased: Erased, document: str, version: str | None) -> Erased:
    """The same; raises `NotFound` where neither a revision of the document was erased nor its files were left to be written anew."""
    ids = (*(standing.id for standing in erased.revisions), *erased.finished)
    if not any(rid.document == document and version in (None, rid.version) for rid in ids):
        name = document if version is None else f"{document} v{version}"
        raise NotFound(
            "no_such_document",
            f"no revision of {name} is there to be erased",
            remedy="list what there is: toulmin document list",
        )
    return erased


def _erase_rows(chosen: Sequence[Standing], session: CurationSession, parts: Parts, at: datetime, actor: str) -> Erased:
    packets = _resting(session, chosen)
    for standing in chosen:
        session.retire(standing.key, Status.ERASED)
        record(session.ledger, retired(standing, Status.ERASED, at, actor), parts.policy)
    for name in packets:
        packet = session.dependents.packet(name)
        assert packet is not None  # it was found in this session
        session.dependents.forget(name, erased_words(packet, _gone(packet, session)))
    stale = make_stale(session, _documents(chosen), at)
    return Erased(revisions=tuple(chosen), packets=packets, stale=stale)


def _erase_files(unfinished: Collection[RevisionId], parts: Parts, tell: Tell | None) -> None:
    """Writes indexes and store anew: what was only marked as removed in them is in none of their files any more."""
    if parts.drafting.cache is not None:
        parts.drafting.cache.forget(frozenset(unfinished))
    try:
        rebuild(parts.store, parts.index, _REASON, tell)
        parts.store.scrub()
        if parts.meaning is not None:
            rebuild(parts.store, parts.meaning, _REASON, tell, batch=EMBEDDED)
        with parts.store.curate() as session:
            session.erasures.finish(unfinished)
    except (Conflict, EmbedderFault) as trouble:
        raise Conflict(
            "erasure_unfinished",
            f"the words are erased, but files of the workspace may still hold traces of them: {trouble.message}",
            remedy="when that is over: toulmin document erase --unfinished",
        ) from trouble


def _resting(session: CurationSession, chosen: Iterable[Standing]) -> tuple[str, ...]:
    """The ids of the packets that rest on any of the revisions, each once."""
    found = (name for s in chosen for name in session.dependents.packets(s.id.document, s.id.version))
    return tuple(dict.fromkeys(found))


def _gone(packet: Packet, session: CurationSession) -> frozenset[RevisionId]:
    """All sources of a packet that are erased by now."""
    sources = Recorded.of(packet).sources
    return frozenset(
        standing.id
        for document in sorted({source.document for source in sources})
        for standing in session.history(document)
        if standing.id in sources and standing.status is Status.ERASED
    )


def _documents(chosen: Iterable[Standing]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(standing.id.document for standing in chosen))
