from __future__ import annotations

import pytest

from tests.api.conftest import Running
from tests.api.test_questions import CASE, QUESTION
from toulmin.surfaces.sync import verify_packet


@pytest.fixture
def packet(running: Running) -> str:
    with running.client("service") as client:
        return str(client.post("/v1/ask", json={"question": QUESTION, "case": CASE}).json()["packet"]["id"])


def test_a_packet_is_shown_verified_replayed_and_exported(running: Running, packet: str) -> None:
    with running.client() as client:
        shown = client.get(f"/v1/packets/{packet}").json()
        verified = client.get(f"/v1/packets/{packet}/verify").json()
        replayed = client.get(f"/v1/packets/{packet}/replay").json()
        exported = client.get(f"/v1/packets/{packet}/envelope").content
    assert (shown["schema"], shown["id"]) == ("toulmin.packet-view/1", packet)
    assert {source["state"] for source in shown["sources"]} == {"current"}
    assert verified["valid"] is True
    assert (replayed["reproduces"], replayed["unchanged"], replayed["by_requester"]) == (True, True, False)
    assert verify_packet(exported, expected=packet).valid


def test_what_rests_on_a_document_is_told_to_who_may_see_both(running: Running, packet: str) -> None:
    with running.client() as client:
        (resting,) = client.get("/v1/impact/GW-241").json()["packets"]
        assert resting["packet"] == packet
        assert client.get("/v1/impact/GW-241?version=9").status_code == 404
        assert client.get("/v1/impact/no/such/document").status_code == 404


@pytest.mark.parametrize("what", ["", "/verify", "/replay", "/envelope"])
def test_a_packet_that_is_not_there_and_one_that_may_not_be_seen_are_told_alike(running: Running, what: str) -> None:
    with running.client() as client:
        reply = client.get(f"/v1/packets/pk-{'0' * 64}{what}")
    assert (reply.status_code, reply.json()["code"]) == (404, "no_such_packet")
