"""A service with something on every page: what was asked, answered, withheld, requested and changed, and the pages that show it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from fastapi import FastAPI

from tests.api.conftest import Running, sampled
from tests.api.drafting import OPEN, drafting
from tests.samples.pdfs import pdf
from tests.web import measured
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace

TYPE = "gateway-explain-and-next-step-v1"
CASE = {"model": "G2", "firmware": "2.4.1", "audit_hold": True}
TOLD = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."
SETTINGS = f"""
[telemetry]
log_file = ".toulmin/service.jsonl"
[effects.send-reply]
kind = "command"
argv = [{sys.executable!r}, "-c", "import sys; sys.stdin.read()"]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A server, its application, and the names of what there is to be looked at, for the addresses of pages."""

    running: Running
    app: FastAPI
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
    Sight(route="/ask/again/{packet}", address="/ask/again/{drafted}"),
    Sight(route="/search", address="/search"),
    Sight(route="/search", address="/search?text=telemetry+reconnect&case.model=G2&case.firmware=2.4.1&explain=1"),
    Sight(route="/search", address="/search?text=telemetry&case.firmware=odd", status=422),
    Sight(route="/packets/{packet}", address="/packets/{answered}"),
    Sight(route="/packets/{packet}", address="/packets/{drafted}"),
    Sight(route="/packets/{packet}", address="/packets/{lacking}"),
    Sight(route="/packets/{packet}", address="/packets/{failed}"),
    Sight(route="/packets/{packet}", address="/packets/pk-0", status=404),
    Sight(route="/packets/{packet}/why-not", address="/packets/{answered}/why-not"),
    Sight(route="/packets/{packet}/replay", address="/packets/{answered}/replay"),
    Sight(route="/approvals", address="/approvals"),
    Sight(route="/approvals", address="/approvals?show=decide&order=deadline", who="reviewer"),
    Sight(route="/approvals", address="/approvals?requester=nobody"),
    Sight(route="/approvals/new", address="/approvals/new"),
    Sight(route="/approvals/new", address="/approvals/new?packet={answered}"),
    Sight(route="/approvals/new", address="/approvals/new?packet={lacking}"),
    Sight(route="/approvals/{approval}", address="/approvals/{approval}", who="reviewer"),
    Sight(route="/approvals/{approval}", address="/approvals/{approved}"),
    Sight(route="/approvals/{approval}/execute", address="/approvals/{approved}/execute", who="operator"),
    Sight(route="/packets/{packet}/why-not", address="/packets/{answered}/why-not?document=GW-241"),
    Sight(route="/sources/{document:path}", address="/sources/GW-241?version=3"),
    Sight(route="/sources/{document:path}", address="/sources/GW-241?version=3&start=20&end=70"),
    Sight(route="/sources/{document:path}", address="/sources/MANUAL?version=1&start=13&end=36"),
    Sight(route="/outline/{document:path}", address="/outline/GW-241?version=3"),
    Sight(route="/documents", address="/documents"),
    Sight(route="/documents", address="/documents?words=nothing+like+it"),
    Sight(route="/documents", address="/documents?state=odd", status=422),
    Sight(route="/documents/new", address="/documents/new", who="keeper"),
    Sight(route="/documents/new", address="/documents/new", status=403),
    Sight(route="/diff/{document:path}", address="/diff/NOTES?old=1&new=2"),
    Sight(route="/diff/{document:path}", address="/diff/GW-241?old=3&new=3"),
    Sight(route="/impact/{document:path}", address="/impact/GW-241?version=3"),
    Sight(route="/impact/{document:path}", address="/impact/NOTES"),
    Sight(route="/withdraw/{document:path}", address="/withdraw/GW-241?version=3", who="keeper"),
    Sight(route="/withdraw/{document:path}", address="/withdraw/NOTES", who="keeper"),
    Sight(route="/curate/{document:path}", address="/curate/GW-241?version=3", who="keeper"),
    Sight(route="/curate/{document:path}", address="/curate/GW-241?version=4", who="keeper", status=404),
    Sight(route="/pages/{number}/{document:path}", address="/pages/1/MANUAL?version=1&start=13&end=36"),
    Sight(route="/pages/{number}/{document:path}", address="/pages/2/MANUAL?version=1"),
    Sight(route="/pages/{number}/{document:path}", address="/pages/3/MANUAL?version=1", status=404),
    Sight(route="/measurement", address="/measurement", who="reviewer"),
    Sight(route="/measurement", address="/measurement", status=403),
    Sight(route="/measurement/{name}", address="/measurement/good.json", who="reviewer"),
    Sight(route="/measurement/{name}", address="/measurement/few.json", who="reviewer"),
    Sight(route="/measurement/{name}", address="/measurement/none.json", who="reviewer"),
    Sight(route="/measurement/{name}", address="/measurement/threshold.json", who="reviewer"),
    Sight(route="/measurement/{name}", address="/measurement/good.json?by=phenomenon", who="reviewer"),
    Sight(route="/measurement/{name}", address="/measurement/broken.json", who="reviewer", status=400),
    Sight(route="/measurement/compare", address="/measurement/compare", who="reviewer"),
    Sight(
        route="/measurement/compare",
        address="/measurement/compare?a=worse.json:onnx&b=good.json:onnx",
        who="reviewer",
    ),
    Sight(
        route="/measurement/compare",
        address="/measurement/compare?a=worse.json:onnx&b=search.json:retrieval",
        who="reviewer",
        status=422,
    ),
)
"""Every page, in each state that looks different."""

MANUAL = pdf(["Retention is thirty days.\nA fault is reported.", ""])
"""A printed document, of which a page is empty."""

_LINES = [f"Step {number}: look at lamp {number} and write down its colour.\n" for number in range(1, 31)]
NOTES = (
    "# Before a call\n\n" + "".join(_LINES),
    "# Before a call\n\n"
    + "".join([*_LINES[:14], "Step 15: look at lamp 15, and call if it is red.\n", *_LINES[15:]])
    + "Then call.\n",
)
"""Two versions of a document."""


@contextmanager
def made(place: Path) -> Iterator[World]:
    """The world, in a new folder, while the block lasts."""
    sampled(place)
    _take(place, "manual.pdf", MANUAL, id="MANUAL", version="1", readers=("tenant:acme",))
    for version, text in enumerate(NOTES, start=1):
        _take(place, f"notes-{version}.md", text.encode(), id="NOTES", version=str(version), readers=("public",))
    measured.made(place / "reports")
    settings = place / "toulmin.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + SETTINGS, encoding="utf-8")
    with (
        drafting(place, author=_author, mode="reviewed") as desk,
        desk.running.client("service", timeout=60) as client,
    ):
        names = _names(client)
        desk.provider.script("http_500")
        names["failed"] = _asked(client, OPEN)
        desk.provider.script()
        with desk.running.client("reviewer") as reviewer:
            reply = reviewer.post(f"/v1/approvals/{names['approved']}/approve", json={"comment": "As agreed."})
            assert reply.status_code == 200, reply.text
        yield World(running=desk.running, app=desk.app, names=names)


def _author(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """A draft of what a source says, and of the same with another number, which is withheld."""
    (known,) = (item["evidence_id"] for item in question["evidence"] if TOLD in item["passage"])
    claims = (TOLD, TOLD.replace("2.4.1", "7.5"))
    return {"segments": [{"text": text, "evidence_ids": [known]} for text in claims]}


def _take(place: Path, name: str, data: bytes, **stated: object) -> None:
    """Has the corpus take in a document."""
    (place / name).write_bytes(data)
    with Workspace.open(place) as desk:
        entries = desk.entries([place / name], options=stated_metadata(stated))
        assert all(report.fault is None for report in desk.ingest(each for each in entries if isinstance(each, Entry)))


def _names(client: httpx2.Client) -> dict[str, str]:
    answered = _asked(client, {"question": TYPE, "case": CASE})
    return {
        "answered": answered,
        "drafted": _asked(client, OPEN),
        "lacking": _asked(client, {"question": TYPE, "case": {**CASE, "firmware": "9.9"}}),
        "approval": _requested(client, answered, "1"),
        "approved": _requested(client, answered, "2"),
    }


def _requested(client: httpx2.Client, packet: str, instance: str) -> str:
    params = {"ticket": "T-1", "to": "customer@example.com"}
    body = {"packet": packet, "operation": "send-reply", "instance": instance, "params": params, "comment": "Please."}
    reply = client.post("/v1/approvals", json=body)
    assert reply.status_code == 200, reply.text
    approval: str = reply.json()["id"]
    return approval


def _asked(client: httpx2.Client, body: Mapping[str, Any]) -> str:
    outcome = client.post("/v1/ask", json=body).json()
    assert outcome.get("packet"), outcome
    packet: str = outcome["packet"]["id"]
    return packet
