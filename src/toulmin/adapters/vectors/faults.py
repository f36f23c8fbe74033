"""What the system says against the index's files, as faults of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toulmin.domain.errors import StoreFault
from toulmin.ports.index import IndexUnreadable


def unreadable(place: str, why: str) -> IndexUnreadable:
    """The fault of an index that cannot be used any more."""
    return IndexUnreadable("index_unreadable", why, where=place, remedy="run toulmin index rebuild")


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Raises `IndexUnreadable` for files that cannot be read; a plain `StoreFault` where a right is missing: building anew would not help.

    A file that is missing stays a `FileNotFoundError`: another process may have put others in its place, which only the state tells.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except PermissionError as error:
        remedy = "let this user read and write the folder"
        raise StoreFault("index_inaccessible", "this user may not use the index", where=place, remedy=remedy) from error
    except OSError as error:
        raise unreadable(place, error.strerror or "the file cannot be read") from error


@contextmanager
def writing(place: str) -> Iterator[None]:
    """Raises `StoreFault` where the folder cannot be written."""
    try:
        yield
    except OSError as error:
        why, remedy = error.strerror or "it cannot be written", "free some space, or let the folder be written"
        raise StoreFault("index_unwritable", why, where=place, remedy=remedy) from error
