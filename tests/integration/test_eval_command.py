from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.errors import InputError
from toulmin.ports.source import Entry
from toulmin.surfaces.cli.evaluate import app
from toulmin.surfaces.sync import Workspace

SETTINGS = """\
[eligibility.pump]
rules = { pump = "version_in" }
[eligibility.unruled]
rules = {}
ignore = ["pump"]
"""
TEXTS = {
    "1": "# Pump\n\nThe pump stops at 80 degrees.\n",
    "2": "# Pump\n\nThe pump stops at 95 degrees.\n",
}
QUESTIONS: tuple[dict[str, object], ...] = (
    {"id": "stop-1", "version": "1", "gold": [{"path": "pump.md", "quote": "stops at 80 degrees."}]},
    {"id": "stop-2", "version": "2", "gold": [{"path": "pump.md", "quote": "stops at  95 degrees."}]},
    {"id": "start-2", "version": "2", "gold": [{"path": "start.md", "quote": "starts by itself"}]},
    {"id": "colour-2", "version": "2", "gold": [], "kind": "silent"},
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pumps")
    (folder / "toulmin.toml").write_text(SETTINGS, encoding="utf-8")
    (folder / "questions.jsonl").write_text("\n".join(map(row, QUESTIONS)), encoding="utf-8")
    with Workspace.open(folder) as workspace:
        for version, text in TEXTS.items():
            (folder / version).mkdir()
            (folder / version / "pump.md").write_text(text, encoding="utf-8")
            given = Metadata(
                stated=frozenset({"scope", "version", "readers"}),
                scope=Scope.of({"pump": version}),
                version=version,
                readers=("tenant:acme",),
            )
            found = workspace.entries([folder / version], options=given)
            assert [report.fault for report in workspace.ingest(e for e in found if isinstance(e, Entry))] == [None]
    return folder


def row(question: dict[str, object]) -> str:
    text = {"question": "When does the pump stop?", "kind": "fact", "group": "pump"}
    return json.dumps({**text, "answerable": bool(question["gold"]), **question})


def evaluated(place: Path, *options: str, case: str = "pump={version}", profile: str = "pump") -> Result:
    common = ["--workspace", str(place), "--profile", profile, "--user", "u", "--tenant", "acme"]
    cases = ["--case", case] if case else []
    args = ["retrieval", str(place / "questions.jsonl"), *common, *cases, *options]
    return CliRunner().invoke(app, args, standalone_mode=False)


def usage_error(place: Path, *options: str, case: str = "pump={version}") -> InputError:
    fault = evaluated(place, *options, case=case).exception
    assert isinstance(fault, InputError)
    return fault


def test_the_report_on_the_terminal_shows_metrics_with_intervals_and_passages_of_another_version(place: Path) -> None:
    ran = evaluated(place)
    assert ran.return_value == 0
    lines = [" ".join(line.split()) for line in ran.stdout.splitlines()]
    assert "all 4 3 0.667 (0.21–0.94) 0.667 (0.21–0.94)" in lines
    assert "version 1 1 1 1.000 (0.21–1.00) 1.000 (0.21–1.00)" in lines
    assert "phenomenon silent 1 0 - -" in lines
    assert lines[-1] == "passages of another version: 0 of 4 found"


def test_the_questions_whose_gold_was_not_found_are_listed_on_demand(place: Path) -> None:
    assert "start-2" not in evaluated(place).stdout
    listed = [line for line in evaluated(place, "--verbose").stdout.splitlines() if line.startswith("missed: ")]
    assert listed == ["missed: start-2: not among 1 passages"]


def test_json_is_one_document_on_stdout_even_where_a_bound_is_missed(place: Path) -> None:
    ran = evaluated(place, "--json", "--min", "recall@5=0.9", "--min", "mrr@10=0.5", "--max", "recall@5=0.5")
    assert ran.return_value == 8
    assert json.loads(ran.stdout)["metrics"]["recall@5"]["value"] == pytest.approx(2 / 3)
    assert ran.stderr.splitlines() == [
        "missed: recall@5 is 0.6667, below 0.9",
        "missed: recall@5 is 0.6667, above 0.5",
    ]


def test_without_the_version_in_the_case_passages_of_another_version_are_counted(place: Path) -> None:
    ran = evaluated(place, "--json", "--max", "other_version_passages=0", case="", profile="unruled")
    found = json.loads(ran.stdout)["metrics"]
    assert {name: found[name]["value"] for name in ("answerable", "passages", "other_version_passages")} == {
        "answerable": 3,
        "passages": 8,
        "other_version_passages": 4,
    }
    assert ran.return_value == 8


def test_the_reciprocal_rank_looks_below_the_passages_of_recall(place: Path) -> None:
    ran = evaluated(place, "-k", "1", "--json", case="", profile="unruled")
    assert json.loads(ran.stdout)["metrics"]["passages"]["value"] == 8


def test_what_the_principal_may_not_read_is_not_found(place: Path) -> None:
    args = ["retrieval", str(place / "questions.jsonl"), "--workspace", str(place), "--profile", "pump"]
    ran = CliRunner().invoke(app, [*args, "--case", "pump={version}", "--json"], standalone_mode=False)
    assert json.loads(ran.stdout)["metrics"]["passages"]["value"] == 0


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("ndcg@10=0.5", "--min ndcg@10: no such metric"),
        ("recall@10=0.5", "--min recall@10: no such metric"),
        ("recall@5=high", "--min 'high' is no number"),
        ("recall@5=nan", "--min 'nan' is no number"),
        ("recall@5", "--min 'recall@5' is no NAME=VALUE"),
    ],
)
def test_a_bound_that_cannot_be_judged_is_a_usage_error(place: Path, option: str, says: str) -> None:
    fault = usage_error(place, "--min", option)
    assert (fault.code, fault.message) == ("usage", says)


def test_an_unknown_metric_names_the_metrics(place: Path) -> None:
    remedy = usage_error(place, "-k", "3", "--max", "recall=1").remedy
    assert remedy == (
        "use one of recall@3, mrr@10, answerable, passages, other_version_passages, "
        "or an end of its interval: recall@3.low, recall@3.high"
    )


def test_more_passages_than_a_search_gives_are_refused_and_not_cut_off(place: Path) -> None:
    fault = usage_error(place, "-k", "21")
    assert fault.message == "the metrics look at 21 passages, and a search gives at most 20"


def test_an_unknown_placeholder_is_refused(place: Path) -> None:
    assert usage_error(place, case="pump={release}").code == "unknown_placeholder"
