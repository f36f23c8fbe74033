"""Text with some of its words marked, in code points: the unit of every offset that the program states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, and whether it is marked."""

    text: str
    marked: bool = False


def pieces(text: str, ranges: Iterable[tuple[int, int]] = ()) -> tuple[Piece, ...]:
    """The text cut at the ends of half-open ranges; what at least one of them covers is marked. Joined, the pieces are the text."""
    found: list[Piece] = []
    at = 0
    for start, end in _apart(ranges):
        found += [Piece(text[at:start]), Piece(text[start:end], marked=True)]
        at = end
    found.append(Piece(text[at:]))
    return tuple(piece for piece in found if piece.text)


def _apart(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges that cover the same, in order, none of which meets another."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart
