"""Whether the index's files are as they were written: every one ends in a checksum, which tantivy writes and does not look at.

Reading all files takes seconds in a large index, so each is checked once: what was found sound is remembered with its size and time, and
looked at again when one of them has changed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from toulmin.adapters.tantivy.faults import reading, unreadable

_SOUND = "sound.json"
META = "meta.json"
"""Names the segments; each commit puts a new one in its place, by renaming."""

_MAGIC = (1337).to_bytes(4, "little")
_CHUNK = 1 << 20

_Stamp = tuple[int, int]
"""A file's size in bytes, and its time of change in nanoseconds."""


def check_new_files(folder: Path) -> None:
    """Checks the files that are not known to be sound; raises `IndexUnreadable` for one that is damaged."""
    with reading(str(folder)):
        known = _known(folder)
        stamps = {file.name: _stamp(file) for file in _segment_files(folder)}
        for name, stamp in stamps.items():
            if known.get(name) != stamp and not _is_sound(folder / name):
                raise unreadable(str(folder / name), "the file is damaged")
    if stamps != known:
        _remember(folder, stamps)


def damaged_files(folder: Path) -> tuple[str, ...]:
    """The names of all damaged files, after reading every one."""
    with reading(str(folder)):
        return tuple(file.name for file in _segment_files(folder) if not _is_sound(file))


def _segment_files(folder: Path) -> Iterator[Path]:
    """The files of the segments that the index is made of; what a killed writer left behind is not among them.

    Neither are files that are missing: tantivy finds that out for itself, unless another process has just merged them.
    """
    for name, deletions in _segments(folder):
        for file in sorted(folder.glob(f"{name}.*")):
            if file.suffix != ".del" or file.name == deletions:
                yield file


def _segments(folder: Path) -> Sequence[tuple[str, str | None]]:
    """The names of the segments, each with that of its file of deletions; none in a folder that is still empty."""
    if not (folder / META).exists():
        return ()
    try:
        meta: dict[str, Any] = json.loads((folder / META).read_bytes())
        named = [(segment["segment_id"].replace("-", ""), segment["deletes"]) for segment in meta["segments"]]
        return [(name, f"{name}.{deletes['opstamp']}.del" if deletes else None) for name, deletes in named]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise unreadable(str(folder / META), "the file is damaged") from None


def _stamp(file: Path) -> _Stamp:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


def _is_sound(file: Path) -> bool:
    """Whether a file's bytes have the checksum that stands at its end: JSON, then its length in 4 bytes, then 4 fixed ones."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        stream.seek(max(0, size - 8))
        tail = stream.read(8)
        body = size - 8 - int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or body < 0:
            return False
        stream.seek(body)
        try:
            expected = json.loads(stream.read(size - 8 - body))["crc"]
        except (ValueError, KeyError, TypeError):
            return False
        stream.seek(0)
        return bool(_crc(iter(lambda: stream.read(min(_CHUNK, body - stream.tell())), b"")) == expected)


def _crc(chunks: Iterator[bytes]) -> int:
    crc = 0
    for chunk in chunks:
        crc = zlib.crc32(chunk, crc)
    return crc


def _known(folder: Path) -> Mapping[str, _Stamp]:
    """The files that were found sound. A note that cannot be read says nothing: then all are checked."""
    try:
        written = json.loads((folder / _SOUND).read_bytes())
        return {name: (size, changed) for name, (size, changed) in written.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _remember(folder: Path, stamps: Mapping[str, _Stamp]) -> None:
    """Notes the sound files; where that cannot be written they are checked again next time."""
    with suppress(OSError):
        (folder / _SOUND).write_text(json.dumps(stamps), encoding="utf-8")
