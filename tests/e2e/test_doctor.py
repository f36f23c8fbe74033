"""`toulmin doctor`: all well in a new workspace, and every trouble named with a remedy."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli import Run, called, started
from toulmin.application import health
from toulmin.application.health import Check, Grade
from toulmin.domain.corpus.document import Status
from toulmin.ports.health import IndexReport, StoreReport
from toulmin.ports.store import Outlook
from toulmin.surfaces.wiring import has_local_embedder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The sample, ingested."""
    assert called("init", "workspace", at=tmp_path).code == 0
    folder = tmp_path / "workspace"
    assert called("ingest", "documents", at=folder).code == 0
    return folder


def checks(run: Run) -> Mapping[str, Any]:
    assert run.json["schema"] == "toulmin.doctor/1"
    return {check["name"]: check for check in run.json["checks"]}


def database(workspace: Path) -> Path:
    return workspace / ".toulmin" / "corpus.db"


def index(workspace: Path) -> Path:
    return workspace / ".toulmin" / "index"


def test_a_new_workspace_is_well(workspace: Path) -> None:
    run = started("doctor", at=workspace)
    assert run.code == 0
    assert run.err == ""
    assert "the database opens and is sound" in run.out
    assert "6 live, 0 withdrawn, 0 deleted" in run.out
    assert "template: works" in run.out
    assert "wrong " not in "".join(line[:8] for line in run.out.splitlines())


def test_the_json_tells_the_same_for_programs(workspace: Path) -> None:
    run = called("doctor", "--json", at=workspace)
    assert run.code == 0
    assert run.json["well"] is True
    found = checks(run)
    assert list(found) == [
        "store",
        "documents",
        "scopes",
        "erasures",
        "drafts",
        "judgements",
        "ledger",
        "index",
        "index lag",
        "index drift",
        *(("embedder", "vectors", "vectors lag", "vectors drift") if has_local_embedder() else ()),
        "contracts",
        "policy",
        "drafter",
        "judge",
        "signing",
        "disk",
    ]
    assert found["documents"]["facts"] == {"live": 6, "withdrawn": 0, "deleted": 0, "erased": 0, "without_readers": 0}
    assert found["index drift"]["facts"] == {"stored": 6, "indexed": 6, "strays": 0, "gaps": 0}
    assert found["index lag"]["facts"] == {"sequence": 6, "corpus": 6}
    assert found["contracts"]["facts"] == {"contracts": 1, "errors": 0, "warnings": 0}
    assert all(check["remedy"] is None for check in found.values() if check["grade"] == "well")


def test_looking_changes_nothing_that_is_stored(workspace: Path) -> None:
    assert called("search", "hold", at=workspace).code == 0
    before = {file: file.read_bytes() for file in index(workspace).rglob("*") if file.is_file()}
    assert called("doctor", at=workspace).code == 0
    assert {file: file.read_bytes() for file in index(workspace).rglob("*") if file.is_file()} == before


