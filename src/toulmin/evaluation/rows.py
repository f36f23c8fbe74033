"""Dataset files: one strictly read JSON object a line, compressed where the file's name ends in `.gz`."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from toulmin.domain.errors import InputError
from toulmin.wire import strict_json
from toulmin.wire.model import Strict, located, read
from toulmin.wire.node import Node
from toulmin.wire.scalars import Identifier


class Row(Strict):
    """What every row may have; a kind of rows that must have an id says so."""

    id: Identifier | None = None


R = TypeVar("R", bound=Row)


class Parse(Protocol):
    """Reads the one JSON value of a line; raises `InputError` with file and line."""

    def __call__(self, data: bytes, source: str, *, line: int) -> Node: ...


def rows(path: Path, model: type[R], parse: Parse = strict_json.parse) -> Iterator[tuple[R, Node]]:
    """The rows of a JSON lines file in their order, each with its node, which knows its line; blank lines count for nothing.

    Raises `InputError` with file, line and key path: also `duplicate_id` for an id that occurs twice, and `empty_dataset` for a file
    without rows, since nothing measured would look like a result.
    """
    source = str(path)
    lines: dict[str, int] = {}
    for line, data in enumerate(file_lines(path), start=1):
        if not data.strip():
            continue
        node = parse(data, source, line=line)
        row = read(model, node, source)
        if row.id is not None and row.id in lines:
            message = f"id {row.id!r} occurs twice, first on line {lines[row.id]}"
            error = InputError("duplicate_id", message, remedy="give every row an id of its own")
            raise located(error, node, source, ("id",))
        lines[row.id or f"{source}:{line}"] = line
        yield row, node
    if not lines:
        raise InputError("empty_dataset", "the dataset has no rows", where=source, remedy="write one row a line")


def file_lines(path: Path) -> list[bytes]:
    """The lines of a file, unpacked where its name ends in `.gz`; raises `InputError` where it cannot be read."""
    try:
        data = path.read_bytes()  # read whole, so that a wrong row leaves no file open
        return (gzip.decompress(data) if path.suffix == ".gz" else data).split(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or "it is no whole gzip file"
        raise InputError(
            "unreadable_file",
            f"the dataset cannot be read: {why}",
            where=str(path),
            remedy="name a file that you may read",
        ) from None
