from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from toulmin.domain.errors import InputError, ToulminError
from toulmin.surfaces.cli.evaluate import app
from toulmin.testing.provider import Provider, fails, judges

PASSAGE = "The pump stops at 80 degrees. The valve of the pump is made of brass and lasts for many years."
ROWS: tuple[dict[str, object], ...] = (
    {"claim": "The pump stops at 80 degrees.", "label": "supported", "phenomenon": "verbatim", "group": "stop"},
    {"claim": "The pump stops at 95 degrees.", "label": "contradicted", "phenomenon": "number", "group": "stop"},
    {"claim": "The brass valve lasts for years.", "label": "supported", "phenomenon": "paraphrase", "group": "valve"},
    {
        "claim": "The brass valve is repaired for free.",
        "label": "not_supported",
        "phenomenon": "paraphrase",
        "group": "valve",
    },
)


@pytest.fixture(autouse=True)
def outside_any_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")  # tables are as wide as the terminal


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    path = tmp_path / "claims.jsonl"
    rows = [{"id": f"c-{at}", "passage": PASSAGE, "version": "2", **row} for at, row in enumerate(ROWS)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def workspace(folder: Path, provider: Provider, *, external: bool = False, kind: str = "llm") -> Path:
    folder.mkdir()
    section = f'[judge]\nkind = "{kind}"\nbase_url = "{provider.base_url}"\nexternal = {str(external).lower()}\n'
    (folder / "toulmin.toml").write_text(section, encoding="utf-8")
    return folder


def ran(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], standalone_mode=False)


def as_json(*arguments: object) -> Any:
    found = ran("claims", *arguments, "--json")
    assert found.exception is None, found.exception
    return json.loads(found.stdout)


def refusal(*arguments: object) -> ToulminError:
    fault = ran(*arguments).exception
    assert isinstance(fault, ToulminError)
    return fault


def by_year(state: Mapping[str, Any]) -> tuple[float, ...]:
    """A judge that supports what is about years, with a probability of its own."""
    return (0.97, 0.01, 0.02) if "years" in state["claim"] else (0.1, 0.1, 0.8)


def test_the_oracles_are_measured_without_a_workspace(dataset: Path) -> None:
    shape = as_json(dataset)
    assert (shape["judge"], shape["n"]) == ("oracles", 4)
    assert shape["datasets"] == ["claims.jsonl"], "where it lies is nobody's business"
    assert "groups" not in shape
    values = {name: measure["value"] for name, measure in shape["metrics"].items()}
    assert values["false_accept_rate"] == 0
    assert values["false_rejection_rate"] == 1 / 2
    assert values["unsupported_claim_rate"] == 0
    assert values["objected_contradicted"] == 1
    assert values["objected_supported"] == 0
    assert values["auroc"] is None
    assert shape["by"]["phenomenon"]["number"]["metrics"]["objected_not_supported"]["value"] == 1
    assert shape["by"]["source_type"] == {}


def test_the_terminal_shows_judges_beside_baselines_and_says_what_is_left_out(dataset: Path) -> None:
    found = ran("claims", dataset)
    assert found.return_value == 0
    lines = [" ".join(line.split()) for line in found.stdout.splitlines()]
    assert "oracles majority overlap" in lines
    assert any(line.startswith("false_accept_rate 0.00 (.00–") for line in lines)
    assert any(
        line.startswith("overlap: supported where at least 60% of the claim's different words") for line in lines
    )
    assert "labelled supported 1 0 1" in lines
    assert lines[-1] == "1 claim labelled only not_supported: not in accuracy, macro_f1 and the confusion matrix"


def test_a_bound_is_a_gate_and_an_undefined_rate_passes_none(dataset: Path) -> None:
    kept = ran("claims", dataset, "--max", "false_accept_rate=0", "--min", "objected_contradicted=0.9")
    assert kept.return_value == 0
    missed = ran("claims", dataset, "--json", "--max", "false_rejection_rate=0.4", "--min", "auroc=0.5")
    assert missed.return_value == 8
    assert json.loads(missed.stdout)["n"] == 4
    assert missed.stderr.splitlines() == [
        "missed: auroc could not be measured: it is over no row of the dataset, 0 of 0",
        "missed: false_rejection_rate is 0.5, above 0.4",
    ]


