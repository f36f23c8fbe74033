"""The store in memory: plain immutable values, one of them the present state. Nothing outlives the process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, groupby, islice
from secrets import randbits
from threading import Condition, Lock

from toulmin.adapters.memory.approvals import MemoryApprovals
from toulmin.adapters.memory.feed import MemoryFeed
from toulmin.adapters.memory.ledger import Chronicle, MemoryLedger, MemoryLedgerKeeping
from toulmin.adapters.memory.service import MemoryApiKeys, MemoryReplies
from toulmin.domain.corpus.document import (
    WITHOUT_TEXT,
    Descriptor,
    Passage,
    Revision,
    RevisionId,
    Standing,
    Status,
    may_become,
)
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.errors import Conflict, NotFound, StoreFault
from toulmin.domain.proof.approval import Approval, State, Step
from toulmin.domain.proof.erasure import rests_on
from toulmin.domain.proof.fingerprint import fingerprint_of
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.proof.packet import Packet
from toulmin.domain.question.api_key import ApiKey
from toulmin.domain.question.case import Principal
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.replies import KeptRun
from toulmin.ports.store import Candidate, Change, Changes, Eligible, Outlook, PassageKey

_MARK_BITS = 62


@dataclass(frozen=True, kw_only=True)
class _State:
    """All that is stored. Keys count from 1; a deleted revision has standings and no content.

    `renewed` is the sequence number at which a revision's content was replaced, `inputs` the digest of its last input.
    """

    marks: tuple[int, ...] = ()
    keys: Mapping[RevisionId, int] = field(default_factory=dict)
    contents: Mapping[int, Revision] = field(default_factory=dict)
    originals: Mapping[int, bytes] = field(default_factory=dict)
    renewed: Mapping[int, int] = field(default_factory=dict)
    inputs: Mapping[int, str] = field(default_factory=dict)
    standings: Mapping[int, tuple[Standing, ...]] = field(default_factory=dict)
    scopes: Mapping[Scope, int] = field(default_factory=dict)
    packets: Mapping[str, Packet] = field(default_factory=dict)
    approvals: Mapping[str, Approval] = field(default_factory=dict)
    api_keys: Mapping[str, ApiKey] = field(default_factory=dict)
    replies: Mapping[tuple[str, str], KeptRun] = field(default_factory=dict)
    ledger: Chronicle = field(default_factory=Chronicle)
    unfinished: tuple[RevisionId, ...] = ()

    @property
    def sequence(self) -> int:
        return len(self.marks)

    @property
    def current(self) -> tuple[Standing, ...]:
        return tuple(standings[-1] for standings in self.standings.values())

    def standing(self, key: int, sequence: int) -> Standing | None:
        """The standing in force at a sequence number."""
        past = [standing for standing in self.standings.get(key, ()) if standing.since <= sequence]
        return past[-1] if past else None

    def passages(self, key: int) -> tuple[tuple[Passage, str], ...]:
        """A revision's passages with their texts; none for one that has no content."""
        content = self.contents.get(key)
        return tuple((p, content.text[p.start : p.end]) for p in content.passages) if content else ()

    def changes(self, after: int, limit: int) -> Changes:
        """What changed after a sequence number; a revision's passages count, and at least 1, towards the limit."""
        changed = sorted(
            (standing.since, key)
            for key, standings in self.standings.items()
            for standing in standings
            if standing.since > after
        )
        reached, passages = after, 0
        for since, key in changed:
            reached = since
            passages += max(1, len(self.passages(key)))
            if passages >= limit:
                break
        keys = sorted({key for since, key in changed if since <= reached})
        mark = self.mark(reached) or 0
        return Changes(after=after, sequence=reached, mark=mark, changes=tuple(map(self._change, keys)))

    def mark(self, sequence: int) -> int | None:
        """The mark of a change; 0 for number 0, None where there is no such change."""
        return (0, *self.marks)[sequence] if 0 <= sequence <= self.sequence else None

    def outlook(self, after: int) -> Outlook:
        """What lies after a sequence number."""
        newer = (now for now in self.current if now.since > after and now.status is Status.LIVE)
        passages = sum(len(self.passages(now.key)) for now in newer)
        return Outlook(mark=self.mark(after), sequence=self.sequence, passages=passages)

    def _change(self, key: int) -> Change:
        now = self.standings[key][-1]
        live = now.status is Status.LIVE
        return Change(
            revision=key,
            standing=now if live else None,
            scope=self.scopes[now.descriptor.scope],
            passages=self.passages(key) if live else (),
        )


