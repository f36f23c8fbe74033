"""The ledger: what was done, in order, and chained so that a later change shows.

Every entry has a *link*, the digest of the link before it and of the entry itself; a *checkpoint* states the link of one entry, and the digest of
the checkpoint before it. Who keeps a checkpoint elsewhere can therefore tell any change to what came before it. Entries are first written and
later sealed: what has no link yet is the unsealed tail, of which nothing is promised. `docs/reference/ledger.md` states the bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from toulmin.domain.canonical import Json, canonical_json, digest, fields
from toulmin.domain.corpus.validity import instant_text

START = "0" * 64
"""What stands for the link before the first entry, and for the checkpoint before the first one."""


class Kind(StrEnum):
    """What an entry records."""

    INGEST = "ingest"
    """A revision came into the corpus, its descriptor was replaced, or its text was read again."""
    SUPERSEDE = "supersede"
    """An ingest changed when another revision of the document is in force."""
    WITHDRAW = "withdraw"
    DELETE = "delete"
    ERASE = "erase"
    PACKET = "packet"
    POLICY = "policy"
    """Another policy is in force than the one last recorded."""
    REQUEST = "request"
    APPROVE = "approve"
    REJECT = "reject"
    EXECUTE = "execute"
    """An approved operation began, or ended: its facts say which, and how."""
    REFUSE_STALE = "refuse_stale"
    REVOKE = "revoke"
    EXPIRE = "expire"
    RESOLVE = "resolve"
    ISSUE_KEY = "issue_key"
    REVOKE_KEY = "revoke_key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something to record. `actor` is the digest of the principal who did it; empty: who could write the files of this host, unnamed.

    `facts` hold ids, digests and counts, never words of documents and never names of people.
    """

    at: datetime
    kind: Kind
    actor: str = ""
    facts: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A recorded event, in the texts that are chained: `at` an instant, `facts` canonical JSON. Sequence numbers start at 1 and only grow."""

    sequence: int
    at: str
    kind: str
    actor: str
    facts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The chain's digest at an entry."""

    sequence: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A statement of what the chain was: at `sequence` its digest was `link`.

    `previous` is the digest of the checkpoint before it, `START` for the first. `key` and `signature` (hex) are empty where no key is configured.
    """

    sequence: int
    link: str
    at: str
    previous: str
    key: str = ""
    signature: str = ""

    @property
    def stated(self) -> bytes:
        """The bytes that are signed."""
        return fields("toulmin.checkpoint/1", str(self.sequence), self.link, self.at, self.previous, self.key)

    @property
    def digest(self) -> str:
        """What the next checkpoint calls it by; covers the signature."""
        return digest(self.stated, fields(self.signature))


def entry_of(event: Event, sequence: int) -> Entry:
    """The entry of an event."""
    return Entry(
        sequence=sequence,
        at=instant_text(event.at),
        kind=event.kind.value,
        actor=event.actor,
        facts=canonical_json(event.facts),
    )


def link(before: str, entry: Entry) -> Link:
    """The link of an entry that follows on the link `before`."""
    said = fields("toulmin.ledger/1", before, str(entry.sequence), entry.at, entry.kind, entry.actor, entry.facts)
    return Link(sequence=entry.sequence, digest=digest(said))


def chained(last: Checkpoint | None, entries: Iterable[Entry]) -> list[Link]:
    """The links of the entries that follow on a checkpoint; without one, of the first entries."""
    before = last.link if last else START
    links = []
    for entry in entries:
        links.append(link(before, entry))
        before = links[-1].digest
    return links


def checkpoint_at(end: Link, last: Checkpoint | None, at: datetime, key: str) -> Checkpoint:
    """The checkpoint at a link, not signed yet; `last` is the one before it, and `key` the id of the key that will sign it, empty for none."""
    return Checkpoint(
        sequence=end.sequence,
        link=end.digest,
        at=instant_text(at),
        previous=last.digest if last else START,
        key=key,
    )
