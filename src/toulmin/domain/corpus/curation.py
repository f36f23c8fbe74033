"""Curation: what ingesting a revision changes, decided from what the corpus holds of its document.

Supersession is derived, never stored as an event: a document's history of descriptors says which revision is in force when. A changed
descriptor is therefore a change of all that follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from toulmin.domain.corpus.document import Descriptor, RevisionId, Standing, Status
from toulmin.domain.corpus.overlap import provably_disjoint
from toulmin.domain.corpus.validity import Validity, instant_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One revision of a document, as far as supersession goes; entries stand in the order of ingest."""

    version: str
    descriptor: Descriptor
    ingested_at: datetime

    @property
    def start(self) -> datetime:
        return self.descriptor.valid_from or self.ingested_at


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """When a revision is in force, and whether a later revision closed it."""

    validity: Validity
    superseded_by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A revision that asks to be ingested."""

    id: RevisionId
    bytes_sha256: str
    descriptor: Descriptor
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """Bytes and descriptor are those of the corpus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Nothing may change; `code`, `message` and `remedy` as in an error."""

    code: str
    message: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The changes to make: the incoming revision's validity, and other revisions whose standing changes with it.

    `redescribed` is the key of the revision whose descriptor is replaced; None: the revision is new. `changed` maps other keys to what
    holds for them now; `supersedes` names the versions that the incoming one closes, or closes earlier than they were.
    """

    redescribed: int | None
    own: InForce
    changed: tuple[tuple[int, InForce], ...]
    supersedes: tuple[str, ...]
    warnings: tuple[str, ...]


Decision = Unchanged | Refused | Accepted


def in_force(history: Sequence[Entry]) -> tuple[InForce, ...]:
    """When each revision of one document is in force.

    A revision supersedes the versions that its descriptor names; where it names none (None, not an empty list), the revisions ingested
    before it that have the same scope, do not start after it, and do not name it themselves. Superseding closes a revision at
    the start of the one that supersedes it, so that a future start leaves no gap.
    """
    result = []
    for place, entry in enumerate(history):
        own = Validity(start=entry.start, end=entry.descriptor.valid_to)
        closers = [
            other for rank, other in enumerate(history) if rank != place and _supersedes(other, rank, entry, place)
        ]
        for closer in closers:
            own = own.closed_at(closer.start)
        result.append(InForce(validity=own, superseded_by=tuple(closer.version for closer in closers)))
    return tuple(result)


def decide(incoming: Incoming, history: Sequence[Standing]) -> Decision:
    """What becomes of a revision that asks to be ingested, given every revision of its document in the order of ingest."""
    known = next((standing for standing in history if standing.id == incoming.id), None)
    if known is not None:
        refusal = _refusal_of_known(incoming, known)
        if refusal is not None:
            return refusal
        if known.descriptor.digest == incoming.descriptor.digest:
            return Unchanged()
    return _accept(incoming, history, known)


def _refusal_of_known(incoming: Incoming, known: Standing) -> Refused | None:
    if known.status is not Status.LIVE:
        return Refused(
            code="retired",
            message=f"{known.id} was {known.status}",
            remedy="give the revision a new version to serve it again",
        )
    if known.bytes_sha256 != incoming.bytes_sha256:
        return Refused(
            code="other_bytes",
            message=f"{known.id} is already in the corpus with other bytes",
            remedy="a version never changes: give the new bytes a new version",
        )
    return None


