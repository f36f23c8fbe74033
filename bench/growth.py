"""How search, ingest and memory grow with the corpus: the same work at 10,000, 100,000 and 1,000,000 passages of one growing corpus.

Usage: growth.py [PASSAGES...]   (default: 10000 100000 1000000)
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import Words, milliseconds, percentile, report, resident_mib, say
from synthetic import NOW, Levels, fill

from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.application.catchup import catch_up
from toulmin.application.scopes import EligibleScopes
from toulmin.application.search import SearchRequest, search
from toulmin.domain.question.case import Principal

_QUERIES = 200
_SHARE = 0.5
_SCOPES = 100


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or [10_000, 100_000, 1_000_000]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        store, index = SqliteStore(Path(folder) / "corpus.db"), TantivyIndex(Path(folder) / "index")
        words, levels, number, present = Words(), Levels(count=_SCOPES), 0, 0
        for size in sizes:
            say(f"{size} passages")
            start = time.perf_counter()
            number = fill(store, size - present, levels, words, first=number)
            stored = time.perf_counter()
            catch_up(store, index)
            indexed = time.perf_counter()
            added, present = size - present, size
            rows.append(
                {
                    "passages": size,
                    "store us/passage": (stored - start) / added * 1e6,
                    "index us/passage": (indexed - stored) / added * 1e6,
                    **_searched(store, index, words, levels),
                    "resident MiB": resident_mib(),
                    "disk KiB/passage": _disk_kib(Path(folder)) / size,
                }
            )
        index.close()
        store.close()
    first, last = rows[0], rows[-1]
    grown = last["search p50 ms"] / first["search p50 ms"]
    note = f"search grew {grown:.1f} times over a corpus that grew {last['passages'] / first['passages']:.0f} times"
    report("growth", rows, notes=(note, "store time includes making up the text"), queries=_QUERIES, eligible=_SHARE)


def _searched(store: SqliteStore, index: TantivyIndex, words: Words, levels: Levels) -> dict[str, float]:
    scopes, taken = EligibleScopes(), []
    anyone = Principal(id="bench")
    for _ in range(_QUERIES):
        request = SearchRequest(
            text=words.query(), rules=levels.rules, case=levels.case(_SHARE), principal=anyone, at=NOW, limit=10
        )
        start = time.perf_counter()
        search(request, store, index, scopes)
        taken.append(time.perf_counter() - start)
    return {"search p50 ms": milliseconds(taken), "search p95 ms": percentile(taken, 0.95)}


def _disk_kib(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1024


if __name__ == "__main__":
    main()
