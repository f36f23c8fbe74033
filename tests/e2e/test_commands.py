"""Every command on the gateway sample: what it prints, its one JSON document, its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli import CASE, QUESTION, called, documents, started, workspace, write

OUTCOME = {
    *("schema", "outcome", "assurance", "reason", "detail", "retry_after_s", "missing", "sufficiency", "as_of"),
    *("answer", "withheld", "search", "packet"),
}
ITEM = {"document", "version", "passage", "text", "start", "end", "utf16", "pages", "heading", "score"}
CLAIM = {"text", "fact", "citations", "verdict"}
CITATION = {"document", "version", "span", "quote", "start", "end", "utf16", "pages"}
VERDICT = {"status", "reason", "checks", "objections"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, ingested, in a path with spaces. Tests that change the corpus make their own."""
    return sample(tmp_path_factory.mktemp("with spaces") / "my desk")


def sample(place: Path) -> Path:
    """As a base install makes it: by words alone, whatever is installed here."""
    assert called("init", place.name, at=place.parent).code == 0
    settings = place / "toulmin.toml"
    settings.write_text(settings.read_text(encoding="utf-8").partition("\n[judge]")[0], encoding="utf-8")
    assert called("ingest", "documents", at=place).code == 0
    return place


def asked(desk: Path, *options: str) -> Any:
    return called("ask", QUESTION, *CASE, *options, "--json", at=desk).json


def test_the_command_that_init_prints_ingests_the_sample_from_a_shell(tmp_path: Path) -> None:
    made = started("init", "it's my desk", at=tmp_path)
    assert made.code == 0
    _, step = made.out.splitlines()
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["sh", "-c", step.removeprefix("next: ")],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "6 ingested; 6 passages"


def test_an_answer_in_words_has_numbered_citations_with_their_words_and_its_receipt(desk: Path) -> None:
    run = started("ask", QUESTION, *CASE, at=desk)
    assert (run.code, run.err) == (0, "")
    lines = run.out.splitlines()
    assert lines[0] == "Answered (licensed)"
    assert "  Firmware 2.4.1 on G2 gateways may stop sending telemetry after a reconnect. [1]" in lines
    cited = "  [1] GW-241 v3 (Gateway telemetry after reconnect), s1: "
    assert cited + '"G2 firmware 2.4.1 may stop sending telemetry after a reconnect."' in lines
    assert [line.split()[0] for line in lines[-2:]] == ["packet", "evidence"]


