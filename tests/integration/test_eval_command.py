from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.samples.tiny_embedders import folder
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.fusion import mixed
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


def ran(dataset: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["retrieval", str(dataset), *options], standalone_mode=False)


def usage_error(place: Path, *options: str, case: str = "pump={version}") -> InputError:
    fault = evaluated(place, *options, case=case).exception
    assert isinstance(fault, InputError)
    return fault


def test_the_report_on_the_terminal_shows_metrics_with_intervals_and_passages_of_another_version(place: Path) -> None:
    ran = evaluated(place)
    assert ran.return_value == 0
    lines = [" ".join(line.split()) for line in ran.stdout.splitlines()]
    assert lines[0] == "questions.jsonl: 4 questions, 3 with something to find"
    assert "recall@5 0.667 (0.21–0.94)" in lines
    assert "1 1 1.00 (.21–1.00) 1.00 (.21–1.00) 1.00 (.21–1.00)" in lines
    assert "silent 1 - - -" in lines
    assert lines[-2:] == ["passages of another version: 0 of 4 found", "longest passage found: 6 words"]


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
        ("ndcg@5=0.5", "--min ndcg@5: no such metric"),
        ("recall@20=0.5", "--min recall@20: no such metric"),
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
        "use one of ndcg@10, recall@3, recall@5, recall@10, recall@100, mrr@10, answerable, passages, "
        "other_version_passages, longest_passage, or an end of its interval: ndcg@10.low, ndcg@10.high"
    )


def test_a_search_looks_deeper_than_one_that_people_read(tmp_path: Path) -> None:
    (tmp_path / "toulmin.toml").touch()
    with Workspace.open(tmp_path) as workspace:
        text = "".join(f"# Pump {at}\n\nThe pump stops at {at} degrees.\n\n" for at in range(30))
        (tmp_path / "pump.md").write_text(text, encoding="utf-8")
        given = Metadata(stated=frozenset({"version", "readers"}), version="1", readers=("public",))
        found = workspace.entries([tmp_path / "pump.md"], options=given)
        assert [report.fault for report in workspace.ingest(e for e in found if isinstance(e, Entry))] == [None]
    dataset = tmp_path / "questions.jsonl"
    gold = [{"path": "pump.md", "quote": "stops at 29 degrees."}]
    dataset.write_text(row({"id": "q", "version": "1", "gold": gold}), encoding="utf-8")
    found_all = ran(dataset, "--workspace", str(tmp_path), "--json", "-k", "30")
    assert {name: value["value"] for name, value in json.loads(found_all.stdout)["metrics"].items()}["passages"] == 30
    assert json.loads(found_all.stdout)["metrics"]["recall@30"]["value"] == 1


def test_groups_are_measured_apart_and_the_others_counted(place: Path) -> None:
    only = hashlib.sha256(b"pump").hexdigest()[0]
    assert evaluated(place, "--groups", only).stderr == ""
    other = "0" if only != "0" else "1"
    fault = usage_error(place, "--groups", other)
    assert (fault.code, fault.message) == ("empty_dataset", "no question is left to ask")


def test_rows_and_a_page_are_written_on_demand(place: Path, tmp_path: Path) -> None:
    rows_file, html = tmp_path / "rows.jsonl", tmp_path / "report.html"
    assert evaluated(place, "--rows", str(rows_file), "--html", str(html)).return_value == 0
    found = [json.loads(line) for line in rows_file.read_text(encoding="utf-8").splitlines()]
    assert [(line["id"], line["rank"]) for line in found] == [
        ("stop-1", 1),
        ("stop-2", 1),
        ("start-2", None),
        ("colour-2", None),
    ]
    assert "Retrieval: questions.jsonl" in html.read_text(encoding="utf-8")


