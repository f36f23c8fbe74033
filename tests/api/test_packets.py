from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.conftest import Running, over, served
from tests.api.test_questions import CASE, QUESTION
from toulmin.surfaces import wiring
from toulmin.surfaces.http.app import create_app
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


def test_a_key_that_cannot_sign_is_no_fault_of_the_caller(folder: Path) -> None:
    key = folder / "desk.pem"
    settings = folder / "toulmin.toml"
    settings.write_text(f'{settings.read_text()}[signing]\nkey_file = "{key.name}"\n')
    with served(create_app(over(folder))) as running, running.client("service") as client:
        packet = client.post("/v1/ask", json={"question": QUESTION, "case": CASE}).json()["packet"]["id"]
        refused = client.get(f"/v1/packets/{packet}/envelope")
        assert client.get(f"/v1/packets/{packet}/verify").json()["valid"]
        wiring.make_key(key)
        signed = client.get(f"/v1/packets/{packet}/envelope")
    assert (refused.status_code, refused.json()["code"]) == (503, "signing_key_unusable")
    assert key.name not in refused.text
    assert signed.json()["envelope"]["signatures"]


@pytest.mark.parametrize("what", ["", "/verify", "/replay", "/envelope"])
def test_a_packet_that_is_not_there_and_one_that_may_not_be_seen_are_told_alike(running: Running, what: str) -> None:
    with running.client() as client:
        reply = client.get(f"/v1/packets/pk-{'0' * 64}{what}")
    assert (reply.status_code, reply.json()["code"]) == (404, "no_such_packet")
