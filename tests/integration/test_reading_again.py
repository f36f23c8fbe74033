"""What is ingested again: known before it is parsed, and read again only where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC
from functools import partial
from pathlib import Path

import pytest

from toulmin.adapters.files.text import TextParser
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.system import SystemClock
from toulmin.application.ingest import FileOutcome, FileReport, Ingest
from toulmin.domain.corpus.document import Standing
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.domain.proof.fingerprint import fingerprint_of
from toulmin.domain.question.case import ANONYMOUS
from toulmin.ports.parser import Parsed
from toulmin.ports.source import Entry, Submitted
from toulmin.ports.store import Store
from toulmin.testing.builders import NOW


@dataclass
class Upgradable:
    """A text parser that counts what it reads; its second version reads every \"a\" as \"A\"."""

    version: int = 1
    read: list[str] = field(default_factory=list)
    suffixes: frozenset[str] = frozenset({".txt"})

    @property
    def name(self) -> str:
        return f"upgradable {self.version}"

    def parse(self, data: bytes, *, name: str) -> Parsed:
        self.read.append(name)
        return TextParser().parse(data if self.version == 1 else data.replace(b"a", b"A"), name=name)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = SqliteStore(tmp_path / "corpus.db")
    yield opened
    opened.close()


def entry(text: str, name: str = "a.txt", **stated: object) -> Entry:
    options = stated_metadata({"readers": ("public",), **stated})
    return Entry(name=name, load=partial(Submitted, default_id=name, data=text.encode(), after=(options,)))


def ingest(store: Store, parser: Upgradable, *entries: Entry, reparse: bool = False) -> list[FileReport]:
    use_case = Ingest(store=store, parsers=[parser], clock=SystemClock(), zone=UTC, reparse=reparse)
    return list(use_case.all(entries))


def texts(store: Store) -> dict[str, str]:
    with store.begin(ANONYMOUS) as session:
        found = [(s.id, session.catalogue.revision(s.key)) for s in session.catalogue.standings()]
        return {str(rid): revision.text for rid, revision in found if revision}


def test_what_is_known_is_not_read_again(store: Store) -> None:
    parser = Upgradable()
    many = [entry(f"text {number}", f"{number}.txt") for number in range(20)]
    assert {r.outcome for r in ingest(store, parser, *many)} == {FileOutcome.INGESTED}
    assert sorted(parser.read) == sorted(item.name for item in many)
    again = ingest(store, parser, *many)
    assert [r.outcome for r in again] == [FileOutcome.UNCHANGED] * 20
    assert [r.revision and r.revision.document for r in again] == [item.name for item in many]
    assert len(parser.read) == 20


def test_reports_come_in_the_order_of_the_entries_whatever_is_read_first(store: Store) -> None:
    names = [f"{number:02}.txt" for number in range(30)]
    known = ingest(store, Upgradable(), *(entry(f"text {name}", name) for name in names[::3]))
    assert [r.name for r in known] == names[::3]
    assert [r.name for r in ingest(store, Upgradable(), *(entry(f"text {name}", name) for name in names))] == names


def test_an_upgraded_parser_changes_nothing_by_itself(store: Store) -> None:
    ingest(store, Upgradable(), entry("a cat"))
    (report,) = ingest(store, Upgradable(version=2), entry("a cat"))
    assert report.outcome is FileOutcome.UNCHANGED
    assert list(texts(store).values()) == ["a cat"]


def test_reparse_reads_the_same_revision_again(store: Store) -> None:
    (first,) = ingest(store, Upgradable(), entry("a cat"))
    (report,) = ingest(store, Upgradable(version=2), entry("a cat"), reparse=True)
    assert (report.outcome, report.reread, report.revision) == (FileOutcome.INGESTED, True, first.revision)
    assert texts(store) == {str(first.revision): "A cAt"}
    (again,) = ingest(store, Upgradable(version=2), entry("a cat"))
    assert again.outcome is FileOutcome.UNCHANGED


