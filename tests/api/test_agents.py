"""Agents over the service: the tools of `surfaces.mcp`, for the callers that the service knows."""

from __future__ import annotations

import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from tests.api.conftest import Running
from tests.api.test_questions import CASE, QUESTION


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
