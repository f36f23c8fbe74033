"""Fusion: one score from two, by a passage's words and by its meaning, on one scale for every request.

Both are shares in [0, 1] that hang on question and passage alone, and so is their weighted mean: no other passage, filter or limit moves
it, as ranks would, or a scale that is fitted to what was found. So a minimum score can be stated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

WORDS = 0.6
"""The part of the score by words in the mean; the rest is that by meaning. See `docs/decisions/0011-hybrid-search.md` for the choice."""

VERSION = "mean/1"
"""Goes up with every change of how scores are mixed, since packets record scores."""

_DIGITS = 5


class _Ordered(Protocol):
    def __lt__(self, other: Any, /) -> bool: ...


Key = TypeVar("Key", bound=_Ordered)


def mixed(words: float, meaning: float | None) -> float:
    """A passage's score, to five significant digits; without a score by meaning (nobody has embedded it), that by its words."""
    if meaning is None:
        return words
    return float(f"{WORDS * words + (1 - WORDS) * meaning:.{_DIGITS}g}")


def most_unseen(words: float, meaning: float) -> float:
    """The most that a passage can score which is in neither list, where the lists end with these scores (0: with nothing after it)."""
    return max(words, mixed(words, meaning))


def settled(scores: Mapping[Key, float], limit: int, unseen: float) -> tuple[tuple[Key, float], ...] | None:
    """The best `limit` and all that tie with the last of them, by score, then key; None where an unseen passage could be among them.

    `unseen` is the most that any other passage can score; 0: there is none.
    """
    order = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    if len(order) < limit:
        return tuple(order) if unseen == 0 else None
    least = order[limit - 1][1]
    if least <= unseen and unseen > 0:
        return None
    return tuple(item for item in order if item[1] >= least)


__all__ = ["VERSION", "WORDS", "mixed", "most_unseen", "settled"]
