"""The passage index on tantivy: BM25 over English stems, with the filter inside the query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock

from tantivy import DocAddress, Index, IndexWriter, Query, Searcher

from toulmin.adapters.tantivy import rows
from toulmin.adapters.tantivy.words import ANALYZER, analyzer
from toulmin.domain.errors import Conflict, InputError, StoreFault
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.index import Hit, Hits
from toulmin.ports.store import Changes

_HEAP_BYTES = 50_000_000
"""What the writer collects in memory before it writes a segment; with one thread, mostly one segment a commit."""

_SLACK = 16
"""Hits fetched beyond those asked for: mostly enough to see where the ties with the last one end."""

_OWN_FILE = re.compile(r"[0-9a-f]{32}\..+|meta\.json|\.managed\.json|\.tantivy-(?:meta|writer)\.lock")

_SCHEMA = rows.schema()
_ANALYZER = analyzer()


class TantivyIndex:
    """A `PassageIndex` in a folder, which is made where it is missing; without a path, in memory.

    Any number of processes may read it, and one at a time write: `apply` and `clear` raise `Conflict` while another process does. A folder
    that cannot be read, or that another version of the program wrote, raises `StoreFault` (`index_unreadable`): `destroy` it and build it
    again.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._place = str(path) if path else "index in memory"
        self._writing = Lock()
        with _reading(self._place):
            if path:
                path.mkdir(parents=True, exist_ok=True)
            index = Index(_SCHEMA, path=str(path) if path else None)
            index.register_tokenizer(ANALYZER, _ANALYZER)
            index.config_reader("manual")  # a snapshot looks for itself, so that it is never behind a commit
        self._opened: Index | None = index

    @staticmethod
    def destroy(path: Path) -> None:
        """Deletes the index in a folder, in whatever state it is; files that are not the index's own stay.

        Nobody may write it meanwhile; snapshots that are open go on.
        """
        for file in path.iterdir() if path.is_dir() else ():
            if _OWN_FILE.fullmatch(file.name):
                file.unlink()

    def snapshot(self) -> TantivySnapshot:
        with _reading(self._place):
            index = self._index
            index.reload()
            return TantivySnapshot(index.searcher(), self._place)

    def apply(self, changes: Changes) -> None:
        with self._writer() as writer:
            # Asked while nobody else can write: what another process applied meanwhile is never replaced by something older.
            if changes.sequence <= self.snapshot().sequence:
                return
            writer.delete_documents_by_query(rows.replaced_query(_SCHEMA, changes))
            for row in rows.of_changes(_SCHEMA, changes):
                writer.add_document(row)
            writer.commit()

    def clear(self) -> None:
        with self._writer() as writer:
            writer.delete_all_documents()
            writer.commit()

    def close(self) -> None:
        with self._writing:
            self._opened = None

    @property
    def _index(self) -> Index:
        if self._opened is None:
            raise StoreFault("index_closed", "the index was closed", where=self._place, remedy="open a new one")
        return self._opened

    @contextmanager
    def _writer(self) -> Iterator[IndexWriter]:
        """The writer, for one commit: afterwards merges are done and other processes may write. What was not committed is dropped."""
        with self._writing, _faults("index_unwritable", self._place, "free some space, or let the folder be written"):
            writer = self._index.writer(_HEAP_BYTES, 1)
            try:
                yield writer
            finally:
                writer.wait_merging_threads()


class TantivySnapshot:
    """An `IndexSnapshot`: it keeps the files that it reads, whatever becomes of the index."""

    def __init__(self, searcher: Searcher, place: str) -> None:
        self._searcher = searcher
        self._place = place
        self._sequence = self._read_sequence()

    @property
    def sequence(self) -> int:
        return self._sequence

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        if limit < 1:
            raise InputError("bad_limit", f"a search for {limit} hits", remedy="ask for 1 or more")
        terms = rows.terms(_ANALYZER, text)
        if not terms or wanted.lets_nothing_through:
            return Hits(hits=(), exhausted=True)
        with _reading(self._place):
            return self._best(rows.query(_SCHEMA, terms, wanted), limit)

    def _best(self, query: Query, limit: int) -> Hits:
        """The best hits with all that tie with the last of them: fetches more until a lower score follows, or nothing."""
        everything = self._searcher.num_docs + 1
        fetch = min(limit + _SLACK, everything)
        while True:
            found = self._searcher.search(query, fetch, count=False).hits
            scores = [_level(score) for score, _ in found]
            if len(found) < fetch or scores[-1] < scores[limit - 1]:
                break
            fetch = min(fetch * 2, everything)
        cut = scores[limit - 1] if len(scores) > limit else 0.0
        kept = [score for score in scores if score >= cut]
        keys = self._column("key", [address for _, address in found[: len(kept)]])
        hits = (Hit(key=rows.unpack(key), score=score) for key, score in zip(keys, kept, strict=True))
        return Hits(
            hits=tuple(sorted(hits, key=lambda hit: (-hit.score, hit.key))), exhausted=len(kept) == len(found) < fetch
        )

    def _read_sequence(self) -> int:
        found = self._searcher.search(rows.marker_query(_SCHEMA), 1, count=False).hits
        return max(self._column("sequence", [address for _, address in found]), default=0)

    def _column(self, field: str, addresses: Sequence[DocAddress]) -> list[int]:
        return [int(value or 0) for value in self._searcher.fast_field_values(field, list(addresses))]


def _level(score: float) -> float:
    """A score to five significant digits: it is a sum in single precision, whose seventh may depend on the order of adding up."""
    return float(f"{score:.5g}")


@contextmanager
def _faults(code: str, place: str, remedy: str) -> Iterator[None]:
    """Turns tantivy's exceptions into faults. It raises `ValueError` for everything, and tells a held lock by name alone."""
    try:
        yield
    except (ValueError, OSError) as error:
        if "LockBusy" in str(error):
            message, wait = "another process is writing the index", "try again when it is done"
            raise Conflict("index_busy", message, where=place, remedy=wait) from error
        raise StoreFault(code, str(error), where=place, remedy=remedy) from error


def _reading(place: str) -> AbstractContextManager[None]:
    return _faults("index_unreadable", place, "run toulmin index rebuild")