def _accept(incoming: Incoming, history: Sequence[Standing], known: Standing | None) -> Decision:
    entries = [
        Entry(
            version=s.id.version,
            descriptor=incoming.descriptor if s is known else s.descriptor,
            ingested_at=s.ingested_at,
        )
        for s in history
    ]
    if known is None:
        entries.append(Entry(version=incoming.id.version, descriptor=incoming.descriptor, ingested_at=incoming.at))
    rival = _mutual(incoming, history)
    if rival is not None:
        return rival
    after = in_force(entries)
    place = next(i for i, entry in enumerate(entries) if entry.version == incoming.id.version)
    own = after[place]
    others = [(standing, after[i]) for i, standing in enumerate(history) if standing is not known]
    live = [(standing, now) for standing, now in others if standing.status is Status.LIVE]
    changed = [(s, now) for s, now in live if (s.validity, s.superseded) != (now.validity, bool(now.superseded_by))]
    coming = _Served(incoming.id, incoming.descriptor, own.validity)
    clash = _clash([coming, *map(_served, changed)], [coming, *map(_served, live)])
    if clash is not None:
        return clash
    return Accepted(
        redescribed=known.key if known else None,
        own=own,
        changed=tuple((standing.key, now) for standing, now in changed),
        supersedes=tuple(s.id.version for s, now in changed if incoming.id.version in now.superseded_by),
        warnings=tuple(_warnings(incoming, own, others)),
    )


def _mutual(incoming: Incoming, history: Sequence[Standing]) -> Refused | None:
    """A revision that the incoming one supersedes, and that supersedes it: from the later start on, nothing would be in force."""
    for standing in history:
        named = standing.id.version in (incoming.descriptor.supersedes or ())
        if named and incoming.id.version in (standing.descriptor.supersedes or ()):
            return Refused(
                code="mutual_supersession",
                message=f"{incoming.id} and {standing.id} each say that they supersede the other",
                remedy="take one of the two out of the other's supersedes",
            )
    return None


def _supersedes(one: Entry, rank: int, other: Entry, place: int) -> bool:
    named = one.descriptor.supersedes
    if named is not None:
        return other.version in named
    return (
        place < rank
        and one.descriptor.scope == other.descriptor.scope
        and other.start <= one.start
        and one.version not in (other.descriptor.supersedes or ())
    )


@dataclass(frozen=True, slots=True)
class _Served:
    """A live revision as it would be served after the change."""

    id: RevisionId
    descriptor: Descriptor
    validity: Validity


def _served(item: tuple[Standing, InForce]) -> _Served:
    standing, now = item
    return _Served(standing.id, standing.descriptor, now.validity)


def _clash(touched: Sequence[_Served], served: Sequence[_Served]) -> Refused | None:
    """Two revisions of equal scope that would be in force together, where no descriptor says that this is meant.

    `touched` are those that the change concerns: the incoming one, and whatever it closes or opens again.
    """
    for one in touched:
        for other in served:
            if one.id != other.id and _takes_the_place_of(one, other) and one.validity.overlaps(other.validity):
                return Refused(
                    code="overlapping_validity",
                    message=f"{one.id} would be in force together with {other.id} (from {instant_text(other.validity.start)})",
                    remedy="state valid_to, another valid_from, or the versions that it supersedes",
                )
    return None


def _takes_the_place_of(one: _Served, other: _Served) -> bool:
    """Whether only one of the two can be meant at a time: their scopes are equal, and neither states what it supersedes."""
    first, second = one.descriptor, other.descriptor
    return first.scope == second.scope and first.supersedes is None and second.supersedes is None


def _warnings(incoming: Incoming, own: InForce, others: Sequence[tuple[Standing, InForce]]) -> list[str]:
    named = incoming.descriptor.supersedes or ()
    present = {standing.id.version for standing, _ in others}
    warnings = [
        f"supersedes version {version}, which is not in the corpus" for version in named if version not in present
    ]
    if not incoming.descriptor.readers:
        warnings.append("no readers: nobody can read it (state readers, for instance [public])")
    for standing, now in others:
        if standing.status is not Status.LIVE or standing.id.version in named:
            continue
        disjoint = provably_disjoint(standing.descriptor.scope, incoming.descriptor.scope)
        if own.validity.overlaps(now.validity) and not disjoint:
            warnings.append(f"its scope may overlap with that of {standing.id}, which stays in force")
    return warnings
