from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli import Run, called, workspace, write
from toulmin.domain.policy import Policy
from toulmin.testing.provider import Provider, fails, judges
from toulmin.wire.policy import read_policy

PASSAGE = "The pump stops at 80 degrees. The valve of the pump is made of brass and lasts for many years."
BAD = 40
"""Of these claims that are not supported, the judge gives three 0.96, 0.86 and 0.76, and the others little."""
GOAL = ("--max-false-accept", "0.1", "--confidence", "0.9")


def by_number(state: Mapping[str, Any]) -> tuple[float, float, float]:
    """Gives a claim the probability that its own words state."""
    sure = float(state["claim"].rpartition("chance ")[2].rstrip(".") or 0) / 100
    return (sure, 0.0, 1 - sure)


def bad(at: int, chance: int) -> dict[str, object]:
    return {"claim": f"The brass valve of pump lasts at chance {chance}.", "label": "not_supported", "group": f"g-{at}"}


def labels(folder: Path, *, verbatim: int = 0) -> str:
    """Claims that no oracle objects to, some of which the checks take for verbatim although their labels say no."""
    chances = [96, 86, 76, *[10] * (BAD - 3)]
    rows: list[Mapping[str, object]] = [
        *(bad(at, chance) for at, chance in enumerate(chances[verbatim:])),
        *({"claim": "The pump stops at 80 degrees.", "label": "contradicted"} for _ in range(verbatim)),
        {"claim": "The brass valve lasts at chance 90.", "label": "supported"},
        {"claim": "The pump stops at 80 degrees.", "label": "supported"},
    ]
    passage = f"{PASSAGE} A chance of 96, 90, 86, 76 or 10 is meant."
    text = "".join(json.dumps({"id": f"c-{at}", "passage": passage, **row}) + "\n" for at, row in enumerate(rows))
    write(folder, {"labels.jsonl": text})
    return "labels.jsonl"


def desk(folder: Path, provider: Provider, *, policy: str = "") -> Path:
    settings = f'[judge]\nkind = "llm"\nmodel = "m"\nbase_url = "{provider.base_url}"\n'
    return write(workspace(folder, settings=settings), {"policy.yaml": policy} if policy else {})


def calibrated(place: Path, *arguments: str) -> Run:
    return called("calibrate", "labels.jsonl", *GOAL, *arguments, at=place)


def test_the_lowest_threshold_that_keeps_the_promise_becomes_a_policy_of_its_own_version(tmp_path: Path) -> None:
    with Provider(judges(by_number)) as provider:
        place = desk(tmp_path, provider, policy="version: desk/3\nclaims: 3\nsupported: 0.99\n")
        labels(place)
        run = calibrated(place, "--out", "calibrated.yaml", "--json")
    assert (run.code, run.err) == (0, "")
    found = run.json
    assert (found["schema"], found["judge"], found["base"]) == ("toulmin.calibration/1", "llm/1 m", "desk/3")
    assert (found["claims"], found["needed"], found["out"]) == (42, 22, "calibrated.yaml")
    assert found["supported"] == found["claims"] - BAD
    assert {point["n"] for point in found["curve"]} == {BAD}
    assert [point["false_accepts"] for point in found["curve"] if point["threshold"] in (1, 0.96, 0.86, 0.76)] == [
        0, 1, 2, 3,
    ]  # fmt: skip
    chosen = found["chosen"]
    assert (chosen["threshold"], chosen["false_accepts"], chosen["completeness"]) == (0.87, 1, 1.0)
    assert chosen["upper"] <= 0.1 < next(point["upper"] for point in found["curve"] if point["threshold"] == 0.86)
    text = (place / "calibrated.yaml").read_text(encoding="utf-8")
    assert read_policy(text, "calibrated.yaml") == Policy(version=found["policy"], claims=3, supported=0.87)
    assert text.startswith("# Made by toulmin calibrate from the policy desk/3. Of claims that are not supported, at")
    assert "with the judge llm/1 m and the checks" in text


def test_the_version_says_what_the_threshold_was_chosen_by(tmp_path: Path) -> None:
    with Provider(judges(by_number)) as provider:
        place = desk(tmp_path, provider)
        labels(place)
        versions = [
            calibrated(place, *options, "--json").json["policy"]
            for options in ((), (), ("--confidence", "0.8"), ("--contradicted", "0.8"), ("--groups", "0-d"))
        ]
    assert versions[0] == versions[1]
    assert len(set(versions)) == 4
    assert versions[0].startswith("calibrated/")
    assert len(versions[0]) == len("calibrated/") + 8


def test_the_threshold_for_contradicted_is_set_as_it_stands(tmp_path: Path) -> None:
    with Provider(judges(by_number)) as provider:
        place = desk(tmp_path, provider)
        labels(place)
        assert calibrated(place, "--contradicted", "0.8", "--out", "policy.yaml").code == 0
        assert calibrated(place, "--contradicted", "0.5", "--json").json["code"] == "bad_policy"
    made = read_policy((place / "policy.yaml").read_text(encoding="utf-8"), "policy.yaml")
    assert (made.supported, made.contradicted) == (0.87, 0.8)


