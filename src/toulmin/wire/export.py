"""`toulmin.export/1`: a store as lines of JSON.

The first line names the schema, each further one is a row (`["table", cell, ...]`, bytes as `{"hex": ...}`), and the last one counts the rows and
has the SHA-256 of all lines before it, so that a file that was cut off or changed is not taken for a whole one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import IO, Final

from toulmin.domain.errors import InputError

SCHEMA: Final = "toulmin.export/1"

Cell = str | int | bytes | None
Line = tuple[str, tuple[Cell, ...]]
"""A row: its table, and its cells."""

_written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def write_export(rows: Iterable[Line], file: IO[bytes]) -> int:
    """Writes rows to a file; how many."""
    digest, count = hashlib.sha256(), 0

    def put(value: object) -> None:
        line = _written(value).encode() + b"\n"
        digest.update(line)
        file.write(line)

    put({"schema": SCHEMA})
    for table, cells in rows:
        put([table, *map(_write_cell, cells)])
        count += 1
    put({"rows": count, "sha256": digest.hexdigest()})
    return count


def read_export(file: IO[bytes], where: str) -> Iterator[Line]:
    """The rows of a file, one after the other; what they make up is whole only when the last one has come.

    Raises `InputError` (`bad_export`) that names file and line for what is no such file, and at its end for one that is cut off or was changed.
    """
    digest, count = hashlib.sha256(), 0
    for number, line in enumerate(file, start=1):
        value = _read(line, f"{where}:{number}")
        match value:
            case {"schema": str(schema)} if number == 1:
                if schema != SCHEMA:
                    raise _bad(f"{where}:1: schema", f"the schema is {schema[:80]}, this program reads {SCHEMA}")
            case [str(table), *cells] if number > 1:
                yield table, tuple(_read_cell(cell, f"{where}:{number}") for cell in cells)
                count += 1
            case {"rows": int(rows), "sha256": str(stated)} if number > 1:
                if (rows, stated) != (count, digest.hexdigest()) or file.read(1):
                    raise _bad(f"{where}:{number}", "the file was changed after it was written")
                return
            case _:
                raise _bad(f"{where}:{number}", f"this is no line of {SCHEMA}")
        digest.update(line)
    raise _bad(where, "the file is cut off: its last line is missing")


def _write_cell(cell: Cell) -> object:
    return {"hex": cell.hex()} if isinstance(cell, bytes) else cell


def _read_cell(cell: object, where: str) -> Cell:
    match cell:
        case bool():
            pass
        case None | str() | int():
            return cell
        case {"hex": str(written)}:
            try:
                return bytes.fromhex(written)
            except ValueError:
                pass
    raise _bad(where, "a cell is neither text, whole number, null nor bytes")


def _read(line: bytes, where: str) -> object:
    try:
        value: object = json.loads(line)
    except ValueError:
        raise _bad(where, "this is no JSON") from None
    return value


def _bad(where: str, what: str) -> InputError:
    return InputError("bad_export", what, where=where, remedy="export the store again")
