from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import pytest

from toulmin.domain.proof.audit import Audit, Fault, Signature, audit
from toulmin.domain.proof.ledger import START, Checkpoint, Entry, Kind, Link, chained, checkpoint_at, entry_of
from toulmin.testing.builders import NOW
from toulmin.testing.ledger import event


@dataclass(frozen=True)
class Held:
    """A ledger as it is held: seven entries, sealed after the third and the sixth."""

    entries: tuple[Entry, ...]
    links: tuple[Link, ...]
    checkpoints: tuple[Checkpoint, ...]

    def audited(self, *kept: Checkpoint, check: Callable[[Checkpoint], Signature] | None = None) -> Audit:
        return audit(self.entries, self.links, self.checkpoints, kept=kept, check=check)

    def entry(self, sequence: int, **changes: str) -> Held:
        """The same with one entry changed."""
        entries = (replace(e, **changes) if e.sequence == sequence else e for e in self.entries)  # type: ignore[arg-type]
        return replace(self, entries=tuple(entries))


def held(count: int = 7, seals: Sequence[int] = (3, 6), text: str = "") -> Held:
    entries = tuple(entry_of(event(Kind.PACKET, number), number) for number in range(1, count + 1))
    entries = tuple(replace(entry, actor=text or entry.actor) for entry in entries)
    links: list[Link] = []
    points: list[Checkpoint] = []
    for start, end in pairwise((0, *seals)):
        last = points[-1] if points else None
        links += chained(last, entries[start:end])
        points.append(checkpoint_at(links[-1], last, NOW, ""))
    return Held(entries, tuple(links), tuple(points))


T = TypeVar("T")
WHOLE = held()
FIRST, LAST = WHOLE.checkpoints


def first(found: Audit) -> tuple[Fault, int, int]:
    finding = found.findings[0]
    assert finding.says
    return finding.fault, finding.first, finding.last


def without(sequence: int, *, links: bool = True) -> Held:
    entries = tuple(entry for entry in WHOLE.entries if entry.sequence != sequence)
    kept = tuple(link for link in WHOLE.links if not links or link.sequence != sequence)
    return Held(entries, kept, WHOLE.checkpoints)


def test_a_whole_ledger_has_no_findings_and_its_tail_is_told() -> None:
    found = WHOLE.audited(LAST)
    assert found.whole
    assert found == Audit(findings=(), entries=7, sealed=6, tail=1, checkpoints=2, signature=Signature.UNSIGNED, kept=6)


def test_an_empty_ledger_is_whole() -> None:
    found = Held((), (), ()).audited()
    assert (found.whole, found.entries, found.sealed, found.tail, found.kept) == (True, 0, 0, 0, 0)


@pytest.mark.parametrize("change", [{"facts": "{}"}, {"actor": ""}, {"kind": "erase"}, {"at": "2020-01-01T00:00:00Z"}])
@pytest.mark.parametrize("sequence", [1, 3, 4, 6])
def test_an_altered_entry_is_named(sequence: int, change: dict[str, str]) -> None:
    found = WHOLE.entry(sequence, **change).audited()
    assert first(found) == (Fault.CHANGED, sequence, sequence)
    assert len(found.findings) == 1, "what hangs on it is not told again"


def test_swapped_entries_are_named_at_the_first_of_them() -> None:
    two, three = WHOLE.entries[1], WHOLE.entries[2]
    swapped = (replace(three, sequence=2), replace(two, sequence=3))
    entries = (WHOLE.entries[0], *swapped, *WHOLE.entries[3:])
    assert first(replace(WHOLE, entries=entries).audited()) == (Fault.CHANGED, 2, 2)


def test_an_altered_link_is_named() -> None:
    links = tuple(replace(link, digest="0" * 64) if link.sequence == 2 else link for link in WHOLE.links)
    assert first(replace(WHOLE, links=links).audited()) == (Fault.CHANGED, 2, 2)


def test_a_removed_entry_is_named_with_its_link_and_without() -> None:
    assert first(without(4).audited()) == (Fault.REMOVED, 4, 4)
    assert first(without(4, links=False).audited()) == (Fault.REMOVED, 4, 4)
    assert first(without(1).audited()) == (Fault.REMOVED, 1, 1)


