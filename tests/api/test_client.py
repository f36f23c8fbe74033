"""One suite for both clients: the asynchronous one is driven by an event loop of its own, and has to do all that the other does."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

import pytest
import uvicorn

from tests.api.conftest import Running, served
from tests.api.test_chat import DRAFTER, application
from toulmin import verify_packet
from toulmin.client import (
    Answered,
    AskForEvidence,
    AsyncClient,
    ClaimJudged,
    Client,
    Drafting,
    Event,
    Finished,
    Retries,
    Searched,
    SearchOnly,
    Unreachable,
    UnsupportedQuestion,
    Withheld,
)
from toulmin.client.clients import _Calls
from toulmin.domain.errors import (
    Conflict,
    Forbidden,
    InputError,
    NotFound,
    Overdue,
    Overloaded,
    Refused,
    StoreFault,
    ToulminError,
    Unauthenticated,
)
from toulmin.testing.provider import Provider, waits

QUESTION = "gateway-explain-and-next-step-v1"
CASE = {"model": "G2", "firmware": "2.4.1", "audit_hold": True}
EFFECT = f"""
[effects.send-reply]
kind = "command"
argv = [{sys.executable!r}, "-c", "import sys; sys.stdin.read()"]
"""


class Blocking:
    """An asynchronous client that is waited for: what it returns is what the other returns."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    def __enter__(self) -> Self:
        self._loop = asyncio.Runner()
        self._loop.run(self._client.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run(self._client.__aexit__(None, None, None))
        self._loop.close()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)
        return lambda *args, **kwargs: self._loop.run(method(*args, **kwargs))

    def events(self, name: str, *args: Any, most: int = sys.maxsize, **kwargs: Any) -> list[Event]:
        return self._loop.run(self._events(getattr(self._client, name)(*args, **kwargs), most))

    @staticmethod
    async def _events(stream: Any, most: int) -> list[Event]:
        told = []
        async with stream as events:
            async for event in events:
                told.append(event)
                if len(told) == most:
                    break
        return told


class Direct(Client):
    """The blocking client, with its events as a list."""

    def events(self, name: str, *args: Any, most: int = sys.maxsize, **kwargs: Any) -> list[Event]:
        with getattr(self, name)(*args, **kwargs) as events:
            return [event for _, event in zip(range(most), events, strict=False)]