def test_packets_name_the_policy_that_was_made(tmp_path: Path) -> None:
    assert called("init", "desk", at=tmp_path).code == 0
    place = tmp_path / "desk"
    with Provider(judges(by_number)) as provider:
        settings, _, _ = (place / "toulmin.toml").read_text(encoding="utf-8").partition("[judge]")
        section = f'\n[judge]\nkind = "llm"\nmodel = "m"\nbase_url = "{provider.base_url}"\n'
        write(place, {"toulmin.toml": settings + section})
        labels(place)
        version = calibrated(place, "--out", "policy.yaml", "--json").json["policy"]
        case = ("--case", "model=G2", "--case", "firmware=2.4.1", "--case", "audit_hold=true")
        assert called("ingest", "documents", at=place).code == 0
        asked = called("ask", "gateway-explain-and-next-step-v1", *case, "--json", at=place).json
    shown = called("packet", "show", asked["packet"]["id"], "--json", at=place).json
    assert version in json.dumps(shown)


def test_the_terminal_shows_the_curve_and_what_was_chosen(tmp_path: Path) -> None:
    with Provider(judges(by_number)) as provider:
        place = desk(tmp_path, provider)
        labels(place)
        lines = [" ".join(line.split()) for line in calibrated(place, "--out", "policy.yaml").out.splitlines()]
    assert [line for line in lines if "/40" in line] == [
        "0.965 0/40 0.0559 passes 0.500 0.024",
        "0.905 1/40 0.0938 passes 0.500 0.048",
        "0.87 1/40 0.0938 passes 1.000 0.071",
        "0.77 2/40 0.1276 1.000 0.095",
        "0.51 3/40 0.1594 1.000 0.119",
    ]
    assert lines[-3].startswith("chosen: 0.87, under which 1 of 40 independent claims that are not supported")
    assert lines[-1].startswith("wrote policy.yaml: policy calibrated/")


def test_a_file_that_exists_is_not_overwritten_and_nobody_is_asked(tmp_path: Path) -> None:
    with Provider(judges(by_number)) as provider:
        place = desk(tmp_path, provider, policy="version: desk/3\n")
        labels(place)
        run = calibrated(place, "--out", "policy.yaml")
        assert (run.code, provider.requests) == (2, ())
        assert "policy.yaml" in run.err
        assert "--force" in run.err
        assert (place / "policy.yaml").read_text(encoding="utf-8") == "version: desk/3\n"
        assert calibrated(place, "--out", "policy.yaml", "--force").code == 0
    assert "supported: 0.87\n" in (place / "policy.yaml").read_text(encoding="utf-8")


def test_too_few_labels_are_refused_with_their_number_before_anybody_is_asked(tmp_path: Path) -> None:
    with Provider(judges(by_number)) as provider:
        place = desk(tmp_path, provider)
        labels(place)
        run = called("calibrate", "labels.jsonl", "--max-false-accept", "0.02", "--json", at=place)
    assert (run.code, run.json["code"], provider.requests) == (2, "too_few_labels", ())
    assert run.json["message"].startswith("40 independent labelled claims are not supported")
    assert "takes 149," in run.json["message"]


def test_what_the_checks_accept_wrongly_counts_and_may_leave_no_threshold(tmp_path: Path) -> None:
    with Provider(judges(by_number)) as provider:
        place = desk(tmp_path, provider)
        labels(place, verbatim=3)
        run = calibrated(place, "--out", "policy.yaml")
        shape = calibrated(place, "--out", "policy.yaml", "--json").json
    assert run.code == 8
    assert (shape["chosen"], shape["policy"], shape["out"]) == (None, None, None)
    assert "missed: no threshold keeps it: even under 1, 3 of 40 are delivered; with so many" in run.err
    assert "at least 65 labelled claims" in run.err
    assert not (place / "policy.yaml").exists()


def test_without_a_judge_there_is_nothing_to_calibrate(tmp_path: Path) -> None:
    labels(tmp_path)
    run = called("calibrate", "labels.jsonl", *GOAL, "--json", at=tmp_path)
    assert (run.code, run.json["code"]) == (2, "no_judge")
    with Provider(judges(by_number)) as provider:
        place = desk(tmp_path, provider)
        assert calibrated(place, "--judge", "oracles", "--json").json["code"] == "no_judge"
        assert calibrated(place, "--judge", "onnx", "--json").json["code"] == "usage"


def test_a_judge_that_fails_calibrates_nothing(tmp_path: Path) -> None:
    with Provider(fails(401)) as provider:
        place = desk(tmp_path, provider)
        labels(place)
        run = calibrated(place, "--out", "policy.yaml", "--json")
    assert (run.code, run.json["code"]) == (1, "judge_failed")
    assert not (place / "policy.yaml").exists()


@pytest.mark.parametrize("goal", [("--max-false-accept", "0"), ("--max-false-accept", "0.1", "--confidence", "1")])
def test_what_is_no_promise_is_refused(tmp_path: Path, goal: tuple[str, ...]) -> None:
    labels(tmp_path)
    assert called("calibrate", "labels.jsonl", *goal, at=tmp_path).code == 2
