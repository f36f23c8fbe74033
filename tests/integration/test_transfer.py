"""Moving a store between databases: what comes out is what went in, and what is not whole is not taken."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.e2e.cli import CASE, QUESTION, Run, called, write
from tests.postgres import KEY, Server
from tests.samples.pdfs import pdf
from toulmin.adapters.sql.transfer import TABLES

APPROVAL = """
[effects.note]
kind = "command"
argv = ["/bin/true"]
"""
REV = ("--user", "rev", "--role", "reviewer")
OPS = ("--user", "ops", "--role", "operator")

STAYS = {"api_key", "reply"}
"""What the service keeps for its callers is not moved."""

Make = Callable[[str], Path]


@pytest.fixture
def make(postgres: Server, tmp_path: Path) -> Make:
    """Makes an empty workspace of the sample on a kind of database."""

    def made(kind: str) -> Path:
        place = tmp_path / f"{kind} {len(list(tmp_path.iterdir()))}"
        assert called("init", place.name, at=place.parent).code == 0
        settings = place / "toulmin.toml"
        stated = [line for line in settings.read_text(encoding="utf-8").splitlines() if "onnx" not in line]
        store = f'[store]\nurl = "{postgres.new_store()}"' if kind == "postgres" else ""
        settings.write_text("\n".join((store, *stated, APPROVAL)), encoding="utf-8")
        return write(place, {".toulmin/store.key": KEY})

    return made


@pytest.fixture
def full(make: Make) -> Path:
    """A workspace in SQLite with rows in every table."""
    place = make("sqlite")
    write(
        place,
        {
            "documents/scan.pdf": pdf(["The first page.", "Another page."]),
            "documents/print.pdf": pdf(["Printed words."]),
        },
    )
    done("ingest", "documents", at=place)
    asked = done("ask", QUESTION, *CASE, "--json", at=place).json["packet"]["id"]
    approval = done("approval", "request", asked, "--operation", "note", "--json", at=place).json["id"]
    done("approval", "approve", approval, *REV, at=place)
    done("approval", "execute", approval, *OPS, at=place)
    done("document", "withdraw", "BILL-42", at=place)
    return place


def done(*arguments: str, at: Path) -> Run:
    run = called(*arguments, at=at)
    assert run.code == 0, run
    return run


def export(place: Path, file: Path) -> list[bytes]:
    done("export", str(file), at=place)
    return file.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("way", [("postgres", "sqlite"), ("sqlite", "postgres"), ("postgres", "postgres")])
def test_a_store_comes_back_as_it_was_whatever_it_was_moved_through(
    full: Path, make: Make, tmp_path: Path, way: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toulmin.adapters.sql.transfer._PAGE", 3)  # rows in memory at a time
    first = export(full, tmp_path / "first")
    file, place = tmp_path / "first", full
    for number, kind in enumerate(way):
        place = make(kind)
        done("import", str(file), at=place)
        file = tmp_path / f"export {number}"
        assert export(place, file) == first
    before, after = (done("ask", QUESTION, *CASE, "--json", at=each).json["packet"] for each in (full, place))
    assert (before["evidence"], before["corpus"]) == (after["evidence"], after["corpus"])
    done("ledger", "verify", at=place)
    done("doctor", at=place)


def test_every_table_and_column_of_both_databases_is_moved(full: Path, postgres: Server) -> None:
    wanted = {(table, column) for table, (_, columns) in TABLES.items() for column in columns}
    with closing(sqlite3.connect(full / ".toulmin" / "corpus.db")) as connection:
        found = connection.execute(
            "SELECT t.name, c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'"
        )
        assert {(table, column) for table, column in found if table not in STAYS} == wanted
    with psycopg.connect(postgres.new_store()) as connection:
        rows = connection.execute(
            "SELECT c.table_name, c.column_name FROM information_schema.columns AS c"
            " JOIN information_schema.tables AS t USING (table_schema, table_name)"
            " WHERE table_schema = 'toulmin' AND table_type = 'BASE TABLE' AND table_name NOT IN ('migration', 'rights_key')"
        )
        assert {(table, column) for table, column in rows if table not in STAYS} == wanted


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_file_that_is_not_whole_changes_nothing(full: Path, make: Make, tmp_path: Path, kind: str) -> None:
    lines = export(full, tmp_path / "whole")
    place, file = make(kind), tmp_path / "changed"
    row = next(number for number, line in enumerate(lines) if line.startswith(b'["revision"'))
    other = [*lines[:row], lines[row].replace(b"utf-8", b"utf-9"), *lines[row + 1 :]]
    for changed in (
        [],
        lines[:-1],
        [*lines[:row], *lines[row + 1 :]],
        other,
        [*lines, b"more"],
        [b'{"schema":"toulmin.export/2"}\n', *lines[1:]],
        [lines[0], b"[1]\n"],
        [lines[0], b"no json\n"],
        [lines[0], b'["revision",1]\n', lines[-1]],
        [lines[0], b'["scope",true,"x"]\n'],
        [lines[0], b'["scope",{"hex":"x"},"x"]\n'],
        [lines[0], b'["sqlite_schema",1]\n', lines[-1]],
    ):
        file.write_bytes(b"".join(changed))
        refused = called("import", str(file), "--json", at=place)
        assert (refused.code, refused.json["code"]) == (2, "bad_export"), changed[:2]
        assert refused.json["remedy"]
    done("import", str(tmp_path / "whole"), at=place)


@pytest.mark.parametrize(
    ("left_out", "added", "says"),
    [
        (b'["fingerprint_node",0,', b"", "fingerprint"),
        (b"nothing", b'["sqlite_schema",1]\n', "no table"),
        (b"nothing", b'["approval_output",1]\n', "cells"),
    ],
)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_rows_that_make_up_no_store_are_refused_though_the_file_is_whole(
    full: Path, make: Make, tmp_path: Path, *, kind: str, left_out: bytes, added: bytes, says: str
) -> None:
    """Whoever changes rows and mends the last line gets no further."""
    head, *rows, _ = export(full, tmp_path / "whole")
    kept = [row for row in [*rows, added] if row and not row.startswith(left_out)]
    digest = hashlib.sha256(b"".join([head, *kept])).hexdigest()
    last = json.dumps({"rows": len(kept), "sha256": digest}).encode()
    (tmp_path / "changed").write_bytes(b"".join([head, *kept, last]))
    place = make(kind)
    refused = called("import", str(tmp_path / "changed"), "--json", at=place)
    assert (refused.code, refused.json["code"]) == (2, "bad_export")
    assert says in refused.json["message"]
    done("import", str(tmp_path / "whole"), at=place)


def test_a_store_that_holds_something_is_not_imported_into(full: Path, tmp_path: Path) -> None:
    export(full, tmp_path / "file")
    refused = called("import", str(tmp_path / "file"), "--json", at=full)
    assert (refused.code, refused.json["code"]) == (1, "store_not_empty")


def test_an_export_takes_no_file_that_is_there_and_is_for_its_owner_alone(full: Path, tmp_path: Path) -> None:
    export(full, tmp_path / "file")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    before = (tmp_path / "file").read_bytes()
    assert called("export", str(tmp_path / "file"), "--json", at=full).json["code"] == "file_exists"
    assert (tmp_path / "file").read_bytes() == before
    (full / ".toulmin" / "corpus.db").write_text("no database, and too long to be the beginning of one" * 9)
    assert called("export", str(tmp_path / "other"), "--json", at=full).json["code"] == "not_a_store"
    assert not (tmp_path / "other").exists()
    assert called("export", str(tmp_path / "no" / "file"), "--json", at=full).json["code"] == "not_writable"
    assert called("import", str(tmp_path / "gone"), "--json", at=full).json["code"] == "missing_file"
