"""The passage index by meaning: the cosine between the vectors of question and passage, exact over the rows that may be seen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from threading import Lock

import numpy as np

from toulmin.adapters.vectors.folder import INDEX, VectorFolder, building
from toulmin.adapters.vectors.integrity import damaged_files
from toulmin.adapters.vectors.quantising import Question
from toulmin.adapters.vectors.segment import Segment
from toulmin.adapters.vectors.snapshot import VectorSnapshot
from toulmin.adapters.vectors.state import FORMAT
from toulmin.adapters.vectors.writer import Writer
from toulmin.domain.errors import StoreFault
from toulmin.ports.embedder import Embedder
from toulmin.ports.health import IndexReport
from toulmin.ports.index import IndexUnreadable, OtherEmbedder
from toulmin.ports.store import Changes, PassageKey

_REMEMBERED = 64
"""Questions whose vectors are kept: a search asks again for more hits, and for the scores of those that another index found."""


class VectorIndex:
    """A `PassageIndex` in a folder, which is made when something is first written. A score is the cosine, 0 for what points away.

    Any number of processes may read it, one at a time write, and one at a time replace it; writing and replacing do not hinder each
    other. All vectors are of the embedder's profile: with another one, everything but `replacement` raises `OtherEmbedder`.
    A vector is made once for a text, and kept for as long as some passage has that text. Passages that may
    not leave this host have none where the embedder is on another. Raises `EmbedderFault` where the embedder does not do its work.
    """

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._folder = VectorFolder(path)
        self._embedder = embedder
        self._ask = lru_cache(_REMEMBERED)(self._question)
        self._current = self._writer(INDEX, token_hex(), self._folder.writing)
        self._closed = False

    @property
    def profile(self) -> str:
        return f"cosine/{self._embedder.profile}"

    def snapshot(self) -> VectorSnapshot:
        self._refuse_if_closed()
        return self._current.snapshot()

    def apply(self, changes: Changes) -> None:
        self._refuse_if_closed()
        self._current.apply(changes)

    @contextmanager
    def replacement(self) -> Iterator[Writer]:
        """See `PassageIndex`. Vectors of this index, and of one that was not built to its end, are not made again where the profile is equal."""
        self._refuse_if_closed()
        with self._folder.building():
            generation, donors, in_turns = token_hex(), self._donors(), Lock()
            fresh = self._writer(building(generation), generation, lambda: in_turns, donors)
            yield fresh
            fresh.keep()
            with self._folder.writing(wait=True):
                self._folder.take_over(generation)

    def close(self) -> None:
        self._closed = True

    def examine(self) -> IndexReport:
        """Reads every file: what `check_new_files` takes for granted is checked here."""
        state, folder = self.snapshot().state, self._folder.path
        present = [folder / file.name for file in state.files if (folder / file.name).exists()]
        return IndexReport(
            format=FORMAT,
            size=sum(file.stat().st_size for file in present),
            passages=state.rows,
            damaged=damaged_files(folder, state.files),
        )

    def sample(self, size: int) -> tuple[PassageKey, ...]:
        return self.snapshot().sample(size)

    def held(self, keys: Collection[PassageKey]) -> frozenset[PassageKey]:
        return self.snapshot().held(keys)

    def _writer(
        self,
        name: str,
        generation: str,
        right: Callable[[], AbstractContextManager[object]],
        donors: Sequence[Segment] = (),
    ) -> Writer:
        return Writer(
            self._folder,
            name,
            generation=generation,
            right=right,
            embedder=self._embedder,
            ask=self._ask,
            donors=donors,
        )

    def _donors(self) -> Sequence[Segment]:
        """Segments of this index, and of the one that was built furthest and never took over; the others of these are removed."""
        built = {generation: self._usable(building(generation)) for generation in self._folder.built()}
        furthest = max(built, key=lambda generation: (sum(map(len, built[generation])), generation), default="")
        self._folder.remove(lambda generation: generation in built and generation != furthest)
        return (*self._usable(INDEX), *built.get(furthest, ()))

    def _usable(self, name: str) -> Sequence[Segment]:
        """The segments of a state; none where its vectors are of another profile, or it cannot be read."""
        try:
            return [view.segment for view in self._writer(name, "", self._folder.writing).snapshot().views]
        except (OtherEmbedder, IndexUnreadable):
            return ()

    def _question(self, text: str) -> Question | None:
        """The question that a text is; None for one that says nothing."""
        vector = np.frombuffer(self._embedder.queries([text]).data, dtype="<f4")
        return Question.of(vector) if vector.any() else None

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreFault("index_closed", "the index was closed", remedy="open a new one")
