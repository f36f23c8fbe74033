"""The service while something else fails: its model, its store, its index, its workers, or whoever ends it."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.conftest import PEOPLE, Running, over, served
from tests.api.drafting import OPEN, SEARCH, drafting, fitted, opened
from tests.api.processes import SERVER, Server, configured, keys, lines, started, until
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.sync import Workspace
from toulmin.testing.embeddings import DIMENSION
from toulmin.testing.provider import BEHAVIOURS, Author, Provider, Received, Response, rate_limited, waits

GATEWAY: Mapping[str, Any] = {
    "question": "gateway-explain-and-next-step-v1",
    "case": {"model": "G2", "firmware": "2.4.1", "audit_hold": True},
}
PUMP = b"""\
---
toulmin: {readers: [public], scope: {model: "*", firmware: "*"}}
---
The zymurgic pump is primed by hand.
"""
PROVIDER_FAULTS = [
    ("hang", "timeout"),
    ("http_503", "provider_error"),
    ("http_401", "provider_error"),
    ("rate_limited", "rate_limited"),
    ("disconnect", "provider_error"),
    ("disconnect_in_the_body", "provider_error"),
]
OTHER_FAULTS = [
    ("prose", "invalid_output"),
    ("unknown_id", "invalid_output"),
    ("truncated", "truncated"),
    ("refusal", "refused"),
]


def post(client: httpx2.Client, path: str, body: Mapping[str, Any]) -> httpx2.Response:
    return client.post(path, json=body)


@contextmanager
def under_way(work: Callable[[], httpx2.Response]) -> Iterator[Callable[[], httpx2.Response]]:
    """Something that is asked while the block is at work; its reply, once it is there."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(work)
        yield asked.result


class TestADrafterThatFails:
    @pytest.mark.parametrize(("behaviour", "reason"), PROVIDER_FAULTS)
    def test_by_a_fault_of_the_provider_is_worth_another_try(self, folder: Path, behaviour: str, reason: str) -> None:
        with drafting(folder, behaviour, provider_s=2) as desk, desk.running.client() as client:
            reply = post(client, "/v1/ask", OPEN)
            assert post(client, "/v1/search", SEARCH).status_code == 200
        assert (reply.status_code, reply.json()["outcome"], reply.json()["reason"]) == (503, "SearchOnly", reason)
        assert int(reply.headers["retry-after"]) >= 1
        assert reply.json()["search"], "what was found is there all the same"
        assert reply.json()["packet"]["id"].startswith("pk-")

    def test_and_says_when_it_may_be_asked_again_is_not_asked_earlier(self, folder: Path) -> None:
        with drafting(folder, rate_limited("3600"), provider_s=2) as desk, desk.running.client() as client:
            reply = post(client, "/v1/ask", OPEN)
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "3600")
        assert reply.json()["retry_after_s"] == 3600

    @pytest.mark.parametrize(("behaviour", "reason"), OTHER_FAULTS)
    def test_by_what_it_wrote_is_an_outcome(self, folder: Path, behaviour: str, reason: str) -> None:
        with drafting(folder, behaviour) as desk, desk.running.client() as client:
            reply = post(client, "/v1/ask", OPEN)
        assert (reply.status_code, reply.json()["outcome"], reply.json()["reason"]) == (200, "SearchOnly", reason)
        assert "retry-after" not in reply.headers
        assert reply.json()["search"]

    def test_by_being_slow_keeps_no_search_waiting_and_takes_no_more_drafts_than_it_has_places(
        self, folder: Path
    ) -> None:
        with (
            drafting(folder, waits(2), places=2) as desk,
            desk.running.client() as client,
            ThreadPoolExecutor(8) as pool,
        ):
            asked = [pool.submit(post, client, "/v1/ask", OPEN) for _ in range(8)]
            until(lambda: len(desk.provider.requests) == 2)
            began = time.monotonic()
            assert [post(client, "/v1/search", SEARCH).status_code for _ in range(10)] == [200] * 10
            assert time.monotonic() - began < 2
            replies = [each.result() for each in asked]
        reasons = sorted(str(reply.json()["reason"]) for reply in replies)
        assert reasons == ["None"] * 2 + ["saturated"] * 6
        assert all(reply.json()["search"] for reply in replies)
        assert len(desk.provider.requests) == 2


