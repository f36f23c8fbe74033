"""The index's folder: generations, and a file that names the current one.

A generation is built beside the current one and takes its place by the renaming of one small file, so that a reader opens either the one
or the other, and a crash before leaves everything as it was.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toulmin.adapters.tantivy.faults import reading, unreadable, writing
from toulmin.adapters.tantivy.stamps import Stamp, stamp
from toulmin.domain.errors import Conflict

FORMAT = 1
"""Of the folder, counted up with any change that an older program could not read. The schema of the rows is tantivy's to compare."""

_CURRENT = "current.json"
_LOCK = ".building.lock"
_GENERATION = re.compile(r"generation-([0-9]+)")


class IndexFolder:
    """A folder with generations, made where it is missing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._current = path / _CURRENT
        self._seen: tuple[Stamp, Path] | None = None

    def current(self) -> Path:
        """The folder of the current generation; an empty first one is made where there is none.

        Raises `IndexUnreadable` where the file that names it was spoiled, or written by a later version of the program.
        """
        now = stamp(self._current)  # before it is read: what comes in between has another one
        seen = self._seen
        if seen is not None and seen[0] == now:
            return seen[1]
        folder = self._look()
        self._seen = None if now is None else (now, folder)
        return folder

    def _look(self) -> Path:
        with reading(str(self.path)):
            written = self._written()
        if written is None:
            with self._lock(wait=True), writing(str(self.path)):
                written = self._first()
        return self._named(written)

    @contextmanager
    def building(self) -> Iterator[Path]:
        """A new generation's folder, empty; it becomes the current one when the block ends without an exception.

        What earlier builds left behind is removed. Raises `Conflict` while another process builds one.
        """
        with self._lock(wait=False):
            with writing(str(self.path)):
                self._first()  # whoever wants to read meanwhile need not wait
                self._remove_others(keep=self._current_name())
                fresh = self._next()
            yield fresh
            with writing(str(self.path)):
                self._switch_to(fresh)
                self._remove_others(keep=fresh.name)

    def _first(self) -> bytes:
        """What names the current generation; an empty one is made where there is none."""
        written = self._written()
        return self._switch_to(self._next()) if written is None else written

    def _written(self) -> bytes | None:
        try:
            return self._current.read_bytes()
        except FileNotFoundError:
            return None

    def _named(self, written: bytes) -> Path:
        try:
            shape = json.loads(written)
            known, name = shape["format"], shape["generation"]
        except (ValueError, KeyError, TypeError):
            raise unreadable(str(self._current), "the file is damaged") from None
        if known != FORMAT:
            raise unreadable(str(self.path), f"the index has format {known}, this program writes {FORMAT}")
        if not isinstance(name, str) or not _GENERATION.fullmatch(name) or not (self.path / name).is_dir():
            raise unreadable(str(self.path), f"the index names a part that is not there: {name}")
        return self.path / name

    def _current_name(self) -> str | None:
        """The name of the current generation; None where there is none that is known."""
        try:
            shape = json.loads(self._written() or b"{}")
            return str(shape["generation"])
        except (ValueError, KeyError, TypeError):
            return None

    def _next(self) -> Path:
        numbers = [int(found[1]) for file in self.path.iterdir() if (found := _GENERATION.fullmatch(file.name))]
        fresh = self.path / f"generation-{max(numbers, default=0) + 1}"
        fresh.mkdir()
        return fresh

    def _switch_to(self, fresh: Path) -> bytes:
        """Makes a generation the current one, in one step that lasts; returns what was written."""
        written = json.dumps({"format": FORMAT, "generation": fresh.name}).encode()
        beside = self.path / f"{_CURRENT}.new"
        with beside.open("wb") as stream:
            stream.write(written)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(self._current)
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return written

    def _remove_others(self, keep: str | None) -> None:
        """Removes all generations but one. Snapshots that are open go on: they hold their files open.

        A process that has not seen the switch may still be writing into one: what so cannot be removed is left to the next build.
        """
        for file in self.path.iterdir():
            if _GENERATION.fullmatch(file.name) and file.name != keep:
                shutil.rmtree(file, ignore_errors=True)

    @contextmanager
    def _lock(self, *, wait: bool) -> Iterator[None]:
        """The right to make and remove generations; the system takes it back from a process that dies."""
        with writing(str(self.path)):
            self.path.mkdir(parents=True, exist_ok=True)
            stream = (self.path / _LOCK).open("wb")
        with stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                message, step = "another process is building the index", "try again when it is done"
                raise Conflict("index_busy", message, where=str(self.path), remedy=step) from None
            yield
