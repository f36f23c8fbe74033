"""The ledger's use cases: recording which policy is in force, sealing what was recorded, checking it, and telling it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from toulmin.domain.canonical import canonical_json
from toulmin.domain.policy import Policy
from toulmin.domain.proof.audit import Audit, Check, Signature, audit
from toulmin.domain.proof.ledger import Checkpoint, Entry, Event, Kind, Link, chained, checkpoint_at
from toulmin.ports.clock import Clock
from toulmin.ports.ledger import KeptLedger, Ledger
from toulmin.ports.signer import Keyring, Signer

LedgerRow = tuple[Entry, Link | None] | Checkpoint
"""An entry with its link, if it has one; or a checkpoint."""

BATCH = 10_000
"""Entries that are sealed in one transaction: other writers wait for it, about a tenth of a second."""


def record(ledger: Ledger, event: Event, policy: Policy) -> None:
    """Records an event under a policy; before it, that another policy is in force than the one last recorded, where that is so."""
    facts = {"digest": policy.digest, "version": policy.version}
    last = ledger.last(Kind.POLICY)
    if last is None or last.facts != canonical_json(facts):
        ledger.append(Event(at=event.at, kind=Kind.POLICY, facts=facts))
    ledger.append(event)


def seal(store: KeptLedger, clock: Clock, signer: Signer | None, *, batch: int = BATCH) -> Checkpoint | None:
    """Seals what was recorded before it was called; returns the last checkpoint, None while there are no entries.

    A transaction seals at most `batch` entries.

    Raises `Conflict` where another writer keeps the store busy, and what the signer does; what was sealed before then stays sealed.
    """
    with store.keep_ledger() as keeping:  # looks before it waits for the right to write
        tail = keeping.tail()
    if tail.first > tail.end:
        return tail.last
    key = signer.key_id if signer else ""  # asked for before anybody waits: the key may have to be read
    while True:
        with store.keep_ledger(write=True) as keeping:
            tail = keeping.tail()
            links = chained(tail.last, islice(keeping.entries(tail.first), batch))
            if not links:
                return tail.last
            point = _signed(checkpoint_at(links[-1], tail.last, clock.now(), key), signer)
            keeping.seal(links, point)
        if len(links) < batch:
            return point


def check_ledger(store: KeptLedger, *, kept: Sequence[Checkpoint] = (), keyring: Keyring | None = None) -> Audit:
    """What is wrong with the ledger, by checkpoints kept elsewhere and by the signatures of keys that are believed."""
    with store.keep_ledger() as keeping:
        return audit(
            keeping.entries(),
            keeping.links(),
            keeping.checkpoints(),
            kept=kept,
            check=_check(keyring) if keyring else None,
        )


def ledger_rows(store: KeptLedger) -> Iterator[LedgerRow]:
    """All of the ledger by number: each entry with its link, if it has one, and each checkpoint after the entry that it is at."""
    with store.keep_ledger() as keeping:
        points = {point.sequence: point for point in keeping.checkpoints()}
        links = keeping.links()
        link = next(links, None)
        for entry in keeping.entries():
            while link is not None and link.sequence < entry.sequence:
                link = next(links, None)
            yield entry, link if link is not None and link.sequence == entry.sequence else None
            if entry.sequence in points:
                yield points[entry.sequence]


def _signed(point: Checkpoint, signer: Signer | None) -> Checkpoint:
    return replace(point, signature=signer.sign(point.stated).hex()) if signer else point


def _check(keyring: Keyring) -> Check:
    def check(point: Checkpoint) -> Signature:
        if not point.signature:
            return Signature.UNSIGNED
        if not keyring.holds(point.key):
            return Signature.UNKNOWN_KEY
        try:
            signature = bytes.fromhex(point.signature)
        except ValueError:
            return Signature.WRONG
        return Signature.VALID if keyring.verifies(point.key, signature, point.stated) else Signature.WRONG

    return check
