"""Selectors: how words that somebody points at are named, so that they are found again (W3C TextQuoteSelector)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toulmin.domain.corpus.text import Searched, parts_a_character, trimmed

_MOST_WORDS = 32
"""Words of context that are tried on either side, before all of the text on both sides is taken."""

_WORDS_BEFORE = re.compile(r"(?<!\S)\S")
_WORDS_AFTER = re.compile(r"\S(?!\S)")
_WINDOW = 2_000
"""Code points in which those words are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """A quote as it stands in a text, and the words just before and after it where it occurs elsewhere too."""

    start: int
    end: int
    quote: str
    prefix: str | None = None
    suffix: str | None = None


def selector(text: str, start: int, end: int, *, body: int = 0) -> Selector | None:
    """The selector of `text[start:end]` with the fewest words around it that it takes; None for a range without any words.

    White space at either end is left out, and what a reader sees as one character is taken whole, so that the range of the selector may be
    another one. What stands before `body` counts for nothing, as where a quote is looked for.
    """
    first, last = trimmed(text, max(start, body), max(end, body))
    if first == last:
        return None
    while parts_a_character(text, first):
        first -= 1
    while parts_a_character(text, last):
        last += 1
    searched, quote = Searched.of(text), text[first:last]

    def stands_out(context: tuple[str, str]) -> bool:
        before, after = context
        found = searched.locate(quote, prefix=before, suffix=after)
        return [(match.start, match.end) for match in found if match.start >= body] == [(first, last)]

    before, after = _context(text, first, last, stands_out)
    return Selector(start=first, end=last, quote=quote, prefix=before or None, suffix=after or None)


def _context(text: str, start: int, end: int, stands_out: Callable[[tuple[str, str]], bool]) -> tuple[str, str]:
    """What has to stand around a range: nothing, else words on the side where fewer do, else on both sides."""
    if stands_out(("", "")):
        return "", ""
    before, after = list(_before(text, start)), list(_after(text, end))
    sides = (
        [("", words) for words in after],
        [(words, "") for words in before],
        [(words, more) for words, more in zip(before, after, strict=False)],
    )
    enough = [(bisect_left(side, True, key=stands_out), side) for side in sides]  # more words never fit at more places
    fewest = min(((count, side[count]) for count, side in enough if count < len(side)), default=None)
    return (text[:start], text[end:]) if fewest is None else fewest[1]


def _before(text: str, start: int) -> Iterator[str]:
    """The last words before a place: one, then two, and so on."""
    first = max(0, start - _WINDOW)
    places = [found.start() for found in _WORDS_BEFORE.finditer(text, first, start)]
    yield from (text[at:start] for at in places[::-1][:_MOST_WORDS])


def _after(text: str, end: int) -> Iterator[str]:
    """The first words after a place: one, then two, and so on."""
    places = (found.end() for found in _WORDS_AFTER.finditer(text, end, min(len(text), end + _WINDOW)))
    yield from (text[end:at] for _, at in zip(range(_MOST_WORDS), places, strict=False))
