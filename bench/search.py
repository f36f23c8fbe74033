"""What a search costs through the whole use case (filter, engine, re-check against the store), beside the bare engine with the same filter.

Usage: search.py [PASSAGES [SCOPES...]]   (default: 200000 passages; 100 and 10000 scopes)
The bare engine has the filter written plainly: sets of scopes and of readers (one alone: a term), two ranges of time. Beside it stands the engine with the
query that the use case sends, which says the same. Scopes are dealt out in turns and widely (see `synthetic.py`). Times are those that the
calling thread was on a processor: what else runs on the machine does not count, and in a warm store nothing waits.
The top ten of a sample of queries are compared with the exact ranking: the engine's whole result under a filter that names everything, thinned
out by the evaluator. Both columns of faults must be 0.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from common import Words, in_turns, milliseconds, percentile, report, say
from synthetic import NOW, PASSAGES_PER_DOCUMENT, Levels, fill
from tantivy import FieldType, Index, Occur, Query, Searcher

from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.tantivy import rows
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.adapters.tantivy.words import ANALYZER, DEFAULT, analyzer, of_question
from toulmin.application.catchup import catch_up
from toulmin.application.scopes import EligibleScopes
from toulmin.application.search import SearchRequest, search
from toulmin.domain.corpus.validity import microseconds
from toulmin.domain.question.case import Principal
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.store import Store

_QUERIES = 200
_CHECKED = 20
_TOP = 10
_SCOPES = [100, 10_000]
_SHARES = (1.0, 0.5, 0.01, 0.0001)
_ANYONE = Principal(id="bench")
_MANY_GROUPS = Principal(id="bench", tenant="t", groups=tuple(f"g{number}" for number in range(500)))


def main() -> None:
    passages = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    scopes = [int(text) for text in sys.argv[2:]] or _SCOPES
    levels = [Levels(count=count, widely=widely) for count in scopes for widely in (False, True)]
    table = [row for dealt in levels for row in _measure(passages, dealt)]
    name = f"search-{passages}" if scopes == _SCOPES else f"search-{passages}-{'-'.join(map(str, scopes))}-scopes"
    report(name, table, notes=(_goal(table),), passages=passages, queries=_QUERIES)


def _goal(table: Sequence[dict[str, Any]]) -> str:
    faults = sum(row["missing"] + row["ineligible"] for row in table)
    return f"goal: use case at most 1.5 x bare at 100 and 50 %, at most bare + 1 ms below; faults: {faults}"


def _measure(passages: int, levels: Levels) -> list[dict[str, Any]]:
    say(f"{passages} passages, {levels.count} scopes {_dealt(levels)}")
    with tempfile.TemporaryDirectory() as folder:
        store, index = SqliteStore(Path(folder) / "corpus.db"), TantivyIndex(Path(folder) / "index")
        words = Words()
        size = max(1, min(PASSAGES_PER_DOCUMENT, passages // levels.count))  # so that every scope has a document
        fill(store, passages, levels, words, size=size)
        catch_up(store, index)
        searcher = _bare_searcher(Path(folder) / "index")
        queries = [words.query() for _ in range(_QUERIES)]
        shares = [share for share in _SHARES if share * levels.count >= 1]
        table = [_row(queries, share, levels, _ANYONE, store, index, searcher) for share in shares]
        table.append(
            {**_row(queries, 1.0, levels, _MANY_GROUPS, store, index, searcher), "eligible": "100%, 500 groups"}
        )
        index.close()
        store.close()
    return table


def _dealt(levels: Levels) -> str:
    return "widely" if levels.widely else "in turns"


def _bare_searcher(path: Path) -> Searcher:
    """The engine's own searcher on the same files."""
    found = next(file.parent for file in path.rglob("meta.json"))
    opened = Index.open(str(found))
    opened.register_tokenizer(ANALYZER, analyzer())
    return opened.searcher()


def _row(
    queries: Sequence[str],
    share: float,
    levels: Levels,
    principal: Principal,
    store: Store,
    index: TantivyIndex,
    searcher: Searcher,
) -> dict[str, Any]:
    scopes, rules, case = EligibleScopes(), levels.rules, levels.case(share)
    with store.begin(principal) as session:
        wanted = Filter(scopes=scopes.find(rules, case, session.corpus), readers=principal.tokens, at=NOW)
    plain = [_plain_query(text, wanted) for text in queries]
    sent = [rows.query(of_question(text, [DEFAULT]), wanted) for text in queries]
    requests = [
        SearchRequest(text=text, rules=rules, case=case, principal=principal, at=NOW, limit=_TOP) for text in queries
    ]
    times = in_turns(
        {
            "bare": [partial(searcher.search, query, _TOP, count=False) for query in plain],
            "sent": [partial(searcher.search, query, _TOP, count=False) for query in sent],
            "use case": [partial(search, request, store, index, scopes) for request in requests],
        },
        clock=time.thread_time,
    )
    missing, ineligible = _faults(requests[:_CHECKED], wanted, store, index, scopes)
    engine, whole = milliseconds(times["bare"]), milliseconds(times["use case"])
    return {
        "scopes": levels.count,
        "dealt": _dealt(levels),
        "eligible": f"{share:.4%}".replace("0000", "").replace(".%", "%"),
        "bare p50 ms": engine,
        "query sent p50 ms": milliseconds(times["sent"]),
        "use case p50 ms": whole,
        "ratio": whole / engine,
        "more ms": whole - engine,
        "use case p95 ms": percentile(times["use case"], 0.95),
        "missing": missing,
        "ineligible": ineligible,
    }


def _plain_query(text: str, wanted: Filter) -> Query:
    """The text's words under the filter as anybody would write it."""
    at, schema = microseconds(wanted.at), rows.SCHEMA
    words = rows.text_query(of_question(text, [DEFAULT]))
    filters = (
        _any_of("scope", list(wanted.scopes)),
        _any_of("readers", list(wanted.readers)),
        Query.range_query(schema, "valid_from", FieldType.Integer, upper_bound=at),
        Query.range_query(schema, "valid_to", FieldType.Integer, lower_bound=at, include_lower=False),
    )
    must = [words, *(Query.const_score_query(clause, 0.0) for clause in filters)]
    return Query.boolean_query([(Occur.Must, clause) for clause in must])


def _any_of(field: str, values: list[Any]) -> Query:
    """A set; of one value, a term, which costs less."""
    if len(values) > 1:
        return Query.term_set_query(rows.SCHEMA, field, values)
    return Query.term_query(rows.SCHEMA, field, values[0], index_option="basic")


def _faults(
    requests: Sequence[SearchRequest], wanted: Filter, store: Store, index: TantivyIndex, scopes: EligibleScopes
) -> tuple[int, int]:
    """(rows of the exact top ten that were not found, rows found that are not eligible)."""
    everything = store.changes(0, 10**9).changes
    scope_of = {change.revision: change.scope for change in everything}
    every = Filter(scopes=frozenset(scope_of.values()), readers=wanted.readers, at=wanted.at)
    missing = ineligible = 0
    for request in requests:
        unfiltered = index.snapshot().search(request.text, every, 10**6).hits
        exact = [hit.score for hit in unfiltered if scope_of[hit.key.revision] in wanted.scopes][:_TOP]
        items = search(request, store, index, scopes).items
        missing += sum(score != item.found.score for score, item in zip(exact, items, strict=False))
        missing += len(exact) - len(items)
        ineligible += sum(scope_of[item.found.standing.key] not in wanted.scopes for item in items)
    return missing, ineligible


if __name__ == "__main__":
    main()
