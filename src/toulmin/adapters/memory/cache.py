"""The draft cache of one process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from threading import Lock

from toulmin.domain.claims.draft import Claim
from toulmin.domain.corpus.document import RevisionId


class MemoryDraftCache:
    """A `DraftCache` with a number of entries and an age in seconds; `clock` counts seconds and never goes back."""

    def __init__(self, *, entries: int, max_age_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._entries = entries
        self._max_age_s = max_age_s
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, tuple[Claim, ...]]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> tuple[Claim, ...] | None:
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            made_at, claims = found
            if self._clock() - made_at >= self._max_age_s:
                del self._kept[key]
                return None
            self._kept.move_to_end(key)
            return claims

    def put(self, key: str, claims: tuple[Claim, ...]) -> None:
        with self._lock:
            self._kept[key] = self._clock(), claims
            self._kept.move_to_end(key)
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)

    def forget(self, sources: Collection[RevisionId]) -> None:
        with self._lock:
            for key, (_, claims) in tuple(self._kept.items()):
                if any(citation.source in sources for claim in claims for citation in claim.citations):
                    del self._kept[key]
