"""Requests that are wrong as such: who sends them, and in which form."""

from __future__ import annotations

import pytest

from tests.api.conftest import PEOPLE, Running, served
from toulmin.domain.errors import Overloaded
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.limits import Limits
from toulmin.surfaces.http.service import Service

SEARCH = {"text": "telemetry"}


@pytest.mark.parametrize("token", [None, "unknown"])
def test_who_is_not_known_learns_nothing_but_that(running: Running, token: str | None) -> None:
    with running.client(token) as client:
        reply = client.post("/v1/search", json=SEARCH)
    assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")
    assert reply.headers["content-type"] == "application/problem+json"


def test_who_has_no_role_may_do_nothing(running: Running) -> None:
    with running.client("nobody") as client:
        replies = [client.post("/v1/search", json=SEARCH), client.get("/v1/packets/pk-1"), client.get("/v1/contracts")]
    assert [reply.status_code for reply in replies] == [403, 403, 403]


def test_rights_are_looked_at_before_the_body_is_read(running: Running) -> None:
    with running.client("nobody") as client:
        assert client.post("/v1/search", content=b"{", headers={"Content-Type": "application/json"}).status_code == 403


@pytest.mark.parametrize(
    ("content", "media_type", "status", "code"),
    [
        (b"{", "application/json", 400, "bad_json"),
        (b'{"text": "a", "text": "b"}', "application/json", 422, "duplicate_key"),
        (b'{"text": "a", "min_score": NaN}', "application/json", 400, "bad_json"),
        (b'{"text": "a", "min_score": 2}', "application/json", 422, "wrong_type"),
        (b'{"text": "a", "k": true}', "application/json", 422, "wrong_type"),
        (b'{"text": "a", "explain": 1}', "application/json", 422, "wrong_type"),
        (b'{"text": "   "}', "application/json", 422, "wrong_type"),
        (b"[]", "application/json", 422, "wrong_type"),
        (b'{"text": "a"}', "text/plain", 415, "unsupported_media_type"),
        (b'{"text": "\\ud800"}', "application/json", 422, "control_character"),
        (b'{"text": "a", "case": {"model": null}}', "application/json", 422, "wrong_type"),
        (b'{"text": "a", "profile": "none"}', "application/json", 422, "unknown_profile"),
    ],
)  # fmt: skip
def test_a_body_is_read_strictly(running: Running, content: bytes, media_type: str, status: int, code: str) -> None:
    with running.client() as client:
        reply = client.post("/v1/search", content=content, headers={"Content-Type": media_type})
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert reply.json()["status"] == status


def test_a_body_beyond_the_limit_is_not_read(service: Service) -> None:
    service.limits.json_bytes = 1000
    with served(create_app(service)) as server, server.client() as client:
        reply = client.post("/v1/search", json={"text": "x" * 2000})
        chunked = client.post(
            "/v1/search", content=iter([b"x" * 900, b"x" * 900]), headers={"Content-Type": "application/json"}
        )
    assert (reply.status_code, chunked.status_code) == (413, 413)


@pytest.mark.parametrize("query", ["tenant=rival", "as_of=yesterday", "as_of=2026-01-01&as_of=2026-01-02"])
def test_a_parameter_that_is_not_known_or_not_readable_is_refused(running: Running, query: str) -> None:
    with running.client() as client:
        assert client.get(f"/v1/packets/pk-1/replay?{query}").status_code == 422


PLACES = {"{document}": "GW-241", "{contract}": "c", "{model}": "m", "{packet}": "pk-1", "{approval}": "ap-1"}


def test_every_endpoint_refuses_a_parameter_that_it_does_not_take(running: Running) -> None:
    with running.client("other") as client:
        paths = client.get("/openapi.json").json()["paths"]
        endpoints = [(method, path) for path in paths if path.startswith("/v1/") for method in paths[path]]
        assert len(endpoints) > 20
        for method, path in endpoints:
            there = "/".join(PLACES.get(step, step) for step in path.split("/"))
            told = client.request(method, f"{there}?tenant=rival")
            fault = told.json().get("error") or told.json()
            assert (told.status_code in (400, 422), fault["code"]) == (True, "unknown_key"), (method, path, told.text)