def write_over_a_page(workspace: Path) -> None:
    with closing(sqlite3.connect(database(workspace))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'revision_by_bucket'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with database(workspace).open("r+b") as stream:
        stream.seek((root - 1) * size + size // 2)
        stream.write(b"\xff" * (size // 2))


def change_a_digest(workspace: Path) -> None:
    with closing(sqlite3.connect(database(workspace), isolation_level=None)) as connection:
        connection.execute("UPDATE revision SET text_sha256 = ? WHERE document = 'GW-241'", ["0" * 64])


def write_something_else(workspace: Path) -> None:
    for file in database(workspace).parent.glob("corpus.db*"):
        file.unlink()
    database(workspace).write_text("notes " * 1000)


def flip_a_bit_behind_its_back(workspace: Path) -> None:
    """Damage that leaves size and time as they were, as a failing disk does, in a file that was found sound before."""
    assert called("search", "hold", at=workspace).code == 0
    file = next(index(workspace).glob("generation-*/*.term"))
    status, content = file.stat(), bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def write_nonsense(workspace: Path) -> None:
    (index(workspace) / "current.json").write_text("{")


def lose_a_passage(workspace: Path) -> None:
    with closing(sqlite3.connect(database(workspace), isolation_level=None)) as connection:
        connection.execute("DELETE FROM passage WHERE revision = 1")


def bring_the_index_of_another(workspace: Path) -> None:
    other = workspace.parent / "other"
    shutil.copytree(workspace, other, ignore=shutil.ignore_patterns(".toulmin"))
    assert called("ingest", "documents", at=other).code == 0
    shutil.rmtree(index(workspace))
    shutil.copytree(index(other), index(workspace))


def spoil_a_contract(workspace: Path) -> None:
    next((workspace / "contracts").iterdir()).write_text("id: [")


def spoil_the_policy(workspace: Path) -> None:
    (workspace / "policy.yaml").write_text("results: none\n")


@pytest.mark.parametrize(
    ("spoil", "name", "said"),
    [
        (write_over_a_page, "store", "damaged"),
        (change_a_digest, "store", "fingerprint"),
        (write_something_else, "store", "is not a toulmin store"),
        (flip_a_bit_behind_its_back, "index", "files of the index are damaged"),
        (write_nonsense, "index", "the file is damaged"),
        (lose_a_passage, "index drift", "that are not live"),
        (bring_the_index_of_another, "index lag", "belongs to another corpus"),
        (spoil_a_contract, "contracts", "contracts/"),
        (spoil_the_policy, "policy", "policy.yaml"),
    ],
)
def test_what_is_wrong_is_named_with_a_remedy(
    workspace: Path, spoil: Callable[[Path], None], name: str, said: str
) -> None:
    spoil(workspace)
    run = called("doctor", "--json", at=workspace)
    assert run.code == 8
    assert run.json["well"] is False
    found = checks(run)[name]
    assert found["grade"] == "wrong"
    assert said in found["message"]
    assert found["remedy"]
    words = called("doctor", at=workspace)
    assert words.code == 8
    assert "Traceback" not in words.out + words.err
    assert found["remedy"] in words.out


def test_a_part_that_does_not_open_does_not_hide_the_others(workspace: Path) -> None:
    write_something_else(workspace)
    assert {"store", "policy", "drafter", "judge", "signing", "disk"} == set(
        checks(called("doctor", "--json", at=workspace))
    )


def test_documents_that_nobody_may_read_are_counted(workspace: Path) -> None:
    (workspace / "documents" / "closed.md").write_text("# Closed\n\nNobody reads this.\n")
    assert called("ingest", "documents/closed.md", at=workspace).code == 0
    run = called("doctor", "--json", at=workspace)
    assert run.code == 0
    assert checks(run)["documents"]["grade"] == "warning"
    assert checks(run)["documents"]["facts"]["without_readers"] == 1
    assert checks(run)["index drift"]["facts"]["stored"] == 7


def test_withdrawn_and_deleted_versions_are_counted(workspace: Path) -> None:
    assert called("document", "withdraw", "BILL-42", at=workspace).code == 0
    assert called("document", "delete", "G2-USB", at=workspace).code == 0
    found = checks(called("doctor", "--json", at=workspace))
    assert found["documents"]["facts"] == {"live": 4, "withdrawn": 1, "deleted": 1, "erased": 0, "without_readers": 0}
    assert found["index drift"]["facts"]["indexed"] == 4


def test_outside_a_workspace_it_is_a_usage_error(tmp_path: Path) -> None:
    run = called("doctor", "--json", at=tmp_path)
    assert run.code == 2
    assert run.json["code"] == "no_workspace"


# The checks by themselves


def store_report(**changed: Any) -> StoreReport:
    told: dict[str, Any] = {
        "schema": 2,
        "size": 1,
        "faults": (),
        "revisions": {Status.LIVE: 1},
        "unreadable": 0,
        "scopes": 1,
    }
    return StoreReport(**told | changed)


@pytest.mark.parametrize(
    ("check", "grade"),
    [
        (health.scopes(store_report(scopes=health.MANY_SCOPES)), Grade.WELL),
        (health.scopes(store_report(scopes=health.MANY_SCOPES + 1)), Grade.WARNING),
        (health.disk(health.LITTLE_SPACE), Grade.WELL),
        (health.disk(health.LITTLE_SPACE - 1), Grade.WARNING),
        (health.lag(3, 7, Outlook(mark=7, sequence=3, passages=0)), Grade.WELL),
        (health.lag(3, 7, Outlook(mark=7, sequence=5, passages=0)), Grade.WARNING),
        (health.lag(3, 7, Outlook(mark=8, sequence=3, passages=0)), Grade.WRONG),
        (health.lag(3, 7, Outlook(mark=None, sequence=2, passages=0)), Grade.WRONG),
        (health.drift(5, 5, strays=0, gaps=0), Grade.WELL),
        (health.drift(5, 6, strays=0, gaps=0), Grade.WRONG),
        (health.drift(5, 5, strays=1, gaps=0), Grade.WRONG),
        (health.drift(5, 5, strays=0, gaps=1), Grade.WRONG),
        (health.index_files(IndexReport(format=1, size=9, passages=1, damaged=())), Grade.WELL),
        (health.index_files(IndexReport(format=1, size=9, passages=1, damaged=("a.term",))), Grade.WRONG),
    ],
)
def test_a_check_grades_what_was_found(check: Check, grade: Grade) -> None:
    assert check.grade is grade
    assert (check.remedy is None) == (grade is Grade.WELL)


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (2_000_000, "2.0 MB"), (3_200_000_000, "3.2 GB")],
)
def test_sizes_are_said_in_units_that_people_use(size: int, words: str) -> None:
    assert words in health.disk(size).message
