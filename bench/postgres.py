"""What PostgreSQL costs beside SQLite: the same corpus in both, in one run; and whether the hot statements find their rows by indexes.

Usage: postgres.py URL KEY_FILE [PASSAGES]   (default: 100000 passages)
URL names an empty store (`toulmin migrate`) on a server of this host, KEY_FILE its key; the role has to be a superuser's or the owner's. SQLite
is filled and indexed, its rows are moved into PostgreSQL as `toulmin import` moves them, and both are then asked over the one index, in
turns: searches, questions of a closed domain from end to end, and records, which are what an answer writes (one packet and one ledger entry,
durable). After that questions come from many threads at once while the server's connections are counted, and documents are added to the full stores.
A last table says how each hot statement finds its rows; the run fails where one reads a large table from end to end.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event as Flag
from threading import Thread
from typing import Any

import psycopg
from common import Words, in_turns, milliseconds, percentile, report, say
from licensed import ANYONE, curate, outcome_of, parts_over
from synthetic import NOW, PASSAGES_PER_DOCUMENT, Levels, fill

from toulmin.adapters.postgres.database import PACKAGE, Role
from toulmin.adapters.postgres.rights import read_key, signed
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sql.transaction import scripts, statements
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.application.catchup import catch_up
from toulmin.application.parts import Parts
from toulmin.application.search import SearchRequest, search
from toulmin.domain.errors import Conflict
from toulmin.domain.outcome import Answered
from toulmin.domain.proof.ledger import Event, Kind
from toulmin.ports.store import Store
from toulmin.testing.builders import packet

_QUERIES = 200
_SHARE = 0.5
_SCOPES = 100
_THREADS = (1, 8, 32)
_ASKS = 256
_ADDED = 200
"""Passages that are added at a time."""
_ROUNDS = 20
_LARGE = 5000
"""Rows; smaller tables are read from end to end with good reason."""
_HOT = {
    Role.APP: (
        "sequence",
        "scopes",
        "candidates",
        "texts",
        "eligible",
        "next_turn",
        "readable_revision",
        "passages",
        "packet",
    ),
    Role.WORKER: ("mark", "passages_after", "changed_sequences", "changed_revisions"),
}
_LARGE_TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'toulmin'::regnamespace AND reltuples >= %s"
_CONNECTIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'toulmin'"
)


def main() -> None:
    url, key = sys.argv[1], read_key(Path(sys.argv[2]))
    passages = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
    levels, name = Levels(count=_SCOPES), f"postgres-{passages}"
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        sqlite = stack.enter_context(closing(SqliteStore(Path(folder) / "corpus.db")))
        postgres = stack.enter_context(closing(PostgresStore(url, key)))
        index = stack.enter_context(closing(TantivyIndex(Path(folder) / "index")))
        notes = [*_filled(sqlite, index, passages, levels), _moved(sqlite, postgres)]
        _analyse(url)
        parts = {"sqlite": parts_over(sqlite, index, levels), "postgres": parts_over(postgres, index, levels)}
        times = {"search": _searches(parts, levels), "ask": _asks(parts), "record": _records(parts)}
        load = list(_load(parts, url))
        times[f"add {_ADDED} passages"] = _additions(parts, levels, passages // PASSAGES_PER_DOCUMENT)
        report(name, _rows(times), notes=notes, passages=passages, queries=_QUERIES, eligible=_SHARE)
    report(f"{name}-load", load, passages=passages, asks=_ASKS)
    _analyse(url)
    plans = [row for role in _HOT for row in _plans(url, key, role)]
    report(f"{name}-plans", plans, passages=passages)
    if scans := [f"{row['statement']}: {row['from end to end']}" for row in plans if row["large tables scanned"]]:
        raise SystemExit(f"large tables are read from end to end: {scans}")


def _filled(store: SqliteStore, index: TantivyIndex, passages: int, levels: Levels) -> Iterator[str]:
    start = time.perf_counter()
    curate(store)
    fill(store, passages, levels, Words())
    stored = time.perf_counter()
    yield f"filled SQLite in {stored - start:.0f} s, making up the text included"
    catch_up(store, index)
    yield f"indexed it in {time.perf_counter() - stored:.0f} s"


def _moved(sqlite: SqliteStore, postgres: PostgresStore) -> str:
    say("moving the rows to PostgreSQL")
    start = time.perf_counter()
    with sqlite.export_rows() as records:
        rows = postgres.import_rows(records)
    return f"moved {rows} rows to PostgreSQL in {time.perf_counter() - start:.0f} s"


def _analyse(url: str) -> None:
    """What autovacuum does in a minute."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")


def _rows(times: Mapping[str, Mapping[str, list[float]]]) -> list[dict[str, Any]]:
    return [
        {
            "work": work,
            **{f"{store} p50 ms": milliseconds(taken) for store, taken in by_store.items()},
            **{f"{store} p95 ms": percentile(taken, 0.95) for store, taken in by_store.items()},
            "ratio p50": milliseconds(by_store["postgres"]) / milliseconds(by_store["sqlite"]),
        }
        for work, by_store in times.items()
    ]


# One at a time


