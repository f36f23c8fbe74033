"""Orders as JSON: `toulmin.order/1`, what an effect is given."""

from __future__ import annotations

import json
from typing import Literal

from typing_extensions import TypedDict  # pydantic makes schemas of these only, before Python 3.12

from toulmin.domain.proof.approval import Order


class OrderJson(TypedDict):
    """`toulmin.order/1`: the operation with its parameters, its key, and the answer that it is about."""

    schema: Literal["toulmin.order/1"]
    key: str
    operation: str
    params: dict[str, str]
    instance: str
    approval: str
    packet: str
    answer: str


def order_json(order: Order) -> str:
    """An order as one line of JSON."""
    shape: OrderJson = {
        "schema": "toulmin.order/1",
        "key": order.key,
        "operation": order.operation,
        "params": dict(order.params),
        "instance": order.instance,
        "approval": order.approval,
        "packet": order.packet,
        "answer": order.answer,
    }
    return json.dumps(shape, ensure_ascii=False)
