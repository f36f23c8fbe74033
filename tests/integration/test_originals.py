"""Files that are kept beside what was read from them: which are, until when, and for whom they are drawn."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.cli import called, workspace
from tests.samples.pdfs import pdf
from toulmin.application.printed import page_image, printed_page
from toulmin.domain.corpus.document import Standing, Status
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.domain.errors import NotFound, StoreFault
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace

DATA = pdf(["Retention is thirty days.", "A second page."])
ANN = Principal(id="ann", tenant="a")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return workspace(tmp_path)


def taken(folder: Path, name: str = "a.pdf", data: bytes = DATA, **stated: object) -> tuple[str, ...]:
    """Ingests a file; what the report warns of."""
    path = folder / "documents" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    options = stated_metadata({"readers": ("public",), "version": "1", **stated})
    with Workspace.open(folder) as desk:
        (report,) = desk.ingest(each for each in desk.entries([path], options=options) if isinstance(each, Entry))
        assert report.fault is None, report.fault
    return report.warnings


def settled(folder: Path, settings: str) -> None:
    (folder / "toulmin.toml").write_text(settings, encoding="utf-8")


def standing_of(desk: Workspace, document: str = "a.pdf", principal: Principal = ANONYMOUS) -> Standing:
    (standing,) = desk.documents(document=document, principal=principal)
    return standing


def original(folder: Path, document: str = "a.pdf", principal: Principal = ANONYMOUS) -> bytes | None:
    with Workspace.open(folder) as desk, desk.parts.store.begin(principal) as session:
        return session.catalogue.original(standing_of(desk, document, principal).key)


@pytest.fixture
def kept(folder: Path) -> Iterator[Workspace]:
    """A workspace with a file that is kept."""
    assert taken(folder) == ()
    with Workspace.open(folder) as desk:
        yield desk


def test_the_file_is_kept_as_it_is_and_its_pages_are_drawn(kept: Workspace) -> None:
    standing = standing_of(kept)
    assert original(kept.settings.workspace) == DATA
    for index, words in enumerate(("Retention is thirty days.", "A second page.")):
        assert kept.page_image(standing, index).startswith(b"\x89PNG")
        assert "".join(kept.printed_page(standing, index).characters).strip() == words


def test_files_without_pages_are_not_kept(folder: Path) -> None:
    taken(folder, "a.txt", b"Words in a line.")
    assert original(folder, "a.txt") is None
    with Workspace.open(folder) as desk, pytest.raises(NotFound) as fault:
        desk.page_image(standing_of(desk, "a.txt"), 0)
    assert fault.value.code == "no_original"


def test_a_file_that_is_too_large_is_read_and_not_kept_and_the_report_says_so(folder: Path) -> None:
    settled(folder, f"[originals]\nmax_bytes = {len(DATA) - 1}\n")
    (warning,) = taken(folder)
    assert str(len(DATA)) in warning
    assert f"originals.max_bytes is {len(DATA) - 1}" in warning
    assert original(folder) is None
    settled(folder, f"[originals]\nmax_bytes = {len(DATA)}\n")
    assert taken(folder, "b.pdf") == ()
    assert original(folder, "b.pdf") == DATA


def test_nothing_is_kept_where_that_is_switched_off(folder: Path) -> None:
    settled(folder, "[originals]\nkeep = false\n")
    assert taken(folder) == ()
    assert original(folder) is None


def test_a_file_that_was_not_kept_is_kept_when_it_is_ingested_again(folder: Path) -> None:
    settled(folder, "[originals]\nkeep = false\n")
    taken(folder)
    settled(folder, "")
    with Workspace.open(folder) as desk:
        before = standing_of(desk)
        with pytest.raises(NotFound, match="is not kept"):
            desk.page_image(before, 0)
    run = called("ingest", "documents/a.pdf", "--readers", "public", "--version", "1", "--json", at=folder)
    assert (run.code, '"unchanged"' in run.out) == (0, True), run
    assert original(folder) == DATA
    with Workspace.open(folder) as desk:
        assert standing_of(desk) == before, "and nothing else has changed"


def test_a_file_that_is_read_again_stays_as_it_is(folder: Path) -> None:
    taken(folder)
    assert called("ingest", "documents", "--readers", "public", "--version", "1", "--reparse", at=folder).code == 0
    assert original(folder) == DATA


def test_pages_are_drawn_for_those_who_may_read_the_document(folder: Path) -> None:
    taken(folder, readers=("tenant:a",))
    with Workspace.open(folder) as desk:
        standing = standing_of(desk, principal=ANN)
        assert desk.page_image(standing, 0, principal=ANN)
        for principal in (ANONYMOUS, Principal(id="ben", tenant="b"), replace(ANN, active=False)):
            for draw in (page_image, printed_page):
                with pytest.raises(NotFound):
                    draw(standing, 0, principal, desk.parts)


def test_without_somebody_who_draws_there_are_no_pages(kept: Workspace) -> None:
    with pytest.raises(NotFound):
        page_image(standing_of(kept), 0, ANONYMOUS, replace(kept.parts, pages=None))


def test_a_file_that_is_another_one_than_was_read_is_not_shown(kept: Workspace) -> None:
    with closing(sqlite3.connect(kept.settings.workspace / ".toulmin" / "corpus.db")) as connection, connection:
        connection.execute("UPDATE original SET bytes = ?", [pdf(["Retention is ninety days."])])
    with pytest.raises(StoreFault, match="has changed"):
        kept.page_image(standing_of(kept), 0)


@pytest.mark.parametrize(("status", "left"), [(Status.WITHDRAWN, True), (Status.DELETED, False)])
def test_a_file_goes_with_the_text(folder: Path, status: Status, left: bool) -> None:
    taken(folder)
    with Workspace.open(folder) as desk:
        desk.retire("a.pdf", status)
    assert (original(folder) is not None) == left


def test_an_erased_file_is_in_no_file_of_the_workspace(folder: Path) -> None:
    """Its bytes are on pages that nothing but the file fills: an erasure that forgot them would leave them whole."""
    marked = DATA + b"%" + sha256(b"seed").digest() * 3000
    taken(folder, data=marked)
    taken(folder, "b.pdf")
    database = folder / ".toulmin" / "corpus.db"
    pieces = [marked[at : at + 64] for at in range(len(DATA) + 64, len(marked) - 64, 1024)]
    assert any(piece in database.read_bytes() for piece in pieces)
    with Workspace.open(folder) as desk:
        desk.erase("a.pdf")
    for file in (file for file in (folder / ".toulmin").rglob("*") if file.is_file()):
        assert not any(piece in file.read_bytes() for piece in pieces), file
    assert (original(folder), original(folder, "b.pdf")) == (None, DATA)


def test_a_corpus_of_before_has_its_documents_and_no_files(folder: Path) -> None:
    taken(folder)
    with closing(sqlite3.connect(folder / ".toulmin" / "corpus.db")) as connection, connection:
        connection.execute("DROP TABLE original")
        connection.execute("PRAGMA user_version = 8")
    with Workspace.open(folder) as desk, pytest.raises(NotFound) as fault:
        desk.page_image(standing_of(desk), 0)
    assert fault.value.remedy == "ingest the file again to see its pages"
    taken(folder)
    assert original(folder) == DATA
