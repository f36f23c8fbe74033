"""One generation of the index: tantivy in one folder, or in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from threading import Lock

from tantivy import DocAddress, Index, Query, Searcher
from tantivy import IndexWriter as TantivyWriter

from toulmin.adapters.tantivy import rows
from toulmin.adapters.tantivy.faults import reading, writing
from toulmin.adapters.tantivy.integrity import META, check_new_files
from toulmin.adapters.tantivy.stamps import Stamp, stamp
from toulmin.adapters.tantivy.weights import Weights
from toulmin.adapters.tantivy.words import ANALYZER, DEFAULT, Word, analyzer, of_question
from toulmin.domain.errors import Conflict, InputError, StoreFault
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.index import Hit, Hits
from toulmin.ports.store import Changes, PassageKey

_HEAP_BYTES = 50_000_000
"""What the writer collects in memory before it writes a segment; with one thread, mostly one segment a commit."""

_SLACK = 16
"""Hits fetched beyond those asked for: mostly enough to see where the ties with the last one end."""


class Generation:
    """An `IndexWriter` in a folder that exists; without one, in memory.

    Raises `IndexUnreadable` for files that are damaged, or that another version of the program wrote.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._place = str(folder) if folder else "index in memory"
        self._meta = folder / META if folder else None
        self._seen: tuple[Stamp, TantivySnapshot] | None = None
        self._writing = Lock()
        if folder:
            check_new_files(folder)  # first: tantivy may abort the whole process on a damaged file
        with reading(self._place):
            index = Index(rows.SCHEMA, path=str(folder) if folder else None)
            index.register_tokenizer(ANALYZER, analyzer())
            index.config_reader("manual")  # a snapshot looks for itself, so that it is never behind a commit
        self._opened: Index | None = index

    def snapshot(self) -> TantivySnapshot:
        index, seen = self._index, self._seen
        now = stamp(self._meta) if self._meta else None  # before it is read: what comes in between has another one
        if seen is not None and seen[0] == now:
            return seen[1]
        with reading(self._place):
            index.reload()
            fresh = TantivySnapshot(index.searcher(), self._place)
        self._seen = None if now is None else (now, fresh)
        return fresh

    def apply(self, changes: Changes) -> None:
        with self._writer() as writer:
            # Asked while nobody else can write: what another process applied meanwhile is never replaced by something older.
            reached = self.snapshot().sequence
            if changes.after > reached:
                message, retry = f"the index is at {reached}, the changes start after {changes.after}", "try again"
                raise Conflict("index_moved", message, where=self._place, remedy=retry)
            if changes.sequence <= reached:
                return
            writer.delete_documents_by_query(rows.replaced_query(changes))
            for row in rows.of_changes(changes):
                writer.add_document(row)
            writer.commit()

    def close(self) -> None:
        """Releases everything; further use is an error."""
        with self._writing:
            self._opened = self._seen = None

    @property
    def _index(self) -> Index:
        if self._opened is None:
            raise StoreFault("index_closed", "the index was closed", where=self._place, remedy="open a new one")
        return self._opened

    @contextmanager
    def _writer(self) -> Iterator[TantivyWriter]:
        """The writer, for one commit: afterwards merges are done and other processes may write. What was not committed is dropped."""
        with self._writing, writing(self._place):
            writer = self._index.writer(_HEAP_BYTES, 1)
            writer.garbage_collect_files()  # a killed writer's files have the names that this one's will want
            try:
                yield writer
            finally:
                writer.wait_merging_threads()


