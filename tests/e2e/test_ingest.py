"""Ingest as a curator meets it: outcomes, where metadata comes from, and when a revision is in force."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli import called, documents, workspace, write
from toulmin.adapters.files.folder import FolderSource
from toulmin.domain.errors import InputError
from toulmin.ports.source import Entry

PUBLIC = ("--readers", "public")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return workspace(tmp_path)


def ingested(place: Path, *options: str, paths: tuple[str, ...] = ("docs",)) -> Mapping[str, Any]:
    """The report of each file, by path."""
    run = called("ingest", *paths, *options, "--json", at=place)
    return {item["path"]: item for item in run.json["files"]}


def found(place: Path, *options: str) -> list[tuple[str, str]]:
    """Document and version of what a search for `pump` finds."""
    results = called("search", "pump", *options, "--json", at=place).json["results"]
    return [(item["document"], item["version"]) for item in results]


def only(place: Path) -> dict[str, Any]:
    (document,) = documents(place)
    return document


def test_each_file_has_an_outcome(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump one.\n", "docs/b.txt": "Valve.\n"})
    first = ingested(place, *PUBLIC)
    assert {name: item["outcome"] for name, item in first.items()} == {"a.txt": "ingested", "b.txt": "ingested"}
    write(place, {"docs/a.txt": "Pump two.\n", "docs/c.txt": ""})
    second = ingested(place, *PUBLIC)
    assert {name: item["outcome"] for name, item in second.items()} == {
        "a.txt": "superseded",
        "b.txt": "unchanged",
        "c.txt": "refused",
    }
    assert second["a.txt"]["supersedes"] == [first["a.txt"]["version"]]
    assert found(place) == [("a.txt", second["a.txt"]["version"])]


def test_the_words_count_the_outcomes_and_what_was_skipped(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump.\n", "docs/b.png": "x", "docs/c.png": "x", "docs/.hidden.txt": "x"})
    run = called("ingest", "docs", *PUBLIC, at=place)
    assert run.out.splitlines()[1:] == ["1 ingested; 1 passage", "2 skipped: no parser reads .png (2)"]


def test_skipped_files_are_reported_one_by_one_in_json(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump.\n", "docs/b.png": "x", "docs/README": "x", "docs/.git/x.txt": "x"})
    run = called("ingest", "docs", *PUBLIC, "--json", at=place)
    assert (run.code, run.json["skipped"]) == (
        0,
        [
            {"path": "README", "reason": "no parser reads files without an ending"},
            {"path": "b.png", "reason": "no parser reads .png"},
        ],
    )


def test_the_id_is_the_path_below_the_folder_and_the_version_the_digest_of_the_text(place: Path) -> None:
    write(place, {"docs/sub folder/a.txt": "\ufeffPump.\n"})
    ingested(place, *PUBLIC)
    document = only(place)
    assert document["document"] == "sub folder/a.txt"
    assert document["version"] == document["text_sha256"][:12]
    assert document["text_sha256"] != document["bytes_sha256"]


def test_metadata_comes_key_by_key_from_sidecar_front_matter_manifest_and_options(place: Path) -> None:
    front = {"title": "front", "author": "front", "source_type": "front"}
    row = {"path": "a.md", "title": "row", "author": "row", "source_type": "row", "version": "row"}
    write(
        place,
        {
            "docs/a.md": f"---\ntoulmin: {json.dumps(front)}\n---\n# Heading\n\nPump.\n",
            "docs/a.md.meta.yaml": "title: sidecar\n",
            "docs/manifest.jsonl": json.dumps({**row, "readers": ["tenant:row"]}),
        },
    )
    ingested(place, "--version", "option", "--source-type", "option", "--scope", "model=G1", "--readers", "public")
    document = only_for(place, "row")
    assert {key: document[key] for key in ("title", "author", "source_type", "version", "scope", "readers")} == {
        "title": "sidecar",
        "author": "front",
        "source_type": "front",
        "version": "row",
        "scope": {"model": "G1"},
        "readers": ["tenant:row"],
    }


def only_for(place: Path, tenant: str) -> dict[str, Any]:
    (document,) = documents(place, "--tenant", tenant)
    return document


def test_a_stated_scope_replaces_the_options_scope_whole(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump.\n", "docs/a.txt.meta.yaml": "scope: {}\n"})
    ingested(place, *PUBLIC, "--scope", "model=G1")
    assert only(place)["scope"] == {}


def test_repeated_options_make_lists(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump.\n"})
    scope = ("--scope", "model=G2", "--scope", "firmware=<3,>=2", "--scope", "model=G1")
    ingested(place, *scope, *PUBLIC, "--readers", "group:acme/ops")
    document = only(place)
    assert document["scope"] == {"firmware": "<3,>=2", "model": ["G1", "G2"]}
    assert document["readers"] == ["group:acme/ops", "public"]


def test_a_manifest_that_is_named_is_used_for_every_path(place: Path) -> None:
    write(place, {"one/a.txt": "Pump.\n", "rows.jsonl": '{"path": "a.txt", "id": "A", "readers": ["public"]}\n'})
    assert ingested(place, "--manifest", "rows.jsonl", paths=("one",))["a.txt"]["document"] == "A"


def test_a_manifest_row_without_its_file_is_refused(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump.\n", "docs/manifest.jsonl": '{"path": "gone.txt"}\n'})
    run = called("ingest", "docs", *PUBLIC, "--json", at=place)
    assert run.code == 2
    assert [(item["path"], item["outcome"]) for item in run.json["files"]] == [
        ("a.txt", "ingested"),
        ("gone.txt", "refused"),
    ]


def test_a_document_without_readers_is_ingested_with_a_warning_and_read_by_nobody(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump.\n"})
    (warning,) = ingested(place)["a.txt"]["warnings"]
    assert "no readers" in warning
    assert (found(place), documents(place)) == ([], [])


def test_a_changed_sidecar_alone_is_a_change_and_holds_at_once(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump.\n", "docs/a.txt.meta.yaml": 'version: "1"\nreaders: [public]\n'})
    ingested(place)
    text = only(place)["text_sha256"]
    write(place, {"docs/a.txt.meta.yaml": 'version: "1"\nreaders: ["tenant:acme"]\ntitle: Pumps\n'})
    report = ingested(place)["a.txt"]
    assert (report["outcome"], report["descriptor_changed"], report["version"]) == ("ingested", True, "1")
    assert (found(place), found(place, "--tenant", "acme")) == ([], [("a.txt", "1")])
    document = only_for(place, "acme")
    assert (document["title"], document["text_sha256"]) == ("Pumps", text)


def test_a_withdrawn_or_deleted_file_does_not_come_back_by_ingesting_it_again(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump.\n", "docs/b.txt": "Pump too.\n"})
    ingested(place, *PUBLIC)
    called("document", "withdraw", "a.txt", at=place)
    called("document", "delete", "b.txt", at=place)
    reports = ingested(place, *PUBLIC)
    assert [report["fault"]["code"] for report in reports.values()] == ["retired", "retired"]
    assert found(place) == []
    assert ingested(place, *PUBLIC, "--version", "again")["a.txt"]["outcome"] in ("ingested", "superseded")
    assert ("a.txt", "again") in found(place)


def test_a_second_scope_of_one_document_stays_in_force_and_an_overlap_is_warned_of(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump for two.\n"})
    ingested(place, *PUBLIC, "--version", "2.0", "--scope", "firmware=2.0")
    write(place, {"docs/a.txt": "Pump for three.\n"})
    apart = ingested(place, *PUBLIC, "--version", "3.0", "--scope", "firmware=3.0")["a.txt"]
    assert (apart["outcome"], apart["warnings"]) == ("ingested", [])
    write(place, {"docs/a.txt": "Pump for three and more.\n"})
    (warning,) = ingested(place, *PUBLIC, "--version", "3+", "--scope", "firmware=>=3.0")["a.txt"]["warnings"]
    assert "a.txt v3.0" in warning


def dated(place: Path, version: str, **metadata: str) -> Mapping[str, Any]:
    """Ingests the one document in a version, with dates."""
    lines = "".join(f"{key}: {value}\n" for key, value in metadata.items())
    write(
        place,
        {
            "docs/a.txt": f"Pump {version}.\n",
            "docs/a.txt.meta.yaml": f'version: "{version}"\nreaders: [public]\n{lines}',
        },
    )
    report: Mapping[str, Any] = ingested(place)["a.txt"]
    return report


def test_as_of_a_time_the_revision_of_that_time_is_found(place: Path) -> None:
    dated(place, "1", valid_from="2025-01-01")
    assert dated(place, "2", valid_from="2026-01-01")["supersedes"] == ["1"]
    assert found(place) == [("a.txt", "2")]
    assert found(place, "--as-of", "2026-01-01") == [("a.txt", "2")]
    assert found(place, "--as-of", "2025-12-31") == [("a.txt", "1")]
    assert found(place, "--as-of", "2025-12-31T23:59:59.999999Z") == [("a.txt", "1")]
    assert found(place, "--as-of", "2026-01-01T00:30:00+01:00") == [("a.txt", "1")]
    assert found(place, "--as-of", "2024-12-31T23:59:59Z") == []


def test_a_future_revision_leaves_no_gap_before_it(place: Path) -> None:
    dated(place, "1", valid_from="2025-01-01")
    dated(place, "2", valid_from="2999-01-01")
    assert found(place) == [("a.txt", "1")]
    assert found(place, "--as-of", "2999-06-01") == [("a.txt", "2")]
    one, two = documents(place)
    assert (one["valid_to"], two["valid_from"]) == ("2999-01-01T00:00:00Z", "2999-01-01T00:00:00Z")


def test_an_expired_document_is_found_only_as_of_its_time(place: Path) -> None:
    dated(place, "1", valid_from="2025-01-01", valid_to="2025-02-01")
    assert (found(place), found(place, "--as-of", "2025-01-15")) == ([], [("a.txt", "1")])
    (excluded,) = called("search", "pump", "--explain", "--json", at=place).json["excluded"]
    assert [reason["attribute"] for reason in excluded["reasons"]] == ["valid_to"]


@pytest.mark.parametrize(
    ("zone", "early"),
    [("UTC", []), ("Europe/Berlin", [("a.txt", "1")])],
)
def test_a_date_begins_in_the_workspaces_zone(tmp_path: Path, zone: str, early: list[tuple[str, str]]) -> None:
    """O28, filters: the same instant in two notations gets one answer; the zone says when a bare date begins."""
    place = workspace(tmp_path, settings=f'[time]\nzone = "{zone}"\n')
    dated(place, "1", valid_from="2025-02-01")
    assert found(place, "--as-of", "2025-01-31T23:30:00Z") == early
    assert found(place, "--as-of", "2025-02-01T00:30:00+01:00") == early
    assert found(place, "--as-of", "2025-02-01T00:30:00") == [("a.txt", "1")]
    assert found(place, "--as-of", "2025-02-01") == [("a.txt", "1")]
    assert found(place, "--as-of", "2025-01-31") == []


def test_withdrawal_holds_as_of_every_time(place: Path) -> None:
    dated(place, "1", valid_from="2025-01-01")
    called("document", "withdraw", "a.txt", at=place)
    assert found(place, "--as-of", "2025-06-01") == []


SECRET = "Pump secret.\n"


def faults(place: Path, *options: str, paths: tuple[str, ...] = ("docs",)) -> dict[str, str | None]:
    """The code of the fault of each file, None where it has none; the run itself is over in the time of a test."""
    return {
        name: report["fault"] and report["fault"]["code"]
        for name, report in ingested(place, *options, paths=paths).items()
    }


@pytest.mark.parametrize("block", ['"toulmin":\n  readers: ["tenant:a"]\n', ' toulmin:\n   readers: ["tenant:a"]\n'])
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst"])
def test_readers_in_front_matter_are_never_widened_by_the_options(place: Path, name: str, block: str) -> None:
    write(place, {f"docs/{name}": f"---\n{block}---\n{SECRET}"})
    ingested(place, *PUBLIC)
    assert found(place) == []
    assert only_for(place, "a")["readers"] == ["tenant:a"]


def test_front_matter_in_which_our_key_stands_wrong_is_refused(place: Path) -> None:
    write(place, {"docs/a.md": f'---\nmeta:\n  toulmin:\n    readers: ["tenant:a"]\n---\n{SECRET}'})
    assert faults(place, *PUBLIC) == {"a.md": "bad_yaml"}


@pytest.mark.parametrize("opening", ["--- # comment", "--- !!map", "%YAML 1.2\n---"])
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst"])
def test_readers_below_an_opening_that_is_not_just_dashes_are_never_widened(
    place: Path, name: str, opening: str
) -> None:
    write(place, {f"docs/{name}": f'{opening}\ntoulmin:\n  readers: ["tenant:a"]\n---\n{SECRET}'})
    assert faults(place, *PUBLIC) == {name: "bad_yaml"}


@pytest.mark.parametrize(
    "stray",
    [
        "a.md.meta.yml",
        "a.md.META.YAML",
        "A.md.meta.yaml",
        "a.meta.yaml",
        "a.MD.Meta.Yml",
        "a.md.meta.json",
        "a.md.meta",
        "A.md.META",
        "a.md.meta.yaml~",
        "a.md.meta.yaml.bak",
        "a.md.meta.yaml.meta",
        "a.md.metadata.txt",
    ],
)
def test_a_document_beside_a_misnamed_sidecar_is_refused_and_so_is_the_sidecar(place: Path, stray: str) -> None:
    write(place, {"docs/a.md": SECRET, f"docs/{stray}": 'readers: ["tenant:a"]\n', "docs/b.md": "Pump.\n"})
    reports = ingested(place, *PUBLIC)
    assert {name for name, report in reports.items() if report["fault"]} == {"a.md", stray}
    fault = reports["a.md"]["fault"]
    assert (fault["code"], fault["message"]) == (
        "misnamed_sidecar",
        f"{stray} looks like its sidecar, but is not named like one",
    )
    assert fault["remedy"] == f"rename {stray} to a.md.meta.yaml, or move it away"
    assert faults(place, *PUBLIC, paths=("docs/a.md",)) == {"a.md": "misnamed_sidecar"}


def test_a_misnamed_sidecar_stops_its_document_even_beside_a_sidecar(place: Path) -> None:
    stated = 'readers: ["tenant:a"]\n'
    write(place, {"docs/a.md": SECRET, "docs/a.md.meta.yaml": "title: x\n", "docs/a.md.meta.yaml.new": stated})
    assert faults(place, *PUBLIC) == {"a.md": "misnamed_sidecar", "a.md.meta.yaml.new": "misnamed_sidecar"}


def test_names_that_only_hold_meta_are_no_sidecars(place: Path) -> None:
    write(place, {"docs/a.md": "Pump.\n", "docs/a.metadata.md": "Pump.\n", "docs/a.md.txt": "Pump.\n"})
    write(
        place,
        {"docs/b": "x", "docs/b.txt": "Pump.\n", "docs/b.meta.d/c.txt": "Pump.\n", "docs/gone.md.meta.json": "{}"},
    )
    assert set(faults(place, *PUBLIC).values()) == {None}


def test_a_sidecar_that_is_there_and_cannot_be_read_stops_its_document(place: Path) -> None:
    write(place, {"docs/a.md": SECRET, "docs/b.md": SECRET, "docs/c.md": SECRET, "docs/d.md": "Pump.\n"})
    (place / "docs/a.md.meta.yaml").symlink_to("gone.yaml")
    os.mkfifo(place / "docs/b.md.meta.yaml")
    (place / "docs/c.md.meta.yaml").mkdir()
    assert faults(place, *PUBLIC) == {
        "a.md": "unreadable_file",
        "b.md": "unreadable_file",
        "c.md": "unreadable_file",
        "d.md": None,
    }


def test_what_is_no_regular_file_is_refused_at_once_and_stops_no_other(place: Path) -> None:
    write(place, {"docs/z.txt": "Pump.\n"})
    os.mkfifo(place / "docs/pipe.txt")
    (place / "docs/loop.txt").symlink_to("loop.txt")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(place / "docs/socket.txt"))
        refused = {"loop.txt": "unreadable_file", "pipe.txt": "unreadable_file", "socket.txt": "unreadable_file"}
        assert faults(place, *PUBLIC) == {**refused, "z.txt": None}
    pipe = ingested(place, *PUBLIC, paths=("docs/pipe.txt",))["pipe.txt"]["fault"]
    assert (pipe["code"], pipe["message"]) == ("unreadable_file", "it is a pipe or a device, and no regular file")


def test_a_name_that_is_no_text_is_refused_and_stops_no_other(place: Path) -> None:
    write(place, {"docs/z.txt": "Pump.\n"})
    (place / os.fsdecode(b"docs/caf\xe9.pdf")).write_bytes(b"%PDF")
    assert faults(place, *PUBLIC) == {"caf\ufffd.pdf": "bad_name", "z.txt": None}


def test_a_folder_that_cannot_be_read_is_refused_and_stops_no_other(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place, {"docs/a/one.txt": "Pump.\n", "docs/b/two.txt": "Pump.\n"})
    scan = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("docs/a"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)  # whoever runs the tests as root may read everything
    assert faults(place, *PUBLIC) == {"a": "unreadable_folder", "b/two.txt": None}


def test_a_bad_manifest_stops_its_own_folder_only(place: Path) -> None:
    write(
        place,
        {
            "one/a.txt": SECRET,
            "one/manifest.jsonl": '{"path": "a.txt", "readers": ["tenant:a"]}\n{"path": \n',
            "two/b.txt": "Pump.\n",
        },
    )
    reports = ingested(place, *PUBLIC, paths=("one", "two"))
    assert list(reports) == ["one/manifest.jsonl", "b.txt"]
    fault = reports["one/manifest.jsonl"]["fault"]
    assert (fault["code"], fault["where"]) == ("bad_json", "manifest.jsonl:2")
    assert fault["message"].endswith("; without it, no document of its folder is read")
    assert faults(place, *PUBLIC, paths=("one/a.txt", "two/b.txt")) == {"a.txt": "bad_json", "b.txt": None}


def test_a_manifest_that_is_there_and_is_no_file_stops_its_folder(place: Path) -> None:
    write(place, {"docs/a.txt": SECRET})
    os.mkfifo(place / "docs/manifest.jsonl")
    assert faults(place, *PUBLIC) == {"docs/manifest.jsonl": "unreadable_file"}


def test_rows_of_a_named_manifest_are_looked_for_in_all_folders_together(place: Path) -> None:
    rows = '{"path": "a.txt", "id": "A"}\n{"path": "b.txt", "id": "B"}\n{"path": "gone.txt"}\n'
    write(place, {"one/a.txt": "Pump.\n", "two/b.txt": "Pump too.\n", "rows.jsonl": rows})
    assert faults(place, *PUBLIC, "--manifest", "rows.jsonl", paths=("one", "two")) == {
        "a.txt": None,
        "b.txt": None,
        "gone.txt": "no_such_file",
    }


def test_a_second_document_with_the_same_default_id_has_to_state_one(place: Path) -> None:
    write(place, {"one/README.md": "Pump one.\n", "two/README.md": "Pump two.\n"})
    run = called("ingest", "one", "two", "one/README.md", *PUBLIC, "--json", at=place)
    first, second, again = run.json["files"]
    assert [first["outcome"], second["outcome"], again["outcome"]] == ["ingested", "refused", "unchanged"]
    fault = second["fault"]
    assert (fault["code"], fault["message"]) == (
        "shared_id",
        "its default id is README.md, and so is that of one/README.md",
    )
    write(place, {"two/README.md": "---\ntoulmin: {id: two}\n---\nPump two.\n"})
    run = called("ingest", "one", "two", *PUBLIC, "--json", at=place)
    assert [item["outcome"] for item in run.json["files"]] == ["unchanged", "ingested"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.md", "# Only a heading\n", "the file holds nothing but headings"),
        ("a.rst", "Only\n====\n\nHeadings\n--------\n", "the file holds nothing but headings"),
        ("a.html", "<h1>Only a heading</h1>", "the file holds nothing but headings"),
        ("a.md", "---\ntitle: x\n---\n", "the file holds nothing but front matter"),
    ],
)
def test_a_document_of_which_nothing_could_be_found_is_refused(place: Path, name: str, text: str, message: str) -> None:
    """O21."""
    write(place, {f"docs/{name}": text})
    report = ingested(place, *PUBLIC)[name]
    assert (report["outcome"], report["fault"]["code"], report["fault"]["message"]) == ("refused", "no_text", message)


def test_text_between_rules_at_the_top_is_found(place: Path) -> None:
    write(place, {"docs/a.md": "---\n\nThe reset code of the pump is 4711.\n\n---\n\nOther.\n"})
    ingested(place, *PUBLIC)
    (result,) = called("search", "reset code", "--json", at=place).json["results"]
    assert "4711" in result["text"]


def test_a_document_that_ends_before_it_begins_is_ingested_with_a_warning(place: Path) -> None:
    write(place, {"docs/a.txt": "Pump.\n", "docs/a.txt.meta.yaml": "valid_to: 2020-01-01\nreaders: [public]\n"})
    (warning,) = ingested(place)["a.txt"]["warnings"]
    assert warning.startswith("never in force: it ends at 2020-01-01T00:00:00Z, and begins only at ")
    assert warning.endswith(" (state an earlier valid_from)")


def test_a_quote_that_is_not_found_is_named_with_the_line_that_states_it(place: Path) -> None:
    spans = "toulmin:\n  spans:\n    - id: s\n      fact: f\n      quote: valve\n"
    row = {"path": "c.txt", "spans": [{"id": "s", "fact": "f", "quote": "valve"}]}
    write(
        place,
        {
            "docs/a.md": f"---\n{spans}---\nPump.\n",
            "docs/b.txt": "Pump. Pump.\n",
            "docs/b.txt.meta.yaml": "spans:\n  - {id: s, fact: f, quote: Pump}\n",
            "docs/c.txt": "Pump.\n",
            "docs/manifest.jsonl": f"\n{json.dumps(row)}\n",
        },
    )
    places = {name: (r["fault"]["code"], r["fault"]["where"]) for name, r in ingested(place, *PUBLIC).items()}
    assert places == {
        "a.md": ("quote_not_found", "a.md:6: spans[0].quote"),
        "b.txt": ("quote_ambiguous", "b.txt.meta.yaml:2: spans[0].quote"),
        "c.txt": ("quote_not_found", "manifest.jsonl:2: spans[0].quote"),
    }


def test_a_file_of_more_bytes_than_asked_for_is_refused(tmp_path: Path) -> None:
    for name, text in {"a.txt": "12345", "b.txt": "123456"}.items():
        (tmp_path / name).write_text(text)
    source = FolderSource(paths=[tmp_path], suffixes=frozenset({".txt"}), zone=UTC, max_bytes=5)
    small, large = (entry for entry in source.entries() if isinstance(entry, Entry))
    assert small.load().data == b"12345"
    with pytest.raises(InputError) as refused:
        large.load()
    assert str(refused.value) == (
        "b.txt: the file has more than 5 bytes (split it, or raise max_bytes under [parsing] in toulmin.toml)"
    )
