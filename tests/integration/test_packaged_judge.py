"""The model that `toulmin[models]` brings, where it is installed."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.e2e.cli import called
from toulmin.adapters.onnx import LocalJudge, Stated, judge_is_installed, onnx_judge
from toulmin.domain.policy import Policy
from toulmin.evaluation.intervals import Measure, briefly
from toulmin.testing.judge import JudgeContract, opinions, unit_of

pytestmark = pytest.mark.skipif(not judge_is_installed(), reason="toulmin[models] is not installed")

MOST_BYTES = 90_000_000
QUALITY = Path(__file__).parents[2] / "bench" / "results" / "quality.json"
PUMP = "Above 80 degrees the pump stops. It starts again once the water has cooled down to 60 degrees."


def folder() -> Path:
    found = find_spec("toulmin_judge")
    assert found is not None
    assert found.submodule_search_locations is not None
    return Path(found.submodule_search_locations[0])


@pytest.fixture(scope="module")
def judge() -> LocalJudge:
    """Loaded once: its files are large."""
    return onnx_judge(Stated(), deadline_s=60)


class TestPackagedJudge(JudgeContract):
    @pytest.fixture
    def judge(self, judge: LocalJudge) -> LocalJudge:
        return judge


def test_alone_or_among_others_a_pair_has_the_same_probabilities(judge: LocalJudge) -> None:
    claims = ("The pump stops.", "The pump never stops at any temperature.", "The valve is blue.", "It restarts at 60.")
    units = [unit_of(claim, PUMP, *["The valve opens at 3 bar. "] * at) for at, claim in enumerate(claims)]
    together = opinions(asyncio.run(judge.support(units)))
    for unit, among in zip(units, together, strict=True):
        (alone,) = opinions(asyncio.run(judge.support([unit])))
        assert alone.probabilities is not None
        assert among.probabilities is not None
        assert alone.probabilities.supported == pytest.approx(among.probabilities.supported, abs=1e-3)
        assert alone.probabilities.contradicted == pytest.approx(among.probabilities.contradicted, abs=1e-3)


def test_it_tells_the_three_classes_apart(judge: LocalJudge) -> None:
    claims = ("At 90 degrees the pump stops.", "At 90 degrees the pump keeps running.", "The pump was made in Spain.")
    found = opinions(asyncio.run(judge.support([unit_of(claim, PUMP) for claim in claims])))
    yes, no, neither = (item.probabilities for item in found)
    assert yes is not None
    assert no is not None
    assert neither is not None
    assert yes.supported > max(no.supported, neither.supported)
    assert no.contradicted > max(yes.contradicted, neither.contradicted)
    assert neither.unresolved > max(yes.unresolved, no.unresolved)


def test_the_model_is_small_enough_and_its_card_names_exactly_these_files() -> None:
    manifest = json.loads((folder() / "manifest.json").read_bytes())
    card = (folder() / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert (folder() / "model.onnx").stat().st_size <= MOST_BYTES
    for file, digest in manifest["sha256"].items():
        assert sha256((folder() / file).read_bytes()).hexdigest() == digest
        assert digest in card
    assert f"{manifest['name']} {manifest['version']}" in card


def test_its_manifest_says_of_its_worth_what_was_measured_under_the_built_in_policy() -> None:
    said = json.loads((folder() / "manifest.json").read_bytes())["worth"]
    measured = json.loads(QUALITY.read_bytes())["rows"]
    policy = Policy()
    wanted = ("flask-eval, kept half", "oracles and judge", policy.version)
    (row,) = (row for row in measured if (row["set"], row["rule"], row["policy"]) == wanted)
    assert said["on"].startswith(row["set"])
    assert (said["claims"], said["supported"]) == (row["n"], policy.supported)
    for name in ("unsupported_claim_rate", "false_rejection_rate"):
        assert briefly(Measure(**said[name])) == row[name]


def test_a_new_workspace_has_it_as_its_judge(tmp_path: Path) -> None:
    made = called("init", "desk", "--json", at=tmp_path)
    assert (made.code, made.json["judge"]) == (0, "onnx")
    row = {"claim": "The pump halts above 80 degrees.", "evidence": PUMP}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(row))
    (result,) = called("review", "../pairs.jsonl", "--json", at=tmp_path / "desk").json["results"]
    assert result["probabilities"] is not None
