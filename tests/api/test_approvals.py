from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Running
from tests.api.processes import until
from tests.api.test_questions import CASE, QUESTION
from toulmin.surfaces.http.service import Service

EFFECT = f"""
[effects.send-reply]
kind = "command"
argv = [{sys.executable!r}, "-c", "import sys; open('sent', 'a').write('x'); sys.stdin.read()"]
[effects.send-slowly]
kind = "command"
argv = [{sys.executable!r}, "-c", "import sys, time; time.sleep(1.5); open('sent', 'a').write('x'); sys.stdin.read()"]
"""


@pytest.fixture
def folder(folder: Path) -> Path:
    with (folder / "toulmin.toml").open("a") as settings:
        settings.write(EFFECT)
    return folder


@pytest.fixture
def packet(running: Running) -> str:
    with running.client("service") as client:
        return str(client.post("/v1/ask", json={"question": QUESTION, "case": CASE}).json()["packet"]["id"])


def post(running: Running, who: str, path: str, body: dict[str, Any], key: str | None = None) -> Any:
    with running.client(who) as client:
        headers = {} if key is None else {"Idempotency-Key": key}
        return client.post(f"/v1/approvals{path}", json=body, headers=headers)


def test_an_operation_goes_from_request_to_execution_and_is_carried_out_once(
    running: Running, packet: str, folder: Path
) -> None:
    wanted = {"packet": packet, "operation": "send-reply", "params": {"ticket": "T-1"}}
    asked = post(running, "service", "", wanted)
    assert (asked.status_code, asked.json()["state"]) == (200, "requested")
    place = f"/{asked.json()['id']}"
    assert post(running, "reviewer", f"{place}/execute", {}).json()["code"] == "role_missing"
    assert post(running, "reviewer", f"{place}/approve", {"comment": "fine"}).json()["state"] == "approved"
    assert post(running, "operator", f"{place}/execute", {}).json()["state"] == "executed"
    assert post(running, "operator", f"{place}/execute", {}).json()["state"] == "executed"
    assert (folder / "sent").read_text() == "x"
    with running.client() as client:
        (listed,) = client.get("/v1/approvals?state=executed").json()["approvals"]
        assert listed["id"] == asked.json()["id"]
        assert client.get("/v1/approvals?state=rejected").json()["approvals"] == []


def test_a_write_that_is_sent_again_is_answered_and_not_repeated(running: Running, packet: str) -> None:
    wanted = {"packet": packet, "operation": "send-reply"}
    first = post(running, "service", "", wanted, key="k1")
    again = post(running, "service", "", wanted, key="k1")
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    other = post(running, "service", "", {**wanted, "instance": "2"}, key="k1")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    place = f"/{first.json()['id']}"
    assert post(running, "reviewer", f"{place}/approve", {}, key="k1").json()["state"] == "approved"
    assert post(running, "reviewer", f"{place}/approve", {}, key="k1").json()["state"] == "approved"
    assert post(running, "reviewer", f"{place}/approve", {}).json()["code"] == "wrong_state"


def test_a_write_that_failed_may_be_sent_again_under_its_key(running: Running, packet: str) -> None:
    wanted = {"packet": packet, "operation": "no-such"}
    assert post(running, "service", "", wanted, key="k2").status_code == 422
    assert post(running, "service", "", wanted, key="k2").json()["code"] != "idempotency_key_reused"


def test_a_write_that_outlasts_its_request_is_answered_under_its_key_and_not_repeated(
    service: Service, running: Running, packet: str, folder: Path
) -> None:
    approval = post(running, "service", "", {"packet": packet, "operation": "send-slowly"}).json()["id"]
    post(running, "reviewer", f"/{approval}/approve", {})
    service.limits.request_s = 1.0
    given_up = post(running, "operator", f"/{approval}/execute", {}, key="k3")
    assert (given_up.status_code, given_up.json()["code"]) == (504, "overdue")
    meanwhile = post(running, "operator", f"/{approval}/execute", {}, key="k3")
    assert (meanwhile.status_code, meanwhile.json()["code"]) == (409, "under_way")
    while not (folder / "sent").exists():
        time.sleep(0.05)
    until(lambda: post(running, "operator", f"/{approval}/execute", {}, key="k3").status_code == 200)
    assert post(running, "operator", f"/{approval}/execute", {}, key="k3").json()["state"] == "executed"
    assert (folder / "sent").read_text() == "x"


@pytest.mark.parametrize("key", ["", "has space", "x" * 256])
def test_a_key_that_is_none_is_refused(running: Running, packet: str, key: str) -> None:
    reply = post(running, "service", "", {"packet": packet, "operation": "send-reply"}, key=key)
    assert (reply.status_code, reply.json()["code"]) == (422, "bad_idempotency_key")


def test_another_tenant_sees_no_approval(running: Running, packet: str) -> None:
    approval = post(running, "service", "", {"packet": packet, "operation": "send-reply"}).json()["id"]
    assert post(running, "other", f"/{approval}/approve", {}).status_code == 404
    with running.client("other") as client:
        assert client.get("/v1/approvals").json()["approvals"] == []
        assert client.get(f"/v1/approvals/{approval}").status_code == 404


def test_a_doubt_is_resolved_with_a_comment_alone(running: Running, packet: str) -> None:
    approval = post(running, "service", "", {"packet": packet, "operation": "send-reply"}).json()["id"]
    reply = post(running, "operator", f"/{approval}/resolve", {"outcome": "executed"})
    assert (reply.status_code, reply.json()["code"]) == (422, "comment_missing")
    reply = post(running, "operator", f"/{approval}/resolve", {"outcome": "executed", "comment": "seen"})
    assert (reply.status_code, reply.json()["code"]) == (409, "wrong_state")