class TestAStoreThatIsBusy:
    def test_ends_a_question_in_a_problem_that_is_worth_another_try_and_keeps_nothing_of_it(self, folder: Path) -> None:
        with served(create_app(opened(folder, patience_s=0.2))) as running, running.client("service") as client:
            before = packets(folder)
            with writing_elsewhere(folder):
                busy = post(client, "/v1/ask", GATEWAY)
                search = post(client, "/v1/search", SEARCH)
            assert packets(folder) == before
            again = post(client, "/v1/ask", GATEWAY)
        assert (busy.status_code, busy.json()["code"], busy.json()["retryable"]) == (409, "store_busy", True)
        assert busy.headers["retry-after"] == "1"
        assert str(folder) not in busy.text
        assert search.status_code == 200
        assert (again.status_code, packets(folder)) == (200, before + 1)

    def test_is_waited_for_as_long_as_a_writer_usually_takes(self, running: Running, folder: Path) -> None:
        with running.client("service") as client, ThreadPoolExecutor(1) as pool:
            with writing_elsewhere(folder):
                asked = pool.submit(post, client, "/v1/ask", GATEWAY)
                time.sleep(0.5)
                assert not asked.done()
            assert asked.result().json()["outcome"] == "Answered"

    def test_keeps_no_search_waiting_behind_those_who_wait_to_write(self, folder: Path) -> None:
        crowded = opened(folder, patience_s=4, concurrent_per_principal=48)
        with (
            served(create_app(crowded)) as running,
            running.client("service") as client,
            ThreadPoolExecutor(40) as pool,
        ):
            with writing_elsewhere(folder):
                asked = [pool.submit(post, client, "/v1/ask", GATEWAY) for _ in range(40)]
                time.sleep(1)
                began = time.monotonic()
                assert post(client, "/v1/search", SEARCH).status_code == 200
                assert client.get("/readyz").status_code == 200
                assert time.monotonic() - began < 2
                assert not any(each.done() for each in asked)
            assert {each.result().status_code for each in asked} <= {200, 409}


@contextmanager
def writing_elsewhere(folder: Path) -> Iterator[None]:
    """In this block another process is writing."""
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "c.execute('BEGIN IMMEDIATE'); print('busy', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(folder / ".toulmin/corpus.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"busy\n"
        try:
            yield
        finally:
            process.kill()


def packets(folder: Path) -> int:
    """How many packets are kept."""
    with closing(sqlite3.connect(folder / ".toulmin/corpus.db")) as database:
        (number,) = database.execute("SELECT count(*) FROM packet").fetchone()
    return int(number)


def test_searches_go_on_while_the_index_is_made_anew(running: Running, folder: Path) -> None:
    with running.client() as client, ThreadPoolExecutor(1) as pool:
        expected = post(client, "/v1/search", SEARCH).json()
        remade = pool.submit(remake, folder, 10)
        while not remade.done():
            reply = post(client, "/v1/search", SEARCH)
            assert (reply.status_code, reply.json()) == (200, expected)
        remade.result()


def test_vectors_of_another_embedder_are_the_operators_to_mend_and_the_service_is_not_ready(folder: Path) -> None:
    settings = folder / "toulmin.toml"
    known = settings.read_text()
    with Provider() as provider:
        for name in ("one", "another"):
            embedder = f'[embedder]\nkind = "openai"\nmodel = "{name}"\ndimension = {DIMENSION}\nbase_url = "{provider.base_url}"\n'
            settings.write_text(known + embedder)
            if name == "one":
                with Workspace.open(folder) as desk:
                    desk.embed()
        with served(create_app(over(folder))) as server, server.client() as client:
            reply = client.post("/v1/search", json=SEARCH)
            until(lambda: client.get("/readyz").json()["lacking"] == ["index"])
    assert (reply.status_code, reply.json()["code"]) == (503, "other_embedding_profile")
    assert "another" not in reply.text


def remake(folder: Path, times: int) -> None:
    """Makes the index anew, as `toulmin index rebuild` does in a process of its own."""
    for _ in range(times):
        with Workspace.open(folder) as place:
            place.rebuild()


