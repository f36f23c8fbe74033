"""Whether the index's files are as they were written, by the checksums in its state.

Reading all files takes seconds in a large index, so each is checked once: what was found sound is remembered with its size and time, and
looked at again when one of them has changed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from toulmin.adapters.vectors.faults import reading, unreadable
from toulmin.adapters.vectors.state import File, State

_CHUNK = 1 << 20

_Stamp = list[int]
"""A file's size in bytes, and its time of change in nanoseconds."""


def check_new_files(folder: Path, state: State) -> None:
    """Checks the files that are not known to be sound; raises `IndexUnreadable` for one that is damaged, `FileNotFoundError` for none."""
    note = folder / f"sound-{state.generation}.json"
    known = _known(note)
    stamps = {file.name: _stamp(folder / file.name) for file in state.files}
    for file in state.files:
        if known.get(file.name) != stamps[file.name] and not _is_sound(folder, file):
            raise unreadable(str(folder / file.name), "the file is damaged")
    if stamps != known:
        with suppress(OSError):  # where that cannot be written they are checked again next time
            note.write_text(json.dumps(stamps), encoding="utf-8")


def damaged_files(folder: Path, files: Iterable[File]) -> tuple[str, ...]:
    """The names of all files that are damaged or missing, after reading every one."""
    with reading(str(folder)):
        return tuple(file.name for file in files if not ((folder / file.name).exists() and _is_sound(folder, file)))


def _stamp(file: Path) -> _Stamp:
    status = file.stat()
    return [status.st_size, status.st_mtime_ns]


def _is_sound(folder: Path, file: File) -> bool:
    crc = 0
    with (folder / file.name).open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            crc = zlib.crc32(chunk, crc)
    return crc == file.crc


def _known(note: Path) -> Mapping[str, _Stamp]:
    """The files that were found sound. A note that cannot be read says nothing: then all are checked."""
    try:
        return dict(json.loads(note.read_bytes()))
    except (OSError, ValueError, TypeError):
        return {}
