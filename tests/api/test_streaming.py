"""Streams of an answer: what is told and when, what never is, and who ends them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.conftest import Running
from tests.api.drafting import OPEN, SEARCH, Drafting, drafting, timeless
from tests.api.processes import until
from toulmin.domain.corpus.document import Status
from toulmin.surfaces.http.streaming import PULSE
from toulmin.testing.provider import BEHAVIOURS, Author, Received, Response, waits

LICENSED: Mapping[str, Any] = {
    "question": "gateway-explain-and-next-step-v1",
    "case": {"model": "G2", "firmware": "2.4.1", "audit_hold": True},
}
FACT = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."
CANARY = "Canary-5d1e says that every gateway is replaced for free."
STREAM = {"Accept": "text/event-stream"}

Event = tuple[str, dict[str, Any]]


def events(content: str) -> list[Event]:
    """The events of a stream that has ended, without its comments."""
    return [event(frame) for frame in content.split("\n\n") if frame and not frame.startswith(":")]


def event(frame: str) -> Event:
    name, data = frame.split("\n")
    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


@contextmanager
def streaming(running: Running, body: Mapping[str, Any] = OPEN, token: str = "reader") -> Iterator[Iterator[str]]:
    """The frames of a stream as they come."""
    with running.client(token) as client, client.stream("POST", "/v1/ask", json=body, headers=STREAM) as reply:
        assert reply.status_code == 200
        assert reply.headers["content-type"].startswith("text/event-stream")
        assert (reply.headers["cache-control"], reply.headers["x-accel-buffering"]) == ("no-store", "no")
        yield _frames(reply)


def _frames(reply: httpx2.Response) -> Iterator[str]:
    waiting = ""
    for part in reply.iter_text():
        *frames, waiting = (waiting + part).split("\n\n")
        yield from frames
    assert waiting == "", "a stream ends with its last event"


def streamed(running: Running, body: Mapping[str, Any] = OPEN, token: str = "reader") -> str:
    """The whole of a stream."""
    with streaming(running, body, token) as frames:
        return "".join(f"{frame}\n\n" for frame in frames)


def one_true_and_one_not(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """A draft of a claim that its passage states, and of one that it does not."""
    (known,) = (item["evidence_id"] for item in question["evidence"] if FACT in item["passage"])
    return {"segments": [{"text": text, "evidence_ids": [known]} for text in (FACT, CANARY)]}


def test_a_stream_tells_the_steps_in_their_order_and_ends_in_what_is_answered_without_one(running: Running) -> None:
    told = events(streamed(running, LICENSED, "service"))
    with running.client("service") as client:
        plain = client.post("/v1/ask", json=LICENSED).json()
    assert [name for name, _ in told] == ["search", "drafting", "verdict", "verdict", "outcome"]
    assert timeless(told[-1][1]) == timeless(plain)
    assert told[0][1] == {"results": plain["search"]}
    assert told[1][1] == {}


def test_what_was_found_and_that_it_is_drafted_is_told_while_the_drafter_is_silent(folder: Path) -> None:
    with drafting(folder, "hang") as desk, streaming(desk.running) as frames:
        first, second = event(next(frames)), event(next(frames))
    assert first[0] == "search"
    assert FACT in first[1]["results"][0]["text"]
    assert second == ("drafting", {})


@pytest.mark.parametrize("behaviour", ["ok", "http_503", "prose"])
def test_a_stream_of_an_open_question_ends_in_what_is_answered_without_one(folder: Path, behaviour: str) -> None:
    with drafting(folder, behaviour, provider_s=1) as desk:
        told = events(streamed(desk.running))
        with desk.running.client() as client:
            plain = client.post("/v1/ask", json=OPEN).json()
    assert timeless(told[-1][1]) == timeless(plain)


def test_of_a_claim_nothing_but_its_place_and_status_is_told_before_the_outcome(folder: Path) -> None:
    with drafting(folder, author=one_true_and_one_not, mode="reviewed") as desk:
        before, _, outcome = streamed(desk.running).partition("event: outcome")
    told = events(before)
    assert [data for name, data in told if name == "verdict"] == [
        {"index": 0, "status": "supported"},
        {"index": 1, "status": "unresolved"},
    ]
    assert "Canary" not in before
    assert FACT not in "".join(json.dumps(data) for name, data in told if name != "search")
    assert CANARY in outcome, "the outcome says what was withheld"


def test_a_draft_that_is_not_valid_is_in_no_byte_of_a_stream(folder: Path) -> None:
    def marked(question: Mapping[str, Any]) -> Mapping[str, Any]:
        segments = one_true_and_one_not(question)["segments"]
        return {"segments": [{**segment, "text": f"{segment['text']} [1]"} for segment in segments]}

    with drafting(folder, author=marked) as desk:
        content = streamed(desk.running)
    assert "Canary" not in content
    assert [name for name, _ in events(content)] == ["search", "drafting", "outcome"]
    assert events(content)[-1][1]["reason"] == "invalid_output"


def test_a_caller_who_leaves_ends_the_draft_and_gives_its_place_back(folder: Path) -> None:
    with drafting(folder, "hang", places=1) as desk:
        with streaming(desk.running) as frames:
            assert event(next(frames))[0] == "search"
            until(lambda: desk.provider.requests)
            assert reason(desk) == "saturated"
        until(lambda: desk.provider.left)
        desk.provider.script("ok")
        until(lambda: reason(desk) is None)
    assert desk.provider.left == 1


def reason(desk: Drafting) -> str | None:
    """Why an open question has no answer now; None where it has one."""
    with desk.running.client() as client:
        outcome = client.post("/v1/ask", json=OPEN).json()
    assert (outcome["outcome"] == "Answered") is (outcome["reason"] is None)
    return outcome["reason"]  # type: ignore[no-any-return]


def test_a_question_that_is_wrong_is_no_stream_but_a_plain_problem(running: Running) -> None:
    with running.client() as client:
        reply = client.post("/v1/ask", json=LICENSED, headers=STREAM)
    assert (reply.status_code, reply.headers["content-type"]) == (403, "application/problem+json")


def test_a_fault_on_the_way_is_an_event_with_its_problem(folder: Path) -> None:
    def withdraws(request: Received, author: Author) -> Response:
        desk.service.workspace.retire("GW-241", Status.WITHDRAWN)
        return BEHAVIOURS["ok"](request, author)

    with drafting(folder, withdraws) as desk:
        told = events(streamed(desk.running))
    assert [name for name, _ in told] == ["search", "drafting", "verdict", "verdict", "error"]
    problem = told[-1][1]
    assert (problem["status"], problem["code"], problem["retryable"]) == (409, "evidence_changed", True)


def test_silence_is_broken_by_comments_that_no_client_takes_for_an_event(folder: Path) -> None:
    with drafting(folder, waits(0.5), silence_s=0.1) as desk:
        content = streamed(desk.running)
    assert content.count(PULSE) >= 2
    assert [name for name, _ in events(content)] == ["search", "drafting", "verdict", "verdict", "outcome"]


def test_a_search_goes_on_while_a_stream_is_silent(folder: Path) -> None:
    with drafting(folder, "hang") as desk, streaming(desk.running) as frames, desk.running.client() as client:
        next(frames)
        began = time.monotonic()
        assert client.post("/v1/search", json=SEARCH).status_code == 200
    assert time.monotonic() - began < 5
