from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.samples.tiny_models import folder
from toulmin.adapters.onnx import Stated, onnx_judge
from toulmin.adapters.openai import llm_judge
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.adapters.systemone import systemone_judge
from toulmin.domain.claims.opinion import Opinion, Probabilities
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.ports.judge import Judge
from toulmin.testing.judge import JudgeContract, ScriptedJudge
from toulmin.testing.provider import Provider


def overlapping(unit: ReviewUnit) -> Opinion:
    known = unit.claim and any(unit.claim in cited.words for cited in unit.passages)
    if not known:
        return Opinion(probabilities=None, why="the claim is in none of its passages")
    return Opinion(probabilities=Probabilities(supported=1.0, contradicted=0.0, unresolved=0.0))


class TestScriptedJudge(JudgeContract):
    @pytest.fixture
    def judge(self) -> Judge:
        return ScriptedJudge(overlapping, lambda query: float("valve" in query.passages[0]))


class TestChatJudge(JudgeContract):
    @pytest.fixture
    def judge(self) -> Iterator[Judge]:
        with Provider() as provider:
            yield llm_judge(Endpoint(base_url=provider.base_url, model="any"), Limits(deadline_s=10))


class TestChatJudgeThatGivesOnlyAWord(JudgeContract):
    @pytest.fixture
    def judge(self) -> Iterator[Judge]:
        with Provider("only_a_word") as provider:
            yield llm_judge(Endpoint(base_url=provider.base_url, model="any"), Limits(deadline_s=10))


class TestTypedJudge(JudgeContract):
    @pytest.fixture
    def judge(self) -> Iterator[Judge]:
        with Provider() as provider:
            yield systemone_judge(Endpoint(base_url=provider.base_url, model="any"), Limits(deadline_s=10))


class TestLocalJudge(JudgeContract):
    @pytest.fixture
    def judge(self, tmp_path: Path) -> Judge:
        return onnx_judge(Stated(folder=folder(tmp_path)), deadline_s=30)
