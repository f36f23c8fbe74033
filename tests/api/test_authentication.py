from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.conftest import READER, Running, served, serving
from tests.unit.tokens import Made, key, public, token
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.settings import load
from toulmin.surfaces.sync import Workspace

SERVER = """
[server]
auth = ["jwt", "api-key", "mtls"]
socket = "http.sock"
[server.jwt]
issuer = "https://issuer.example"
audience = "toulmin"
jwks = "jwks.json"
[server.mtls]
header = "X-Client-Subject"
[server.mtls.subjects."CN=desk,O=Example"]
id = "desk-bot"
tenant = "acme"
roles = ["reader"]
[telemetry]
log_file = "log.jsonl"
"""
SUBJECT = ("X-Client-Subject", "CN=desk,O=Example")
NOW = int(datetime.now(UTC).timestamp())
FRESH = {"iat": NOW, "exp": NOW + 86_400}  # outlasts any run of the tests
ASK = {"text": "telemetry after a reconnect"}

Headers = Sequence[tuple[str, str]]


def bearer(credential: object) -> tuple[str, str]:
    return "Authorization", f"Bearer {credential}"


@pytest.fixture
def desk(folder: Path) -> Path:
    """A workspace whose service accepts every kind of credential, and logs to a file."""
    with (folder / "toulmin.toml").open("a", encoding="utf-8") as settings:
        settings.write(SERVER)
    (folder / "jwks.json").write_text(json.dumps(public(key())), encoding="utf-8")
    return folder


@pytest.fixture
def open_desk(desk: Path) -> Iterator[Running]:
    with served(create_app(Service.open(load(desk)))) as server:
        yield server


@contextmanager
def over_socket(desk: Path) -> Iterator[httpx2.Client]:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(desk / "http.sock"))
        with serving(create_app(Service.open(load(desk))), listening):
            transport = httpx2.HTTPTransport(uds=str(desk / "http.sock"))
            with httpx2.Client(transport=transport, base_url="http://desk", timeout=20) as client:
                yield client


def search(client: httpx2.Client, headers: Headers, path: str = "/v1/search") -> httpx2.Response:
    return client.post(path, json=ASK, headers=list(headers))


def reasons(desk: Path, many: int = 1) -> list[str]:
    """Why callers were not known, as the log says once it has so many reasons: a line is written after its response."""
    until = time.monotonic() + 5
    while True:
        lines = [json.loads(line) for line in (desk / "log.jsonl").read_text(encoding="utf-8").splitlines()]
        found = [line["detail"] for line in lines if line.get("detail")]
        if len(found) >= many or time.monotonic() > until:
            return found
        time.sleep(0.01)


