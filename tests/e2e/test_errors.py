"""What goes wrong is told with its place and a remedy, changes nothing, and stops nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli import CASE, QUESTION, called, documents, started, workspace, write

FAULT = {"schema", "code", "message", "where", "remedy"}
CONTRACT = "contracts/gateway-explain-and-next-step.yaml"
GOOD = "readers: [public]\n"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, ingested. Nothing that is tried here may change its corpus."""
    place = tmp_path_factory.mktemp("place") / "desk"
    called("init", "desk", at=place.parent)
    called("ingest", "documents", at=place)
    return place


def fault(*arguments: str, at: Path) -> dict[str, Any]:
    """The error of a command: the same in JSON and in words."""
    run = called(*arguments, "--json", at=at)
    told: dict[str, Any] = run.json
    assert (run.code, told["schema"], set(told), run.err) == (2, "toulmin.error/1", FAULT, "")
    assert told["remedy"]
    words = called(*arguments, at=at)
    lines = [f"error: {told['message']}", *([f"  at: {told['where']}"] if told["where"] else [])]
    assert (words.code, words.out) == (2, "")
    assert words.err == "\n".join([*lines, f"  try: {told['remedy']}"]) + "\n"
    return told


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("serch", "x"), "usage", "did you mean 'search'"),
        (("ask", QUESTION, "--nope"), "usage", "--nope"),
        (("search",), "usage", "text"),
        (("search", "x", "-k", "abc"), "usage", "'-k'"),
        (("search", "x", "-k", "0"), "usage", "k is 0"),
        (("ask", QUESTION, *CASE, "-k", "0"), "usage", "k is 0"),
        (("ask", "--text", "x", "-k", "-1"), "usage", "k is -1"),
        (("search", "x", "--min-score", "nan"), "usage", "nan"),
        (("ask", QUESTION, *CASE, "--min-score", "nan"), "usage", "nan"),
        (("ask", "--text", "x", "--min-score", "-1"), "usage", "-1"),
        (("search", " "), "empty_question", "nothing to search for"),
        (("ask", "--text", " "), "empty_question", "no words"),
        (("ask",), "usage", "question id or --text"),
        (("ask", QUESTION, "--text", "x"), "usage", "not both"),
        (("ask", QUESTION, *CASE, "--profile", "default"), "usage", "--profile"),
        (("search", "x", "--as-of", "yesterday"), "usage", "'yesterday'"),
        (("search", "x", "--as-of", "2026-02-30"), "usage", "'2026-02-30'"),
        (("search", "x", "--as-of", ""), "usage", "--as-of"),
        (("search", "x", "--case", "model"), "usage", "'model'"),
        (("search", "x", "--case", "=G2"), "usage", "'=g2'"),
        (("search", "x", "--case", "model=G2", "--case", "model=G3"), "usage", "model twice"),
        (("search", "x", "--profile", "nope"), "unknown_profile", "'nope'"),
        (("ask", "--text", "x", "--profile", "nope"), "unknown_profile", "'nope'"),
        (("search", "x", "--tenant", ""), "bad_id", "tenant"),
        (("search", "x", "--user", ""), "bad_id", "id"),
        (("search", "x", "--tenant", "acme", "--role", "boss"), "wrong_type", "'boss'"),
        (("search", "x", "--group", "ops"), "bare_group", "no tenant"),
        (("search", "x", "--as", "no-such.toml"), "unreadable_file", "no-such.toml"),
        (("search", "x", "--as", "toulmin.toml", "--user", "u"), "usage", "--as"),
        (("search", "x", "--workspace", "/"), "no_workspace", "toulmin.toml"),
        (("search", "\udcff"), "usage", "utf-8"),
        (("document", "show", "NOPE"), "no_such_document", "nope"),
        (("document", "show", "GW-241", "--version", "77"), "no_such_document", "gw-241 v77"),
        (("document", "withdraw", "NOPE"), "no_such_document", "nope"),
        (("document", "delete", "GW-241", "--version", "77"), "no_such_document", "gw-241 v77"),
        (("packet", "show", "pk-12"), "no_such_packet", "pk-12"),
        (("init", "documents"), "not_empty", "documents"),
        (("init", "toulmin.toml"), "not_empty", "toulmin.toml"),
        (("ingest", "documents", "--scope", "model"), "usage", "'model'"),
        (("ingest", "documents", "--scope", "model="), "bad_scope", "scope.model"),
        (("ingest", "documents", "--scope", "mo del=1"), "bad_scope", "scope.mo del"),
        (("ingest", "documents", "--readers", "everybody"), "bad_reader", "'everybody'"),
        (("ingest", "documents", "--readers", "group:ops"), "bad_reader", "'group:ops'"),
        (("ingest", "documents", "--version", ""), "bad_id", "version"),
        (("ingest", "documents", "--source-type", ""), "bad_id", "source_type"),
        (("ingest", "documents", "--manifest", "no-such.jsonl"), "unreadable_file", "no-such.jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_wrong_command_line_says_what_is_wrong(desk: Path, arguments: Sequence[str], code: str, says: str) -> None:
    before = documents(desk)
    told = fault(*arguments, at=desk)
    assert told["code"] == code
    assert says in f"{told['where']}: {told['message']}".lower()
    assert documents(desk) == before


@pytest.mark.parametrize(
    ("case", "code", "where", "says"),
    [
        (("model=G2", "firmware=2.4.1"), "missing_case_field", "case.audit_hold", "state audit_hold"),
        (("model=G2", "firmware=2.4.1", "audit_hold=yes"), "wrong_type", "case.audit_hold", "true or false"),
        (("model=G2", "firmware=>=2", "audit_hold=true"), "wrong_type", "case.firmware", "not a range"),
        (("model=", "firmware=2.4.1", "audit_hold=true"), "wrong_type", "case.model", "some text"),
        (
            ("model=G2", "firmware=2.4.1", "audit_hold=true", "colour=red"),
            "unknown_case_field",
            "case.colour",
            "add `colour: {type: string}` under case:",
        ),
    ],
)
def test_a_case_that_does_not_fit_the_contract_names_the_field(
    desk: Path, case: Sequence[str], code: str, where: str, says: str
) -> None:
    options = [word for pair in case for word in ("--case", pair)]
    told = fault("ask", QUESTION, *options, at=desk)
    assert (told["code"], told["where"]) == (code, where)
    assert says in told["remedy"]


def test_a_case_key_that_no_rule_judges_names_the_line_to_add(desk: Path) -> None:
    told = fault("search", "x", "--case", "colour=red", at=desk)
    assert (told["code"], told["where"]) == ("unknown_case_field", "case.colour")
    assert '`colour = "equals"`' in told["remedy"]
    assert "[eligibility.default] in toulmin.toml" in told["remedy"]


def test_outside_of_a_workspace_the_command_to_make_one_is_named(tmp_path: Path) -> None:
    run = started("ask", QUESTION, *CASE, at=tmp_path)
    assert (run.code, run.out) == (2, "")
    assert run.err.splitlines()[1] == "  try: make a workspace: toulmin init DIR"


@pytest.mark.parametrize(
    ("old", "new", "where", "says"),
    [
        ("id: gateway", "id: [gateway", "contracts/gateway-explain-and-next-step.yaml:3", "malformed YAML"),
        ("query:", "qeury:", f"{CONTRACT}:8: qeury", "write query"),
        ("version_in", "version_is", f"{CONTRACT}:11: eligibility.rules.firmware", "unknown rule 'version_is'"),
        ("k: 2", "k: 0", f"{CONTRACT}:9: k", "at least 1"),
        ("k: 2", "k: 2\nk: 3", f"{CONTRACT}:10", "'k' occurs twice"),
        ("type: string", "type: text", f"{CONTRACT}:5: case.model.type", "'text'"),
        ("{model} telemetry", "{modle} telemetry", f"{CONTRACT}:8: query", "{modle}"),
        ("mode: licensed", "mode: licenced", f"{CONTRACT}:20: answer.mode", "write licensed"),
        ("trusted: true", "trusted: yes", f"{CONTRACT}:7: case.audit_hold.trusted", "'yes'"),
    ],
)
def test_a_wrong_contract_names_file_line_and_key(tmp_path: Path, old: str, new: str, where: str, says: str) -> None:
    called("init", "desk", at=tmp_path)
    desk = tmp_path / "desk"
    right = (desk / CONTRACT).read_text()
    assert old in right
    (desk / CONTRACT).write_text(right.replace(old, new, 1))
    for command in (("ask", QUESTION, *CASE), ("contracts", "check")):
        told = fault(*command, at=desk)
        assert told["where"] == where
        assert says in f"{told['message']} {told['remedy']}"


def test_two_contracts_with_one_id_are_both_named(tmp_path: Path) -> None:
    called("init", "desk", at=tmp_path)
    desk = tmp_path / "desk"
    write(desk, {"contracts/second.yaml": (desk / CONTRACT).read_text()})
    told = fault("ask", "anything", at=desk)
    assert (told["code"], told["where"]) == ("duplicate_contract", "contracts/second.yaml: id")
    assert CONTRACT in told["message"]


@pytest.mark.parametrize(
    ("settings", "code", "where", "says"),
    [
        ("x = [", "bad_toml", "toulmin.toml:1", "malformed TOML"),
        ("[stoer]\n", "unknown_key", "toulmin.toml: stoer", "write store"),
        (
            "[eligibility.default]\nrules = { a = 'is' }\n",
            "unknown_rule",
            "toulmin.toml: eligibility.default.rules.a",
            "",
        ),
        ("[time]\nzone = 'Mars/Base'\n", "unknown_zone", "toulmin.toml: time.zone", "Mars/Base"),
        ("[open_question]\nprofile = 'x'\n", "unknown_profile", "toulmin.toml: open_question.profile", "'x'"),
        ("[policy]\nfile = 'gone.yaml'\n", "missing_file", "toulmin.toml: policy.file", "gone.yaml"),
    ],
)
def test_wrong_settings_name_their_key(tmp_path: Path, settings: str, code: str, where: str, says: str) -> None:
    told = fault("search", "x", at=workspace(tmp_path, settings=settings))
    assert (told["code"], told["where"]) == (code, where)
    assert says in f"{told['message']} {told['remedy']}"


@pytest.mark.parametrize(
    ("file", "code", "where"),
    [
        ("id = 3\n", "wrong_type", "who.toml: id"),
        ('id = "u', "bad_toml", "who.toml:1"),
        ('id = "u"\ngroups = ["ops"]\n', "bare_group", "who.toml: groups"),
        ('id = "u"\ntennant = "acme"\n', "unknown_key", "who.toml: tennant"),
        ('id = "u"\ntenant = "ac:me"\n', "bad_reader", "who.toml: tenant"),
    ],
)
def test_a_wrong_principal_file_names_its_key(tmp_path: Path, file: str, code: str, where: str) -> None:
    write(workspace(tmp_path), {"who.toml": file})
    told = fault("search", "x", "--as", "who.toml", at=tmp_path)
    assert (told["code"], told["where"]) == (code, where)


BAD_DOCUMENTS: Mapping[str, tuple[Mapping[str, str | bytes], str, str, str]] = {
    # the file: what stands in it and beside it, the code, the place, a word of the message or remedy
    "yaml.md": ({"yaml.md": "---\ntoulmin:\n  id: [A\n---\nText.\n"}, "bad_yaml", "yaml.md:4", "malformed YAML"),
    "key.md": (
        {"key.md": "---\ntoulmin:\n  readres: [public]\n---\nText.\n"},
        "unknown_key",
        "key.md:3: readres",
        "readers",
    ),
    "twice.md": (
        {"twice.md": "---\ntoulmin:\n  id: A\n  id: B\n---\nText.\n"},
        "duplicate_key",
        "twice.md:4",
        "first on line 3",
    ),
    "open.md": ({"open.md": "---\ntoulmin:\n  id: A\nText.\n"}, "bad_yaml", "open.md:1", "---"),
    "day.txt": (
        {"day.txt": "Text.\n", "day.txt.meta.yaml": "readers: [public]\nvalid_from: 2026-02-30\n"},
        "wrong_type",
        "day.txt.meta.yaml:2: valid_from",
        "2026-02-30",
    ),
    "days.txt": (
        {"days.txt": "Text.\n", "days.txt.meta.yaml": "valid_from: 2026-02-03\nvalid_to: 2026-02-03\n"},
        "bad_validity",
        "days.txt",
        "valid_to",
    ),
    "reader.txt": (
        {"reader.txt": "Text.\n", "reader.txt.meta.yaml": "readers: [public, 'group:ops']\n"},
        "bad_reader",
        "reader.txt.meta.yaml:1: readers[1]",
        "group:TENANT/GROUP",
    ),
    "scope.txt": (
        {"scope.txt": "Text.\n", "scope.txt.meta.yaml": "scope:\n  model: []\n"},
        "bad_scope",
        "scope.txt.meta.yaml:2: scope.model",
        "any value",
    ),
    "spans.txt": (
        {
            "spans.txt": "One two.\n",
            "spans.txt.meta.yaml": "spans:\n  - {id: s, fact: f, quote: One}\n  - {id: s, fact: f, quote: two}\n",
        },
        "duplicate_span",
        "spans.txt.meta.yaml:3: spans[1].id",
        "'s'",
    ),
    "absent.txt": (
        {"absent.txt": "One two.\n", "absent.txt.meta.yaml": "spans: [{id: s, fact: f, quote: three}]\n"},
        "quote_not_found",
        "absent.txt.meta.yaml:1: spans[0].quote",
        "does not occur",
    ),
    "again.txt": (
        {
            "again.txt": "One and one.\nOne and two.\n",
            "again.txt.meta.yaml": "spans: [{id: s, fact: f, quote: One and}]\n",
        },
        "quote_ambiguous",
        "again.txt.meta.yaml:1: spans[0].quote",
        "prefix",
    ),
    "sidecar.txt": (
        {"sidecar.txt": "Text.\n", "sidecar.txt.meta.yaml": b"title: Z\xfcrich\n"},
        "wrong_encoding",
        "sidecar.txt.meta.yaml:1",
        "UTF-8",
    ),
    "latin.txt": ({"latin.txt": b"Z\xfcrich\n"}, "bad_encoding", "latin.txt", "UTF-8"),
    "empty.txt": ({"empty.txt": ""}, "no_text", "empty.txt", "empty"),
    "blank.txt": ({"blank.txt": " \n\u200b"}, "no_text", "blank.txt", "white space"),
    "alone.txt.meta.yaml": ({"alone.txt.meta.yaml": GOOD}, "no_such_file", "alone.txt.meta.yaml", "sidecar"),
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, Any], str]:
    """A workspace in which a folder with every bad file, and a good one at each end, was ingested: the reports, in JSON and in words."""
    place = workspace(tmp_path_factory.mktemp("mixed"))
    write(place / "docs", {"a-good.txt": "Pump.\n", "z-good.txt": "Valve.\n"})
    for files, *_ in BAD_DOCUMENTS.values():
        write(place / "docs", files)
    run = called("ingest", "docs", "--readers", "public", "--json", at=place)
    assert (run.code, run.err) == (2, "")
    return (
        place,
        {item["path"]: item for item in run.json["files"]},
        called("ingest", "docs", "--readers", "public", at=place).out,
    )


