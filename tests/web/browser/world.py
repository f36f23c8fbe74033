"""A service with something on every page: what was asked, answered, withheld, requested and changed, and the pages that show it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.api.conftest import Running, sampled
from tests.api.drafting import OPEN, drafting

TYPE = "gateway-explain-and-next-step-v1"
CASE = {"model": "G2", "firmware": "2.4.1", "audit_hold": True}
EFFECT = f"""
[effects.send-reply]
kind = "command"
argv = [{sys.executable!r}, "-c", "import sys; sys.stdin.read()"]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A server, and the names of what there is to be looked at, for the addresses of pages."""

    running: Running
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A page as somebody sees it: the route that shows it, an address with names of the world in braces, and who looks."""

    route: str
    address: str
    who: str | None = "reader"
    status: int = 200


SIGHTS = (
    Sight(route="/sign-in", address="/sign-in", who=None),
    Sight(route="/", address="/"),
    Sight(route="/ask", address="/ask"),
    Sight(route="/ask/open", address="/ask/open"),
    Sight(route="/ask/types/{contract:path}", address=f"/ask/types/{TYPE}"),
    Sight(route="/ask/types/{contract:path}", address=f"/ask/types/{TYPE}", who="service"),
    Sight(route="/ask/types/{contract:path}", address="/ask/types/unknown", status=404),
    Sight(route="/search", address="/search"),
    Sight(route="/search", address="/search?text=telemetry+reconnect&case.model=G2&case.firmware=2.4.1&explain=1"),
    Sight(route="/search", address="/search?text=telemetry&case.firmware=odd", status=422),
    Sight(route="/packets/{packet}", address="/packets/{answered}"),
    Sight(route="/packets/{packet}", address="/packets/{drafted}"),
    Sight(route="/packets/{packet}", address="/packets/{lacking}"),
    Sight(route="/packets/{packet}", address="/packets/pk-0", status=404),
    Sight(route="/packets/{packet}/why-not", address="/packets/{answered}/why-not"),
    Sight(route="/sources/{document:path}", address="/sources/GW-241?version=3"),
    Sight(route="/sources/{document:path}", address="/sources/GW-241?version=3&start=20&end=70"),
)
"""Every page, in each state that looks different."""


@contextmanager
def made(place: Path) -> Iterator[World]:
    """The world, in a new folder, while the block lasts."""
    sampled(place)
    settings = place / "toulmin.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + EFFECT, encoding="utf-8")
    with drafting(place) as desk, desk.running.client("service", timeout=60) as client:
        yield World(running=desk.running, names=_names(client))


def _names(client: httpx2.Client) -> dict[str, str]:
    answered = _asked(client, {"question": TYPE, "case": CASE})
    approval = client.post("/v1/approvals", json={"packet": answered, "operation": "send-reply"})
    assert approval.status_code == 200, approval.text
    return {
        "answered": answered,
        "drafted": _asked(client, OPEN),
        "lacking": _asked(client, {"question": TYPE, "case": {**CASE, "firmware": "9.9"}}),
        "approval": approval.json()["id"],
    }


def _asked(client: httpx2.Client, body: Mapping[str, Any]) -> str:
    reply = client.post("/v1/ask", json=body)
    assert reply.status_code == 200, reply.text
    packet: str = reply.json()["packet"]["id"]
    return packet