Make = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a client of one of the two kinds, which blocks."""

    def made(url: str, token: str | None = "service", **options: Any) -> Any:
        if request.param == "sync":
            return Direct(url, token=token, **options)
        return Blocking(AsyncClient(url, token=token, **options))

    return made


@pytest.fixture
def folder(folder: Path) -> Path:
    with (folder / "toulmin.toml").open("a") as settings:
        settings.write(EFFECT)
    return folder


@dataclass
class Scripted:
    """A server that answers with what it is told to, one reply a request, the last one for ever; None breaks the connection."""

    replies: Sequence[tuple[int, dict[str, str], bytes] | None]
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)

    @contextmanager
    def listening(self) -> Iterator[str]:
        script = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                script.requests.append((self.command, self.path, headers, body))
                reply = script.replies[min(len(script.requests), len(script.replies)) - 1]
                if reply is None:
                    self.close_connection = True
                    return
                status, more, content = reply
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = _answer  # noqa: N815  # so the library calls them

            def log_message(self, *_: object) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            try:
                yield f"http://127.0.0.1:{server.server_port}"
            finally:
                server.shutdown()
                thread.join()


def ready() -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "application/json"}, b'{"status":"ready","lacking":[],"later":"key"}'


def told(status: int, code: str, *, retryable: bool = False, **headers: str) -> tuple[int, dict[str, str], bytes]:
    problem = {"type": f"urn:toulmin:problem:{code}", "title": "t", "status": status, "detail": "words", "code": code}
    content = json.dumps({**problem, "where": "body: x", "remedy": "mend it", "retryable": retryable}).encode()
    return status, {"Content-Type": "application/problem+json", **headers}, content


def test_every_public_call_is_a_method_of_both_clients_and_says_what_it_does() -> None:
    names = [name for name in vars(_Calls) if not name.startswith("_")]
    assert len(names) == 29
    for name in names:
        assert (getattr(Client, name).__doc__ or "").strip(), name
        assert getattr(AsyncClient, name) is getattr(Client, name)


def test_a_contracts_question_ends_in_a_class_that_can_be_matched(running: Running, make: Make) -> None:
    with make(running.url) as client:
        match client.ask(QUESTION, case=CASE):
            case Answered(text=text, claims=[first, _], packet=packet, assurance="licensed", sufficient=True):
                assert text.startswith(first["text"])
                assert packet["id"].startswith("pk-")
            case other:
                pytest.fail(str(other))
        match client.ask(QUESTION, case={**CASE, "model": "G9"}):
            case AskForEvidence(missing=missing, reason=None):
                assert "known-issue" in missing
            case other:
                pytest.fail(str(other))
        assert client.ask("no-such-question") == UnsupportedQuestion()
        match client.ask_text("telemetry after a reconnect", case={"model": "G2", "firmware": "2.4.1"}):
            case SearchOnly(reason="no_drafter", search=[found, *_]):
                assert found["document"] == "GW-241"
            case other:
                pytest.fail(str(other))


def test_the_last_event_of_a_stream_is_what_the_question_ends_in(running: Running, make: Make) -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    with make(running.url) as client:
        plain = client.ask(QUESTION, case=CASE)
        first, drafting, *judged, last = client.events("ask_stream", QUESTION, case=CASE)
        assert isinstance(first, Searched)
        assert {item["document"] for item in first.results} == {"GW-241", "HOLD-7"}
        assert drafting == Drafting()
        assert judged == [ClaimJudged(index=place, status="licensed") for place in (0, 1)]
        assert isinstance(last, Finished)
        assert isinstance(last.outcome, Answered)
        assert (last.outcome.text, last.outcome.claims) == (plain.text, plain.claims)
        assert client.events("ask_stream", "no-such-question") == [Finished(outcome=UnsupportedQuestion())]
        with pytest.raises(InputError):
            client.events("ask_stream", QUESTION, as_of=at)


def test_what_is_found_reviewed_and_kept_can_be_looked_at(running: Running, make: Make) -> None:
    with make(running.url) as client:
        assert client.health() == {"status": "ready", "lacking": []}
        found = client.search("telemetry", case={"model": "G2", "firmware": "2.4.1"}, k=1, explain=True)
        assert [item["document"] for item in found["results"]] == ["GW-241"]
        assert found["excluded"]
        (contract,) = client.contracts()["contracts"]
        assert client.contract(QUESTION) == contract
        quote = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."
        cite = {"document": "GW-241", "version": "3", "quote": quote}
        assert client.review([{"claim": quote, "evidence": [cite]}])["results"][0]["verdict"] == "supported"
        answered = client.ask(QUESTION, case=CASE)
        packet = answered.packet["id"]
        assert client.review_text(f"{answered.text}", packet)["schema"] == "toulmin.review/1"
        assert client.packet(packet)["evidence"] == answered.packet["evidence"]
        assert client.verify(packet)["valid"]
        assert client.replay(packet)["reproduces"]
        assert verify_packet(client.envelope(packet), expected=packet).valid
        (resting,) = client.impact("GW-241", version="3")["packets"]
        assert resting["packet"] == packet
        for name in ("other", "../healthz?", "a/b"):
            with pytest.raises(NotFound):
                client.contract(name)


def test_documents_are_taken_in_listed_and_taken_out_of_service(running: Running, make: Make) -> None:
    with make(running.url, "keeper") as client:
        files = {"manuals/pump.md": b"# Pump\n\nPrime it by hand.\n", "manuals/void.md": b""}
        metadata = {"readers": ["public"], "version": "1", "scope": {"model": "*", "firmware": "*"}}
        taken = client.ingest(files, metadata=metadata)
        assert [(each["path"], each["fault"] is None) for each in taken["files"]] == [
            ("manuals/pump.md", True),
            ("manuals/void.md", False),
        ]
        names = [each["document"] for each in client.documents(after="manuals", limit=1)["documents"]]
        assert names == ["manuals/pump.md"]
        assert client.documents(after="zzz")["documents"] == []
        (revision,) = client.document("manuals/pump.md", version="1")["revisions"]
        assert revision["passages"]
        assert client.search("prime the pump by hand")["results"][0]["document"] == "manuals/pump.md"
        known = client.metadata("manuals/pump.md", version="1")
        described = {**known["metadata"], "title": "The pump"}
        replaces = known["descriptor_sha256"]
        edited = client.edit("manuals/pump.md", described, version="1", replaces=replaces)
        assert edited["descriptor_changed"] is True
        assert client.metadata("manuals/pump.md", version="1")["metadata"]["title"] == "The pump"
        with pytest.raises(Conflict):
            client.edit("manuals/pump.md", known["metadata"], version="1", replaces=replaces)
        assert client.withdraw("manuals/pump.md")["documents"][0]["state"] == "withdrawn"


def test_an_approval_goes_all_its_ways(running: Running, make: Make) -> None:
    with (
        make(running.url) as client,
        make(running.url, "reviewer") as reviewer,
        make(running.url, "operator") as operator,
    ):
        packet = client.ask(QUESTION, case=CASE).packet["id"]
        approval = client.request_approval(packet, "send-reply", params={"to": "ann"}, comment="please")
        assert (approval["state"], approval["params"]) == ("requested", {"to": "ann"})
        assert reviewer.approve(approval["id"], comment="fine")["state"] == "approved"
        assert operator.execute(approval["id"])["state"] == "executed"
        assert [each["id"] for each in client.approvals(state="executed")["approvals"]] == [approval["id"]]
        with pytest.raises(Refused) as refused:
            operator.resolve(approval["id"], "failed", comment="it did not arrive")
        assert not isinstance(refused.value, Forbidden)
        other = client.request_approval(packet, "send-reply", instance="second")
        assert reviewer.reject(other["id"])["state"] == "rejected"
        third = client.request_approval(packet, "send-reply", instance="third")
        assert client.revoke(third["id"])["state"] == "revoked"
        assert client.approval(third["id"])["history"][-1]["state"] == "revoked"


def test_who_may_not_is_told_so_in_the_faults_of_the_service(running: Running, make: Make) -> None:
    with make(running.url, "reader") as client, pytest.raises(Forbidden) as refused:
        client.ask(QUESTION, case=CASE)
    assert (refused.value.code, refused.value.where) == ("trusted_field", "case.audit_hold")
    for token in ("forged", None):
        with make(running.url, token) as client, pytest.raises(Unauthenticated) as unknown:
            client.contracts()
        assert unknown.value.remedy


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as started:
        yield started


@contextmanager
def drafting(folder: Path, provider: Provider, mode: str) -> Iterator[Running]:
    settings = folder / "toulmin.toml"
    settings.write_text(settings.read_text() + DRAFTER.format(url=provider.base_url, mode=mode))
    with served(application(folder)) as server:
        yield server


def test_a_model_that_fails_leaves_the_search_and_says_when_to_ask_again(
    folder: Path, provider: Provider, make: Make
) -> None:
    provider.script("rate_limited_for_an_hour")
    with drafting(folder, provider, "reviewed") as server, make(server.url, "reader") as client:
        outcome = client.ask_text("telemetry after a reconnect", case={"model": "G2", "firmware": "2.4.1"})
        assert isinstance(outcome, SearchOnly)
        assert (outcome.reason, outcome.detail) == ("rate_limited", "http_429")
        assert outcome.retry_after_s is not None
        assert outcome.search
        provider.script("ok")
        (*_, last) = client.events(
            "ask_text_stream", "what after a reconnect", case={"model": "G2", "firmware": "2.4.1"}
        )
        assert isinstance(last.outcome, Withheld | SearchOnly)


def test_who_leaves_a_stream_early_ends_the_question(folder: Path, provider: Provider, make: Make) -> None:
    provider.script(waits(60))
    case = {"model": "G2", "firmware": "2.4.1"}
    (folder / "policy.yaml").write_text("version: one-at-a-time/1\nconcurrent_drafts: 1\n")
    with drafting(folder, provider, "cited") as server, make(server.url, "reader") as client:
        told = client.events("ask_text_stream", "telemetry after a reconnect", case=case, most=2)
        assert [type(event) for event in told] == [Searched, Drafting]
        provider.script("ok")
        started = time.monotonic()
        while not isinstance(client.ask_text("telemetry after a reconnect", case=case), Answered):
            assert time.monotonic() - started < 20, "the first draft still has the only place"


def test_a_service_on_a_unix_socket_is_reached_too(folder: Path, tmp_path: Path, make: Make) -> None:
    socket = tmp_path / "toulmin.sock"
    config = uvicorn.Config(application(folder), uds=str(socket), log_config=None, lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        with make(f"unix:{socket}") as client:
            assert client.health()["status"] == "ready"
    finally:
        server.should_exit = True
        thread.join()


FAULTS: list[tuple[tuple[int, dict[str, str], bytes], type[ToulminError]]] = [
    (told(400, "bad_json"), InputError),
    (told(401, "unauthenticated"), Unauthenticated),
    (told(403, "role_missing"), Forbidden),
    (told(404, "no_such_packet"), NotFound),
    (told(409, "stale"), Refused),
    (told(409, "evidence_changed", retryable=True), Conflict),
    (told(422, "unknown_key"), InputError),
    (told(429, "rate_limited", retryable=True, **{"Retry-After": "60"}), Overloaded),
    (told(500, "unexpected"), ToulminError),
    (told(503, "overloaded", retryable=True, **{"Retry-After": "60"}), Overloaded),
    (told(503, "index_missing"), StoreFault),
    (told(504, "overdue", retryable=True), Overdue),
    ((302, {"Location": "/elsewhere"}, b""), Unreachable),
    ((200, {"Content-Type": "text/html"}, b"<html>Sign in</html>"), Unreachable),
    ((200, {"Content-Type": "application/json"}, b'{"status":"ready"}'), Unreachable),
    ((200, {"Content-Type": "application/json"}, b"not json"), Unreachable),
]


def test_each_fault_of_the_service_is_the_same_fault_here(make: Make) -> None:
    for reply, kind in FAULTS:
        server = Scripted([reply])
        with server.listening() as url, make(url) as client, pytest.raises(ToulminError) as raised:
            client.send(_asking())
        fault = raised.value
        assert type(fault) is kind, reply
        if kind is not Unreachable:
            assert (fault.message, fault.where, fault.remedy) == ("words", "body: x", "mend it")
        if isinstance(fault, Overloaded):
            assert (fault.retry_after_s, fault.own) == (60.0, reply[0] == 429)
        assert len(server.requests) == 1, reply


def _asking() -> Any:
    """A call that may not be sent twice, read as something else that this suite's replies are."""
    from toulmin.client import calls

    call = calls.ask("q")
    return calls.Call(method=call.method, path=call.path, body=call.body, read=calls.health().read)


