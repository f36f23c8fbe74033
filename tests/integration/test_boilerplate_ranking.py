from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from toulmin.domain.corpus.boilerplate import Boilerplate, boilerplate
from toulmin.domain.corpus.metadata import Metadata
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace

PUBLIC = Metadata(stated=frozenset({"readers", "version"}), readers=("public",), version="1")
CONTENTS = """\
# Contents

Reset of the pump ............ 3

Reset of the pump by hand .... 4

Reset of the valve ........... 5
"""
TEXTS = {
    "contents.md": CONTENTS,
    "reset.md": "# Resetting\n\nA reset of the pump by hand needs the blue key, which is kept in the box beside the door of the hall.\n",
    "license.md": "# License\n\nThe pump is licensed under the Apache License. All rights reserved by the pump's makers.\n",
    "service.md": "# Service\n\nThe pump is served once a year, by somebody with a licence to do so.\n",
}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "toulmin.toml").touch()
    (tmp_path / "documents").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "documents" / name).write_text(text, encoding="utf-8")
    with Workspace.open(tmp_path) as workspace:
        ingest(workspace, tmp_path / "documents")
        yield workspace


def ingest(workspace: Workspace, path: Path) -> None:
    entries = [item for item in workspace.entries([path], options=PUBLIC) if isinstance(item, Entry)]
    assert [report.fault for report in workspace.ingest(entries)] == [None] * len(entries)


def found(workspace: Workspace, text: str, k: int = 5) -> list[tuple[str, Boilerplate | None]]:
    return [(item.found.id.document, item.found.boilerplate) for item in workspace.search(text, k=k).items]


def test_a_table_of_contents_with_all_words_of_the_question_stands_below_the_content_and_is_still_there(
    place: Workspace,
) -> None:
    assert found(place, "reset of the pump by hand")[:2] == [
        ("reset.md", None),
        ("contents.md", Boilerplate.CONTENTS),
    ]


def test_fewer_results_are_the_beginning_of_more_also_where_boilerplate_is_put_back(place: Workspace) -> None:
    everything = found(place, "reset of the pump by hand", k=20)
    assert len(everything) == len(TEXTS)
    assert [found(place, "reset of the pump by hand", k=k) for k in (1, 2, 3)] == [everything[:k] for k in (1, 2, 3)]


def test_a_question_about_the_licence_finds_the_licence(place: Workspace) -> None:
    assert found(place, "Under which license is the pump?", k=1) == [("license.md", Boilerplate.LICENCE)]


@pytest.mark.parametrize(
    ("name", "marked"),
    [
        ("006-pdflatex-outline.pdf", {Boilerplate.CONTENTS: 1}),
        ("009-GeoTopo-komprimiert.pdf", {Boilerplate.CONTENTS: 4, Boilerplate.INDEX: 3}),
        ("026-multicolumn.pdf", {}),
    ],
)
def test_contents_and_index_pages_of_real_pdfs_are_marked_and_nothing_else(
    tmp_path: Path, shared_data: Path, name: str, marked: Mapping[Boilerplate, int]
) -> None:
    (tmp_path / "toulmin.toml").touch()
    with Workspace.open(tmp_path) as workspace:
        ingest(workspace, shared_data / "pdf" / name)
        (standing,) = workspace.documents()
        revision = workspace.revision(standing.key)
    assert revision is not None
    kinds = [boilerplate(p.heading, revision.text[p.start : p.end]) for p in revision.passages]
    assert {kind: kinds.count(kind) for kind in kinds if kind} == marked