class TestTooManyRequests:
    def test_are_shed_and_taken_again_when_there_is_room(self, folder: Path) -> None:
        with (
            drafting(folder, waits(1), concurrent=2) as desk,
            desk.running.client() as client,
            ThreadPoolExecutor(2) as pool,
        ):
            asked = [pool.submit(post, client, "/v1/ask", OPEN) for _ in range(2)]
            until(lambda: len(desk.provider.requests) == 2)
            shed, alive = post(client, "/v1/search", SEARCH), client.get("/healthz")
            assert (shed.status_code, shed.json()["code"], shed.headers["retry-after"]) == (503, "overloaded", "1")
            assert (shed.json()["retryable"], alive.status_code) == (True, 200)
            assert [each.result().json()["outcome"] for each in asked] == ["Answered"] * 2
            assert post(client, "/v1/search", SEARCH).status_code == 200

    def test_of_one_caller_keep_nobody_else_out(self, folder: Path) -> None:
        with (
            drafting(folder, waits(1), concurrent_per_principal=1) as desk,
            desk.running.client() as client,
            desk.running.client("other") as other,
            under_way(partial(post, client, "/v1/ask", OPEN)) as reply,
        ):
            until(lambda: desk.provider.requests)
            refused = post(client, "/v1/search", SEARCH)
            assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (
                429,
                "rate_limited",
                "1",
            )
            assert post(other, "/v1/search", SEARCH).status_code == 200
            assert reply().status_code == 200
            assert post(client, "/v1/search", SEARCH).status_code == 200

    def test_that_come_in_byte_by_byte_lose_their_places(self, folder: Path) -> None:
        def dripping() -> Iterator[bytes]:
            for _ in range(100):
                yield b" "
                time.sleep(0.05)

        headers = {"Content-Type": "application/json"}
        with served(create_app(opened(folder, request_s=0.5))) as running, running.client() as client:
            reply = client.post("/v1/search", content=dripping(), headers=headers)
        assert (reply.status_code, reply.json()["code"], reply.json()["where"]) == (504, "overdue", "body")


def test_every_request_has_exactly_one_response_whatever_the_model_does(folder: Path) -> None:
    faults = ["ok", "http_503", "prose", "rate_limited", "disconnect", "truncated", "hang"]

    def obeys(request: Received, author: Author) -> Response:
        return BEHAVIOURS[request.question["question"].split()[-1]](request, author)

    def ask(number: int) -> tuple[str, str]:
        fault = faults[number % len(faults)]
        path, body = ("/v1/search", SEARCH) if number % 3 else ("/v1/ask", {**OPEN, "text": f"telemetry {fault}"})
        with desk.running.client() as client:
            reply = client.post(path, json=body, headers={"X-Request-Id": f"r{number}"})
        assert reply.status_code in {200, 503}, reply.text
        assert reply.json()["schema"] in {"toulmin.search/1", "toulmin.outcome/1"}
        return reply.headers["x-request-id"], f"r{number}"

    configured(folder, '[telemetry]\nlog_file = "log.jsonl"\n')
    with drafting(folder, obeys, provider_s=1) as desk, ThreadPoolExecutor(16) as pool:
        assert all(came == sent for came, sent in pool.map(ask, range(150)))
    told = [line["request"] for line in lines(folder / "log.jsonl") if line["event"] == "request"]
    assert sorted(map(str, told)) == sorted(f"r{number}" for number in range(150))


class TestAServerThatIsTold:
    """`toulmin serve` as a process."""

    @pytest.mark.parametrize("workers", [1, 2])
    @pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
    def test_to_end_finishes_what_is_under_way_and_takes_nothing_more(
        self, folder: Path, workers: int, sign: signal.Signals
    ) -> None:
        with Provider(waits(2)) as provider:
            (token,) = keys(fitted(configured(folder, SERVER), provider.base_url), [PEOPLE["reader"]])
            with started(folder, "--workers", str(workers)) as server, server.client(token) as client:
                with under_way(partial(post, client, "/v1/ask", OPEN)) as reply:
                    until(lambda: provider.requests)
                    os.killpg(server.process.pid, sign)  # as a terminal and a service manager do it: all of them
                    until(lambda: not server.is_listened_on())
                    assert server.process.poll() is None
                    assert reply().json()["outcome"] == "Answered"
                assert server.process.wait(30) == 0
                assert server.said() == f"listening on {server.address}\n"
        assert [line["event"] for line in lines(server.log)].count("stopped") == workers

    def test_to_end_ends_a_stream_with_its_outcome(self, folder: Path) -> None:
        with Provider(waits(1)) as provider:
            (token,) = keys(fitted(configured(folder, SERVER), provider.base_url), [PEOPLE["reader"]])
            with started(folder) as server, server.client(token) as client:
                headers = {"Accept": "text/event-stream"}
                with client.stream("POST", "/v1/ask", json=OPEN, headers=headers) as reply:
                    until(lambda: provider.requests)
                    server.process.terminate()
                    content = "".join(reply.iter_text())
                assert '"outcome":"Answered"' in content
                assert server.process.wait(30) == 0

    def test_settings_that_are_wrong_says_all_that_is_wrong_with_them_and_does_not_listen(self, folder: Path) -> None:
        configured(
            folder,
            '[server]\nauth = ["jwt", "mtls"]\n',
            "[server.limits]\nconcurrent = 2\nrequest_s = 5\n",
        )
        run = refused_start(folder)
        assert (run.returncode, run.stdout) == (2, "")
        for key in ("server.jwt", "server.mtls", "server.socket", "limits.request_s", "concurrent_per_principal"):
            assert key in run.stderr, run.stderr
        assert "listening" not in run.stderr

    @pytest.mark.parametrize("workers", ["1", "2"])
    def test_to_open_what_cannot_be_opened_says_so_and_ends(self, folder: Path, workers: str) -> None:
        for file in (folder / ".toulmin").glob("corpus.db*"):
            file.unlink()
        (folder / ".toulmin/corpus.db").write_bytes(b"this is no database" * 1000)
        run = refused_start(configured(folder, SERVER), "--workers", workers)
        assert run.returncode == 1
        assert "corpus.db" in run.stderr
        assert "Traceback" not in run.stderr


