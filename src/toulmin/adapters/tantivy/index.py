"""The passage index on tantivy: BM25 over stems of each document's language, with the filter inside the query."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from toulmin.adapters.tantivy.folder import FORMAT, IndexFolder
from toulmin.adapters.tantivy.generation import Generation, TantivySnapshot
from toulmin.adapters.tantivy.integrity import damaged_files
from toulmin.adapters.tantivy.words import ANALYZER
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.ports.health import IndexReport
from toulmin.ports.store import Changes, PassageKey

_T = TypeVar("_T")


class TantivyIndex:
    """A `PassageIndex` in a folder, which is made where it is missing; without a path, in memory.

    Any number of processes may read it, one at a time write, and one at a time replace it; writing and replacing do not hinder each
    other. Files are looked at when they are first needed, not before.
    """

    profile = f"bm25/{ANALYZER}"

    def __init__(self, path: Path | None = None) -> None:
        self._folder = IndexFolder(path) if path else None
        self._opening = Lock()
        self._replacing = Lock()
        self._opened: tuple[Path | None, Generation] | None = None
        self._closed = False

    def snapshot(self) -> TantivySnapshot:
        return self._use(Generation.snapshot)

    def apply(self, changes: Changes) -> None:
        self._use(lambda current: current.apply(changes))

    @contextmanager
    def replacement(self) -> Iterator[Generation]:
        self._refuse_if_closed()
        with self._folder.building() if self._folder else self._building_in_memory() as place:
            fresh = Generation(place)
            yield fresh
            with self._opening:
                self._opened = place, fresh

    def close(self) -> None:
        with self._opening:
            self._closed = True
            if self._opened:
                self._opened[1].close()

    def examine(self) -> IndexReport:
        """Reads every file: what `check_new_files` takes for granted is checked here."""
        passages, current = self.snapshot().passages, self._current()
        return IndexReport(
            format=FORMAT,
            size=sum(file.stat().st_size for file in current.iterdir()) if current else 0,
            passages=passages,
            damaged=damaged_files(current) if current else (),
        )

    def sample(self, size: int) -> tuple[PassageKey, ...]:
        keys = self.snapshot().keys()
        return tuple(random.sample(keys, min(size, len(keys))))

    def held(self, keys: Collection[PassageKey]) -> frozenset[PassageKey]:
        return self.snapshot().held(keys)

    @contextmanager
    def _building_in_memory(self) -> Iterator[None]:
        """The same right as a folder's `building` gives."""
        if not self._replacing.acquire(blocking=False):
            raise Conflict("index_busy", "the index is being built already", remedy="try again when that is done")
        try:
            yield
        finally:
            self._replacing.release()

    def _use(self, use: Callable[[Generation], _T]) -> _T:
        """Uses the current generation; again, where another process has put a new one in its place meanwhile."""
        current = self._current()
        while True:
            try:
                return use(self._generation(current))
            except StoreFault:
                now = self._current()
                if now == current:
                    raise
                current = now

    def _current(self) -> Path | None:
        self._refuse_if_closed()
        return self._folder.current() if self._folder else None

    def _generation(self, folder: Path | None) -> Generation:
        with self._opening:
            self._refuse_if_closed()
            if self._opened is None or self._opened[0] != folder:
                self._opened = folder, Generation(folder)
            return self._opened[1]

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreFault("index_closed", "the index was closed", remedy="open a new one")
