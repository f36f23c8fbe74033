"""Excerpts: words in their place, with what stands around them, and the headings and pages that they are under."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toulmin.domain.corpus.document import Page, Revision

AROUND = 400
"""Code points of a text on either side of the words; to the nearest white space inside of that."""

_FIRST_WORD = re.compile(r"\A\S*\s+")
_LAST_WORD = re.compile(r"\s+\S*\Z")
"""What a stretch that is cut out of a text begins, or ends, in the middle of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """What stands around `text[start:end]`, the outermost heading first; `begins` and `ends` say that the text does so there."""

    before: str
    after: str
    begins: bool
    ends: bool
    heading: tuple[str, ...]
    pages: tuple[Page, ...]


def excerpt(revision: Revision, start: int, end: int) -> Excerpt:
    """The surroundings of a span of a revision's text."""
    text, first, last = revision.text, max(0, start - AROUND), min(len(revision.text), end + AROUND)
    before, after = text[first:start], text[end:last]
    begins, ends = first == 0, last == len(text)
    return Excerpt(
        before=before if begins else _FIRST_WORD.sub("", before),
        after=after if ends else _LAST_WORD.sub("", after),
        begins=begins,
        ends=ends,
        heading=heading(revision, start),
        pages=revision.place(start, end).pages,
    )


def heading(revision: Revision, at: int) -> tuple[str, ...]:
    """The headings above a place, outermost first."""
    return next((passage.heading for passage in revision.passages if passage.start <= at < passage.end), ())
