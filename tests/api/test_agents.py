"""Agents over the service: the tools of `surfaces.mcp`, for the callers that the service knows."""

from __future__ import annotations

import json
import socket

import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from tests.api.conftest import Running, served
from tests.api.test_questions import CASE, QUESTION
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.service import Service

LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.mark.anyio
async def test_an_agent_asks_as_whom_its_credential_names(running: Running) -> None:
    for token, answered in (("service", True), ("reader", False)):
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            streamable_http_client(f"{running.url}/mcp", http_client=http) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            result = await session.call_tool("ask", {"question": QUESTION, "case": CASE})
        assert (not result.is_error) is answered


def test_who_is_not_known_reaches_no_tool(running: Running) -> None:
    with running.client(None) as client:
        reply = client.post("/mcp", json={})
    assert (reply.status_code, reply.json()["code"]) == (401, "unauthenticated")


def test_a_page_of_another_origin_reaches_no_tool(running: Running) -> None:
    with running.client() as client:
        reply = client.post("/mcp", json={}, headers={"Origin": "https://elsewhere.example"})
    assert reply.status_code == 403


def test_the_usual_port_need_not_be_named(running: Running) -> None:
    with running.client() as client:
        reply = client.post("/mcp", content=LIST, headers={**HEADERS, "Host": "localhost"})
    assert reply.status_code == 200


def test_a_body_that_comes_too_slowly_keeps_no_place(service: Service) -> None:
    service.limits.request_s = 0.3
    with served(create_app(service)) as server, socket.create_connection(_address(server)) as slow:
        head = {**HEADERS, "Host": "localhost", "Authorization": "Bearer reader", "Content-Length": str(len(LIST))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        slow.sendall(f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + LIST[:1])
        slow.settimeout(5)
        assert slow.recv(4096).startswith(b"HTTP/1.1 504 ")


def test_a_body_that_is_too_large_is_refused(service: Service) -> None:
    service.limits.json_bytes = 100
    with served(create_app(service)) as server, server.client() as client:
        reply = client.post("/mcp", content=LIST + b" " * 100, headers=HEADERS)
    assert (reply.status_code, reply.json()["code"]) == (413, "too_large")


def _address(server: Running) -> tuple[str, int]:
    host, port = server.url.removeprefix("http://").split(":")
    return host, int(port)
