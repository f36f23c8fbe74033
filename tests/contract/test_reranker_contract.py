from __future__ import annotations

import pytest

from toulmin.ports.reranker import Reranker
from toulmin.testing.reranker import RerankerContract, ShortestFirst


class TestShortestFirst(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return ShortestFirst()