def test_a_call_goes_out_with_its_credential_and_nothing_of_the_environment(make: Make) -> None:
    server = Scripted([ready()])
    proxy = patch.dict("os.environ", {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": ""})
    with server.listening() as url, proxy, make(f"{url}/behind/", token="secret") as client:
        assert client.health() == {"status": "ready", "lacking": []}
    ((method, path, headers, body),) = server.requests
    assert (method, path, body) == ("GET", "/behind/readyz", b"")
    assert headers["authorization"] == "Bearer secret"
    assert headers["accept-encoding"] == "identity"


BUSY = told(503, "overloaded", retryable=True, **{"Retry-After": "1"})


def test_what_was_not_done_is_tried_again_when_the_service_says_so(make: Make) -> None:
    server = Scripted([BUSY, ready()])
    with server.listening() as url, make(url) as client:
        started = time.monotonic()
        client.send(_asking())
        assert time.monotonic() - started >= 1
    assert len(server.requests) == 2


def test_tries_come_to_an_end(make: Make) -> None:
    server = Scripted([BUSY])
    with server.listening() as url, make(url, retries=Retries(most=1)) as client, pytest.raises(Overloaded):
        client.health()
    assert len(server.requests) == 2


def test_only_what_may_be_sent_twice_is_sent_again_when_no_answer_came(make: Make) -> None:
    broken = Scripted([None, ready()])
    with broken.listening() as url, make(url) as client:
        assert client.health()["status"] == "ready"
    assert len(broken.requests) == 2
    asked = Scripted([None, ready()])
    with asked.listening() as url, make(url) as client, pytest.raises(Unreachable) as unreachable:
        client.send(_asking())
    assert unreachable.value.code == "disconnected"
    assert len(asked.requests) == 1


def test_a_write_that_is_sent_again_has_the_same_key_and_another_write_another(make: Make) -> None:
    server = Scripted([None, told(404, "no_such_approval")])
    with server.listening() as url, make(url) as client:
        for _ in range(2):
            with pytest.raises(NotFound):
                client.approve("ap-1")
    keys = [headers["idempotency-key"] for _, _, headers, _ in server.requests]
    assert len(keys) == 3
    assert keys[0] == keys[1] != keys[2]


def test_a_service_that_is_not_there_or_too_slow_is_unreachable(make: Make) -> None:
    with make("http://127.0.0.1:9", retries=Retries(most=0)) as client, pytest.raises(Unreachable) as absent:
        client.health()
    assert absent.value.code == "connect"
    with make("http://127.0.0.1:9") as client, pytest.raises(Unreachable):
        client.events("ask_stream", "q")
    held = threading.Event()
    server = Scripted([ready()])
    with server.listening() as url, patch.object(Scripted, "replies", property(lambda _: held.wait(5)), create=True):
        with make(url, timeout_s=0.2, retries=Retries(most=0)) as client, pytest.raises(Unreachable) as slow:
            client.health()
        held.set()
    assert slow.value.code == "timeout"


def sse(*frames: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "text/event-stream; charset=utf-8"}, "".join(frames).encode()


NOTHING: dict[str, Any] = {
    **dict.fromkeys(("assurance", "reason", "detail", "retry_after_s", "sufficiency", "as_of", "answer", "packet")),
    "missing": [],
    "withheld": [],
    "search": [],
}
FAILED = f"event: error\ndata: {told(504, 'overdue', retryable=True)[2].decode()}\n\n"


def test_a_stream_without_an_outcome_is_no_answer(make: Make) -> None:
    expected = {
        ": pulse\n\nevent: drafting\ndata: {}\n\n": "disconnected",
        FAILED: "overdue",
        "event: verdict\ndata: {}\n\n": "bad_reply",
        'event: outcome\ndata: {"outcome":"Answered"}\n\n': "bad_reply",
    }
    for frames, code in expected.items():
        server = Scripted([sse("event: news\ndata: {}\n\n", frames)])
        with server.listening() as url, make(url) as client, pytest.raises(ToulminError) as raised:
            client.events("ask_stream", "q")
        assert raised.value.code == code


def test_an_answer_that_is_no_stream_is_refused(make: Make) -> None:
    content = json.dumps({"schema": "toulmin.outcome/1", "outcome": "UnsupportedQuestion", **NOTHING}).encode()
    reply = (200, {"Content-Type": "application/json"}, content)
    with Scripted([reply]).listening() as url, make(url) as client, pytest.raises(Unreachable) as raised:
        client.events("ask_stream", "q")
    assert "no stream" in raised.value.message


@pytest.mark.parametrize("outcome", ["Answered", "SearchOnly", "Withheld"])
def test_an_outcome_that_lacks_what_belongs_to_it_is_no_answer(make: Make, outcome: str) -> None:
    shape = {"schema": "toulmin.outcome/1", "outcome": outcome, **NOTHING}
    whole = shape | {"packet": {"id": "pk-1", "evidence": "ev-1", "corpus": "co-1"}, "assurance": "cited", "as_of": "x"}
    for told_shape in (shape, *([whole] if outcome != "Withheld" else [])):
        reply = (200, {"Content-Type": "application/json"}, json.dumps(told_shape).encode())
        with Scripted([reply]).listening() as url, make(url) as client, pytest.raises(Unreachable) as raised:
            client.ask("q")
        assert raised.value.code == "bad_reply"


@pytest.mark.parametrize(
    "url", ["ftp://host", "host.example", "http://user:secret@host", "http://host/?a=b", "unix:", ""]
)
def test_an_address_that_is_none_is_refused_and_not_shown(make: Make, url: str) -> None:
    with pytest.raises(InputError) as refused:
        make(url)
    assert refused.value.code == "bad_url"
    assert "secret" not in str(refused.value)


def test_a_token_with_a_line_end_is_refused_and_not_shown(make: Make) -> None:
    for token in ("secret\n", "", "sec ret"):
        with pytest.raises(InputError) as refused:
            make("http://127.0.0.1", token)
        assert refused.value.code == "bad_token"
        assert "sec" not in str(refused.value)
