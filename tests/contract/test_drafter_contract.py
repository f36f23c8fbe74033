from __future__ import annotations

from collections.abc import Iterator

import pytest

from toulmin.adapters.openai import openai_drafter
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.adapters.template import TemplateDrafter
from toulmin.ports.drafter import Drafter
from toulmin.testing.drafter import DrafterContract
from toulmin.testing.provider import Provider


class TestTemplateDrafter(DrafterContract):
    @pytest.fixture
    def drafter(self) -> Drafter:
        return TemplateDrafter()


class TestOpenAIDrafter(DrafterContract):
    @pytest.fixture
    def drafter(self) -> Iterator[Drafter]:
        with Provider() as provider:
            yield openai_drafter(Endpoint(base_url=provider.base_url, model="any"), Limits(deadline_s=10))


class TestOpenAIDrafterWithAModelThatFencesItsReplies(DrafterContract):
    @pytest.fixture
    def drafter(self) -> Iterator[Drafter]:
        with Provider("fenced") as provider:
            yield openai_drafter(Endpoint(base_url=provider.base_url, model="any"), Limits(deadline_s=10))