class TantivySnapshot:
    """An `IndexSnapshot`: it keeps the files that it reads, whatever becomes of the index."""

    def __init__(self, searcher: Searcher, place: str) -> None:
        self._searcher = searcher
        self._place = place
        self._sequence, self._mark = self._read_marker()

    @property
    def sequence(self) -> int:
        return self._sequence

    @property
    def mark(self) -> int:
        return self._mark

    @property
    def passages(self) -> int:
        """How many passages there are."""
        return max(0, self._searcher.num_docs - 1)  # one row is the marker

    def keys(self) -> Sequence[PassageKey]:
        """The keys of all passages, in no order."""
        with reading(self._place):
            return self._keys()

    def _keys(self) -> Sequence[PassageKey]:
        found = self._searcher.search(rows.passages_query(), max(1, self._searcher.num_docs), count=False).hits
        return [rows.unpack(key) for key in self._column("key", [address for _, address in found])]

    def held(self, keys: Collection[PassageKey]) -> frozenset[PassageKey]:
        """Those of the keys that there are passages for."""
        if not keys:
            return frozenset()
        with reading(self._place):
            found = self._searcher.search(rows.held_query(keys), len(keys), count=False).hits
            return frozenset(map(rows.unpack, self._column("key", [address for _, address in found])))

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        if limit < 1:
            raise InputError("bad_limit", f"a search for {limit} hits", remedy="ask for 1 or more")
        with reading(self._place):
            words = self._words(text)
            if not words or wanted.lets_nothing_through or not self.passages:
                return Hits(hits=(), exhausted=True)
            return self._best(rows.query(words, wanted), limit, self._weights.most(words))

    def scores(self, text: str, keys: Collection[PassageKey]) -> Mapping[PassageKey, float]:
        with reading(self._place):
            if not keys or not self.passages or not (words := self._words(text)):
                return dict.fromkeys(self.held(keys), 0.0)
            most = self._weights.most(words)
            found = self._searcher.search(rows.scored_query(words, keys), len(keys), count=False).hits
            packed = self._column("key", [address for _, address in found])
            return {rows.unpack(key): _level(score / most) for (score, _), key in zip(found, packed, strict=True)}

    @cached_property
    def _weights(self) -> Weights:
        return Weights.of(self._searcher)

    @cached_property
    def _readings(self) -> Sequence[str]:
        """The ways in which the passages' words are read; the default where there are none yet."""
        return sorted(name for name, _ in self._searcher.terms_with_prefix(rows.READING, "")) or (DEFAULT,)

    def _words(self, text: str) -> Sequence[Word]:
        return of_question(text, self._readings)

    def _best(self, query: Query, limit: int, most: float) -> Hits:
        """The best hits with all that tie with the last of them: fetches more until a lower score follows, or nothing.

        `most` is the most that a passage could score.
        """
        everything = self._searcher.num_docs + 1
        fetch = min(limit + _SLACK, everything)
        while True:
            found = self._searcher.search(query, fetch, count=False).hits
            scores = _with_ties([score / most for score, _ in found], limit)
            if len(scores) < len(found) or len(found) < fetch:
                break
            fetch = min(fetch * 2, everything)
        keys = self._column("key", [address for _, address in found[: len(scores)]])
        best = sorted(zip(scores, keys, strict=True), key=lambda hit: (-hit[0], hit[1]))
        return Hits(
            hits=tuple(Hit(key=rows.unpack(key), score=score) for score, key in best),
            exhausted=len(scores) == len(found) < fetch,
        )

    def _read_marker(self) -> tuple[int, int]:
        """Sequence number and mark; 0 and 0 in an index without changes."""
        addresses = [address for _, address in self._searcher.search(rows.marker_query(), 1, count=False).hits]
        sequences, marks = self._column("sequence", addresses), self._column("mark", addresses)
        return (sequences[0], marks[0]) if sequences else (0, 0)

    def _column(self, field: str, addresses: Sequence[DocAddress]) -> list[int]:
        return [int(value or 0) for value in self._searcher.fast_field_values(field, list(addresses))]


def _with_ties(scores: Sequence[float], limit: int) -> list[float]:
    """The levels of the first `limit` of falling scores, and of those that tie with the last of them."""
    cut = _level(scores[limit - 1]) if len(scores) > limit else 0.0
    return list(takewhile(lambda level: level >= cut, map(_level, scores)))


def _level(score: float) -> float:
    """A score to five significant digits: it is a sum in single precision, whose seventh may depend on the order of adding up."""
    return float(f"{score:.5g}")
