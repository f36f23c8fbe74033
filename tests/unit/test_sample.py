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
