"""Merging: which segments are written together with what comes new, so that there are never many, and no row is written often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_ROWS = 262_144
"""Of a merged segment, which bounds what one change may cost."""

_TOGETHER = 8
"""So many segments of a size become one: a row is written again each time its segment has grown so many times."""


@dataclass(frozen=True, slots=True)
class Sized:
    """How many rows a segment has, and how many of them are dead."""

    rows: int
    dead: int

    @property
    def alive(self) -> int:
        return self.rows - self.dead

    @property
    def is_spent(self) -> bool:
        """Whether more than half of it is dead."""
        return self.dead * 2 > self.rows


def to_merge(segments: Sequence[Sized], fresh: int) -> frozenset[int]:
    """The places of the segments that become one with `fresh` new rows: those of no larger size, once they are many, and all that are spent."""
    chosen = {place for place, segment in enumerate(segments) if segment.is_spent}
    size = fresh + sum(segments[place].alive for place in chosen)
    while peers := _peers(segments, chosen, size):
        chosen |= peers
        size += sum(segments[place].alive for place in peers)
    return frozenset(chosen)


def _peers(segments: Sequence[Sized], chosen: set[int], size: int) -> set[int]:
    """Other segments of no larger size, smallest first, as many as have room; none where they are few."""
    others = (place for place, segment in enumerate(segments) if place not in chosen)
    smaller = sorted(
        (place for place in others if _tier(segments[place].alive) <= _tier(size)),
        key=lambda place: (segments[place].alive, place),
    )
    peers: set[int] = set()
    for place in smaller:
        size += segments[place].alive
        if size > MOST_ROWS:
            break
        peers.add(place)
    return peers if len(peers) >= _TOGETHER - 1 else set()


def _tier(rows: int) -> int:
    """Sizes of one tier differ by less than `_TOGETHER` times."""
    return rows.bit_length() // (_TOGETHER.bit_length() - 1)
