"""What PostgreSQL costs beside SQLite: the same corpus in both, in one run; and whether the hot statements find their rows by indexes.

Usage: postgres.py URL KEY_FILE [PASSAGES]   (default: 100000 passages)
URL names an empty store (`toulmin migrate`) on a server of this host, KEY_FILE its key. Each store has a passage index of its own; searches and
records are timed in turns. A record is what an answer writes: one packet and one ledger entry, durable. The last column says which tables a
statement of a principal's session reads from end to end; small ones (scopes, reader sets) are read so with good reason.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from common import Words, in_turns, milliseconds, percentile, report, say
from synthetic import NOW, Levels, fill

from toulmin.adapters.postgres.database import PACKAGE
from toulmin.adapters.postgres.rights import read_key, signed
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sql.transaction import scripts, statements
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.application.catchup import catch_up
from toulmin.application.scopes import EligibleScopes
from toulmin.application.search import SearchRequest, search
from toulmin.domain.proof.ledger import Event, Kind
from toulmin.domain.question.case import Principal
from toulmin.ports.store import Store
from toulmin.testing.builders import packet

_QUERIES = 200
_SHARE = 0.5
_SCOPES = 100
_ANYONE = Principal(id="bench")
_SMALL = {"scope", "reader_set", "reader_token", "fingerprint_node", "packet_text"}
_HOT = ("sequence", "scopes", "candidates", "texts", "eligible", "next_turn", "readable_revision", "passages", "packet")


def main() -> None:
    url, key = sys.argv[1], read_key(Path(sys.argv[2]))
    passages = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
    levels, numbers = Levels(count=_SCOPES), count()
    with tempfile.TemporaryDirectory() as folder:
        made: dict[str, tuple[Store, TantivyIndex, float, float]] = {}
        for name, store in (("sqlite", SqliteStore(Path(folder) / "corpus.db")), ("postgres", PostgresStore(url, key))):
            say(f"{name}: {passages} passages")
            index = TantivyIndex(Path(folder) / name)
            start = time.perf_counter()
            fill(store, passages, levels, Words())
            stored = time.perf_counter()
            catch_up(store, index)
            made[name] = (
                store,
                index,
                (stored - start) / passages * 1e6,
                (time.perf_counter() - stored) / passages * 1e6,
            )
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ANALYZE")  # what autovacuum does in a minute
        times = _searched(made)
        records = in_turns(
            {
                name: [partial(_record, store, next(numbers)) for _ in range(_QUERIES)]
                for name, (store, *_) in made.items()
            }
        )
        plans = _read_from_end_to_end(url, key)
        rows: list[dict[str, Any]] = [
            {
                "store": name,
                "store us/passage": into_store,
                "index us/passage": into_index,
                "search p50 ms": milliseconds(times[name]),
                "search p95 ms": percentile(times[name], 0.95),
                "record p50 ms": milliseconds(records[name]),
            }
            for name, (_, _, into_store, into_index) in made.items()
        ]
        for store, index, *_ in made.values():
            index.close()
            store.close()
    scans = sorted(f"{statement}: {table}" for statement, tables in plans.items() for table in tables - _SMALL)
    notes = ("store time includes making up the text", f"large tables read from end to end: {scans or 'none'}")
    report(f"postgres-{passages}", rows, notes=notes, passages=passages, queries=_QUERIES, eligible=_SHARE)


def _searched(made: dict[str, tuple[Store, TantivyIndex, float, float]]) -> dict[str, list[float]]:
    words, levels = Words(11), Levels(count=_SCOPES)
    requests = [
        SearchRequest(
            text=words.query(), rules=levels.rules, case=levels.case(_SHARE), principal=_ANYONE, at=NOW, limit=10
        )
        for _ in range(_QUERIES)
    ]
    scopes = {name: EligibleScopes() for name in made}
    return in_turns(
        {
            name: [partial(search, request, store, index, scopes[name]) for request in requests]
            for name, (store, index, *_) in made.items()
        }
    )


def _record(store: Store, number: int) -> None:
    with store.begin(_ANYONE, write=True) as session:
        session.packets.add(packet(requester=_ANYONE, body={"number": number}, texts=["words of an answer " * 50]))
        session.ledger.append(Event(kind=Kind.PACKET, at=NOW, actor="bench", facts={"number": number}))


def _read_from_end_to_end(url: str, key: bytes) -> dict[str, set[str]]:
    """By statement: the tables that a session of a principal scans, as the planner decides it."""
    tokens, wanted = json.dumps(sorted(_ANYONE.tokens)), [[key, 0] for key in range(1, 200, 10)]
    values = {
        "keys": json.dumps(wanted),
        "revisions": json.dumps([key for key, _ in wanted[:8]]),
        "scopes": json.dumps(list(range(1, _SCOPES // 2))),
        **dict.fromkeys(("tokens", "readers"), tokens),
        **dict.fromkeys(("sequence", "at", "key", "after"), 2**40),
        "forever": 2**63 - 1,
        "id": "pk-none",
    }
    known, found = statements(*scripts(PACKAGE, "queries")), {}
    with closing(psycopg.connect(url, options="-c search_path=toulmin")) as connection:
        claims = signed(key, _ANYONE, connection.info.backend_pid)
        connection.execute(known["take_role"].encode(), {"role": "toulmin_app", "claims": claims})
        for name in _HOT:
            text = known[name]
            used = {column: value for column, value in values.items() if f"%({column})s" in text}
            row = connection.execute(f"EXPLAIN (FORMAT JSON) {text}".encode(), used).fetchone()
            assert row is not None
            found[name] = {
                node["Relation Name"] for node in _nodes(row[0][0]["Plan"]) if node["Node Type"] == "Seq Scan"
            }
    return found


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for part in plan.get("Plans", ()) for node in _nodes(part))]


if __name__ == "__main__":
    main()