@pytest.mark.parametrize("name", BAD_DOCUMENTS)
def test_a_bad_file_is_refused_with_its_place_and_a_remedy(
    mixed: tuple[Path, Mapping[str, Any], str], name: str
) -> None:
    _, reports, words = mixed
    _, code, where, says = BAD_DOCUMENTS[name]
    report = reports[name]
    assert (report["outcome"], report["document"]) == ("refused", None)
    assert (report["fault"]["code"], report["fault"]["where"]) == (code, where)
    assert report["fault"]["remedy"]
    assert says in f"{report['fault']['message']} {report['fault']['remedy']}"
    assert f"refused    {name}\n           {report['fault']['message']}\n" in words


def test_bad_files_leave_nothing_behind_and_stop_no_good_one(mixed: tuple[Path, Mapping[str, Any], str]) -> None:
    place, reports, _ = mixed
    assert {name for name, report in reports.items() if report["outcome"] == "refused"} == set(BAD_DOCUMENTS)
    assert [item["document"] for item in documents(place)] == ["a-good.txt", "z-good.txt"]


def test_a_version_never_gets_other_bytes(tmp_path: Path) -> None:
    place = write(workspace(tmp_path), {"docs/a.txt": "One.\n", "docs/b.txt": "Other.\n"})
    called("ingest", "docs", "--version", "1", "--readers", "public", at=place)
    before = documents(place)
    write(place, {"docs/a.txt": "Two.\n", "docs/c.txt": "New.\n"})
    run = called("ingest", "docs", "--version", "1", "--readers", "public", "--json", at=place)
    refused, unchanged, ingested = run.json["files"]
    assert (run.code, refused["fault"]["code"]) == (2, "other_bytes")
    assert "a.txt v1" in refused["fault"]["message"]
    assert "new version" in refused["fault"]["remedy"]
    assert [unchanged["outcome"], ingested["outcome"]] == ["unchanged", "ingested"]
    assert [item for item in documents(place) if item["document"] != "c.txt"] == before


