"""The passage index in memory, with a ranker that can be checked by eye: which share of the question's words a passage has."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from unicodedata import normalize

from toulmin.domain.corpus.document import Standing
from toulmin.domain.errors import Conflict, InputError, StoreFault
from toulmin.domain.question.eligibility import Filter, admits
from toulmin.ports.index import Hit, Hits
from toulmin.ports.store import Changes, PassageKey

_WORD = re.compile(r"\w+")


class OverlapIndex:
    """A `PassageIndex` for one process. A passage's score is the share of the text's distinct words that occur in it."""

    profile = "overlap/1"

    def __init__(self) -> None:
        self._writing = Lock()
        self._replacing = Lock()
        self._present: OverlapSnapshot | None = OverlapSnapshot()

    def snapshot(self) -> OverlapSnapshot:
        if self._present is None:
            raise StoreFault("index_closed", "the index was closed", remedy="open a new one")
        return self._present

    def apply(self, changes: Changes) -> None:
        with self._writing:
            present = self.snapshot()
            if changes.after > present.sequence:
                message = f"the index is at {present.sequence}, the changes start after {changes.after}"
                raise Conflict("index_moved", message, remedy="try again")
            if changes.sequence > present.sequence:
                self._present = OverlapSnapshot(changes.sequence, changes.mark, present.entries_after(changes))

    @contextmanager
    def replacement(self) -> Iterator[OverlapIndex]:
        self.snapshot()
        if not self._replacing.acquire(blocking=False):
            raise Conflict("index_busy", "the index is being built already", remedy="try again when that is done")
        try:
            fresh = OverlapIndex()
            yield fresh
            with self._writing:
                self._present = fresh.snapshot()
        finally:
            self._replacing.release()

    def close(self) -> None:
        with self._writing:
            self._present = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is indexed for a revision: how it stands, and the words of its passages."""

    standing: Standing
    scope: int
    passages: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class OverlapSnapshot:
    """An `IndexSnapshot`: a value that is replaced, never changed. `entries` by revision key."""

    sequence: int = 0
    mark: int = 0
    entries: Mapping[int, _Entry] = field(default_factory=dict)

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        if limit < 1:
            raise InputError("bad_limit", f"a search for {limit} hits", remedy="ask for 1 or more")
        hits = sorted(self._matches(_words(text), wanted), key=lambda hit: (-hit.score, hit.key))
        cut = hits[limit - 1].score if len(hits) > limit else 0.0
        best = tuple(hit for hit in hits if hit.score >= cut)
        return Hits(hits=best, exhausted=len(best) == len(hits))

    def scores(self, text: str, keys: Collection[PassageKey]) -> Mapping[PassageKey, float]:
        words = _words(text)
        return {
            key: _share(words, entry.passages[key.ordinal])
            for key in keys
            if (entry := self.entries.get(key.revision)) is not None and key.ordinal < len(entry.passages)
        }

    def entries_after(self, changes: Changes) -> Mapping[int, _Entry]:
        """The entries with those of the changed revisions replaced."""
        gone = {change.revision for change in changes.changes}
        kept = {revision: entry for revision, entry in self.entries.items() if revision not in gone}
        added = {
            change.revision: _Entry(change.standing, change.scope, tuple(_words(text) for _, text in change.passages))
            for change in changes.changes
            if change.standing is not None
        }
        return kept | added

    def _matches(self, words: frozenset[str], wanted: Filter) -> Iterator[Hit]:
        for revision, entry in self.entries.items():
            if admits(wanted, entry.scope, entry.standing):
                for ordinal, passage in enumerate(entry.passages):
                    if share := _share(words, passage):
                        yield Hit(key=PassageKey(revision, ordinal), score=share)


def _share(words: frozenset[str], passage: frozenset[str]) -> float:
    return len(words & passage) / len(words) if words else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(normalize("NFKC", text).casefold()))
