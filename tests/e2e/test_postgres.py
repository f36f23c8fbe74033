"""The whole sample on a server's database: the same commands, the same identities."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli import CASE, QUESTION, Run, called, write
from tests.postgres import KEY, Server

REV = ("--user", "rev", "--role", "reviewer")
OPS = ("--user", "ops", "--role", "operator")
EFFECT = """
[effects.note]
kind = "command"
argv = ["/bin/sh", "-c", "cat >> sent.jsonl"]
"""


def sample(place: Path, *, url: str | None, key: bytes | None = KEY) -> Path:
    """The sample's workspace, on a database or in a file."""
    assert called("init", place.name, at=place.parent).code == 0
    settings = place / "toulmin.toml"
    store = "" if url is None else f'[store]\nurl = "{url}"\n'
    stated = [line for line in settings.read_text(encoding="utf-8").splitlines() if "onnx" not in line]
    settings.write_text("\n".join((store, *stated, EFFECT)), encoding="utf-8")
    if key is not None:
        write(place, {".toulmin/store.key": key})
    return place


def done(*arguments: str, at: Path) -> Run:
    run = called(*arguments, at=at)
    assert run.code == 0, run
    return run


@pytest.fixture
def desk(postgres_url: str, tmp_path: Path) -> Path:
    """The sample, ingested into a server's database."""
    place = sample(tmp_path / "desk", url=postgres_url)
    done("ingest", "documents", at=place)
    return place


def test_the_sample_has_the_identities_that_it_has_in_a_file(desk: Path, tmp_path: Path) -> None:
    other = sample(tmp_path / "other", url=None)
    done("ingest", "documents", at=other)
    mine, its = (done("ask", QUESTION, *CASE, "--json", at=place).json for place in (desk, other))
    assert mine["outcome"] == "Answered"
    for identity in ("evidence", "corpus"):
        assert mine["packet"][identity] == its["packet"][identity]
    assert mine["answer"] == its["answer"]


def test_an_answer_is_approved_and_carried_out_and_the_ledger_holds(desk: Path) -> None:
    asked = done("ask", QUESTION, *CASE, "--json", at=desk).json["packet"]["id"]
    done("packet", "verify", asked, at=desk)
    done("packet", "replay", asked, at=desk)
    approval = done("approval", "request", asked, "--operation", "note", "--json", at=desk).json["id"]
    done("approval", "approve", approval, *REV, at=desk)
    executed = done("approval", "execute", approval, *OPS, "--json", at=desk).json
    assert executed["state"] == "executed"
    done("approval", "execute", approval, *OPS, at=desk)
    assert len((desk / "sent.jsonl").read_text(encoding="utf-8").splitlines()) == 1, (
        "once, however often it is asked for"
    )
    done("ledger", "verify", at=desk)
    assert done("doctor", "--json", at=desk).json


def test_ingesting_again_changes_nothing_and_erasing_takes_the_words(desk: Path) -> None:
    again = done("ingest", "documents", at=desk)
    assert "unchanged" in again.out + again.err
    done("document", "erase", "GW-241", "--yes", at=desk)
    assert called("ask", QUESTION, *CASE, at=desk).code == 3


def test_a_database_without_a_store_names_the_command_that_makes_one(postgres: Server, tmp_path: Path) -> None:
    place = sample(tmp_path / "desk", url=postgres.new_database())
    refused = called("search", "telemetry", "--json", at=place)
    assert refused.code == 1
    told = refused.json
    assert told["code"] == "store_not_migrated"
    assert "toulmin migrate" in told["remedy"]
    assert done("migrate", "--json", at=place).json["migration"] >= 1
    done("ingest", "documents", at=place)
    assert done("ask", QUESTION, *CASE, "--json", at=place).json["outcome"] == "Answered"


def test_the_first_migration_makes_the_key_that_every_host_needs(postgres: Server, tmp_path: Path) -> None:
    url = postgres.new_database()
    first = sample(tmp_path / "first", url=url, key=None)
    done("migrate", at=first)
    key = first / ".toulmin" / "store.key"
    assert key.stat().st_mode & 0o777 == 0o600
    done("ingest", "documents", at=first)
    second = sample(tmp_path / "second", url=url, key=None)
    for command in ("search", "telemetry"), ("migrate",):
        refused = called(*command, "--json", at=second)
        assert (refused.code, refused.json["code"]) == (2, "missing_store_key")
    write(second, {".toulmin/store.key": key.read_bytes()})
    assert done("ask", QUESTION, *CASE, "--json", at=second).json["outcome"] == "Answered"
    write(second, {".toulmin/store.key": b"another one, of the right length"})
    refused = called("ask", QUESTION, *CASE, "--json", at=second)
    assert (refused.code, refused.json["code"]) == (1, "store_inaccessible")
    write(second, {".toulmin/store.key": b"short"})
    assert called("search", "telemetry", "--json", at=second).json["code"] == "bad_store_key"


def test_a_file_is_brought_to_the_present_schema_as_well(tmp_path: Path) -> None:
    place = sample(tmp_path / "desk", url=None)
    assert "schema" in done("migrate", at=place).out
    assert (place / ".toulmin" / "corpus.db").is_file()


def test_a_server_that_is_not_there_is_told_as_one(tmp_path: Path) -> None:
    place = sample(tmp_path / "desk", url=f"postgresql://u@/d?host={tmp_path}")
    refused = called("search", "telemetry", "--json", at=place)
    assert (refused.code, refused.json["code"]) == (1, "store_unreachable")
