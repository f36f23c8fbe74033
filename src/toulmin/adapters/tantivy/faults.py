"""Tantivy's exceptions as faults of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toulmin.domain.errors import Conflict, StoreFault
from toulmin.ports.index import IndexUnreadable

REBUILD = "run toulmin index rebuild"


def unreadable(place: str, why: str) -> IndexUnreadable:
    """The fault of an index that cannot be used any more."""
    return IndexUnreadable("index_unreadable", why, where=place, remedy=REBUILD)


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Raises `IndexUnreadable` for whatever tantivy, or the system, says against the files. Tantivy raises `ValueError` for everything.

    Where a right is missing, building anew would not help: that is a plain `StoreFault`. Tantivy needs to write a lock even to read.
    """
    try:
        yield
    except (ValueError, OSError) as error:
        if isinstance(error, PermissionError) or "PermissionDenied" in str(error):
            message, remedy = "this user may not use the index", "let this user read and write the folder"
            raise StoreFault("index_inaccessible", message, where=place, remedy=remedy) from error
        raise unreadable(place, str(error)) from error


@contextmanager
def writing(place: str) -> Iterator[None]:
    """Raises `Conflict` while another process writes, which tantivy tells by name alone, and `StoreFault` where it cannot be written."""
    try:
        yield
    except (ValueError, OSError) as error:
        if "LockBusy" in str(error):
            message, wait = "another process is writing the index", "try again when it is done"
            raise Conflict("index_busy", message, where=place, remedy=wait) from error
        remedy = "free some space, or let the folder be written"
        raise StoreFault("index_unwritable", str(error), where=place, remedy=remedy) from error
