"""What a service tells of its requests, and that no word of a document, question, case or answer is in it, whatever goes wrong."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import Message

from tests.api.conftest import Running, Tokens, served
from tests.collector import Collector, attributes, collecting
from tests.e2e.cli import write
from tests.unit.drafters import Writer
from toulmin.adapters.telemetry import TelemetryOptions, service_telemetry
from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.domain.question.contract import DrafterKind
from toulmin.ports.drafter import Drafted
from toulmin.ports.source import Entry
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.authentication import HttpAuthenticator
from toulmin.surfaces.http.limits import Limits
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.http.telemetry import TelemetryMiddleware
from toulmin.surfaces.sync import Workspace

CANARY = "quokka"
"""Begins every word that must not be told."""

SETTINGS = """\
[eligibility.default]
rules = { edition = "equals" }
[open_question]
mode = "cited"
"""
META = """\
id: PUMP-1
title: quokkatitle
scope: {edition: quokkacase}
readers: [public]
"""


def unfaithful(request: DraftRequest) -> Drafted:
    return Drafted(segments=(Segment(text="It is the quokkaanswer.", evidence_ids=(request.evidence[0].id,)),))


def failing(request: DraftRequest) -> Drafted:
    raise ValueError(request.evidence[0].passage, request.question, request.case)


@dataclass
class Told:
    """Where a service tells."""

    log: Path
    collector: Collector
    pages: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def line(self, event: str) -> dict[str, Any]:
        """The last line of this event."""
        return [line for line in self.lines if line["event"] == event][-1]

    @property
    def everything(self) -> str:
        spans = b"".join(self.collector.bodies).decode(errors="replace")
        return "\n".join([self.log.read_text(), spans, *self.pages])


@contextmanager
def telling(
    folder: Path, writer: Writer, *, environment: pytest.MonkeyPatch | None = None, limits: Limits | None = None
) -> Iterator[tuple[Running, Told]]:
    """A service over a document full of canaries, all of whose telemetry is kept; all of it is there when the block has ended.

    `environment` is to tell the framework to send telemetry of its own to the same collector.
    """
    text = "# quokkaheading\n\nThe quokkatext pump stops in winter.\n"
    write(folder, {"toulmin.toml": SETTINGS, "documents/pump.md": text, "documents/pump.md.meta.yaml": META})
    with collecting() as collector:
        if environment is not None:
            environment.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
            environment.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        told = Told(log=folder / "log.jsonl", collector=collector)
        options = TelemetryOptions(
            version="9.9", log_level="debug", log_file=told.log, traces_url=f"{collector.url}/v1/traces"
        )
        desk = Workspace.open(folder)
        entries = desk.entries([folder / "documents"])
        list(desk.ingest(entry for entry in entries if isinstance(entry, Entry)))
        desk = Workspace(desk.settings, replace(desk.parts, drafters={DrafterKind.MODEL: writer}))
        service = Service(desk, HttpAuthenticator(tokens=Tokens()), limits or Limits(), service_telemetry(options))
        with served(create_app(service)) as running:
            yield running, told


def ask(client: httpx2.Client, **more: Any) -> httpx2.Response:
    body = {"text": "Why does the quokkaquestion pump stop?", "case": {"edition": "quokkacase"}}
    return client.post("/v1/ask", json=body, **more)


def scrape(client: httpx2.Client) -> str:
    return client.get("/metrics").text


class TestNoWordIsTold:
    def test_of_a_question_that_is_answered(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        with telling(tmp_path, Writer(write=unfaithful)) as (running, told), running.client() as client:
            reply = ask(client)
            ask(client, headers={"Accept": "text/event-stream"})
            client.post("/v1/search", json={"text": "quokkatext", "case": {"edition": "quokkacase"}})
            told.pages.append(scrape(client))
        assert reply.json()["outcome"] == "Answered"
        assert "quokkaanswer" in reply.text
        assert {line["event"] for line in told.lines} >= {"request", "outcome", "verdict", "step"}
        assert {span.name for span in told.collector.spans} >= {"POST /v1/ask", "search", "ask_drafter", "commit"}
        asked = [attributes(span) for span in told.collector.spans if span.name == "POST /v1/ask"]
        assert [each["toulmin.outcome"] for each in asked] == ["Answered", "Answered"]
        assert 'toulmin_outcomes_total{outcome="Answered",reason="none"} 2.0' in told.pages[0]
        assert CANARY not in told.everything + "".join(capfd.readouterr())

    def test_of_one_that_fails_in_a_way_that_nobody_thought_of(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with telling(tmp_path, Writer(write=failing), environment=monkeypatch) as (running, told):
            with running.client() as client:
                reply = ask(client)
            with running.client() as client:  # the server has closed the connection of the other
                told.pages.append(scrape(client))
        assert (reply.status_code, reply.json()["code"]) == (500, "unexpected")
        assert CANARY not in reply.text
        fault = told.line("fault")
        assert (fault["kind"], fault["request"]) == ("ValueError", reply.headers["X-Request-Id"])
        assert re.fullmatch(r".*test_telemetry:failing:\d+", fault["frames"][-1])
        assert [line["status"] for line in told.lines if line["event"] == "request"] == [500, 200]
        assert attributes(told.collector.span("POST /v1/ask"))["error.type"] == "unexpected"
        assert {*told.collector.paths} == {"/v1/traces"}
        assert CANARY not in told.everything + "".join(capfd.readouterr())

    def test_of_what_is_refused(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        with (
            telling(tmp_path, Writer()) as (running, told),
            running.client() as client,
            running.client("quokkatoken") as stranger,
        ):
            refused = [
                ask(stranger),
                client.post("/v1/ask", json={"text": "x", "case": {"quokkakey": "quokkavalue"}}),
                client.post("/v1/ask", content=b'{"text": "quokkabroken'),
                client.get("/v1/packets/quokkapacket", params={"quokkaquery": "1"}),
                client.get("/quokkapath"),
                client.request("QUOKKA", "/v1/ask"),
            ]
            told.pages.append(scrape(client))
        assert all(400 <= reply.status_code < 500 for reply in refused)
        asked = [line for line in told.lines if line["event"] == "request"]
        assert [line["route"] for line in asked][:5] == [
            "/v1/ask",
            "/v1/ask",
            "/v1/ask",
            "/v1/packets/{packet}",
            "unmatched",
        ]
        assert (asked[0]["code"], asked[0]["detail"], asked[0]["caller"]) == ("unauthenticated", "malformed", None)
        assert all("dropped" not in line for line in told.lines)
        assert CANARY not in told.everything + "".join(capfd.readouterr())


def test_tools_for_agents_are_told_of_by_their_path(tmp_path: Path) -> None:
    with telling(tmp_path, Writer()) as (running, told), running.client() as client:
        client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        client.get("/mcp")
    assert [line["route"] for line in told.lines if line["event"] == "request"] == ["/mcp", "/mcp"]


def test_what_is_shed_is_told_with_its_code(tmp_path: Path) -> None:
    with telling(tmp_path, Writer(), limits=Limits(concurrent=0)) as (running, told), running.client() as client:
        assert ask(client).status_code == 503
    assert told.line("request")["code"] == "overloaded"


def test_no_line_of_a_service_s_log_has_anything_to_drop(tmp_path: Path) -> None:
    with telling(tmp_path, Writer()) as (running, told), running.client() as client:
        ask(client)
    assert [line["event"] for line in told.lines if "dropped" in line] == []
    assert told.lines[-1]["event"] == "stopped"


async def echo(request: Request) -> Response:
    return PlainTextResponse(request.path_params["word"])


async def slowly(_: Request) -> Response:
    async def parts() -> AsyncIterator[bytes]:
        yield b"one"
        await asyncio.sleep(0.05)
        yield b"two"

    return StreamingResponse(parts())


async def leaves(_: Request) -> Response:
    raise ClientDisconnect


async def waits(_: Request) -> Response:
    await asyncio.sleep(30)
    return Response()


ROUTES = [
    Route("/say/{word}", echo),
    Route("/slowly", slowly),
    Route("/leaves", leaves),
    Route("/waits", waits),
    Mount("/inner", routes=[Route("/say/{word}", echo)]),
    Mount("/outside", app=PlainTextResponse("another program")),
]


class TestTheMiddleware:
    """Around an application of a few routes, called as a server calls it."""

    @pytest.fixture
    def log(self, tmp_path: Path) -> Path:
        return tmp_path / "log.jsonl"

    def called(self, log: Path, path: str, headers: Mapping[str, str] | None = None) -> list[Message]:
        """What the application sends."""
        telemetry = service_telemetry(TelemetryOptions(version="9.9", log_file=log))
        app = TelemetryMiddleware(Starlette(routes=ROUTES), telemetry)
        sent: list[Message] = []
        raw = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "root_path": "/behind"}
        scope |= {"headers": raw, "query_string": b"", "http_version": "1.1", "scheme": "http", "server": ("x", 80)}

        async def receive() -> Message:
            await asyncio.sleep(30)
            return {"type": "http.disconnect"}

        def lines() -> int:
            return len(log.read_text().splitlines())

        async def send(message: Message) -> None:
            sent.append({**message, "after": lines()})

        async def once() -> None:
            async with asyncio.timeout(1):
                await app(scope, receive, send)

        try:
            asyncio.run(once())
        finally:
            telemetry.close()
        return sent

    def line(self, log: Path) -> dict[str, Any]:
        (line,) = map(json.loads, log.read_text().splitlines())
        assert isinstance(line, dict)
        return line

    @pytest.mark.parametrize(
        ("path", "route"),
        [
            ("/behind/say/quokka", "/say/{word}"),
            ("/behind/inner/say/quokka", "/inner/say/{word}"),
            ("/behind/outside/quokka", "/outside"),
            ("/behind/quokka", "unmatched"),
        ],
    )
    def test_tells_the_template_of_the_path_and_never_the_path(self, log: Path, path: str, route: str) -> None:
        self.called(log, path)
        assert self.line(log)["route"] == route
        assert CANARY not in log.read_text()

    def test_passes_each_part_of_a_stream_on_as_it_comes_and_tells_at_its_end(self, log: Path) -> None:
        sent = self.called(log, "/behind/slowly")
        assert [message.get("body") for message in sent] == [None, b"one", b"two", b""]
        assert {message["after"] for message in sent} == {0}
        assert self.line(log)["seconds"] >= 0.05

    @pytest.mark.parametrize("given", ["abc-1.2_3", "a" * 64])
    def test_takes_the_caller_s_request_id(self, log: Path, given: str) -> None:
        start, *_ = self.called(log, "/behind/say/x", {"X-Request-Id": given})
        assert (b"x-request-id", given.encode()) in start["headers"]
        assert self.line(log)["request"] == given

    @pytest.mark.parametrize("given", ["", "two words", "a" * 65, "ü", 'x"y'])
    def test_makes_one_where_that_is_no_short_token(self, log: Path, given: str) -> None:
        start, *_ = self.called(log, "/behind/say/x", {"X-Request-Id": given})
        made = dict(start["headers"])[b"x-request-id"].decode()
        assert re.fullmatch(r"[0-9a-f]{16}", made)
        assert self.line(log)["request"] == made

    def test_tells_a_caller_who_has_left_as_no_fault(self, log: Path) -> None:
        self.called(log, "/behind/leaves")
        assert (self.line(log)["status"], self.line(log)["code"]) == (499, "disconnected")

    def test_tells_a_request_that_is_cancelled(self, log: Path) -> None:
        with pytest.raises(TimeoutError):
            self.called(log, "/behind/waits")
        assert self.line(log)["status"] == 499

    def test_lets_what_is_no_request_through(self, tmp_path: Path) -> None:
        seen: list[str] = []

        async def app(scope: Any, _: Any, __: Any) -> None:
            seen.append(scope["type"])

        telemetry = service_telemetry(TelemetryOptions(version="9.9", log_file=tmp_path / "log.jsonl"))
        asyncio.run(TelemetryMiddleware(app, telemetry)({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
        telemetry.close()
        assert seen == ["lifespan"]
        assert (tmp_path / "log.jsonl").read_text() == ""
