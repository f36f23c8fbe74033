"""Descriptors over HTTP: read, changed and put back, by whom, and what happens where somebody was quicker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.api.conftest import Running
from tests.api.test_documents import ACME, PUBLIC, TEXT, found, sent

WORDS = "The zirconium pump stops at four bar."
SPAN = {"id": "s1", "fact": "limit", "quote": WORDS}


@pytest.fixture
def curator(running: Running) -> Iterator[httpx2.Client]:
    """A curator of a tenant, which has a document `P/metadata`."""
    sent(running, {"p.md": TEXT}, {**ACME, "id": "P/metadata", "version": "1"})
    with running.client("curator") as client:
        yield client


def metadata(client: httpx2.Client, document: str = "P/metadata") -> dict[str, Any]:
    reply = client.get(f"/v1/metadata/{document}", params={"version": "1"})
    assert reply.status_code == 200, reply.text
    known: dict[str, Any] = reply.json()
    return known


def put(
    client: httpx2.Client,
    known: dict[str, Any],
    document: str = "P/metadata",
    key: str | None = None,
    **changes: Any,
) -> httpx2.Response:
    body = {"replaces": known["descriptor_sha256"], "metadata": {**known["metadata"], **changes}}
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.put(f"/v1/documents/{document}/metadata", params={"version": "1"}, json=body, headers=headers)


def test_what_is_read_can_be_put_back_and_changes_nothing(curator: httpx2.Client) -> None:
    known = metadata(curator)
    reply = put(curator, known)
    assert reply.json() == {
        "schema": "toulmin.edited/1", "document": "P/metadata", "version": "1", "descriptor_changed": False,
        "descriptor_sha256": known["descriptor_sha256"], "supersedes": [], "warnings": [], "stale": [],
    }  # fmt: skip
    assert metadata(curator) == known
    (listed,) = curator.get("/v1/documents/P/metadata").json()["revisions"]
    assert listed["descriptor_sha256"] == known["descriptor_sha256"], "a document may be called like this"


def test_spans_scope_readers_and_validity_are_replaced_in_one_switch(running: Running, curator: httpx2.Client) -> None:
    changes: dict[str, Any] = {
        "title": "Pump", "scope": {"model": ["G2", "G3"]}, "readers": ["group:acme/desk", "tenant:acme"],
        "valid_from": "2026-01-01T00:00:00Z", "spans": [SPAN], "egress": "local", "supersedes": [],
    }  # fmt: skip
    assert found(running, "reader") == ["P/metadata"]
    reply = put(curator, metadata(curator), **changes)
    assert (reply.status_code, reply.json()["descriptor_changed"]) == (200, True)
    now = metadata(curator)
    assert reply.json()["descriptor_sha256"] == now["descriptor_sha256"]
    shown = {**changes, "spans": [{**SPAN, "prefix": None, "suffix": None}]}
    assert {key: now["metadata"][key] for key in changes} == shown
    assert put(curator, now, readers=["group:acme/other"]).status_code == 200
    assert found(running, "reader") == [], "from the reply on, no search of theirs finds it"


def test_a_file_that_comes_again_states_what_it_states_again(running: Running, curator: httpx2.Client) -> None:
    known = metadata(curator)
    put(curator, known, title="Other")
    (file,) = sent(running, {"p.md": TEXT}, {**ACME, "id": "P/metadata", "version": "1"})
    assert (file["outcome"], file["descriptor_changed"]) == ("ingested", True)
    assert metadata(curator) == known


def test_somebody_who_was_quicker_is_not_overwritten(curator: httpx2.Client) -> None:
    known = metadata(curator)
    assert put(curator, known, title="Theirs").status_code == 200
    late = put(curator, known, title="Mine")
    assert (late.status_code, late.json()["code"]) == (409, "descriptor_moved")
    assert metadata(curator)["metadata"]["title"] == "Theirs"


def test_an_edit_that_is_sent_again_with_its_key_is_answered_alike(curator: httpx2.Client) -> None:
    known = metadata(curator)
    first, again = (put(curator, known, key="k", title="New") for _ in range(2))
    assert first.json() == again.json()
    assert again.json()["descriptor_changed"] is True
    other = put(curator, known, key="k", title="Newer")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


@pytest.mark.parametrize(
    ("changes", "code", "where"),
    [
        ({"spans": [{**SPAN, "quote": "It never stops."}]}, "quote_not_found", "body: metadata.spans[0].quote"),
        ({"spans": [{**SPAN, "quote": "p"}]}, "quote_ambiguous", "body: metadata.spans[0].quote"),
        ({"spans": [SPAN, SPAN]}, "duplicate_span", "body: metadata.spans[1].id"),
        ({"readers": ["everybody"]}, "bad_reader", "body: metadata.readers[0]"),
        ({"scope": {"model": []}}, "bad_scope", "body: metadata.scope.model"),
        ({"egress": None}, "wrong_type", "body: metadata.egress"),
        ({"id": "Q"}, "unknown_key", "body: metadata.id"),
        ({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "bad_validity", "P/metadata v1"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    curator: httpx2.Client, changes: dict[str, Any], code: str, where: str
) -> None:
    reply = put(curator, metadata(curator), **changes)
    assert (reply.status_code, reply.json()["code"], reply.json()["where"]) == (422, code, where)


def test_a_key_that_is_left_out_is_not_taken_for_its_default(curator: httpx2.Client) -> None:
    known = metadata(curator)
    for key in known["metadata"]:
        less = {**known, "metadata": {name: value for name, value in known["metadata"].items() if name != key}}
        assert put(curator, less).json()["code"] == "missing_key"


def test_who_may_not_read_or_curate_it_changes_nothing(running: Running, curator: httpx2.Client) -> None:
    known = metadata(curator)
    with running.client("reader") as client:
        assert metadata(client) == known
        assert put(client, known, title="Mine").json()["code"] == "role_missing"
    with running.client("other") as client:
        gone = client.get("/v1/metadata/P/metadata?version=1")
        assert (gone.status_code, gone.json()["code"]) == (404, "no_such_document")
        assert put(client, known, title="Mine").status_code == 404
    for readers in (["public"], [], ["tenant:rival"]):
        assert put(curator, known, readers=readers).json()["code"] == "not_your_document"
    assert metadata(curator) == known


def test_what_is_public_is_described_by_a_curator_without_a_tenant(running: Running) -> None:
    sent(running, {"q.md": TEXT}, {**PUBLIC, "id": "Q", "version": "1"}, "keeper")
    with running.client("curator") as client:
        assert put(client, metadata(client, "Q"), "Q", title="Mine").json()["code"] == "not_your_document"
    with running.client("keeper") as client:
        assert put(client, metadata(client, "Q"), "Q", title="Mine").status_code == 200
        assert metadata(client, "Q")["metadata"]["title"] == "Mine"