class MemoryStore:
    """A `Store` for one process. `busy_timeout_s` is how long a writer waits for another one before `Conflict`."""

    def __init__(self, *, busy_timeout_s: float = 10.0) -> None:
        self._busy_timeout_s = busy_timeout_s
        self._writer = Lock()
        self._changed = Condition()
        self._state: _State | None = _State()

    @contextmanager
    def begin(self, principal: Principal, *, write: bool = False) -> Iterator[_Session]:
        if not write:
            yield _Session.of(self._present(), principal, writable=False)
            return
        with self._exclusive():
            state = self._present()
            session = _Session.of(state, principal, writable=True)
            yield session
            self._switch(session.after(state))

    @contextmanager
    def curate(self) -> Iterator[_Curation]:
        with self._exclusive():
            curation = _Curation(self._present())
            yield curation
            self._switch(replace(curation.state, ledger=curation.ledger.kept, api_keys=curation.api_keys.kept))

    @contextmanager
    def keep_ledger(self, *, write: bool = False) -> Iterator[MemoryLedgerKeeping]:
        if not write:
            yield MemoryLedgerKeeping(self._present().ledger)
            return
        with self._exclusive():
            state = self._present()
            keeping = MemoryLedgerKeeping(state.ledger)
            yield keeping
            self._switch(replace(state, ledger=keeping.kept))

    def api_key(self, key_id: str) -> ApiKey | None:
        return self._present().api_keys.get(key_id)

    def api_keys(self) -> Sequence[ApiKey]:
        return sorted(self._present().api_keys.values(), key=lambda key: (key.created_at, key.id))

    def changes(self, after: int, limit: int) -> Changes:
        return self._present().changes(after, limit)

    def outlook(self, after: int) -> Outlook:
        return self._present().outlook(after)

    def feed(self) -> MemoryFeed:
        return MemoryFeed(lambda: self._present().sequence, self._changed)

    def scrub(self) -> None:
        self._present()  # what was removed is nowhere

    def close(self) -> None:
        self._state = None

    def _present(self) -> _State:
        if self._state is None:
            raise StoreFault("store_closed", "the store was closed", remedy="open a new one")
        return self._state

    def _switch(self, state: _State) -> None:
        self._present()
        self._state = state
        with self._changed:
            self._changed.notify_all()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        if not self._writer.acquire(timeout=self._busy_timeout_s):
            raise Conflict("store_busy", "another writer keeps the store busy", remedy="try again when it has finished")
        try:
            yield
        finally:
            self._writer.release()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corpus:
    state: _State
    tokens: frozenset[str]

    def sequence(self) -> int:
        return self.state.sequence

    def fingerprint(self) -> str:
        return fingerprint_of(self.state.current)

    def scopes(self, after: int) -> Sequence[tuple[int, Scope]]:
        return [(key, scope) for scope, key in self.state.scopes.items() if key > after]

    def candidates(self, keys: Collection[PassageKey], sequence: int) -> Mapping[PassageKey, Candidate]:
        found = (self._candidate(key, sequence) for key in keys)
        return {candidate.key: candidate for candidate in found if candidate}

    def eligible(self, wanted: Filter) -> Eligible:
        documents = {now.id.document for now in self.state.current if self._lets_through(wanted, now)}
        turns = (turn for now in self.state.current for turn in (now.validity.start, now.validity.end) if turn)
        until = min((turn for turn in turns if turn > wanted.at), default=None)
        return Eligible(documents=len(documents), until=until)

    def _candidate(self, key: PassageKey, sequence: int) -> Candidate | None:
        now = self.state.standing(key.revision, self.state.sequence)
        then = self.state.standing(key.revision, sequence)
        passages = self.state.passages(key.revision)
        if not (now and then and now.status is Status.LIVE and _overlap(now, self.tokens)):
            return None
        if not 0 <= key.ordinal < len(passages):
            return None
        if sequence < self.state.renewed.get(key.revision, 0):
            return None
        passage, text = passages[key.ordinal]
        place = self.state.contents[key.revision].place(passage.start, passage.end)
        scope = self.state.scopes[then.descriptor.scope]
        return Candidate(key=key, passage=passage, place=place, text=text, standing=then, scope=scope)

    def _lets_through(self, wanted: Filter, standing: Standing) -> bool:
        return (
            standing.status is Status.LIVE
            and self.state.scopes[standing.descriptor.scope] in wanted.scopes
            and standing.validity.holds_at(wanted.at)
            and _overlap(standing, wanted.readers)
            and _overlap(standing, self.tokens)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Catalogue:
    state: _State
    tokens: frozenset[str]

    def standings(self, document: str | None = None) -> Iterable[Standing]:
        readable = (standing for standing in self.state.current if _overlap(standing, self.tokens))
        named = (standing for standing in readable if document in (None, standing.id.document))
        return tuple(sorted(named, key=lambda standing: standing.id))

    def page(self, after: str, limit: int) -> Iterable[Standing]:
        documents = groupby(self.standings(), key=lambda standing: standing.id.document)
        coming = (tuple(standings) for document, standings in documents if document > after)
        return tuple(chain.from_iterable(islice(coming, limit)))

    def revision(self, key: int) -> Revision | None:
        now = self.state.standing(key, self.state.sequence)
        return self.state.contents.get(key) if now and _overlap(now, self.tokens) else None

    def original(self, key: int) -> bytes | None:
        now = self.state.standing(key, self.state.sequence)
        return self.state.originals.get(key) if now and _overlap(now, self.tokens) else None


class _Packets:
    """The packets that a principal may read; `kept` is what the store holds after the session."""

    def __init__(self, state: _State, principal: Principal, *, writable: bool) -> None:
        self._state = state
        self._principal = principal
        self._writable = writable
        self.kept = dict(state.packets)

    def add(self, packet: Packet) -> None:
        if not self._writable:
            raise StoreFault("read_only_session", "this session keeps no packet", remedy="begin it with write=True")
        self.kept.setdefault(packet.id, packet)

    def get(self, packet_id: str) -> Packet | None:
        packet = self.kept.get(packet_id)
        return packet if packet and self._may_read(packet) else None

    def resting_on(self, document: str, version: str | None = None) -> Sequence[Packet]:
        resting = (packet for packet in self.kept.values() if rests_on(packet, document, version))
        return [packet for packet in resting if self._may_read(packet)]

    def _may_read(self, packet: Packet) -> bool:
        if not packet.sources:
            return self._principal.active and packet.requester == principal_digest(self._principal)
        return all(map(self._may_read_source, packet.sources))

    def _may_read_source(self, source: RevisionId) -> bool:
        key = self._state.keys.get(source)
        return key is not None and _overlap(self._state.standings[key][-1], self._principal.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    corpus: _Corpus
    catalogue: _Catalogue
    packets: _Packets
    approvals: MemoryApprovals
    replies: MemoryReplies
    ledger: MemoryLedger

    @classmethod
    def of(cls, state: _State, principal: Principal, *, writable: bool) -> _Session:
        packets = _Packets(state, principal, writable=writable)
        return cls(
            corpus=_Corpus(state=state, tokens=principal.tokens),
            catalogue=_Catalogue(state=state, tokens=principal.tokens),
            packets=packets,
            approvals=MemoryApprovals(
                state.approvals,
                lambda known: packets.get(known.packet) is not None and known.open_to(principal.tokens),
                writable=writable,
            ),
            replies=MemoryReplies(state.replies, principal, writable=writable),
            ledger=MemoryLedger(state.ledger, writable=writable),
        )

    def after(self, state: _State) -> _State:
        """What the store holds after the session."""
        return replace(
            state,
            packets=self.packets.kept,
            approvals=self.approvals.kept,
            replies=self.replies.kept,
            ledger=self.ledger.kept,
        )


class _Curation:
    """A curation session: `state` starts as the present one and becomes the one after it."""

    def __init__(self, state: _State) -> None:
        self.state = state
        self.ledger = MemoryLedger(state.ledger)
        self.api_keys = MemoryApiKeys(state.api_keys)
        self._count_up()

    @contextmanager
    def step(self) -> Iterator[None]:
        before, recorded, keys = self.state, self.ledger.kept, dict(self.api_keys.kept)
        self._count_up()
        try:
            yield
        except BaseException:
            self.state, self.ledger.kept, self.api_keys.kept = before, recorded, keys
            raise

    def _count_up(self) -> None:
        """Changes from here on carry the number after the present one."""
        self._number = self.state.sequence + 1
        self._marks = (*self.state.marks, randbits(_MARK_BITS))

    @property
    def originals(self) -> _Originals:
        return _Originals(self)

    @property
    def dependents(self) -> _Dependents:
        return _Dependents(self)

    @property
    def erasures(self) -> _Erasures:
        return _Erasures(self)

    def history(self, document: str) -> Sequence[Standing]:
        return [standing for standing in self.state.current if standing.id.document == document]

    def add(
        self, revision: Revision, descriptor: Descriptor, validity: Validity, at: datetime, *, superseded: bool = False
    ) -> Standing:
        state = self.state
        if revision.id in state.keys:
            raise Conflict(
                "revision_exists", f"{revision.id} is already in the store", remedy="give the document another version"
            )
        key = len(state.keys) + 1
        self.state = replace(state, keys={**state.keys, revision.id: key}, contents={**state.contents, key: revision})
        return self._put(
            Standing(
                key=key,
                id=revision.id,
                text_sha256=revision.text_sha256,
                bytes_sha256=revision.bytes_sha256,
                descriptor=descriptor,
                validity=validity,
                superseded=superseded,
                status=Status.LIVE,
                since=self._number,
                ingested_at=at,
            )
        )

    @property
    def inputs(self) -> _Curation:
        """The session itself: it recalls and remembers."""
        return self

    def recall(self, digest: str) -> Standing | None:
        """What an input last came to."""
        keys = (key for key, known in self.state.inputs.items() if known == digest)
        live = [now for now in map(self._current, keys) if now.status is Status.LIVE]
        return max(live, key=lambda standing: standing.key, default=None)

    def remember(self, digest: str, key: int) -> None:
        """Notes what an input came to."""
        self.state = replace(self.state, inputs={**self.state.inputs, key: digest})

    def replace(
        self,
        key: int,
        descriptor: Descriptor,
        validity: Validity,
        *,
        superseded: bool,
        content: Revision | None = None,
    ) -> Standing:
        now = self._current(key)
        if now.status is not Status.LIVE:
            raise _not_live(now)
        if content is not None:
            self.state = replace(
                self.state,
                contents={**self.state.contents, key: content},
                renewed={**self.state.renewed, key: self._number},
            )
            now = replace(now, text_sha256=content.text_sha256)
        return self._put(replace(now, descriptor=descriptor, validity=validity, superseded=superseded))

    def retire(self, key: int, status: Status) -> None:
        now = self._current(key)
        if status is now.status:
            return
        if not may_become(now.status, status):
            raise _not_live(now)
        if status in WITHOUT_TEXT:
            contents = {other: content for other, content in self.state.contents.items() if other != key}
            originals = {other: data for other, data in self.state.originals.items() if other != key}
            self.state = replace(self.state, contents=contents, originals=originals)
        if status is Status.ERASED:
            self._forget_description(key)
            self.state = replace(self.state, unfinished=(*self.state.unfinished, now.id))
            now = self._current(key)
        self._put(replace(now, status=status))

    def _forget_description(self, key: int) -> None:
        past = tuple(
            replace(standing, descriptor=replace(standing.descriptor, title=None, author=None))
            for standing in self.state.standings[key]
        )
        self.state = replace(self.state, standings={**self.state.standings, key: past})

    def _current(self, key: int) -> Standing:
        if key not in self.state.standings:
            raise NotFound(
                "no_such_revision", f"the store has no revision with key {key}", remedy="look its key up again"
            )
        return self.state.standings[key][-1]

    def _put(self, standing: Standing) -> Standing:
        """Makes a standing the current one; one made earlier in this session was never seen by anybody, and is gone."""
        state, standing = self.state, replace(standing, since=self._number)
        earlier = tuple(old for old in state.standings.get(standing.key, ()) if old.since < self._number)
        scope = standing.descriptor.scope
        self.state = replace(
            state,
            marks=self._marks,
            scopes={**state.scopes, scope: state.scopes.get(scope, len(state.scopes) + 1)},
            standings={**state.standings, standing.key: (*earlier, standing)},
        )
        return standing


@dataclass(frozen=True, slots=True)
class _Originals:
    """`Originals` of a curation session."""

    session: _Curation

    def has(self, key: int) -> bool:
        return key in self.session.state.originals

    def keep(self, key: int, data: bytes) -> None:
        state = self.session.state
        self.session.state = replace(state, originals={key: data, **state.originals})


@dataclass(frozen=True, slots=True)
class _Dependents:
    """`Dependents` of a curation session."""

    session: _Curation

    def packets(self, document: str, version: str | None = None) -> Sequence[str]:
        return [name for name, packet in self.session.state.packets.items() if rests_on(packet, document, version)]

    def packet(self, packet_id: str) -> Packet | None:
        return self.session.state.packets.get(packet_id)

    def open_approvals(self, document: str) -> Sequence[Approval]:
        state = self.session.state
        return [
            approval
            for approval in state.approvals.values()
            if approval.state in (State.REQUESTED, State.APPROVED)
            and any(source.document == document for source in state.packets[approval.packet].sources)
        ]

    def advance(self, approval: Approval, step: Step) -> Approval:
        state = self.session.state
        approvals = MemoryApprovals(state.approvals, lambda _: True, writable=True)
        moved = approvals.advance(approval, step)
        self.session.state = replace(state, approvals=approvals.kept)
        return moved

    def forget(self, packet_id: str, digests: Collection[str]) -> None:
        state = self.session.state
        packet = state.packets[packet_id]
        left = {digest: text for digest, text in packet.texts.items() if digest not in digests}
        self.session.state = replace(
            state,
            packets={**state.packets, packet_id: replace(packet, texts=left)},
            approvals={
                name: _without_outputs(approval) if approval.packet == packet_id else approval
                for name, approval in state.approvals.items()
            },
        )


@dataclass(frozen=True, slots=True)
class _Erasures:
    """`Erasures` of a curation session."""

    session: _Curation

    def candidates(self) -> Iterable[Standing]:
        kept = (standing for standing in self.session.state.current if standing.status is not Status.ERASED)
        return tuple(sorted(kept, key=lambda standing: standing.id))

    def unfinished(self) -> Sequence[RevisionId]:
        return sorted(self.session.state.unfinished)

    def finish(self, revisions: Collection[RevisionId]) -> None:
        left = tuple(rid for rid in self.session.state.unfinished if rid not in revisions)
        self.session.state = replace(self.session.state, unfinished=left)


def _without_outputs(approval: Approval) -> Approval:
    history = tuple(
        replace(step, result=replace(step.result, output=None)) if step.result else step for step in approval.history
    )
    return replace(approval, history=history)


def _overlap(standing: Standing, tokens: frozenset[str]) -> bool:
    return not tokens.isdisjoint(standing.descriptor.readers)


def _not_live(standing: Standing) -> Conflict:
    return Conflict(
        "not_live", f"{standing.id} is {standing.status}", remedy="ingest the document again under another version"
    )
