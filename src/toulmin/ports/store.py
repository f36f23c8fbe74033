"""The store: truth, in transactions.

One file of roles: `Store` opens sessions and feeds the derived index; a `Session` reads as one principal and keeps packets; a
`CurationSession` is the product's own hand, which changes the corpus. Every session is one transaction with one consistent view: leaving it by
an exception rolls everything back.

Sequence numbers are assigned in commit order, one for each curation session, or step of one, that changed something. Rows are never changed in
place: a standing is valid from the sequence that made it until the one that replaced it, so that a request pinned to a sequence keeps
seeing the corpus as of then. Withdrawal, deletion and readers are the exceptions, judged as of now.

Each change has a *mark* beside its number, drawn at random: where number and mark agree, so does all that came before. A derived index
remembers both, and so tells the history that it followed from any other.

All implementations raise `Conflict` when another writer keeps the store busy, and `StoreFault` when the store cannot be used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from toulmin.domain.corpus.document import Descriptor, Passage, Place, Revision, Standing, Status
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.proof.packet import Packet
from toulmin.domain.question.case import Principal
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.api_keys import ApiKeys, KeptApiKeys
from toulmin.ports.approvals import Approvals
from toulmin.ports.erasure import Dependents, Erasures
from toulmin.ports.feed import Followed
from toulmin.ports.ledger import KeptLedger, Ledger
from toulmin.ports.replies import Replies


@dataclass(frozen=True, slots=True, order=True)
class PassageKey:
    """A passage's handle in store and index: the revision's key and the passage's place in it, counted from 0."""

    revision: int
    ordinal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage as the truth knows it, for the re-check of a hit.

    `standing` is the one in force at the sequence asked for, `scope` its interned scope's key.
    """

    key: PassageKey
    passage: Passage
    place: Place
    text: str
    standing: Standing
    scope: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligible:
    """A count of documents, and the instant until which it is the same; None: as long as the corpus does not change.

    A revision that comes into force, or goes out of it, is no change of the corpus.
    """

    documents: int
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One revision's difference for a derived index: what to index for it now; `standing` None: nothing, remove it."""

    revision: int
    standing: Standing | None
    scope: int
    passages: tuple[tuple[Passage, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Changes after one sequence number, up to and including another. Applying them twice is the same as once.

    `mark` is the mark of the change that `sequence` numbers; being random, it says nothing about what two changes hold in common.
    """

    after: int
    sequence: int
    mark: int = field(compare=False)
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What lies after a sequence number.

    `mark` is the mark of the change that the number stands for; 0 for number 0; None where the store has no such change, so that whoever
    has reached it followed another store, or this one before it was restored from a backup. `sequence` is the present number, `passages`
    how many passages the live revisions have that changed since.
    """

    mark: int | None
    sequence: int
    passages: int


class Corpus(Protocol):
    """What one principal may read of the corpus, for search."""

    def sequence(self) -> int:
        """The sequence number of the last change; 0 for an empty corpus."""

    def fingerprint(self) -> str:
        """The corpus fingerprint `co-...` over live revisions (see `domain.proof.fingerprint`), whoever may read them."""

    def scopes(self, after: int) -> Sequence[tuple[int, Scope]]:
        """Interned scopes whose keys are above `after`, by key. Keys only grow; a scope is never removed or changed."""

    def candidates(self, keys: Collection[PassageKey], sequence: int) -> Mapping[PassageKey, Candidate]:
        """The truth about passages: standing as of `sequence`, status and readers as of now.

        A key is absent when the principal may not read the revision now, when it is no longer live (withdrawn, deleted),
        when it had no standing at the sequence, or when there is no such passage.
        """

    def eligible(self, wanted: Filter) -> Eligible:
        """How many documents have a revision that the filter lets through and that the principal may read (standing as of now)."""


class Catalogue(Protocol):
    """What one principal may read of the corpus, for people: documents with their revisions."""

    def standings(self, document: str | None = None) -> Iterable[Standing]:
        """Current standings by (document, version): of all documents, or of one. Withdrawn and deleted revisions are included."""

    def page(self, after: str, limit: int) -> Iterable[Standing]:
        """The same of the first `limit` documents, of those with a revision to read, whose ids come after one by their UTF-8 bytes."""

    def revision(self, key: int) -> Revision | None:
        """A revision with text and passages; None when the principal may not read it, or when it was deleted."""

    def original(self, key: int) -> bytes | None:
        """The bytes that a revision was read from; None when they are not kept, and when `revision` is None."""


class Packets(Protocol):
    """Kept evidence packets."""

    def add(self, packet: Packet) -> None:
        """Keeps a packet with its texts. The same id again changes nothing."""

    def get(self, packet_id: str) -> Packet | None:
        """The packet; None when there is none, or when the principal may not read all of its sources now.

        A deleted revision keeps the readers that it had last, for this check.
        """

    def resting_on(self, document: str, version: str | None = None) -> Sequence[Packet]:
        """The packets whose selected evidence has a revision of the document, or one version of it, as far as `get` gives them."""


class Session(Protocol):
    """One principal's transaction."""

    @property
    def corpus(self) -> Corpus: ...

    @property
    def catalogue(self) -> Catalogue: ...

    @property
    def packets(self) -> Packets: ...

    @property
    def approvals(self) -> Approvals: ...

    @property
    def replies(self) -> Replies: ...

    @property
    def ledger(self) -> Ledger: ...


class Inputs(Protocol):
    """What was ingested: digests of everything that an ingest depends on, each with the revision that came of it."""

    def recall(self, digest: str) -> Standing | None:
        """The present standing of the revision that this input last made or confirmed; None where it made none that is live."""

    def remember(self, digest: str, key: int) -> None:
        """Notes what an input came to. A revision has one input: the last one."""


class Originals(Protocol):
    """The bytes that revisions were read from, as far as they are kept. They go when their revision is deleted or erased."""

    def has(self, key: int) -> bool:
        """Whether those of a revision are kept."""

    def keep(self, key: int, data: bytes) -> None:
        """Keeps the bytes of a live revision, which is no change of the corpus. Those that are kept already stay."""


class CurationSession(Protocol):
    """The product's own transaction on the corpus: sees every document; one writer at a time.

    What it changes is one change, or one for each of its steps; all of them are durable when the session ends, and not before.
    """

    def step(self) -> AbstractContextManager[None]:
        """A part of the session with a sequence number of its own; left by an exception, it alone is rolled back. Steps do not nest."""

    @property
    def inputs(self) -> Inputs: ...

    @property
    def originals(self) -> Originals: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def dependents(self) -> Dependents: ...

    @property
    def erasures(self) -> Erasures: ...

    @property
    def api_keys(self) -> ApiKeys: ...

    def history(self, document: str) -> Sequence[Standing]:
        """The current standing of every revision of a document ever ingested, in the order of ingest."""

    def add(
        self, revision: Revision, descriptor: Descriptor, validity: Validity, at: datetime, *, superseded: bool = False
    ) -> Standing:
        """Adds a live revision. Raises `Conflict` when its id exists."""

    def replace(
        self,
        key: int,
        descriptor: Descriptor,
        validity: Validity,
        *,
        superseded: bool,
        content: Revision | None = None,
    ) -> Standing:
        """Replaces a live revision's standing in one switch; text and passages stay, unless `content` is given.

        `content` is the same revision as another parser reads it. Requests that are pinned to an earlier sequence number find no
        passage of it any more.
        """

    def retire(self, key: int, status: Status) -> None:
        """Withdraws a revision, or deletes it: then its text, passages and curated spans' words are gone from the corpus.

        Or erases it: then its title and author are gone as well, and it counts among `erasures.unfinished`.
        """


class Store(KeptLedger, KeptApiKeys, Followed, Protocol):
    """The corpus database."""

    def begin(self, principal: Principal, *, write: bool = False) -> AbstractContextManager[Session]:
        """A transaction that sees only what the principal may read. `write`: it will keep a packet."""

    def curate(self) -> AbstractContextManager[CurationSession]:
        """The product's own transaction; waits for another writer, then raises `Conflict`."""

    def changes(self, after: int, limit: int) -> Changes:
        """What changed after a sequence number, whole sequence numbers at a time, about `limit` passages or more.

        For each revision that changed, its present state, once. `sequence` equals `after` when there is nothing new. Reads in a
        transaction of its own, and never waits for a writer.
        """

    def outlook(self, after: int) -> Outlook:
        """What lies after a sequence number. Never waits for a writer."""

    def scrub(self) -> None:
        """Rewrites the store's files, so that nothing that was removed is left in them. Raises `Conflict` while others use the store."""

    def close(self) -> None:
        """Releases everything; further use is an error."""


__all__ = [
    "Candidate",
    "Catalogue",
    "Change",
    "Changes",
    "Corpus",
    "CurationSession",
    "Eligible",
    "Inputs",
    "Originals",
    "Outlook",
    "Packets",
    "PassageKey",
    "Session",
    "Store",
]
