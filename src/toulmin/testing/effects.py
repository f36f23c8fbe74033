"""The contract of an effect: a test suite that every `Effect` passes.

```python
class TestMyEffect(EffectContract):
    @pytest.fixture
    def place(self) -> Place:
        return MyPlace()
```

A `Place` is where the suite's effects end up: it makes an effect that behaves as it is told, and says what orders came in.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import pytest

from toulmin.domain.proof.approval import Order
from toulmin.ports.effects import Done, Effect, NotDone, Unknown

Does = Literal["works", "fails", "hangs", "talks", "is_not_there"]
"""What the other side does with an order: says `done`; says that it failed, with `no such address`; says nothing for ever; says control characters
and then more than is kept; or cannot be reached at all."""

LONGEST_OUTPUT = 4_096


class Place(Protocol):
    """Where orders go."""

    def effect(self, does: Does, *, timeout_s: float = 30.0) -> Effect:
        """An effect whose other side does as it is told."""

    def received(self) -> Sequence[Mapping[str, Any]]:
        """The orders that came in so far, each as its JSON object."""


def order(key: str = "op-1") -> Order:
    """An order with everything that an order can have."""
    return Order(
        key=key,
        operation="send",
        params={"to": "a b", "--flag": "'"},
        instance="pk-1",
        approval="ap-1",
        packet="pk-1",
        answer='Größe: "drei"\n\\n 𝄞 $(touch x) `id` ; exit 1',
    )


class EffectContract:
    """What every effect does. Needs a `place` fixture."""

    @pytest.fixture
    def place(self) -> Place:
        """Where the effects under test end up."""
        raise NotImplementedError("give the suite a place for its effects")

    def test_an_order_comes_whole_and_once(self, place: Place) -> None:
        given = order()
        ending = place.effect("works").carry_out(given)
        assert isinstance(ending, Done)
        assert ending.output == "done"
        assert place.received() == [
            {
                "schema": "toulmin.order/1",
                "key": given.key,
                "operation": given.operation,
                "params": given.params,
                "instance": given.instance,
                "approval": given.approval,
                "packet": given.packet,
                "answer": given.answer,
            }
        ]

    def test_an_effect_may_be_used_again(self, place: Place) -> None:
        effect = place.effect("works")
        for key in ("op-1", "op-2", "op-1"):
            assert isinstance(effect.carry_out(order(key)), Done)
        assert [each["key"] for each in place.received()] == ["op-1", "op-2", "op-1"]

    def test_what_fails_by_its_own_word_is_not_done(self, place: Place) -> None:
        ending = place.effect("fails").carry_out(order())
        assert isinstance(ending, NotDone)
        assert ending.output == "no such address"

    def test_what_cannot_be_reached_is_not_done(self, place: Place) -> None:
        assert isinstance(place.effect("is_not_there").carry_out(order()), NotDone)
        assert place.received() == []

    def test_what_does_not_end_in_time_is_unknown(self, place: Place) -> None:
        begun = time.monotonic()
        ending = place.effect("hangs", timeout_s=0.5).carry_out(order())
        assert isinstance(ending, Unknown)
        assert ending.code == "timeout"
        assert 0.4 < time.monotonic() - begun < 20
        assert len(place.received()) == 1

    def test_what_is_kept_of_an_output_is_short_and_clean(self, place: Place) -> None:
        ending = place.effect("talks").carry_out(order())
        assert isinstance(ending, Done)
        assert ending.output.startswith("begin\nend")
        assert 3_000 < len(ending.output.encode()) <= LONGEST_OUTPUT
        assert not [c for c in ending.output if c < " " and c != "\n"]
