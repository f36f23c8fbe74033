"""Under row-level security a planner may not use an index with a condition that could leak; the hot statements are written so that it can."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.postgres import KEY, Server
from toulmin.adapters.postgres.database import PACKAGE, Role
from toulmin.adapters.postgres.rights import signed
from toulmin.adapters.sql.transaction import scripts, statements
from toulmin.domain.question.case import Principal

ANN = Principal(id="ann", tenant="7")
LARGE = {"revision", "revision_text", "passage", "standing", "packet", "packet_source", "change"}
ROWS = """
INSERT INTO reader_set SELECT i, '[]' || i FROM generate_series(1, 200) AS i;
INSERT INTO reader_token SELECT 'tenant:' || i, i FROM generate_series(1, 200) AS i;
INSERT INTO scope SELECT i, '{}' || i FROM generate_series(1, 50) AS i;
INSERT INTO revision SELECT i, 'D' || i, '1', '', '', '', '', '', 0, i FROM generate_series(1, 5000) AS i;
INSERT INTO revision_text SELECT i, repeat('word ', 100), '[]' FROM generate_series(1, 5000) AS i;
INSERT INTO passage SELECT i, place, 0, 80, '[]' FROM generate_series(1, 5000) AS i, generate_series(0, 9) AS place;
INSERT INTO standing SELECT i, i, NULL, '{}', i % 50 + 1, i % 200 + 1, 0, 9, false, 'live' FROM generate_series(1, 5000) AS i;
INSERT INTO change SELECT i, i FROM generate_series(1, 5000) AS i;
INSERT INTO packet SELECT i, 'pk-' || i, '{}', '', '', '', 0 FROM generate_series(1, 5000) AS i;
INSERT INTO packet_source SELECT i, 'D' || i, '1' FROM generate_series(1, 5000) AS i;
ANALYZE;
"""
MINE = [[6 + 200 * number, number % 10] for number in range(8)]
VALUES: dict[str, object] = {
    "keys": json.dumps(MINE),
    "revisions": json.dumps([key for key, _ in MINE]),
    "scopes": json.dumps([*range(1, 25)]),
    **dict.fromkeys(("tokens", "readers"), json.dumps(["public", "tenant:7"])),
    "sequence": 5000,
    "at": 5,
    "forever": 2**63 - 1,
    "key": 206,
    "packet": 206,
    "id": "pk-206",
    "document": "D206",
    "version": None,
}
HOT = (
    *(
        "sequence",
        "candidates",
        "texts",
        "eligible",
        "next_turn",
        "standings_of_document",
        "readable_revision",
        "passages",
    ),
    *("packet", "packet_sources", "packet_ids_on"),
)


@pytest.fixture(scope="module")
def session(postgres: Server) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A principal's session in a store that is large enough for indexes to pay."""
    url = postgres.new_store()
    with psycopg.connect(url, autocommit=True, options="-c search_path=toulmin") as owner:
        owner.execute(ROWS)
    with psycopg.connect(url, options="-c search_path=toulmin") as connection:
        claims = signed(KEY, ANN, connection.info.backend_pid)
        connection.execute(named("take_role"), {"role": Role.APP, "claims": claims})
        yield connection


def named(statement: str) -> bytes:
    return statements(*scripts(PACKAGE, "queries"))[statement].encode()


@pytest.mark.parametrize("statement", HOT)
def test_no_large_table_is_read_from_end_to_end(session: psycopg.Connection[tuple[Any, ...]], statement: str) -> None:
    text = named(statement)
    used = {column: value for column, value in VALUES.items() if f"%({column})s".encode() in text}
    assert session.execute(text, used).fetchall() or statement == "packet_ids_on", "it finds what it is asked for"
    row = session.execute(b"EXPLAIN (FORMAT JSON) " + text, used).fetchone()
    assert row is not None
    read = {node["Relation Name"] for node in nodes(row[0][0]["Plan"]) if node["Node Type"] == "Seq Scan"}
    assert read & LARGE == set()


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)