def test_the_demo_prints_its_lines_and_then_the_answer(tmp_path: Path) -> None:
    run = started("demo", at=tmp_path)
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines()[0] == ("K=2 take-then-filter: []  filter-then-take: [GW-241, HOLD-7]  missing=[]")
    assert "we will not roll back the firmware. [2]" in run.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "schema"),
    [
        (("search", "telemetry"), "toulmin.search/1"),
        (("ask", QUESTION, *CASE), "toulmin.outcome/1"),
        (("ask", "--text", "telemetry"), "toulmin.outcome/1"),
        (("ingest", "documents"), "toulmin.ingest/1"),
        (("document", "list"), "toulmin.documents/1"),
        (("document", "show", "GW-241"), "toulmin.document/1"),
        (("contracts", "check"), "toulmin.contracts/1"),
        (("index", "rebuild"), "toulmin.index/1"),
        (("demo",), "toulmin.demo/1"),
        (("init", "other"), "toulmin.init/1"),
        (("document", "show", "no such"), "toulmin.error/1"),
        (("nonsense",), "toulmin.error/1"),
        (("search",), "toulmin.error/1"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else None,
)
def test_json_is_one_document_on_stdout_and_nothing_else(desk: Path, arguments: Sequence[str], schema: str) -> None:
    assert called(*arguments, "--json", at=desk).json["schema"] == schema


def test_withdraw_and_delete_tell_what_they_did_in_one_json_document(tmp_path: Path) -> None:
    desk = sample(tmp_path / "desk")
    for command, document, state in (("withdraw", "GW-241", "withdrawn"), ("delete", "HOLD-7", "deleted")):
        run = called("document", command, document, "--json", at=desk)
        (changed,) = run.json["documents"]
        assert (run.code, changed["document"], changed["state"]) == (0, document, state)
    assert {item["document"]: item["state"] for item in documents(desk)} == {
        "BILL-42": "live",
        "G2-USB": "live",
        "GW-241": "withdrawn",
        "HOLD-7": "deleted",
        "OLD-240": "live",
    }
    assert [item["document"] for item in asked(desk)["search"]] == ["G2-USB"]


def test_one_version_is_withdrawn_and_the_other_stays(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    for version in ("1", "2"):
        write(place, {"docs/a.txt": f"Pump {version}.\n"})
        called("ingest", "docs", "--version", version, "--readers", "public", at=place)
    assert called("document", "withdraw", "a.txt", "--version", "1", at=place).out == "withdrawn: a.txt v1\n"
    assert [(item["version"], item["state"]) for item in documents(place)] == [("1", "withdrawn"), ("2", "live")]
    again = called("document", "withdraw", "a.txt", "--version", "1", at=place)
    assert (again.code, "a.txt v1" in again.err) == (2, True)


def test_the_outcome_has_the_keys_of_its_schema_and_no_others(desk: Path) -> None:
    for outcome in (
        asked(desk),
        asked(desk, "-k", "1"),
        called("ask", "nothing", "--json", at=desk).json,
        called("ask", "--text", "payment", "--json", at=desk).json,
    ):
        assert set(outcome) == OUTCOME
    answered = asked(desk)
    assert set(answered["answer"]) == {"text", "claims"}
    assert set(answered["packet"]) == {"id", "evidence", "corpus"}
    assert all(set(item) == ITEM for item in answered["search"])
    for claim in answered["answer"]["claims"]:
        assert (set(claim), set(claim["verdict"])) == (CLAIM, VERDICT)
        assert all(set(citation) == CITATION for citation in claim["citations"])


def test_an_answer_says_how_sure_it_is_and_rests_on_its_claims(desk: Path) -> None:
    answered = asked(desk)
    assert (answered["outcome"], answered["assurance"]) == ("Answered", "licensed")
    assert answered["sufficiency"] == "sufficient_for_template"
    assert answered["answer"]["text"] == " ".join(claim["text"] for claim in answered["answer"]["claims"])
    assert [claim["fact"] for claim in answered["answer"]["claims"]] == ["known-issue", "audit-constraint"]
    assert answered["packet"]["id"].startswith("pk-")
    assert answered["as_of"].endswith("Z")


def test_what_a_case_does_not_have_is_not_said(desk: Path) -> None:
    case = ("--case", "model=G2", "--case", "firmware=2.4.1", "--case", "audit_hold=false")
    outcome = called("ask", QUESTION, *case, "--json", at=desk).json
    assert [claim["fact"] for claim in outcome["answer"]["claims"]] == ["known-issue"]
    assert "hold" not in outcome["answer"]["text"]


def test_each_outcome_has_its_exit_code(desk: Path) -> None:
    runs = {
        "Answered": called("ask", QUESTION, *CASE, "--json", at=desk),
        "AskForEvidence": called("ask", QUESTION, *CASE, "-k", "1", "--json", at=desk),
        "UnsupportedQuestion": called("ask", "nothing", "--json", at=desk),
        "SearchOnly": called("ask", "--text", "payment", "--json", at=desk),
    }
    assert {name: run.json["outcome"] for name, run in runs.items()} == {name: name for name in runs}
    assert [run.code for run in runs.values()] == [0, 3, 4, 6]


def test_every_outcome_but_an_unsupported_question_has_a_packet(desk: Path) -> None:
    asking = asked(desk, "-k", "1")
    assert asking["missing"] == ["audit-constraint"]
    assert called("packet", "show", asking["packet"]["id"], at=desk).code == 0
    searching = called("ask", "--text", "payment", "--json", at=desk).json
    assert (searching["reason"], searching["answer"]) == ("no_drafter", None)
    assert called("packet", "show", searching["packet"]["id"], at=desk).code == 0
    assert called("ask", "nothing", "--json", at=desk).json["packet"] is None


def test_each_outcome_tells_in_words_what_to_do_next(desk: Path) -> None:
    steps = {
        "toulmin contracts check": called("ask", QUESTION, *CASE, "-k", "1", at=desk),
        "write a contract": called("ask", "nothing", at=desk),
        "read the passages": called("ask", "--text", "payment", at=desk),
        "--profile": called("ask", "--text", "zebra", at=desk),
        "--explain": called("search", "payment", "--as-of", "1999-01-01", at=desk),
    }
    for step, run in steps.items():
        advice = [line for line in run.out.splitlines() if line.startswith(("next: ", "try: "))]
        assert [step in line for line in advice] == [True]


def test_search_has_the_keys_of_its_schema_and_explains_only_when_asked(desk: Path) -> None:
    words = ("search", "telemetry", "--case", "model=G2", "--case", "firmware=2.4.1", "--json")
    plain = called(*words, at=desk).json
    assert set(plain) == {"schema", "results", "eligible"}
    assert all(set(item) == ITEM for item in plain["results"])
    assert (plain["eligible"], [item["document"] for item in plain["results"]]) == (4, ["GW-241"])
    (excluded,) = called(*words, "--explain", at=desk).json["excluded"]
    assert excluded == {
        "document": "OLD-240",
        "version": "9",
        "reasons": [{"attribute": "firmware", "rule": "version_in", "document_value": "2.4.0", "case_value": "2.4.1"}],
    }


def test_offsets_slice_back_to_the_words_in_code_points_and_in_utf16_units(desk: Path, tmp_path: Path) -> None:
    place = workspace(tmp_path, settings="[eligibility.default]\n")
    text = "# 🤔 Fees\r\n\r\n🤔🤔 The fee is 5 €.\r\n\r\n## 👩‍👩‍👧 Plan\r\n\r\n👩‍👩‍👧 The family fee is 9 €.\r\n"
    write(place, {"docs/fees.md": text})
    called("ingest", "docs", "--readers", "public", at=place)
    found = called("search", "fee", "--json", at=place).json["results"]
    assert len(found) == 2
    cited = [
        {**citation, "text": citation["quote"]}
        for claim in asked(desk)["answer"]["claims"]
        for citation in claim["citations"]
    ]
    for item in (*found, *cited):
        path = (
            place / "docs" / "fees.md" if item["document"] == "fees.md" else desk / f"documents/{item['document']}.md"
        )
        whole = path.read_bytes().decode()
        first, last = item["utf16"]
        assert whole[item["start"] : item["end"]] == item["text"]
        assert whole.encode("utf-16-le")[2 * first : 2 * last].decode("utf-16-le") == item["text"]
    assert any(item["utf16"] != [item["start"], item["end"]] for item in found)
    assert found[0]["heading"][0] == "🤔 Fees"


def test_a_workspace_is_found_from_below_and_by_name_from_elsewhere(desk: Path, tmp_path: Path) -> None:
    here = called("document", "list", "--json", at=desk).json
    assert called("document", "list", "--json", at=desk / "documents").json == here
    assert called("document", "list", "--json", "--workspace", str(desk), at=tmp_path).json == here
    told = called("document", "list", "--json", "--workspace", str(desk / "contracts"), at=desk)
    assert (told.code, told.json["code"]) == (2, "no_workspace"), "a folder that is named is meant, not its parent"


def test_paths_to_ingest_count_from_where_the_command_is_given(tmp_path: Path) -> None:
    place = workspace(tmp_path / "desk")
    write(tmp_path / "elsewhere", {"docs/a.txt": "Pump.\n"})
    run = called("ingest", "docs", "--workspace", str(place), "--readers", "public", at=tmp_path / "elsewhere")
    assert run.code == 0
    assert [item["document"] for item in documents(place)] == ["a.txt"]


def test_document_show_tells_metadata_spans_and_passages(desk: Path) -> None:
    out = called("document", "show", "GW-241", at=desk).out
    for line in (
        "GW-241 v3: Gateway telemetry after reconnect",
        "  state:             live",
        "  scope:             firmware=<2.4.2,>=2.4.1; model=G2",
        "  readers:           public",
        '  span s1 (known-issue) [345-408]: "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."',
        "  passage p345-506  Telemetry stops",
    ):
        assert line in out.splitlines()


def test_a_packet_tells_what_was_asked_what_was_answered_and_what_became_of_its_sources(tmp_path: Path) -> None:
    desk = sample(tmp_path / "desk")
    packet = asked(desk)["packet"]
    shown = called("packet", "show", packet["id"], "--json", at=desk).json
    assert {key: shown[key] for key in ("id", "evidence", "corpus")} == packet
    assert shown["body"]["evidence"] == packet["evidence"]
    assert [source["state"] for source in shown["sources"]] == ["current", "current"]
    called("document", "withdraw", "GW-241", at=desk)
    called("document", "delete", "HOLD-7", at=desk)
    after = called("packet", "show", packet["id"], "--json", at=desk).json
    assert [(source["document"], source["state"]) for source in after["sources"]] == [
        ("GW-241", "withdrawn"),
        ("HOLD-7", "deleted"),
    ]
    words = called("packet", "show", packet["id"], at=desk).out
    assert "case: audit_hold = true" in words
    assert "Every gateway under the hold" in json.dumps(shown)
    assert "Every gateway under the hold" not in words + json.dumps(after)
    assert "text no longer kept" in words


def test_contracts_check_passes_on_the_sample_and_fails_without_its_witness(tmp_path: Path) -> None:
    desk = sample(tmp_path / "desk")
    good = called("contracts", "check", at=desk)
    assert (good.code, good.out) == (0, "1 contract: 0 errors, 0 warnings\n")
    called("document", "withdraw", "HOLD-7", at=desk)
    bad = called("contracts", "check", "--json", at=desk)
    (finding,) = [finding for finding in bad.json["findings"] if finding["fatal"]]
    assert (bad.code, finding["code"], finding["fact"]) == (8, "no_witness", "audit-constraint")


def test_a_rebuilt_index_finds_what_the_old_one_found(tmp_path: Path) -> None:
    desk = sample(tmp_path / "desk")
    before = called("search", "payment thirty", "--json", at=desk).json
    assert [item["document"] for item in before["results"]] == ["BILL-42"]
    assert called("index", "rebuild", at=desk).code == 0
    assert called("search", "payment thirty", "--json", at=desk).json == before


@pytest.mark.parametrize(
    "command",
    [
        (),
        *((name,) for name in "demo init ingest search ask review document packet contracts index eval doctor".split()),
        *(("document", name) for name in "list show withdraw delete".split()),
        ("packet", "show"),
        ("contracts", "check"),
        ("index", "rebuild"),
    ],
    ids=" ".join,
)
def test_each_help_says_what_the_command_does_without_being_cut_off(tmp_path: Path, command: Sequence[str]) -> None:
    run = called(*command, "--help", at=tmp_path)
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith(" ".join(("Usage: toulmin", *command)))
    assert not [line for line in run.out.splitlines() if line.endswith("...") and "Usage" not in line]


def test_without_a_command_the_help_is_shown(tmp_path: Path) -> None:
    assert called(at=tmp_path) == called("--help", at=tmp_path)
