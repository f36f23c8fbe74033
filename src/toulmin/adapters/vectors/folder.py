"""The index's folder: states, the files that they name, and two locks.

`index.json` is the state of the index; `building-G.json` that of one that is to replace it, or would have. Files are named by generation
and number, are written once, and are removed when their state names them no longer; who has mapped them goes on.
"""

from __future__ import annotations

import fcntl
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from toulmin.adapters.vectors.faults import reading, writing
from toulmin.adapters.vectors.state import File, State, written
from toulmin.domain.errors import Conflict

INDEX = "index.json"
_DATA = re.compile(r"([0-9a-f]+)-[0-9]+\.(?:segment|tombs)")
_BUILDING = re.compile(r"building-([0-9a-f]+)\.json")
_OF_A_GENERATION = re.compile(r"(?:building-|sound-)?([0-9a-f]+)[-.].+")


def building(generation: str) -> str:
    """The name of the state of an index that is built."""
    return f"building-{generation}.json"


class VectorFolder:
    """A folder with an index, made where it is missing when something is first written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writing = Lock()

    def state(self, name: str) -> bytes | None:
        """What the file of a state holds; None where there is none."""
        with reading(str(self.path)):
            try:
                return (self.path / name).read_bytes()
            except FileNotFoundError:
                return None

    def write(self, name: str, content: Iterable[bytes]) -> File:
        """A new file, which lasts."""
        crc = 0
        with writing(str(self.path)):
            (self.path / name).unlink(missing_ok=True)  # a killed writer's
            with (self.path / name).open("xb") as stream:
                for chunk in content:
                    stream.write(chunk)
                    crc = zlib.crc32(chunk, crc)
                stream.flush()
                os.fsync(stream.fileno())
        return File(name=name, crc=crc)

    def commit(self, name: str, state: State) -> None:
        """Puts a state in its place, in one step that lasts, and removes the files of its generation that it does not name."""
        with writing(str(self.path)):
            beside = self.path / f"{name}.new"
            with beside.open("wb") as stream:
                stream.write(written(state))
                stream.flush()
                os.fsync(stream.fileno())
            self._rename(beside, name)
            named = {file.name for file in state.files}
            for file in self.path.iterdir():
                match = _DATA.fullmatch(file.name)
                if match and match[1] == state.generation and file.name not in named:
                    file.unlink(missing_ok=True)

    def take_over(self, generation: str) -> None:
        """Makes what was built the index, in one step that lasts, and removes all others."""
        with writing(str(self.path)):
            self._rename(self.path / building(generation), INDEX)
            self.remove(lambda other: other != generation)

    def remove(self, is_gone: Callable[[str], bool]) -> None:
        """Removes all files of the generations that are gone."""
        with writing(str(self.path)):
            for file in self.path.iterdir():
                match = _OF_A_GENERATION.fullmatch(file.name)
                if match and is_gone(match[1]):
                    file.unlink(missing_ok=True)

    def built(self) -> tuple[str, ...]:
        """The generations that were built and never took over."""
        matches = (_BUILDING.fullmatch(file.name) for file in self.path.iterdir())
        return tuple(sorted(match[1] for match in matches if match))

    @contextmanager
    def writing(self, *, wait: bool = False) -> Iterator[None]:
        """The right to change the index: threads wait for each other. Another process that has it is a `Conflict`, or waited for."""
        with self._writing, self._lock(".writing.lock", "writing", wait=wait):
            yield

    @contextmanager
    def building(self) -> Iterator[None]:
        """The right to build an index that is to take over; raises `Conflict` while another has it."""
        with self._lock(".building.lock", "building", wait=False):
            yield

    def _rename(self, file: Path, name: str) -> None:
        file.replace(self.path / name)
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    @contextmanager
    def _lock(self, name: str, what: str, *, wait: bool) -> Iterator[None]:
        """A lock that the system takes back from a process that dies."""
        with writing(str(self.path)):
            self.path.mkdir(parents=True, exist_ok=True)
            stream = (self.path / name).open("wb")
        with stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                message, step = f"another process is {what} the index", "try again when it is done"
                raise Conflict("index_busy", message, where=str(self.path), remedy=step) from None
            yield