def test_rights_are_looked_at_before_parameters_are(running: Running) -> None:
    with running.client("nobody") as client, running.client(None) as unknown:
        assert client.get("/v1/contracts?tenant=rival").status_code == 403
        assert unknown.get("/v1/contracts?tenant=rival").status_code == 401


def test_who_states_a_parameter_where_there_are_none_is_told_to_leave_it_out(running: Running) -> None:
    with running.client() as client:
        told = client.get("/v1/contracts?tenant=rival").json()
    assert (told["where"], told["remedy"]) == ("query: tenant", "leave it out: nothing can stand there")


def test_an_unknown_path_and_method_are_problems_too(running: Running) -> None:
    with running.client() as client:
        path, method = client.get("/v1/nothing"), client.delete("/v1/search")
    assert (path.status_code, path.json()["code"]) == (404, "not_found")
    assert (method.status_code, method.json()["code"]) == (405, "method_not_allowed")


def test_who_asks_too_often_is_told_when_to_come_back_and_nobody_else_is(service: Service) -> None:
    service.limits = Limits(per_minute=2, now=lambda: 0.0)
    with served(create_app(service)) as server, server.client() as client, server.client("other") as other:
        statuses = [client.post("/v1/search", json=SEARCH).status_code for _ in range(3)]
        last = client.post("/v1/search", json=SEARCH)
        assert statuses == [200, 200, 429]
        assert (last.json()["code"], last.headers["retry-after"]) == ("rate_limited", "30")
        assert other.post("/v1/search", json=SEARCH).status_code == 200


def test_a_caller_who_waits_may_ask_again() -> None:
    clock = [0.0]
    limits = Limits(per_minute=60, now=lambda: clock[0])
    for _ in range(60):
        with limits.admitted(PEOPLE["reader"]):
            pass
    with pytest.raises(Overloaded, match="60 times a minute"), limits.admitted(PEOPLE["reader"]):
        pass
    clock[0] = 1.0
    with limits.admitted(PEOPLE["reader"]):
        pass


def test_one_caller_has_no_more_than_so_many_requests_under_way() -> None:
    limits = Limits(concurrent_per_principal=1)
    with limits.admitted(PEOPLE["reader"]):
        with pytest.raises(Overloaded, match="under way"), limits.admitted(PEOPLE["reader"]):
            pass
        with limits.admitted(PEOPLE["other"]):
            pass
    with limits.admitted(PEOPLE["reader"]):
        pass


def test_a_full_service_sheds_what_comes_and_is_still_watched(service: Service) -> None:
    service.limits.concurrent = 0
    with served(create_app(service)) as server, server.client() as client:
        reply, health = client.post("/v1/search", json=SEARCH), client.get("/healthz")
    assert (reply.status_code, reply.json()["code"], reply.headers["retry-after"]) == (503, "overloaded", "1")
    assert health.status_code == 200


def test_the_description_is_openapi_3_1_and_names_every_body(running: Running) -> None:
    with running.client(None) as client:
        description = client.get("/openapi.json").json()
    assert description["openapi"].startswith("3.1")
    for path, methods in description["paths"].items():
        for method, endpoint in methods.items():
            assert endpoint.get("security") or not path.startswith("/v1/"), (method, path)
    refs = _refs(description)
    assert {ref.rpartition("/")[2] for ref in refs} <= set(description["components"]["schemas"])


def _refs(part: object) -> set[str]:
    match part:
        case {"$ref": str(ref)}:
            return {ref}
        case dict():
            return set().union(*map(_refs, part.values()))
        case list():
            return set().union(*map(_refs, part))
        case _:
            return set()


def test_what_takes_longer_than_a_request_may_is_given_up(service: Service) -> None:
    service.limits.request_s = 0.0
    with served(create_app(service)) as server, server.client() as client:
        reply = client.get(f"/v1/packets/pk-{'0' * 64}/replay")
    assert (reply.status_code, reply.json()["code"], reply.headers["retry-after"]) == (504, "overdue", "1")