def test_a_bound_on_no_metric_is_refused_before_anything_is_judged(dataset: Path) -> None:
    assert refusal("claims", dataset, "--max", "recall=1").message == "--max recall: no such metric"


def test_judges_are_measured_side_by_side_on_the_same_claims(tmp_path: Path, dataset: Path) -> None:
    with Provider(judges(by_year)) as provider:
        place = workspace(tmp_path / "desk", provider)
        shape = as_json(dataset, "--workspace", place, "--judge", "oracles", "--judge", "llm")
    assert list(shape["judges"]) == ["oracles", "llm"]
    rejected = {name: judge["metrics"]["false_rejection_rate"]["value"] for name, judge in shape["judges"].items()}
    assert rejected == {"oracles": 1 / 2, "llm": 0}
    assert shape["judges"]["llm"]["metrics"]["auroc"]["value"] == 1
    assert shape["judges"]["llm"]["reliability"]["bins"][9]["n"] == 1
    assert shape["judges"]["oracles"]["reliability"] is None
    assert shape["judges"]["oracles"]["tradeoff"] is None
    tradeoff = shape["judges"]["llm"]["tradeoff"]
    (holds,) = [point for point in tradeoff["points"] if point["threshold"] == 0.97]
    assert holds["threshold"] >= tradeoff["threshold"]
    assert holds["metrics"]["coverage"] == shape["judges"]["llm"]["metrics"]["coverage"]


def test_in_a_workspace_its_judge_is_measured_and_a_bound_names_it_among_several(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Provider(judges(by_year)) as provider:
        monkeypatch.chdir(workspace(tmp_path / "desk", provider))
        assert as_json(dataset)["judge"] == "llm"
        both = ran("claims", dataset, "--judge", "oracles", "--judge", "llm", "--max", "false_rejection_rate=0.1")
    assert both.return_value == 8
    assert both.stderr.splitlines() == ["missed: oracles: false_rejection_rate is 0.5, above 0.1"]


def test_a_judge_that_is_not_configured_is_refused(tmp_path: Path, dataset: Path) -> None:
    assert refusal("claims", dataset, "--judge", "llm").code == "no_workspace"
    with Provider() as provider:
        place = workspace(tmp_path / "desk", provider)
        fault = refusal("claims", dataset, "--workspace", place, "--judge", "systemone")
        assert fault.message == "--judge systemone is not configured"
        other = workspace(tmp_path / "other", provider, kind="onnx")
        with (other / "toulmin.toml").open("a", encoding="utf-8") as settings:
            settings.write('model_dir = "none"\n')
        assert refusal("claims", dataset, "--workspace", other).code == "missing_file"
    assert provider.requests == ()


def test_nothing_is_sent_to_another_host_unless_a_person_has_approved_it(tmp_path: Path, dataset: Path) -> None:
    place = tmp_path / "desk"
    place.mkdir()
    settings = '[judge]\nkind = "llm"\nbase_url = "https://judge.example/v1"\n'
    (place / "toulmin.toml").write_text(settings, encoding="utf-8")
    assert refusal("claims", dataset, "--workspace", place).code == "egress_denied"
    assert as_json(dataset, "--workspace", place, "--judge", "oracles")["judge"] == "oracles"


def test_a_judge_that_fails_is_no_measurement(tmp_path: Path, dataset: Path) -> None:
    with Provider(fails(401)) as provider:
        fault = refusal("claims", dataset, "--workspace", workspace(tmp_path / "desk", provider))
    assert fault.code == "judge_failed"
    assert not isinstance(fault, InputError)


def test_phenomena_and_groups_choose_claims_and_the_rest_is_counted(dataset: Path) -> None:
    found = ran("claims", dataset, "--phenomenon", "number", "--phenomenon", "verbatim", "--json")
    assert json.loads(found.stdout)["n"] == 2
    assert found.stderr == "note: 2 of 4 claims, as --phenomenon and --groups say\n"
    reports = [json.loads(ran("claims", dataset, "--groups", half, "--json").stdout) for half in ("0-9", "a-f")]
    halves = [report["n"] for report in reports]
    assert [report["groups"] for report in reports] == ["0-9", "a-f"]
    assert sum(halves) == 4
    assert set(halves) == {2}


@pytest.mark.parametrize("given", ["", "8-0", "0-g", "0-7-9", "01234567", "A-F"])
def test_a_range_that_is_none_is_refused(dataset: Path, given: str) -> None:
    assert refusal("claims", dataset, "--groups", given).message == f"--groups {given!r} is no range of hex digits"


def test_a_choice_that_leaves_nothing_is_refused(dataset: Path) -> None:
    fault = refusal("claims", dataset, "--phenomenon", "unit")
    assert fault.remedy == "the dataset has: number, paraphrase, verbatim"
    assert refusal("claims", dataset, "--groups", "7").code == "empty_dataset"


def test_rows_and_page_are_written_where_they_are_asked_for(tmp_path: Path, dataset: Path) -> None:
    rows, html = tmp_path / "rows.jsonl", tmp_path / "report.html"
    assert ran("claims", dataset, "--rows", rows, "--html", html).return_value == 0
    written = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in written] == ["c-0", "c-1", "c-2", "c-3"]
    assert written[0]["verdicts"]["oracles"]["verdict"] == "supported"
    assert written[1]["verdicts"]["oracles"]["objections"][0]["oracle"] == "numbers"
    assert "Confusion matrix of oracles" in html.read_text(encoding="utf-8")
    fault = refusal("claims", dataset, "--html", tmp_path / "no" / "report.html")
    assert (fault.code, fault.where) == ("unwritable_file", str(tmp_path / "no" / "report.html"))


