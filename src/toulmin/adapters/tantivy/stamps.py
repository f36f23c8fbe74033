"""Stamps: whether a file is still the one that was read, without opening it."""

from __future__ import annotations

import time
from pathlib import Path

Stamp = tuple[int, int, int]
"""A file's inode, its size in bytes, and its time of change in nanoseconds."""

_SETTLED_NS = 1_000_000_000
"""File systems count time in steps of milliseconds: of two files that take one place within a step, stamps may be the same."""


def stamp(file: Path) -> Stamp | None:
    """What no other file has that was, or will be, renamed to this place; None where there is no file, or one of the last second."""
    try:
        status = file.stat()
    except OSError:
        return None
    settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
    return (status.st_ino, status.st_size, status.st_mtime_ns) if settled else None
