from __future__ import annotations

from pathlib import Path

import pytest

from toulmin.surfaces.sample import write_sample
from toulmin.surfaces.settings import load


@pytest.mark.parametrize(("local_judge", "kind"), [(True, "onnx"), (False, "oracles")])
def test_a_sample_has_the_judge_that_is_there(tmp_path: Path, *, local_judge: bool, kind: str) -> None:
    write_sample(tmp_path / "desk", local_judge=local_judge)
    settings = load(tmp_path / "desk")
    assert settings.judge.kind == kind
    assert settings.profiles["default"].rules


@pytest.mark.parametrize(("local_embedder", "kind", "least"), [(True, "onnx", 0.1), (False, "none", 0.0)])
def test_a_sample_has_the_embedder_that_is_there_and_a_minimum_with_it(
    tmp_path: Path, *, local_embedder: bool, kind: str, least: float
) -> None:
    write_sample(tmp_path / "desk", local_embedder=local_embedder)
    settings = load(tmp_path / "desk")
    assert (settings.embedder.kind, settings.open_question.min_score) == (kind, least)