def refused_start(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A `toulmin serve` that ends by itself."""
    command = [sys.executable, "-m", "toulmin", "serve", "--workspace", str(folder), *options]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)


class TestTwoWorkers:
    @pytest.fixture
    def tokens(self, folder: Path) -> list[str]:
        return keys(configured(folder, SERVER), [PEOPLE["reader"], PEOPLE["keeper"]])

    def test_find_at_once_what_was_taken_in_through_the_other(self, folder: Path, tokens: list[str]) -> None:
        reader, keeper = tokens
        with started(folder, "--workers", "2") as server:
            until(lambda: len(server.workers()) == 2)
            files = {"file": ("pump.md", PUMP)}
            with server.client(keeper) as client:
                assert client.post("/v1/documents", files=files).status_code == 200
            taken_in = time.monotonic()
            found: dict[int, float] = {}
            while len(found) < 2:
                found = who_finds(server, reader, "zymurgic", taken_in) | found
        assert max(found.values()) < 1, found

    def test_outlive_each_other(self, folder: Path, tokens: list[str]) -> None:
        reader, _ = tokens
        with started(folder, "--workers", "2") as server:
            until(lambda: len(server.workers()) == 2)
            victim, other = sorted(server.workers())
            os.kill(victim, signal.SIGKILL)
            with server.client(reader) as client:
                assert post(client, "/v1/search", SEARCH).status_code == 200
            until(lambda: len(server.workers() - {victim}) == 2)
            assert other in server.workers()
            until(server.is_ready)
            assert server.end() == 0
            assert "Traceback" not in server.said()

    def test_end_with_who_started_them(self, folder: Path) -> None:
        with started(configured(folder, SERVER), "--workers", "2") as server:
            until(lambda: len(server.workers()) == 2)
            assert server.end(signal.SIGKILL) == -signal.SIGKILL
            until(lambda: not server.workers())
        assert [line["event"] for line in lines(server.log)].count("stopped") == 2


def who_finds(server: Server, token: str, text: str, since: float) -> dict[int, float]:
    """Workers that find a text, with the seconds after which they were asked."""

    at = time.monotonic() - since

    def search(number: int) -> str | None:
        with server.client(token) as client:
            reply = client.post("/v1/search", json={"text": text}, headers={"X-Request-Id": f"{at:.6f}-{number}"})
        return reply.headers["x-request-id"] if reply.json()["results"] else None

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(search, range(8))) - {None}
    return {line["worker"]: at for line in lines(server.log) if line.get("request") in found}


class TestAUnixSocket:
    SETTINGS = SERVER.replace("port = 0", 'socket = ".toulmin/http.sock"')

    def test_is_for_its_owner_and_group_alone_and_gone_with_the_server(self, folder: Path) -> None:
        (token,) = keys(configured(folder, self.SETTINGS), [PEOPLE["reader"]])
        with started(folder) as server:
            path = Path(server.address)
            assert stat.S_ISSOCK(path.stat().st_mode)
            assert stat.S_IMODE(path.stat().st_mode) == 0o660
            with server.client(token) as client:
                assert post(client, "/v1/search", SEARCH).status_code == 200
            assert server.end() == 0
        assert not path.exists()

    def test_that_a_killed_server_left_is_replaced_and_one_in_use_is_not(self, folder: Path) -> None:
        configured(folder, self.SETTINGS)
        with started(folder) as first:
            assert first.end(signal.SIGKILL) == -signal.SIGKILL
        assert Path(first.address).is_socket()
        with started(folder) as second:
            again = refused_start(folder)
            assert (again.returncode, second.is_ready()) == (2, True)
            assert "cannot be listened on" in again.stderr
