"""The contract of a reranker: a test suite that every `Reranker` passes; and one that can be checked by eye.

```python
class TestMyReranker(RerankerContract):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return MyReranker()
```

How much better its order is, is measured (`toulmin eval retrieval`) and not tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from toulmin.ports.reranker import Reranker

QUESTION = "At what pressure does the valve open?"
TEXTS = (
    "The tank holds 40 l of water.",
    "The valve opens at 3 bar.",
    "",
    "The valve opens at 3 bar.",
    "Ventile öffnen bei 3 bar. " * 200,
)


@dataclass(frozen=True, slots=True)
class ShortestFirst:
    """A `Reranker` that puts the shortest text first."""

    depth: int = 8
    profile: str = "shortest/1"

    def order(self, question: str, texts: Sequence[str]) -> Sequence[int]:  # noqa: ARG002 - it does not read the question
        return sorted(range(len(texts)), key=lambda place: (len(texts[place]), place))


class RerankerContract:
    """What every `Reranker` keeps. A subclass has a fixture `reranker`."""

    def test_every_text_is_placed_once(self, reranker: Reranker) -> None:
        for count in range(len(TEXTS) + 1):
            assert sorted(reranker.order(QUESTION, TEXTS[:count])) == list(range(count))

    def test_the_order_is_the_same_each_time(self, reranker: Reranker) -> None:
        assert list(reranker.order(QUESTION, TEXTS)) == list(reranker.order(QUESTION, TEXTS))

    def test_the_order_of_two_texts_does_not_hang_on_the_order_in_which_they_come(self, reranker: Reranker) -> None:
        one, other = TEXTS[0], TEXTS[1]
        forth, back = reranker.order(QUESTION, [one, other]), reranker.order(QUESTION, [other, one])
        assert [(one, other)[place] for place in forth] == [(other, one)[place] for place in back]

    def test_it_says_what_it_is_and_how_many_it_reads(self, reranker: Reranker) -> None:
        assert reranker.profile.strip()
        assert reranker.depth >= 1

    @pytest.mark.parametrize("question", ["", "?!", "e\u0301" * 5_000])
    def test_any_question_gets_an_order(self, reranker: Reranker, question: str) -> None:
        assert sorted(reranker.order(question, TEXTS)) == list(range(len(TEXTS)))


__all__ = ["RerankerContract", "ShortestFirst"]