def test_a_split_has_no_meaning_for_a_file_of_questions(place: Path) -> None:
    assert (
        usage_error(place, "--split", "test").message
        == "--split has no effect: a file of questions is measured in a workspace"
    )


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("beir")
    long = " ".join(f"Sentence {at} is about valves." for at in range(200))
    documents = [
        {"_id": "d1", "title": "Stopping", "text": "The pump stops at 80 degrees."},
        {"_id": "d2", "title": "Valves", "text": long},
        {"_id": "d3", "title": "Colour of pumps", "text": ""},
        {"_id": "d4", "title": "", "text": ""},
        *({"_id": f"v{at}", "title": "", "text": "A valve."} for at in range(120)),
    ]
    queries = [
        {"_id": "q1", "text": "When does the pump stop?"},
        {"_id": "q2", "text": "What is the colour of pumps?"},
        {"_id": "q3", "text": "about valves"},
        {"_id": "q4", "text": "Nobody judged this."},
    ]
    for name, rows in (("corpus", documents), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("q1\td1\t2\nq2\td3\t1\nq3\td2\t1\nq3\td1\t1\n", encoding="utf-8")
    (folder / "qrels" / "train.tsv").write_text("q2\td1\t1\n", encoding="utf-8")
    return folder


def test_a_collection_is_ingested_and_its_queries_are_worth_what_they_find(collection: Path, tmp_path: Path) -> None:
    rows_file = tmp_path / "rows.jsonl"
    done = ran(collection, "--json", "--rows", str(rows_file), "--min", "recall@5=0.99", "--max", "ndcg@10=1")
    metrics = {name: value["value"] for name, value in json.loads(done.stdout)["metrics"].items()}
    found = {line["id"]: line for line in map(json.loads, rows_file.read_text(encoding="utf-8").splitlines())}
    assert [found[name]["found"][0]["document"] for name in ("q1", "q2")] == ["d1", "d3"]
    assert found["q3"]["rank"] == 1
    assert found["q3"]["scores"]["recall@100"] == 0.5
    assert metrics["recall@100"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert done.return_value == 8
    assert done.stderr.splitlines() == [
        "note: documents without title and text, which nothing finds: 1",
        "note: queries without a judgement in test, left out: 1",
        "missed: recall@5 is 0.8333, below 0.99",
    ]


def test_a_search_of_a_collection_goes_deeper_until_there_are_enough_documents(
    collection: Path, tmp_path: Path
) -> None:
    rows_file = tmp_path / "rows.jsonl"
    ran(collection, "--rows", str(rows_file))
    (valves,) = (
        line for line in map(json.loads, rows_file.read_text(encoding="utf-8").splitlines()) if line["id"] == "q3"
    )
    assert valves["passages"] > 100


def test_a_collection_that_is_kept_is_not_ingested_again(collection: Path, tmp_path: Path) -> None:
    first, second = (ran(collection, "--keep", str(tmp_path / "kept"), "--json") for _ in range(2))
    assert (tmp_path / "kept" / ".toulmin" / "corpus.db").exists()
    assert json.loads(first.stdout) == json.loads(second.stdout)


def test_a_search_by_meaning_needs_an_embedder(collection: Path) -> None:
    assert json.loads(ran(collection, "--search", "words", "--json").stdout)["metrics"]["recall@5"]["value"] > 0
    fault = ran(collection, "--search", "meaning").exception
    assert isinstance(fault, InputError)
    assert fault.message == "--search meaning: there is no embedder"


def test_a_collection_is_searched_as_the_workspace_does_by_words_meaning_or_both(
    collection: Path, tmp_path: Path
) -> None:
    folder(tmp_path / "model")
    (tmp_path / "toulmin.toml").write_text('[embedder]\nkind = "onnx"\nmodel_dir = "model"\n', encoding="utf-8")
    found = {}
    for way in ("words", "meaning", "both"):
        rows_file = tmp_path / f"{way}.jsonl"
        given = [
            "--workspace",
            str(tmp_path),
            "--keep",
            str(tmp_path / "kept"),
            "--search",
            way,
            "--rows",
            str(rows_file),
        ]
        assert ran(collection, *given).return_value == 0
        first = json.loads(rows_file.read_text(encoding="utf-8").splitlines()[0])
        found[way] = {item["document"]: item["score"] for item in first["found"]}
    assert found["words"]["d1"] != found["meaning"]["d1"]
    assert found["both"]["d1"] == pytest.approx(mixed(found["words"]["d1"], found["meaning"]["d1"]))


def test_an_unknown_way_to_search_names_the_ways(place: Path) -> None:
    fault = usage_error(place, "--search", "both ways")
    assert (fault.message, fault.remedy) == ("--search both ways: no such way", "write both")


def test_a_split_is_named(collection: Path) -> None:
    shown = ran(collection, "--split", "train")
    assert "(train): 1 questions, 1 with something to find" in shown.stdout
    fault = ran(collection, "--split", "dev").exception
    assert isinstance(fault, InputError)
    assert fault.remedy == "name a --split that is there: test, train"


@pytest.mark.parametrize("option", [("--case", "a=b"), ("--profile", "pump"), ("--groups", "0-7")])
def test_options_that_have_no_effect_on_a_collection_are_refused(collection: Path, option: tuple[str, str]) -> None:
    fault = ran(collection, *option).exception
    assert isinstance(fault, InputError)
    assert fault.message == f"{option[0]} has no effect: of a BEIR folder every query is searched as it stands"


def test_a_document_that_cannot_be_read_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d1", "text": "fine"}\n{"_id": "d2", "text": "--- ..."}', encoding="utf-8"
    )
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "fine"}', encoding="utf-8")
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("q1\td1\t1\n", encoding="utf-8")
    fault = ran(tmp_path).exception
    assert isinstance(fault, InputError)
    assert (fault.code, "corpus.jsonl:2" in str(fault.where)) == ("no_text", True)


def test_an_unknown_placeholder_is_refused(place: Path) -> None:
    assert usage_error(place, case="pump={release}").code == "unknown_placeholder"
