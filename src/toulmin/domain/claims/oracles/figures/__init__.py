"""Figures: every number, date and version that a sentence names, read once."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toulmin.domain.claims.oracles.figures.moments import Moment, moments
from toulmin.domain.claims.oracles.figures.quantities import Quantity, in_letters, quantities
from toulmin.domain.claims.oracles.figures.releases import Release, releases


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a sentence names in numbers, each kind in the order of the text."""

    quantities: tuple[Quantity, ...] = ()
    moments: tuple[Moment, ...] = ()
    releases: tuple[Release, ...] = ()

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where they stand, each a range of the text."""
        spans = [(quantity.start, quantity.end) for quantity in self.quantities]
        spans += [(moment.start, moment.end) for moment in self.moments]
        return spans + [(release.start, release.end) for release in self.releases]


_DIGIT = re.compile(r"\d")
_NONE = Figures()


def figures(text: str, start: int, end: int, language: str | None = None) -> Figures:
    """The figures of `text[start:end]`. A date is no version, and neither is a quantity; only a number that is perhaps a version is both."""
    if _DIGIT.search(text, start, end) is None:
        spelled = in_letters(text[start:end])
        return Figures(quantities=tuple(quantities(text, start, end, language, ()))) if spelled else _NONE
    when = tuple(moments(text, start, end, language))
    dated = [(moment.start, moment.end) for moment in when]
    versions = tuple(
        release
        for release in releases(text, start, end)
        if not any(first < release.end and release.start < last for first, last in dated)
    )
    taken = dated + [(release.start, release.end) for release in versions if release.sure]
    return Figures(quantities=tuple(quantities(text, start, end, language, taken)), moments=when, releases=versions)
