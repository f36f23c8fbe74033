"""What a search costs by words, by meaning, and by both, through the whole use case, as the corpus grows; and whether both is exact.

Usage: hybrid.py [PASSAGES...]   (default: 10000 100000 1000000)
The vectors are made up: each word has one of 384 random numbers, and a text the mean of its words', so that texts of one topic lie together.
How long a real model takes is measured by ingest.py. Of a sample of queries the best ten by both are compared with all eligible passages scored one
by one; faults must be 0. Times are those that the calling thread was on a processor, the three kinds of search in turns.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from common import Words, in_turns, milliseconds, percentile, report, resident_mib, say
from synthetic import NOW, Levels, WordVectors, fill

from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.adapters.vectors.index import VectorIndex
from toulmin.application.catchup import catch_up, embed
from toulmin.application.hybrid import HybridIndex
from toulmin.application.scopes import EligibleScopes
from toulmin.application.search import SearchRequest, search
from toulmin.domain.evidence.fusion import mixed
from toulmin.domain.question.case import Principal
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.index import Searchable
from toulmin.ports.store import Store

_QUERIES = 100
_CHECKED = 5
_TOP = 10
_SCOPES = 100
_SHARES = (1.0, 0.5, 0.01)
_ANYONE = Principal(id="bench")


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or [10_000, 100_000, 1_000_000]
    table: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        store, words = SqliteStore(Path(folder) / "corpus.db"), TantivyIndex(Path(folder) / "index")
        meaning = VectorIndex(Path(folder) / "vectors", WordVectors())
        language, levels, number, present = Words(), Levels(count=_SCOPES), 0, 0
        for size in sizes:
            say(f"{size} passages")
            number = fill(store, size - present, levels, language, first=number)
            start = time.perf_counter()
            catch_up(store, words)
            between = time.perf_counter()
            embed(store, meaning)
            added, ready = size - present, time.perf_counter()
            present = size
            built = {
                "index words us/passage": (between - start) / added * 1e6,
                "index vectors us/passage": (ready - between) / added * 1e6,
            }
            table += [_row(size, share, built, language, levels, store, words, meaning) for share in _SHARES]
        for part in (meaning, words, store):
            part.close()
    note = f"faults: {sum(row['faults'] for row in table)} of the best {_TOP} by both, in {_CHECKED} queries a row"
    report("hybrid", table, notes=(note,), queries=_QUERIES, scopes=_SCOPES)


def _row(
    size: int,
    share: float,
    built: Mapping[str, float],
    language: Words,
    levels: Levels,
    store: Store,
    words: TantivyIndex,
    meaning: VectorIndex,
) -> dict[str, Any]:
    scopes, both = EligibleScopes(), HybridIndex(words=words, meaning=meaning, store=store)
    requests = [
        SearchRequest(
            text=language.query(), rules=levels.rules, case=levels.case(share), principal=_ANYONE, at=NOW, limit=_TOP
        )
        for _ in range(_QUERIES)
    ]
    kinds: Mapping[str, Searchable] = {"words": words, "meaning": meaning, "both": both}
    times = in_turns(
        {
            name: [partial(search, request, store, index, scopes) for request in requests]
            for name, index in kinds.items()
        },
        clock=time.thread_time,
    )
    return {
        "passages": size,
        "eligible": f"{share:.0%}",
        **{f"{name} p50 ms": milliseconds(taken) for name, taken in times.items()},
        "both p95 ms": percentile(times["both"], 0.95),
        **built,
        "resident MiB": resident_mib(),
        "faults": _faults(requests[:_CHECKED], store, words, meaning, both, scopes),
    }


def _faults(
    requests: Sequence[SearchRequest],
    store: Store,
    words: TantivyIndex,
    meaning: VectorIndex,
    both: HybridIndex,
    scopes: EligibleScopes,
) -> int:
    """How many of the best scores by both differ from those of all eligible passages, scored one by one."""
    with store.begin(_ANYONE) as session:
        keys = scopes.find(requests[0].rules, requests[0].case, session.corpus)
    wanted = Filter(scopes=keys, readers=_ANYONE.tokens, at=NOW)
    wrong = 0
    for request in requests:
        by_words, by_meaning = (
            {hit.key: hit.score for hit in index.snapshot().search(request.text, wanted, 10**7).hits}
            for index in (words, meaning)
        )
        every = by_words.keys() | by_meaning.keys()
        exact = sorted((mixed(by_words.get(k, 0.0), by_meaning.get(k, 0.0)) for k in every), reverse=True)[:_TOP]
        found = [item.found.score for item in search(request, store, both, scopes).items]
        wrong += sum(one != other for one, other in zip(exact, found, strict=False)) + abs(len(exact) - len(found))
    return wrong


if __name__ == "__main__":
    main()
