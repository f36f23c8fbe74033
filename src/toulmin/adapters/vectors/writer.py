"""The writer: one index in the folder, under the name of its state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from hashlib import sha256
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from toulmin.adapters.vectors.faults import reading, unreadable
from toulmin.adapters.vectors.folder import VectorFolder
from toulmin.adapters.vectors.integrity import check_new_files
from toulmin.adapters.vectors.merging import Sized, to_merge
from toulmin.adapters.vectors.quantising import Floats, Rows, quantised
from toulmin.adapters.vectors.segment import DIGEST_WORDS, Columns, Digests, Integers, Joined, Part, Segment, pack
from toulmin.adapters.vectors.snapshot import Ask, VectorSnapshot, View
from toulmin.adapters.vectors.state import File, SegmentEntry, State, read
from toulmin.domain.corpus.document import Egress, Standing
from toulmin.domain.corpus.validity import FOREVER, microseconds
from toulmin.domain.errors import Conflict
from toulmin.domain.evidence.embedding import embedded_text
from toulmin.ports.embedder import Embedder
from toulmin.ports.store import Change, Changes, PassageKey

N = TypeVar("N", np.float32, np.uint64)


class Writer:
    """An `IndexWriter` of the state with this name, in the folder; one that is not there yet is empty, and gets this generation.

    `right` is the right to change it, which is held during each change. `donors` are segments of other indexes with vectors of the same profile, which need not be made again.
    """

    def __init__(
        self,
        folder: VectorFolder,
        name: str,
        *,
        generation: str,
        right: Callable[[], AbstractContextManager[object]],
        embedder: Embedder,
        ask: Ask,
        donors: Sequence[Segment] = (),
    ) -> None:
        self._folder = folder
        self._name = name
        self._right = right
        self._embedder = embedder
        self._ask = ask
        self._generation = generation
        self._donors = donors
        self._seen: tuple[bytes | None, VectorSnapshot] | None = None

    def snapshot(self) -> VectorSnapshot:
        while True:
            content, seen = self._folder.state(self._name), self._seen
            if seen is not None and seen[0] == content:
                return seen[1]
            try:
                with reading(self._place):
                    fresh = self._opened(self._read(content), seen[1] if seen else None)
            except (
                FileNotFoundError
            ):  # a change may have removed it since the state was read: then there is another state
                if self._folder.state(self._name) == content:
                    raise unreadable(self._place, "a file of the index is missing") from None
                continue
            self._seen = content, fresh
            return fresh

    def apply(self, changes: Changes) -> None:
        with self._right():
            present = self.snapshot()
            if changes.after > present.sequence:
                message = f"the index is at {present.sequence}, the changes start after {changes.after}"
                raise Conflict("index_moved", message, where=self._place, remedy="try again")
            if changes.sequence > present.sequence:
                self._commit(present, changes)

    def keep(self) -> None:
        """Writes the state of an index that nothing was applied to."""
        if self._folder.state(self._name) is None:
            self._folder.commit(self._name, self.snapshot().state)

    @property
    def _place(self) -> str:
        return str(self._folder.path)

    def _read(self, content: bytes | None) -> State:
        if content is None:
            return State.empty(self._generation, self._embedder.profile)
        state = read(content, str(self._folder.path / self._name))
        state.check_profile(self._embedder.profile, self._place)
        return state

    def _opened(self, state: State, before: VectorSnapshot | None) -> VectorSnapshot:
        """The snapshot of a state; segments that one before has are not opened again."""
        check_new_files(self._folder.path, state)
        known = {}
        if before is not None:
            named = zip(before.state.segments, before.views, strict=True)
            known = {entry.file: view.segment for entry, view in named}
        views = [
            View(known.get(entry.file) or self._segment(entry), self._dead(entry.tombs)) for entry in state.segments
        ]
        return VectorSnapshot(state, views, self._ask)

    def _segment(self, entry: SegmentEntry) -> Segment:
        return Segment(self._folder.path / entry.file.name, entry.rows, self._embedder.profile.dimension)

    def _dead(self, tombs: File | None) -> Rows:
        if tombs is None:
            return np.empty(0, dtype=np.intp)
        return np.fromfile(self._folder.path / tombs.name, dtype="<i8").astype(np.intp)

    def _commit(self, present: VectorSnapshot, changes: Changes) -> None:
        """Writes what changed as files of their own, and then the state that names them."""
        fresh = self._fresh(present, changes)
        gone = [change.revision for change in changes.changes]
        views = [View(view.segment, _dead_after(view, gone)) for view in present.views]
        numbers = _Names(present.state)
        sizes = [Sized(len(view.segment), len(view.dead)) for view in views]
        merged = to_merge(sizes, len(fresh.rows))
        kept = [
            self._buried(entry, view, numbers)
            for place, (entry, view) in enumerate(zip(present.state.segments, views, strict=True))
            if place not in merged
        ]
        parts = [views[place].part for place in sorted(merged)] + [fresh]
        parts = [part for part in parts if len(part.rows)]
        made = [self._written(parts, numbers)] if parts else []
        state = replace(
            present.state,
            next=numbers.next,
            sequence=changes.sequence,
            mark=changes.mark,
            segments=(*kept, *made),
        )
        self._folder.commit(self._name, state)

    def _written(self, parts: Sequence[Part], numbers: _Names) -> SegmentEntry:
        joined = Joined(parts)
        file = self._folder.write(numbers.take("segment"), joined.content())
        return SegmentEntry(file=file, rows=len(joined))

    def _buried(self, entry: SegmentEntry, view: View, numbers: _Names) -> SegmentEntry:
        """The entry of a segment that stays, with a new file of dead rows where there are more of them."""
        if len(view.dead) == entry.dead:
            return entry
        tombs = self._folder.write(numbers.take("tombs"), [view.dead.astype("<i8").tobytes()])
        return replace(entry, dead=len(view.dead), tombs=tombs)

    def _fresh(self, present: VectorSnapshot, changes: Changes) -> Part:
        """The rows of the passages that changed."""
        live = [(change, change.standing) for change in changes.changes if change.standing is not None]
        rows = [(change, standing, ordinal) for change, standing in live for ordinal in range(len(change.passages))]
        texts = [self._text(change, standing, ordinal) for change, standing, ordinal in rows]
        readers = tuple(dict.fromkeys(frozenset(standing.descriptor.readers) for _, standing in live))
        numbers = {tokens: number for number, tokens in enumerate(readers)}
        digests, vectors = self._embedded(present, texts)
        whole = quantised(vectors)
        columns = Columns(
            keys=_integers(pack(PassageKey(change.revision, ordinal)) for change, _, ordinal in rows),
            valid_from=_integers(microseconds(standing.validity.start) for _, standing, _ in rows),
            valid_to=_integers(
                microseconds(standing.validity.end) if standing.validity.end else FOREVER for _, standing, _ in rows
            ),
            scopes=_integers(change.scope for change, _, _ in rows),
            readers=_integers(numbers[frozenset(standing.descriptor.readers)] for _, standing, _ in rows),
            digests=digests,
            scales=whole.scales,
            errors=whole.errors,
            vectors=vectors,
            codes=whole.codes,
        )
        return Part(columns, readers, np.arange(len(rows)))

    def _text(self, change: Change, standing: Standing, ordinal: int) -> str:
        """The text to embed; empty for one that may not leave this host, and would."""
        if standing.descriptor.egress is Egress.LOCAL and not self._embedder.on_this_host:
            return ""
        passage, text = change.passages[ordinal]
        return embedded_text(standing.descriptor.title, passage.heading, text)

    def _embedded(self, present: VectorSnapshot, texts: Sequence[str]) -> tuple[Digests, Floats]:
        """The digest and the vector of each text; only texts that no segment knows are embedded. An empty one has zeros."""
        dimension = self._embedder.profile.dimension
        distinct = [text for text in dict.fromkeys(texts) if text]
        digests = np.array([np.frombuffer(sha256(text.encode()).digest(), dtype="<u8") for text in distinct])
        digests = digests.reshape(-1, DIGEST_WORDS)
        vectors = np.zeros((len(distinct), dimension), dtype=np.float32)
        missing = np.ones(len(distinct), dtype=np.bool_)
        for donor in (*(view.segment for view in present.views), *self._donors):
            for place, vector in donor.vectors_of(digests):
                vectors[place], missing[place] = vector, False
        asked = self._embedder.passages([text for text, absent in zip(distinct, missing, strict=True) if absent])
        vectors[missing] = np.frombuffer(asked.data, dtype="<f4").reshape(-1, dimension)
        places = {text: place for place, text in enumerate(distinct)}
        nothing = len(distinct)
        order = np.array([places.get(text, nothing) for text in texts], dtype=np.intp)
        return _with_zeros(digests)[order], _with_zeros(vectors)[order]


class _Names:
    """Names of files to write, each once."""

    def __init__(self, state: State) -> None:
        self._generation = state.generation
        self.next = state.next

    def take(self, kind: str) -> str:
        name = f"{self._generation}-{self.next}.{kind}"
        self.next += 1
        return name


def _dead_after(view: View, revisions: Sequence[int]) -> Rows:
    """The dead rows of a segment once those of these revisions are dead too."""
    ranges = (view.segment.rows_of(revision) for revision in revisions)
    gone = [np.arange(rows.start, rows.stop) for rows in ranges if rows]
    return np.union1d(view.dead, np.concatenate(gone)).astype(np.intp) if gone else view.dead


def _integers(values: Iterable[int]) -> Integers:
    return np.fromiter(values, dtype=np.int64)


def _with_zeros(rows: NDArray[N]) -> NDArray[N]:
    """The rows, and one of zeros after them."""
    return np.vstack((rows, np.zeros((1, rows.shape[1]), dtype=rows.dtype)))