def test_two_results_are_compared(tmp_path: Path, dataset: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    ran("claims", dataset, "--rows", rows)
    found = ran("compare", rows, rows, "--judge", "majority", "--judge", "oracles")
    assert found.exception is None
    lines = [" ".join(line.split()) for line in found.stdout.splitlines()]
    assert lines[:2] == ["A: rows.jsonl: majority", "B: rows.jsonl: oracles"]
    assert any(line.startswith("coverage 1.00 (") for line in lines)
    assert lines[-1] == "no claim: the interval holds 0, so no difference can be claimed"
    shape = json.loads(ran("compare", rows, rows, "--json").stdout)
    assert (shape["paired"], shape["metrics"]["accuracy"]["claimed"]) == (4, False)


def test_a_comparison_says_which_claims_it_left_out_and_what_is_a_count(tmp_path: Path, dataset: Path) -> None:
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    ran("claims", dataset, "--rows", whole)
    ran("claims", dataset, "--phenomenon", "number", "--rows", part)
    lines = ran("compare", whole, part, "--judge", "oracles").stdout.splitlines()
    assert "left out: 3 claims that only A has" in lines
    for name, phenomenon in (("a.json", "number"), ("b.json", "paraphrase")):
        shape = ran("claims", dataset, "--phenomenon", phenomenon, "--json").stdout
        (tmp_path / name).write_text(shape, encoding="utf-8")
    found = ran("compare", tmp_path / "a.json", tmp_path / "b.json").stdout.splitlines()
    assert "two files without verdicts on the same rows, as independent samples, 95 % intervals" in map(
        str.strip, found
    )
    assert "labelled supported 0 1 +1 a count" in [" ".join(line.split()) for line in found]


def test_more_than_two_judges_cannot_be_compared(tmp_path: Path) -> None:
    fault = refusal("compare", tmp_path / "a", tmp_path / "b", "--judge", "x", "--judge", "y", "--judge", "z")
    assert fault.message == "--judge is given 3 times"


def test_the_claims_on_real_documentation_are_read_whole(shared_data: Path) -> None:
    shape = as_json(shared_data / "flask-eval" / "claims_open.jsonl")
    counts = {
        name: shape["metrics"][f"labelled_{name}"]["value"] for name in ("supported", "contradicted", "unresolved")
    }
    assert counts == {"supported": 203, "contradicted": 155, "unresolved": 162}
    assert len(shape["by"]["phenomenon"]) == 17
    assert len(shape["by"]["version"]) == 7
    assert shape["baselines"]["overlap"]["metrics"]["balanced_accuracy"]["value"] > 0.6