def test_a_bad_manifest_is_named_with_its_line_before_anything_is_ingested(tmp_path: Path) -> None:
    place = write(
        workspace(tmp_path), {"docs/a.txt": "One.\n", "docs/manifest.jsonl": '{"path": "a.txt"}\n{"path": \n'}
    )
    run = called("ingest", "docs", "--json", at=place)
    (refused,) = run.json["files"]
    assert (run.code, refused["fault"]["code"]) == (2, "bad_json")
    assert refused["fault"]["where"].endswith("manifest.jsonl:2")
    assert documents(place) == []


def test_a_named_path_that_is_not_there_or_not_readable_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    place = write(workspace(tmp_path), {"a.txt": "One.\n", "picture.png": "x"})
    run = called("ingest", "gone", "picture.png", "a.txt", "--readers", "public", "--json", at=place)
    assert run.code == 2
    assert [(item["outcome"], (item["fault"] or {}).get("code")) for item in run.json["files"]] == [
        ("refused", "no_such_file"),
        ("refused", "unsupported_format"),
        ("ingested", None),
    ]


def test_a_file_that_is_no_store_is_left_as_it_is(tmp_path: Path) -> None:
    place = write(workspace(tmp_path), {".toulmin/corpus.db": "my own notes"})
    run = called("search", "x", "--json", at=place)
    assert (run.code, run.json["code"]) == (1, "not_a_store")
    assert (place / ".toulmin/corpus.db").read_text() == "my own notes"
