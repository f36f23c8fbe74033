"""Quoting: whether the words that a claim gives as its source's are there, and what part of the evidence they narrow it to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.corpus.quotes import Found, find, quotations
from toulmin.domain.corpus.sentences import units

ORACLE = "quotes"
"""The name under which words that a source does not have are objected to."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Window:
    """A part of the evidence: `passages[passage].words[start:end]`."""

    passage: int
    start: int
    end: int


def misquotations(unit: ReviewUnit) -> Iterator[Objection]:
    """What is held against the quotations of a claim: those that it says it rests on, and those in its words.

    The former only have to be there, since they narrow the evidence to whole sentences. The latter have to be all that matters of theirs: a
    claim is read without the rest.
    """
    for quote in unit.quotes:
        if not any(find(cited.words, quote) for cited in unit.passages):
            yield _misquoted(unit, (0, len(unit.claim)), f"the cited source does not have the words “{quote}”")
    for start, end in quotations(unit.claim):
        quote = unit.claim[start:end]
        places = [place for cited in unit.passages for place in find(cited.words, quote)]
        if not places:
            yield _misquoted(unit, (start, end), f"the cited source does not have the words “{quote}”")
        elif all(place.fragment for place in places):
            says = f"“{quote}” is cut out of its sentence so that its meaning may be another"
            yield _misquoted(unit, (start, end), says)


def quotes_anything(unit: ReviewUnit) -> bool:
    """Whether there is a quotation in the claim, or beside it."""
    return bool(unit.quotes) or any(quotations(unit.claim))


def windows(unit: ReviewUnit) -> tuple[Window, ...]:
    """The evidence that a claim rests on by its own word: of each passage the sentences of its quotes with their neighbours.

    A passage without a quote is evidence whole.
    """
    return tuple(window for number, cited in enumerate(unit.passages) for window in _of_passage(number, cited, unit))


def _of_passage(number: int, cited: Cited, unit: ReviewUnit) -> Sequence[Window]:
    found = [place for quote in unit.quotes for place in find(cited.words, quote)]
    if not found:
        return (Window(passage=number, start=0, end=len(cited.words)),)
    spans = [(item.start, item.end) for item in units(cited.words)]
    return sorted({Window(passage=number, start=start, end=end) for start, end in _around(found, spans, cited.words)})


def _around(found: Sequence[Found], spans: Sequence[tuple[int, int]], words: str) -> Iterator[tuple[int, int]]:
    """For each place the range of the units that it touches and of their neighbours."""
    for place in found:
        touched = [at for at, (start, end) in enumerate(spans) if start < place.end and place.start < end]
        if touched:
            yield spans[max(0, touched[0] - 1)][0], spans[min(len(spans) - 1, touched[-1] + 1)][1]
        else:  # the quote is of a list's mark or a table's border
            yield 0, len(words)


def _misquoted(unit: ReviewUnit, span: tuple[int, int], says: str) -> Objection:
    return Objection(
        oracle=ORACLE,
        strength=Strength.UNSETTLES,
        claim=span,
        passage=0,
        evidence=(0, len(unit.passages[0].words)),
        says=says,
    )