def test_a_removed_link_or_an_entry_that_was_slipped_in_is_named() -> None:
    links = tuple(link for link in WHOLE.links if link.sequence != 2)
    assert first(replace(WHOLE, links=links).audited()) == (Fault.INSERTED, 2, 2)
    strange = replace(WHOLE.entries[0], sequence=-5)
    assert first(replace(WHOLE, entries=(strange, *WHOLE.entries)).audited()) == (Fault.INSERTED, -5, -5)


def test_a_ledger_that_was_cut_off_is_found_by_a_checkpoint_from_elsewhere_and_by_no_other() -> None:
    cut = Held(WHOLE.entries[:3], WHOLE.links[:3], WHOLE.checkpoints[:1])
    assert cut.audited().whole
    assert cut.audited(FIRST).whole
    assert first(cut.audited(LAST)) == (Fault.TRUNCATED, 4, 6)


def test_a_ledger_that_was_cut_off_below_its_own_checkpoint_is_found() -> None:
    cut = Held(WHOLE.entries[:5], WHOLE.links[:5], WHOLE.checkpoints)
    assert first(cut.audited()) == (Fault.TRUNCATED, 6, 6)
    assert first(Held((), (), WHOLE.checkpoints).audited()) == (Fault.TRUNCATED, 1, 6)


def test_a_rewritten_ledger_is_whole_in_itself_and_found_by_what_was_kept() -> None:
    rewritten = held(text="b" * 64)
    assert rewritten.audited().whole
    assert first(rewritten.audited(LAST)) == (Fault.REWRITTEN, 1, 6)
    assert first(rewritten.audited(LAST, FIRST)) == (Fault.REWRITTEN, 1, 3)


def test_a_ledger_rewritten_after_a_checkpoint_is_found_between_what_was_kept() -> None:
    entries = (*WHOLE.entries[:4], *held(text="b" * 64).entries[4:])
    links = [*WHOLE.links[:3], *chained(FIRST, entries[3:6])]
    rewritten = Held(entries, tuple(links), (FIRST, checkpoint_at(links[-1], FIRST, NOW, "")))
    assert rewritten.audited(FIRST).whole
    assert first(rewritten.audited(FIRST, LAST)) == (Fault.REWRITTEN, 4, 6)


def test_a_chain_unlike_its_own_checkpoint_is_found() -> None:
    rewritten = held(text="b" * 64)
    assert first(replace(WHOLE, entries=rewritten.entries, links=rewritten.links).audited()) == (Fault.REWRITTEN, 1, 3)


def test_a_removed_checkpoint_is_found() -> None:
    assert first(replace(WHOLE, checkpoints=(FIRST,)).audited()) == (Fault.CHECKPOINT, 4, 6)
    assert first(replace(WHOLE, checkpoints=(LAST,)).audited()) == (Fault.CHECKPOINT, 6, 6)
    assert first(replace(WHOLE, checkpoints=()).audited()) == (Fault.CHECKPOINT, 1, 6)


def test_an_altered_checkpoint_is_found_by_the_one_after_it_and_the_last_by_what_was_kept() -> None:
    later = "2030-01-01T00:00:00Z"
    assert first(replace(WHOLE, checkpoints=(replace(FIRST, at=later), LAST)).audited()) == (Fault.CHECKPOINT, 6, 6)
    altered = replace(WHOLE, checkpoints=(FIRST, replace(LAST, at=later)))
    assert altered.audited().whole, "nothing in the ledger vouches for its last checkpoint"
    assert first(altered.audited(LAST)) == (Fault.CHECKPOINT, 6, 6)


def test_a_checkpoint_between_links_is_found() -> None:
    point = replace(FIRST, sequence=2)
    assert first(replace(WHOLE, checkpoints=(point, LAST)).audited())[0] is Fault.CHECKPOINT
    links = tuple(link for link in WHOLE.links if link.sequence <= 5)
    lost = replace(WHOLE, links=links).audited()
    assert (Fault.CHECKPOINT, 6) in {(finding.fault, finding.first) for finding in lost.findings}


def signed(point: Checkpoint, key: str = "k") -> Checkpoint:
    return replace(point, key=key, signature="aa")


def check(point: Checkpoint) -> Signature:
    """As a keyring that holds `k` alone, and believes the signature `aa`."""
    if not point.signature:
        return Signature.UNSIGNED
    if point.key != "k":
        return Signature.UNKNOWN_KEY
    return Signature.VALID if point.signature == "aa" else Signature.WRONG


