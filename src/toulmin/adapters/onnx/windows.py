"""Windows: which sentences of the evidence a model reads at once, and what several readings come to together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from toulmin.domain.claims.opinion import Probabilities
from toulmin.domain.corpus.folds import LIGATURE, SOFT_HYPHEN, ZERO_WIDTH, Folded
from toulmin.domain.corpus.markup import MARKUP
from toulmin.domain.corpus.sentences import UnitKind, units

_FOLDS = (ZERO_WIDTH, SOFT_HYPHEN, LIGATURE, MARKUP)
_DIRECTIVE = re.compile(r"\.\. ([\w-]+)::\s*")

Measure = Callable[[str], int]
"""How many tokens a text has, the special ones aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Whole sentences of a passage in a row: `words[start:end]`, and the text that is read. `fits`: it is not longer than a model reads."""

    start: int
    end: int
    text: str
    fits: bool = True

    def holds(self, start: int, end: int) -> bool:
        """Whether it holds some of this range of the passage."""
        return self.start < end and start < self.end


def plain(text: str) -> str:
    """A text as its reader sees it: without inline marks, on one line."""
    return " ".join(Folded.of(text, _FOLDS).text.split())


def windows(words: str, measure: Measure, room: int) -> Iterator[Window]:
    """The windows of a passage, each with as many whole sentences as have `room` (in tokens), in order; empty where it says nothing.

    Each begins with the last sentence of the one before it, where there is room: a sentence may speak of the one before. A sentence that
    alone has no room is a window that does not fit: half of it may say the opposite of the whole.
    """
    sentences = tuple(_sentences(words))
    sizes = [measure(item.text) for item in sentences]
    at = 0
    while at < len(sentences):
        stop = _stop(sentences, sizes, at, measure, room)
        run = sentences[at:stop]
        yield Window(start=run[0].start, end=run[-1].end, text=_joined(run), fits=sizes[at] <= room)
        again = stop - at > 1 and stop < len(sentences) and sizes[stop - 1] + sizes[stop] <= room
        at = stop - 1 if again else stop


def combined(readings: Sequence[tuple[Probabilities, bool]]) -> Probabilities:
    """What the readings of several windows come to: (probabilities, whether the window speaks about what the claim does).

    The window that supports the claim most decides; but the claim is as contradicted as the most contradicting one among it and those
    that speak about the same, and supported at most by what that leaves. One window is as it is. Raises `ValueError` without any.
    """
    best = max((given for given, _ in readings), key=lambda given: given.supported)
    against = max(best.contradicted, *(given.contradicted for given, is_aligned in readings if is_aligned), 0.0)
    supported = min(best.supported, 1 - against)
    return Probabilities(supported=supported, contradicted=against, unresolved=max(0.0, 1 - supported - against))


def _sentences(words: str) -> Iterator[Window]:
    for unit in units(words):
        text = plain(_DIRECTIVE.sub(r"\1: ", words[unit.start : unit.end], count=1))
        if unit.kind is UnitKind.HEADING:
            text = " ".join(word for word in text.split() if _says_something(word))
        if _says_something(text):
            yield Window(start=unit.start, end=unit.end, text=text)


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _stop(sentences: Sequence[Window], sizes: Sequence[int], at: int, measure: Measure, room: int) -> int:
    """The first sentence after `at` that has no room any more. Sizes only nearly add up: what a model is given is measured."""
    stop, total = at + 1, sizes[at]
    while stop < len(sentences) and total + sizes[stop] <= room:
        total += sizes[stop]
        stop += 1
    while stop > at + 1 and measure(_joined(sentences[at:stop])) > room:
        stop -= 1
    return stop


def _joined(run: Sequence[Window]) -> str:
    return " ".join(item.text for item in run)
