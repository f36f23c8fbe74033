"""Long lists, a part at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.datastructures import URL

T = TypeVar("T")

FIRST = "first"
"""What a query calls the number, counted from 1, of the first item to be shown."""

LENGTH = 100
"""Items of one page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Generic[T]):
    """Some items of a list of `total`, the first of which is number `first`; the addresses of those before and after them."""

    items: Sequence[T]
    first: int
    total: int
    earlier: str | None
    later: str | None

    @property
    def last(self) -> int:
        """The number of the last item."""
        return self.first + len(self.items) - 1


def part(items: Sequence[T], first: int, here: URL, length: int = LENGTH) -> Part[T]:
    """At most `length` items of the page `here` from number `first` on; from the list's last one, where it has fewer."""
    first = max(1, min(first, len(items)))
    after = first + length
    return Part(
        items=items[first - 1 : after - 1],
        first=first,
        total=len(items),
        earlier=address_from(here, max(1, first - length)) if first > 1 else None,
        later=address_from(here, after) if after <= len(items) else None,
    )


def address_from(here: URL, first: int) -> str:
    """The page `here` from another number on: its query alone, since the path of a `URL` is no longer as it was sent where an id has a percent sign."""
    return f"?{here.include_query_params(**{FIRST: first}).query}"
