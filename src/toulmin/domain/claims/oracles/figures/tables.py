"""Tables: the units that the heads of columns name, in a text with a line for a row and a bar between cells."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.domain.claims.oracles.figures.measures import Measure, measure_at

_BAR = "|"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnHeads:
    """The first row of a table, which ends at `text[end]`."""

    text: str
    end: int
    heads: tuple[str, ...]

    def measure(self, at: int) -> Measure | None:
        """The unit that the head of the column names in which `at` stands; None where none does."""
        row = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        column = row.strip().removeprefix(_BAR).count(_BAR)
        words = self.heads[column].split() if column < len(self.heads) else []
        return next((measure for word in reversed(words) if (measure := _measure(word.strip("()[],")))), None)


def column_heads(text: str, start: int, end: int) -> ColumnHeads | None:
    """The heads above the rows in `text[start:end]`; None where it is no part of a table."""
    if f" {_BAR} " not in text[start:end]:
        return None
    first = text.rfind("\n", 0, start) + 1
    while first and _BAR in text[(above := text.rfind("\n", 0, first - 1) + 1) : first - 1]:
        first = above
    row = text[first:].partition("\n")[0]
    return ColumnHeads(text=text, end=first + len(row), heads=tuple(row.strip().strip(_BAR).split(_BAR)))


def _measure(word: str) -> Measure | None:
    """The unit that a word of a head is; a single letter may as well be the name of a variable."""
    found = measure_at(f" {word}", 0, len(word) + 1)
    return found[0] if found and (len(word) > 1 or word == "%") else None
