"""Curating: another descriptor for a revision that is in the corpus, and what it would change, before it is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime

from toulmin.application.checking import in_force
from toulmin.application.describing import described, not_yours, settle, stated_by, superseding, warnings
from toulmin.application.entries import ingested
from toulmin.application.impact import make_stale, unfounded
from toulmin.application.parts import Parts
from toulmin.domain.canonical import digest, fields
from toulmin.domain.claims.checks import Curated, Finding, findings, witnessing
from toulmin.domain.corpus.curation import Incoming, Refused, Unchanged, decide
from toulmin.domain.corpus.document import Descriptor, Revision, RevisionId, Standing
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import Conflict, InputError, NotFound
from toulmin.domain.proof.approval import Approval
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import Contract, Fact
from toulmin.domain.question.rights import may_curate
from toulmin.ports.store import CurationSession, Store
from toulmin.wire.front_matter import body_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Curatable:
    """A revision with its text, whose own words begin at `body`, and the metadata that state its descriptor, every key of them."""

    standing: Standing
    revision: Revision
    body: int

    @property
    def metadata(self) -> Metadata:
        return stated_by(self.standing.descriptor, self.revision.text, body=self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is to describe a revision from now on, whole, in place of the descriptor that has the digest `replaces`."""

    revision: RevisionId
    metadata: Metadata
    replaces: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """How a revision stands after an edit; `changed` is False where it was described like that already.

    `supersedes` are the versions that it closes now, `stale` the approvals that ended, since they rest on what the document was.
    """

    standing: Standing
    changed: bool
    supersedes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stands:
    """A span that may witness a fact."""

    source: RevisionId
    span: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChange:
    """A fact of a contract that other spans may witness than before."""

    contract: str
    fact: Fact
    before: tuple[Stands, ...]
    after: tuple[Stands, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What an edit would change. Of contracts and answers, as far as the curator may see the corpus.

    `found` and `mended` are findings about contracts that would be new, and gone. `packets` counts the kept answers that rest on the
    revision; `ended` are the approvals that would end, with the reasons; `unseen` counts those that the curator may not see.
    """

    edited: Edited
    facts: tuple[FactChange, ...]
    found: tuple[Finding, ...]
    mended: tuple[Finding, ...]
    packets: int
    ended: tuple[tuple[Approval, tuple[str, ...]], ...]
    unseen: int


def curatable(store: Store, wanted: RevisionId, principal: Principal) -> Curatable:
    """A revision as an edit begins from it. Raises `NotFound` for one that the principal may not read, as for none."""
    with store.begin(principal) as session:
        known = session.catalogue.standings(wanted.document)
        standing = next((each for each in known if each.id == wanted), None)
        revision = None if standing is None else session.catalogue.revision(standing.key)
    if standing is None or revision is None:
        raise NotFound(
            "no_such_document",
            f"no document {wanted} that you may read",
            remedy="list what you may read",
        )
    return Curatable(standing=standing, revision=revision, body=body_of(revision.text, revision.media_type))


def edit(wanted: Edit, curator: Principal, store: Store, at: datetime) -> Edited:
    """Describes a revision anew, in one switch, as if its file were ingested again with other metadata.

    Whoever edits reads the text that spans are located in, and curates the document. Raises `NotFound` for a revision that they may not
    read, `Forbidden` (`not_your_document`), what `describing.described` raises, `InputError` where the descriptor cannot stand beside
    those of other versions, and `Conflict` (`descriptor_moved`) where the present one is not the one that the edit was made from.
    """
    revision, descriptor = _described(wanted, curator, store)
    with store.curate() as session:
        edited = _settled(wanted, revision, descriptor, session, curator=curator, at=at)
        if edited.changed:
            # the file that came to the former descriptor is no known input any more: when it comes again, what it states holds again
            session.inputs.remember(_input_digest(wanted), edited.standing.key)
            edited = replace(edited, stale=make_stale(session, [wanted.revision.document], at))
    return edited


def preview(wanted: Edit, curator: Principal, parts: Parts, at: datetime) -> Preview:
    """What the same edit would change: it is made, looked at, and taken back. Raises what `edit` raises."""
    document = wanted.revision.document
    revision, descriptor = _described(wanted, curator, parts.store)
    with _taken_back(parts.store) as session:
        edited = _settled(wanted, revision, descriptor, session, curator=curator, at=at)
        coming = {standing.key: standing for standing in session.history(document)}
        ended = unfounded(session, document, at) if edited.changed else ()
    with parts.store.begin(curator) as reading:
        standings = list(reading.catalogue.standings())
        before = in_force(reading, standings, at)
        after = in_force(reading, (coming.get(standing.key, standing) for standing in standings), at)
        seen = tuple((approval, says) for approval, says in ended if reading.approvals.get(approval.id))
        packets = len(reading.packets.resting_on(document, wanted.revision.version))
    contracts = parts.contracts.all()
    were, are = (
        [finding for contract in contracts for finding in findings(contract, corpus, parts.policy)]
        for corpus in (before, after)
    )
    return Preview(
        edited=edited,
        facts=tuple(_fact_changes(contracts, before, after)),
        found=tuple(finding for finding in are if finding not in were),
        mended=tuple(finding for finding in were if finding not in are),
        packets=packets,
        ended=seen,
        unseen=len(ended) - len(seen),
    )


class _TakenBack(Exception):
    """Leaves a session, so that nothing of it is kept."""


@contextmanager
def _taken_back(store: Store) -> Iterator[CurationSession]:
    """A session of which nothing is kept."""
    with suppress(_TakenBack), store.curate() as session:
        yield session
        raise _TakenBack


def _described(wanted: Edit, curator: Principal, store: Store) -> tuple[Revision, Descriptor]:
    """The revision, and what is to describe it."""
    known = curatable(store, wanted.revision, curator)
    text, name = known.revision.text, str(wanted.revision)
    return known.revision, described(wanted.metadata, text, body=known.body, where=name)


def _input_digest(wanted: Edit) -> str:
    """A name for the edit among the inputs that revisions come of."""
    return digest(
        fields("toulmin.edit/1", wanted.revision.document, wanted.revision.version, wanted.metadata.canonical)
    )


def _settled(
    wanted: Edit,
    revision: Revision,
    descriptor: Descriptor,
    session: CurationSession,
    *,
    curator: Principal,
    at: datetime,
) -> Edited:
    """Makes the edit in a session, without what follows from it for approvals."""
    history = session.history(revision.id.document)
    if not may_curate(curator, [*(standing.descriptor.readers for standing in history), descriptor.readers]):
        raise not_yours(str(revision.id))
    present = next(standing for standing in history if standing.id == revision.id)
    decision = decide(
        Incoming(id=revision.id, bytes_sha256=revision.bytes_sha256, descriptor=descriptor, at=at), history
    )
    if isinstance(decision, Unchanged):
        return Edited(standing=present, changed=False)
    if (present.descriptor.digest, present.text_sha256) != (wanted.replaces, revision.text_sha256):
        raise Conflict(
            "descriptor_moved",
            f"{revision.id} is not described any more as it was when the edit was made",
            remedy="look at it anew, and make the edit from what is there",
        )
    if isinstance(decision, Refused):
        raise InputError(decision.code, decision.message, where=str(revision.id), remedy=decision.remedy)
    settle(session, revision, descriptor, at, decision)
    actor = principal_digest(curator)
    session.ledger.append(ingested(revision, descriptor, at, actor, known=True))
    for event in superseding(revision, decision, history, at, actor):
        session.ledger.append(event)
    return Edited(
        standing=next(each for each in session.history(revision.id.document) if each.id == revision.id),
        changed=True,
        supersedes=decision.supersedes,
        warnings=warnings(decision, descriptor),
    )


def _fact_changes(
    contracts: Iterable[Contract], before: Sequence[Curated], after: Sequence[Curated]
) -> Iterator[FactChange]:
    """The facts that other spans may witness, in the order of the contracts."""
    for contract in contracts:
        for fact in contract.facts:
            were, are = _witnesses(contract, fact, before), _witnesses(contract, fact, after)
            if were != are:
                yield FactChange(contract=contract.id, fact=fact, before=were, after=are)


def _witnesses(contract: Contract, fact: Fact, corpus: Sequence[Curated]) -> tuple[Stands, ...]:
    found = witnessing(contract, fact, corpus)
    return tuple(Stands(source=item.standing.id, span=quote.span.id, words=quote.words) for item, quote in found)