def _searches(parts: Mapping[str, Parts], levels: Levels) -> dict[str, list[float]]:
    words = Words(11)
    requests = [
        SearchRequest(
            text=words.query(), rules=levels.rules, case=levels.case(_SHARE), principal=ANYONE, at=NOW, limit=10
        )
        for _ in range(_QUERIES)
    ]
    return in_turns(
        {
            name: [partial(search, request, each.store, each.index, each.scopes) for request in requests]
            for name, each in parts.items()
        }
    )


def _asks(parts: Mapping[str, Parts]) -> dict[str, list[float]]:
    say("asking")
    return in_turns({name: [partial(_ask, each)] * _QUERIES for name, each in parts.items()})


def _ask(parts: Parts) -> None:
    assert isinstance(asyncio.run(outcome_of(parts)), Answered)


def _records(parts: Mapping[str, Parts]) -> dict[str, list[float]]:
    numbers = count()
    return in_turns(
        {name: [partial(_record, each.store, next(numbers)) for _ in range(_QUERIES)] for name, each in parts.items()}
    )


def _record(store: Store, number: int) -> None:
    with store.begin(ANYONE, write=True) as session:
        session.packets.add(packet(requester=ANYONE, body={"number": number}, texts=["words of an answer " * 50]))
        session.ledger.append(Event(kind=Kind.PACKET, at=NOW, actor="bench", facts={"number": number}))


def _additions(parts: Mapping[str, Parts], levels: Levels, first: int) -> dict[str, list[float]]:
    say("adding documents")
    starts = range(first, first + _ROUNDS * _ADDED // PASSAGES_PER_DOCUMENT, _ADDED // PASSAGES_PER_DOCUMENT)
    return in_turns(
        {
            name: [partial(fill, each.store, _ADDED, levels, Words(start), first=start) for start in starts]
            for name, each in parts.items()
        }
    )


# Many at once


def _load(parts: Mapping[str, Parts], url: str) -> Iterator[dict[str, Any]]:
    for threads in _THREADS:
        for name, each in parts.items():
            say(f"  {name}: {threads} threads")
            with _counting(url) as most, ThreadPoolExecutor(threads) as pool:
                start = time.perf_counter()
                taken = [*pool.map(_patient_ask, [each] * _ASKS)]
                seconds = time.perf_counter() - start
            answered = [time_ for time_ in taken if time_ is not None]
            yield {
                "store": name,
                "threads": threads,
                "answers/s": len(answered) / seconds,
                "p50 ms": milliseconds(answered),
                "p95 ms": percentile(answered, 0.95),
                "busy": len(taken) - len(answered),
                "connections": most() if name == "postgres" else "-",
            }


def _patient_ask(parts: Parts) -> float | None:
    """The seconds of an answer; None where the store stayed busy."""
    start = time.perf_counter()
    try:
        _ask(parts)
    except Conflict:
        return None
    return time.perf_counter() - start


@contextmanager
def _counting(url: str) -> Iterator[Callable[[], int]]:
    """The most connections that the server has seen of the store in the block."""
    seen, over = [0], Flag()

    def watch() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            while not over.wait(0.01):
                (number,) = connection.execute(_CONNECTIONS).fetchone() or (0,)
                seen.append(number)

    thread = Thread(target=watch)
    thread.start()
    try:
        yield lambda: max(seen)
    finally:
        over.set()
        thread.join()


# How rows are found


def _plans(url: str, key: bytes, role: Role) -> Iterator[dict[str, Any]]:
    """By statement: which tables a session scans, and by which indexes it finds rows, as the planner decides it."""
    tokens, wanted = json.dumps(sorted(ANYONE.tokens)), [[key, 0] for key in range(1, 200, 10)]
    values = {
        "keys": json.dumps(wanted),
        "revisions": json.dumps([key for key, _ in wanted[:8]]),
        "scopes": json.dumps(list(range(1, _SCOPES // 2))),
        **dict.fromkeys(("tokens", "readers"), tokens),
        **dict.fromkeys(("sequence", "at", "key", "after", "reached"), 2**40),
        "forever": 2**63 - 1,
        "id": "pk-none",
        "limit": 100,
    }
    known = statements(*scripts(PACKAGE, "queries"))
    with closing(psycopg.connect(url, options="-c search_path=toulmin")) as connection:
        large = {table for (table,) in connection.execute(_LARGE_TABLES, [_LARGE])}
        claims = signed(key, ANYONE, connection.info.backend_pid)
        connection.execute(known["take_role"].encode(), {"role": role, "claims": claims})
        for name in _HOT[role]:
            text = known[name]
            used = {column: value for column, value in values.items() if f"%({column})s" in text}
            row = connection.execute(f"EXPLAIN (FORMAT JSON) {text}".encode(), used).fetchone()
            assert row is not None
            nodes = _nodes(row[0][0]["Plan"])
            scanned = {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"}
            yield {
                "role": role,
                "statement": name,
                "large tables scanned": ", ".join(sorted(scanned & large)),
                "by index": ", ".join(sorted({node["Index Name"] for node in nodes if "Index Name" in node})),
            }


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for part in plan.get("Plans", ()) for node in _nodes(part))]


if __name__ == "__main__":
    main()
