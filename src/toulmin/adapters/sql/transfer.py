"""All rows of a store, out of one database and into another: both have the same tables with the same columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Final

from toulmin.adapters.sql.examination import inconsistencies
from toulmin.adapters.sql.transaction import Transaction
from toulmin.domain.errors import Conflict, InputError
from toulmin.ports.transfer import Record

TABLES: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
    table: (keys, tuple(columns.split()))
    for table, keys, columns in (
        (
            "revision",
            1,
            "key document version text_sha256 bytes_sha256 encoding media_type parser ingested_at bucket content_since",
        ),
        ("revision_text", 1, "revision text pages"),
        ("original", 1, "revision bytes"),
        ("passage", 2, "revision ordinal span_start span_end heading"),
        ("scope", 1, "key canonical"),
        ("reader_set", 1, "key canonical"),
        ("reader_token", 2, "token reader_set"),
        (
            "standing",
            2,
            "revision seq_from seq_to descriptor scope reader_set valid_from valid_to superseded status",
        ),
        ("change", 1, "sequence mark"),
        ("input", 1, "revision digest"),
        ("fingerprint_node", 2, "level place digest"),
        ("unfinished_erasure", 1, "revision"),
        ("packet", 1, "key id body requester evidence corpus made_at"),
        ("packet_text", 2, "packet sha256 text"),
        ("packet_source", 3, "packet document version"),
        ("ledger_entry", 1, "sequence at kind actor facts"),
        ("ledger_link", 1, "sequence digest"),
        ("ledger_checkpoint", 1, "sequence link at previous key signature"),
        (
            "approval",
            1,
            "key id operation packet name params instance evidence policy answer requester expires_at state steps",
        ),
        ("approval_step", 2, "approval number state at person comment says lease code"),
        ("approval_output", 2, "approval number text"),
    )
}
"""The tables in an order in which no row points at one that comes later: how many of the columns make up the key, and all columns.

What the service keeps for its callers, API keys and replies, stays where it is.
"""

_PAGE: Final = 2000
_PAGE_OF: Final = {"original": 1}
"""Rows that are in memory at a time. A row of originals is a whole file."""


def transfer_statements(placeholder: Callable[[str], str]) -> dict[str, str]:
    """The statements that read and write whole tables; `placeholder` is how a database writes a value of a column."""
    made = {}
    for table, (keys, columns) in TABLES.items():
        order = ", ".join(columns[:keys])
        page = f"LIMIT {placeholder('page_limit')} OFFSET {placeholder('page_offset')}"
        made[f"export_{table}"] = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order} {page}"  # noqa: S608  # names from above
        values = ", ".join(map(placeholder, columns))
        made[f"import_{table}"] = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})"  # noqa: S608  # the same
    return made


def exported(transaction: Transaction) -> Iterator[Record]:
    """All rows, as the transaction sees them, a page in memory at a time."""
    for table, (_, columns) in TABLES.items():
        offset = 0
        limit = _PAGE_OF.get(table, _PAGE)
        while rows := transaction.rows(f"export_{table}", page_limit=limit, page_offset=offset):
            for row in rows:
                cells = (row[column] for column in columns)
                yield Record(table=table, cells=tuple(int(cell) if isinstance(cell, bool) else cell for cell in cells))
            offset += len(rows)


def imported(transaction: Transaction, records: Iterable[Record]) -> int:
    """Adds the rows of an export to an empty store; how many. Raises as `Movable.import_rows` does, and then nothing may be committed."""
    if any(transaction.rows(f"export_{table}", page_limit=1, page_offset=0) for table in TABLES):
        raise Conflict(
            "store_not_empty", "the store holds something already", remedy="import into a store that was never used"
        )
    count = 0
    for table, group in groupby(records, key=lambda record: record.table):
        if table not in TABLES:
            raise _bad(f"there is no table {table!r}")
        _, columns = TABLES[table]
        for page in _pages(group, _PAGE_OF.get(table, _PAGE)):
            if any(len(record.cells) != len(columns) for record in page):
                raise _bad(f"a row of {table} has not {len(columns)} cells")
            transaction.run_each(f"import_{table}", [dict(zip(columns, record.cells, strict=True)) for record in page])
            count += len(page)
    for fault in inconsistencies(transaction):
        raise _bad(fault)
    return count


def _pages(records: Iterator[Record], limit: int) -> Iterator[list[Record]]:
    page = []
    for record in records:
        page.append(record)
        if len(page) == limit:
            yield page
            page = []
    if page:
        yield page


def _bad(what: str) -> InputError:
    return InputError("bad_export", f"the rows make up no store: {what}", remedy="export them again")