def test_a_changed_sidecar_after_an_upgrade_is_refused_rather_than_mixed(store: Store) -> None:
    ingest(store, Upgradable(), entry("a cat", version="1"))
    (report,) = ingest(store, Upgradable(version=2), entry("a cat", version="1", title="Cats"))
    assert report.fault is not None
    assert (report.fault.code, "--reparse" in (report.fault.remedy or "")) == ("other_reading", True)
    (report,) = ingest(store, Upgradable(version=2), entry("a cat", version="1", title="Cats"), reparse=True)
    assert (report.described, report.reread) == (True, True)


def test_a_version_that_is_the_texts_digest_stays_when_the_text_is_read_again(store: Store) -> None:
    (first,) = ingest(store, Upgradable(), entry("a cat"))
    (report,) = ingest(store, Upgradable(version=2), entry("a cat", title="Cats"), reparse=True)
    assert report.revision == first.revision
    assert len(texts(store)) == 1


def test_what_was_withdrawn_is_refused_though_its_input_is_known(store: Store) -> None:
    from toulmin.application.documents import retire
    from toulmin.domain.corpus.document import Status

    ingest(store, Upgradable(), entry("a cat"))
    retire(store, "a.txt", None, Status.WITHDRAWN, at=NOW)
    (report,) = ingest(store, Upgradable(), entry("a cat"))
    assert report.fault is not None
    assert report.fault.code == "retired"


def test_what_is_superseded_is_unchanged_and_said_to_be_out_of_force(store: Store) -> None:
    ingest(store, Upgradable(), entry("first"))
    ingest(store, Upgradable(), entry("second"))
    for reread in (Upgradable(), Upgradable()):
        (report,) = ingest(store, reread, entry("first"))
        assert report.outcome is FileOutcome.UNCHANGED
        assert "is superseded" in " ".join(report.warnings)


def test_versions_listed_in_one_text_are_warned_about(store: Store) -> None:
    from toulmin.domain.corpus.scope import Scope

    for odd in ("2.4.1, 2.4.3", ">=2.4, 2.4.9"):
        (report,) = ingest(store, Upgradable(), entry(odd, scope=Scope.of({"firmware": odd})))
        assert "write a YAML list" in " ".join(report.warnings)
    for fine in (">=2.4,<3", "red, green"):
        (report,) = ingest(store, Upgradable(), entry(fine, scope=Scope.of({"firmware": fine})))
        assert "YAML list" not in " ".join(report.warnings)


# Documents that share a transaction


def test_a_refused_document_leaves_those_that_share_its_transaction(store: Store) -> None:
    entries = [entry(f"words {number}", f"{number}.txt", id=f"D{number}", version="1") for number in range(40)]
    entries[7] = entry("other words", "7.txt", id="D6", version="1")  # the id and version of its neighbour
    entries[20] = entry("", "20.txt")
    reports = ingest(store, Upgradable(), *entries)
    assert [report.name for report in reports] == [f"{number}.txt" for number in range(40)]
    assert {report.name: report.fault.code for report in reports if report.fault} == {
        "7.txt": "other_bytes",
        "20.txt": "no_text",
    }
    with store.begin(ANONYMOUS) as session:
        standings = list(session.catalogue.standings())
        assert sorted(standing.since for standing in standings) == list(range(1, 39))
        assert session.corpus.fingerprint() == fingerprint_of(standings)


def test_what_is_reported_is_durable(store: Store, tmp_path: Path) -> None:
    entries = [entry(f"words {number}", f"{number}.txt") for number in range(40)]
    use_case = Ingest(store=store, parsers=[Upgradable()], clock=SystemClock(), zone=UTC)
    with closing(SqliteStore(tmp_path / "corpus.db")) as other:
        for report in use_case.all(entries):
            assert report.revision in {standing.id for standing in standings(other)}


def test_no_more_than_a_batch_is_loaded_ahead(store: Store) -> None:
    loaded: list[str] = []

    def noted(number: int) -> Entry:
        made = entry(f"words {number}", f"{number}.txt")

        def load() -> Submitted:
            loaded.append(made.name)
            return made.load()

        return Entry(name=made.name, load=load)

    use_case = Ingest(store=store, parsers=[Upgradable()], clock=SystemClock(), zone=UTC)
    for done, _ in enumerate(use_case.all(map(noted, range(200)))):
        assert len(loaded) <= done + 40


def standings(store: Store) -> list[Standing]:
    with store.begin(ANONYMOUS) as session:
        return list(session.catalogue.standings())