def resigned(*points: Checkpoint) -> Held:
    """The whole ledger with these checkpoints, each following on the one before it."""
    chain: list[Checkpoint] = []
    for point in points:
        chain.append(replace(point, previous=chain[-1].digest if chain else START))
    return replace(WHOLE, checkpoints=tuple(chain))


def test_without_keys_signatures_are_told_and_not_checked() -> None:
    assert resigned(FIRST, signed(LAST)).audited().signature is Signature.UNCHECKED
    assert resigned(FIRST, replace(LAST, key="k", signature="bb")).audited().whole


def test_the_last_checkpoint_must_be_signed_where_keys_are_given_and_older_ones_need_not() -> None:
    found = resigned(FIRST, signed(LAST)).audited(check=check)
    assert (found.whole, found.signature) == (True, Signature.VALID)
    found = resigned(signed(FIRST), LAST).audited(check=check)
    assert (first(found), found.signature) == ((Fault.CHECKPOINT, 6, 6), Signature.UNSIGNED)


@pytest.mark.parametrize("point", [signed(FIRST, key="other"), replace(FIRST, key="k", signature="bb")])
def test_a_signature_by_another_key_or_a_wrong_one_is_found(point: Checkpoint) -> None:
    found = resigned(point, signed(LAST)).audited(check=check)
    assert first(found) == (Fault.CHECKPOINT, 3, 3)


def test_a_kept_checkpoint_with_a_wrong_signature_is_not_believed_unseen() -> None:
    whole = resigned(FIRST, signed(LAST))
    kept = replace(whole.checkpoints[1], signature="bb")
    assert first(whole.audited(kept, check=check)) == (Fault.CHECKPOINT, 6, 6)


def test_an_emptied_ledger_is_found_by_a_kept_checkpoint_that_is_older_than_the_key() -> None:
    found = Held((), (), ()).audited(LAST, check=check)
    assert (first(found), found.whole) == ((Fault.TRUNCATED, 1, 6), False)


def test_where_keys_are_given_entries_without_any_checkpoint_are_vouched_for_by_nobody() -> None:
    found = Held(WHOLE.entries, (), ()).audited(check=check)
    assert first(found) == (Fault.CHECKPOINT, 1, 7)
    assert Held((), (), ()).audited(check=check).whole


def test_every_one_bit_change_and_every_lost_row_is_found() -> None:
    """Exhaustively, over all that is covered by a kept checkpoint."""
    sealed = held(4, seals=(2, 4))
    last = sealed.checkpoints[-1]
    assert sealed.audited(last).whole
    for place in range(len(sealed.entries)):
        for name in ("at", "kind", "actor", "facts"):
            for flipped in flips(getattr(sealed.entries[place], name)):
                entries = put(sealed.entries, place, replace(sealed.entries[place], **{name: flipped}))  # type: ignore[arg-type]
                assert not replace(sealed, entries=entries).audited(last).whole
        lost = sealed.entries[:place] + sealed.entries[place + 1 :]
        assert not replace(sealed, entries=lost).audited(last).whole
    for place, link in enumerate(sealed.links):
        for flipped in flips(link.digest):
            links = put(sealed.links, place, replace(link, digest=flipped))
            assert not replace(sealed, links=links).audited(last).whole
        assert not replace(sealed, links=sealed.links[:place] + sealed.links[place + 1 :]).audited(last).whole
    for place, point in enumerate(sealed.checkpoints):
        for name in ("link", "at", "previous", "key", "signature"):
            for flipped in flips(getattr(point, name)):
                points = put(sealed.checkpoints, place, replace(point, **{name: flipped}))  # type: ignore[arg-type]
                assert not replace(sealed, checkpoints=points).audited(last).whole


def flips(text: str) -> list[str]:
    """The texts that differ from one in a bit of its UTF-8 bytes, as the store would read them."""
    data = text.encode()
    changed = (data[:i] + bytes([data[i] ^ 1 << bit]) + data[i + 1 :] for i in range(len(data)) for bit in range(8))
    return [each.decode(errors="backslashreplace") for each in changed]


def put(rows: tuple[T, ...], place: int, row: T) -> tuple[T, ...]:
    return (*rows[:place], row, *rows[place + 1 :])