def refused(reply: httpx2.Response) -> dict[str, Any]:
    assert reply.status_code == 401
    assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert reply.headers["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = reply.json()
    return problem


def test_a_signed_token_and_an_api_key_are_told_apart_by_themselves(open_desk: Running, desk: Path) -> None:
    with Workspace.open(desk) as workspace:
        made = workspace.new_api_key(READER)
    with open_desk.client(None) as client:
        for credential in (token(**FRESH), made.token):
            assert search(client, [bearer(credential)]).status_code == 200
            assert search(client, [("authorization", f"bEARER  {credential}")]).status_code == 200
        with Workspace.open(desk) as workspace:
            workspace.revoke_api_key(made.key.id)
        refused(search(client, [bearer(made.token)]))
    assert reasons(desk) == ["api_key"]


def test_whatever_is_wrong_is_told_in_the_same_words(open_desk: Running, desk: Path) -> None:
    signed = token(**FRESH)
    wrong: dict[str, Headers] = {
        "nothing": [],
        "several": [bearer(signed), bearer(signed)],
        "scheme": [("Authorization", f"Basic {signed}")],
        "malformed": [bearer("abc")],
        "signature": [bearer(f"{signed[:-8]}AAAAAAAA")],
        "algorithm": [bearer(Made(header={"alg": "none", "kid": "k1"}))],
        "expired": [bearer(token(**FRESH | {"exp": NOW - 60}))],
        "not_yet": [bearer(token(**FRESH | {"nbf": NOW + 43_200}))],
        "audience": [bearer(token(**FRESH, aud="other"))],
        "issuer": [bearer(token(**FRESH, iss="https://other.example"))],
        "claims": [bearer(token(**FRESH, tenant="acme/rival"))],
        "inactive": [bearer(token(**FRESH, active=False))],
        "api_key": [bearer("tlm_0123456789_" + "0" * 64)],
        "not_over_socket": [SUBJECT],
    }
    with open_desk.client(None) as client:
        told = [refused(search(client, headers)) for headers in wrong.values()]
    assert told == [told[0]] * len(wrong)
    assert reasons(desk, len(wrong)) == list(wrong)


@pytest.mark.parametrize("name", ["access_token", "api_key"])
def test_a_credential_in_the_address_is_no_credential(open_desk: Running, desk: Path, name: str) -> None:
    signed = token(**FRESH)
    with open_desk.client(None) as client:
        for headers in ([], [bearer(signed)]):
            refused(search(client, headers, f"/v1/search?{name}={signed}"))
    assert reasons(desk, 2) == ["in_the_address"] * 2
    assert signed not in (desk / "log.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "header", ["X-Tenant", "X-User", "X-Roles", "X-Forwarded-User", "Remote-User", "X-Toulmin-Principal"]
)
def test_no_header_but_the_credential_says_who_calls(open_desk: Running, header: str) -> None:
    with open_desk.client(None) as client:
        refused(search(client, [(header, "ada")]))
        plain = search(client, [bearer(token(**FRESH))])
        assert search(client, [bearer(token(**FRESH)), (header, "rival")]).json() == plain.json()


def test_no_log_line_has_a_credential(open_desk: Running, desk: Path) -> None:
    credentials = (token(**FRESH), token(**FRESH | {"exp": 1}), "tlm_0123456789_" + "ab" * 32, "planted-secret")
    with open_desk.client(None) as client:
        for credential in credentials:
            search(client, [bearer(credential)])
    reasons(desk, len(credentials) - 1)
    log = (desk / "log.jsonl").read_text(encoding="utf-8")
    assert len(log.splitlines()) >= len(credentials)
    assert not [part for credential in credentials for part in credential.split(".") if part in log]


# ---- behind a proxy -----------------------------------------------------------------------------------------------------------------------


def test_a_verified_subject_is_believed_over_the_socket(desk: Path) -> None:
    with over_socket(desk) as client:
        assert search(client, [SUBJECT]).status_code == 200
        assert search(client, [bearer(token(**FRESH))]).status_code == 200
        assert search(client, [bearer(token(**FRESH)), (SUBJECT[0], "")]).status_code == 200


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ([("X-Client-Subject", "CN=other,O=Example")], "subject"),
        ([("X-Client-Subject", "CN=desk,O=Example, CN=other")], "subject"),
        ([SUBJECT, ("X-Client-Subject", "CN=other,O=Example")], "several"),
        ([SUBJECT, ("X-Client-Subject", "")], "several"),
        ([("X-Client-Subject", "")], "nothing"),
        ([("X-Client-Subject-2", "CN=desk,O=Example")], "nothing"),
        ([SUBJECT, bearer("abc")], "several"),
    ],
)
def test_a_subject_that_is_not_the_proxys_plain_word_is_refused(desk: Path, headers: Headers, reason: str) -> None:
    with over_socket(desk) as client:
        refused(search(client, headers))
    assert reasons(desk) == [reason]


def test_where_only_the_proxy_is_believed_a_token_is_of_no_use(desk: Path) -> None:
    settings = desk / "toulmin.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace('["jwt", "api-key", "mtls"]', '"mtls"'))
    with over_socket(desk) as client:
        assert search(client, [SUBJECT]).status_code == 200
        refused(search(client, [bearer(token(**FRESH))]))
    assert reasons(desk) == ["kind"]


def test_a_connection_over_a_network_cannot_say_that_it_came_over_the_socket(open_desk: Running) -> None:
    forged = [("Forwarded", "for=unix:;by=http.sock"), ("X-Forwarded-For", "unix:"), ("Host", "http.sock")]
    with open_desk.client(None) as client:
        refused(search(client, [SUBJECT, *forged]))


# ---- development --------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def workbench(folder: Path) -> Iterator[Running]:
    """A service in development mode."""
    with (folder / "toulmin.toml").open("a", encoding="utf-8") as settings:
        settings.write('[telemetry]\nlog_file = "log.jsonl"\n')
    with served(create_app(Service.open(load(folder), replace(READER, id="ann")))) as server:
        yield server


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [bearer("whatever a client insists on sending")],
        [("Host", "localhost:8080")],
        [("Host", "[::1]:8080"), ("Origin", "http://localhost:3000")],
    ],
)
def test_in_development_everybody_on_this_host_is_its_resident(workbench: Running, headers: Headers) -> None:
    with workbench.client(None) as client:
        assert search(client, headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        [("Host", "evil.example")],
        [("Host", "localhost.evil.example:8080")],
        [("Host", "127.0.0.1.evil.example")],
        [("Host", "[")],
        [("Origin", "https://evil.example")],
        [("Origin", "null")],
        [("Origin", "http://localhost"), ("Origin", "https://evil.example")],
    ],
)
def test_in_development_a_page_of_another_host_is_refused(workbench: Running, folder: Path, headers: Headers) -> None:
    with workbench.client(None) as client:
        refused(search(client, headers))
    assert reasons(folder) == ["foreign_host"]
