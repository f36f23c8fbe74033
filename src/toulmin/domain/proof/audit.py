"""Checking a ledger: from what it holds, and checkpoints kept elsewhere, to what is wrong with it.

What is promised: any change up to the last checkpoint kept elsewhere is found. Checkpoints in the ledger itself say less, since who rewrites its
entries can rewrite them too; signed ones say as much as long as the key is safe, except that the end may be cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from heapq import merge
from itertools import groupby
from operator import attrgetter

from toulmin.domain.proof.ledger import START, Checkpoint, Entry, Link, link


class Signature(StrEnum):
    """What became of checking a signature."""

    VALID = "valid"
    UNSIGNED = "unsigned"
    UNCHECKED = "unchecked"
    """There is one, and no key was given to check it with."""
    UNKNOWN_KEY = "unknown_key"
    """It is by none of the keys that were given."""
    WRONG = "wrong"


class Fault(StrEnum):
    """What is wrong with a ledger."""

    CHANGED = "changed"
    """An entry is not the one that was sealed: it was altered, or another stands in its place."""
    REMOVED = "removed"
    INSERTED = "inserted"
    """An entry stands among sealed ones and was not sealed with them."""
    TRUNCATED = "truncated"
    """The ledger ends before a checkpoint does."""
    REWRITTEN = "rewritten"
    """The chain is whole, and not the one that a checkpoint states."""
    CHECKPOINT = "checkpoint"
    """A checkpoint is altered, missing or badly signed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something wrong between two entries' numbers, both included; `says` tells it in words."""

    fault: Fault
    first: int
    last: int
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What checking came to. `findings` begin with the first wrong entry of the chain; what hangs on it is not told again.

    `sealed` is the last number with a link (0: nothing is sealed), `tail` how many entries come after it; `kept` is the last number that a
    checkpoint from elsewhere vouches for, 0 where none was given.
    """

    findings: tuple[Finding, ...]
    entries: int
    sealed: int
    tail: int
    checkpoints: int
    signature: Signature
    kept: int

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


Check = Callable[[Checkpoint], Signature]


def audit(
    entries: Iterable[Entry],
    links: Iterable[Link],
    checkpoints: Sequence[Checkpoint],
    *,
    kept: Sequence[Checkpoint] = (),
    check: Check | None = None,
) -> Audit:
    """Checks a ledger; everything comes by ascending number, and is read once.

    `kept` are checkpoints from elsewhere; `check` says what a checkpoint's signature is worth. Without it signatures are not checked.
    """
    kept = sorted(kept, key=attrgetter("sequence"))
    walk = _Walk(of_interest={point.sequence for point in (*checkpoints, *kept)})
    chain = walk.over(entries, links)
    end = max((point.sequence for point in (*checkpoints, *kept)), default=0)
    found = [
        *([chain] if chain else []),
        *_cut_off(walk, end),
        *_unvouched(walk, checkpoints),
        *_badly_chained(checkpoints),
        *_unlike_the_chain(walk, checkpoints),
        *_unlike_the_kept(walk, checkpoints, kept),
        *(_badly_signed(walk, checkpoints, kept, check) if check else ()),
    ]
    return Audit(
        findings=tuple(dict.fromkeys(found)),
        entries=walk.entries,
        sealed=walk.sealed,
        tail=walk.tail,
        checkpoints=len(checkpoints),
        signature=_signature(checkpoints, check),
        kept=kept[-1].sequence if kept else 0,
    )


class _Walk:
    """One pass over entries and links side by side; afterwards it knows their ends, and the links at the numbers of interest."""

    def __init__(self, of_interest: set[int]) -> None:
        self._of_interest = of_interest
        self.stated: dict[int, str] = {}
        self.entries = 0
        self.last = 0
        self.sealed = 0
        self.tail = 0

    def over(self, entries: Iterable[Entry], links: Iterable[Link]) -> Finding | None:
        """The first thing that is wrong with the chain."""
        first: Finding | None = None
        before, reached = START, 0
        unsealed: Entry | None = None
        for entry, sealed in _side_by_side(entries, links):
            self._count(entry, sealed)
            if sealed is None:
                unsealed = unsealed or entry
                continue
            if first is None:
                first = _inserted(unsealed) if unsealed else _wrong(before, reached, entry, sealed)
            before, reached = sealed.digest, sealed.sequence
        return first

    def _count(self, entry: Entry | None, sealed: Link | None) -> None:
        if entry is not None:
            self.entries += 1
            self.last = entry.sequence
            self.tail += 1
        if sealed is not None:
            self.sealed = sealed.sequence
            self.tail = 0
            if sealed.sequence in self._of_interest:
                self.stated[sealed.sequence] = sealed.digest


def _side_by_side(entries: Iterable[Entry], links: Iterable[Link]) -> Iterator[tuple[Entry | None, Link | None]]:
    """Entries and links by number, each with the other one of its number, if there is one."""
    both = merge(entries, links, key=attrgetter("sequence"))
    for _, rows in groupby(both, key=attrgetter("sequence")):
        pair = list(rows)
        entry = next((row for row in pair if isinstance(row, Entry)), None)
        yield entry, next((row for row in pair if isinstance(row, Link)), None)


def _inserted(entry: Entry) -> Finding:
    return Finding(
        fault=Fault.INSERTED,
        first=entry.sequence,
        last=entry.sequence,
        says=f"entry {entry.sequence} has no link, and stands among entries that have one: it was slipped in, or its link removed",
    )


def _wrong(before: str, reached: int, entry: Entry | None, sealed: Link) -> Finding | None:
    """What is wrong with a sealed entry that should follow on the one with the number `reached`."""
    here = sealed.sequence
    if entry is None:
        return Finding(fault=Fault.REMOVED, first=here, last=here, says=f"entry {here} is missing")
    if link(before, entry) == sealed:
        return None
    if reached < here - 1:
        says = f"entries {reached + 1} to {here - 1} are missing"
        return Finding(fault=Fault.REMOVED, first=reached + 1, last=here - 1, says=says)
    says = f"entry {here} ({entry.kind}, {entry.at}) is not what was sealed, or its link was altered"
    return Finding(fault=Fault.CHANGED, first=here, last=here, says=says)


def _cut_off(walk: _Walk, end: int) -> Iterator[Finding]:
    if walk.last < end:
        says = f"entries {walk.last + 1} to {end} are missing: the ledger was cut off"
        yield Finding(fault=Fault.TRUNCATED, first=walk.last + 1, last=end, says=says)


def _unvouched(walk: _Walk, checkpoints: Sequence[Checkpoint]) -> Iterator[Finding]:
    """Links are written with a checkpoint at the last of them: without one, it was removed."""
    reached = checkpoints[-1].sequence if checkpoints else 0
    if reached < walk.sealed:
        says = f"entries {reached + 1} to {walk.sealed} are sealed, and the checkpoint that sealed them is missing"
        yield Finding(fault=Fault.CHECKPOINT, first=reached + 1, last=walk.sealed, says=says)


def _badly_chained(checkpoints: Sequence[Checkpoint]) -> Iterator[Finding]:
    before = START
    for point in checkpoints:
        if point.previous != before:
            says = f"the checkpoint at entry {point.sequence} does not follow on the one before it: one of the two was altered, or one between them removed"
            yield _checkpoint(point, says)
            return
        before = point.digest


def _unlike_the_chain(walk: _Walk, checkpoints: Sequence[Checkpoint]) -> Iterator[Finding]:
    holds = 0
    for point in checkpoints:
        stated = walk.stated.get(point.sequence)
        if stated is None and point.sequence <= walk.last:
            yield _checkpoint(point, f"the checkpoint at entry {point.sequence} has no link to state")
        elif stated is not None and stated != point.link:
            says = f"entries {holds + 1} to {point.sequence} are not those of the checkpoint at {point.sequence}"
            yield Finding(fault=Fault.REWRITTEN, first=holds + 1, last=point.sequence, says=says)
            return
        holds = point.sequence


def _unlike_the_kept(walk: _Walk, checkpoints: Sequence[Checkpoint], kept: Sequence[Checkpoint]) -> Iterator[Finding]:
    """The kept checkpoints are believed: what they state and the ledger does not was changed there."""
    known = {point.sequence: point for point in checkpoints}
    holds = 0
    for point in kept:
        stated = walk.stated.get(point.sequence)
        if stated is not None and stated != point.link:
            says = f"entries {holds + 1} to {point.sequence} are not those of the kept checkpoint at {point.sequence}"
            yield Finding(fault=Fault.REWRITTEN, first=holds + 1, last=point.sequence, says=says)
            return
        if known.get(point.sequence) != point:
            yield _checkpoint(
                point, f"the kept checkpoint at entry {point.sequence} is not in the ledger as it was kept"
            )
        holds = point.sequence


def _badly_signed(
    walk: _Walk, checkpoints: Sequence[Checkpoint], kept: Sequence[Checkpoint], check: Check
) -> Iterator[Finding]:
    """Signatures that do not hold. The last checkpoint must have one: it vouches for those before it, which may be older than the key."""
    if walk.entries and not checkpoints:
        says = "no checkpoint is there that could be signed: nothing vouches for any entry"
        yield Finding(fault=Fault.CHECKPOINT, first=1, last=walk.last, says=says)
    for point in (*checkpoints, *kept):
        match check(point):
            case Signature.WRONG:
                yield _checkpoint(point, f"the signature of the checkpoint at entry {point.sequence} does not hold")
            case Signature.UNKNOWN_KEY:
                yield _checkpoint(
                    point, f"the checkpoint at entry {point.sequence} is signed by another key: {point.key}"
                )
            case Signature.UNSIGNED if point in checkpoints[-1:]:
                yield _checkpoint(point, f"the last checkpoint, at entry {point.sequence}, is not signed")
            case _:
                pass


def _checkpoint(point: Checkpoint, says: str) -> Finding:
    return Finding(fault=Fault.CHECKPOINT, first=point.sequence, last=point.sequence, says=says)


def _signature(checkpoints: Sequence[Checkpoint], check: Check | None) -> Signature:
    """What the last checkpoint's signature is worth."""
    if not checkpoints or not checkpoints[-1].signature:
        return Signature.UNSIGNED
    return check(checkpoints[-1]) if check else Signature.UNCHECKED
