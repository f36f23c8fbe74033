"""Documents over HTTP: what a curator may do, how files are read, and that no tenant learns of another's."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.conftest import PEOPLE, Running, served
from tests.samples.pdfs import pdf
from toulmin.adapters.system import SystemClock
from toulmin.domain.corpus.document import Status
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.domain.errors import NotFound
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.question.case import Principal
from toulmin.ports.source import Upload
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.limits import Limits
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.http.uploads import MAX_FILES
from toulmin.surfaces.sync import Workspace

ACME = {"readers": ["tenant:acme"], "scope": {"model": "*", "firmware": "*"}}
RIVAL = {**ACME, "readers": ["tenant:rival"]}
PUBLIC = {**ACME, "readers": ["public"]}
TEXT = b"# Pump\n\nThe zirconium pump stops at four bar.\n"

Files = Mapping[str, bytes]


def send(
    server: Running,
    files: Files,
    metadata: object = None,
    who: str = "curator",
    headers: Mapping[str, str] | None = None,
) -> httpx2.Response:
    """Files by their names, with metadata for all of them; a text is sent as it is."""
    parts = [("file", (name, data)) for name, data in files.items()]
    stated = metadata if isinstance(metadata, str) else json.dumps(metadata)
    data = {} if metadata is None else {"metadata": stated}
    with server.client(who) as client:
        return client.post("/v1/documents", files=parts, data=data, headers=headers)


def sent(server: Running, files: Files, metadata: object = None, who: str = "curator") -> list[dict[str, Any]]:
    """What became of files that nothing is wrong with."""
    reply = send(server, files, metadata, who)
    assert reply.status_code == 200, reply.text
    found: list[dict[str, Any]] = reply.json()["files"]
    return found


def refused(server: Running, files: Files, metadata: object = None, who: str = "curator") -> dict[str, Any]:
    """The fault of the first file that was refused."""
    reply = send(server, files, metadata, who)
    assert (reply.status_code, reply.json()["schema"]) == (422, "toulmin.ingest/1"), reply.text
    fault: dict[str, Any] = next(file["fault"] for file in reply.json()["files"] if file["fault"])
    return fault


def listed(server: Running, who: str, **query: object) -> list[str]:
    with server.client(who) as client:
        reply = client.get("/v1/documents", params={name: str(value) for name, value in query.items()})
    return [f"{each['document']} {each['version']} {each['state']}" for each in reply.json()["documents"]]


def found(server: Running, who: str, words: str = "zirconium") -> list[str]:
    with server.client(who) as client:
        reply = client.post("/v1/search", json={"text": words})
    return [item["document"] for item in reply.json()["results"]]


# Taking documents in


def test_a_search_right_after_an_ingest_finds_the_document(running: Running) -> None:
    (file,) = sent(running, {"pump.md": TEXT}, ACME)
    assert (file["outcome"], file["document"], file["passages"]) == ("ingested", "pump.md", 1)
    assert found(running, "reader") == ["pump.md"]
    assert found(running, "other") == []


def test_what_is_sent_again_is_unchanged(running: Running) -> None:
    assert [sent(running, {"pump.md": TEXT}, ACME)[0]["outcome"] for _ in range(2)] == ["ingested", "unchanged"]


def test_one_refused_file_keeps_no_other_out_and_the_status_tells_of_it(running: Running) -> None:
    reply = send(running, {"a.md": TEXT, "b.xyz": b"b", "c.md": b"\xff\xfe\xff", "d.md": b"# D\n\nWords.\n"}, ACME)
    assert reply.status_code == 422
    outcomes = {file["path"]: file["fault"] and file["fault"]["code"] for file in reply.json()["files"]}
    assert outcomes == {"a.md": None, "b.xyz": "unsupported_format", "c.md": "bad_encoding", "d.md": None}
    assert found(running, "reader") == ["a.md"]


def test_sidecar_front_matter_and_metadata_go_before_each_other_in_this_order(running: Running) -> None:
    front = b"---\ntoulmin:\n  author: front\n  source_type: front\n---\n" + TEXT
    sidecar = b"source_type: sidecar\n"
    sent(running, {"a.md": front, "a.md.meta.yaml": sidecar}, {**ACME, "author": "all", "language": "en"})
    with running.client() as client:
        (revision,) = client.get("/v1/documents/a.md").json()["revisions"]
    assert (revision["source_type"], revision["author"], revision["language"]) == ("sidecar", "front", "en")


def test_metadata_is_yaml_or_a_json_object_and_read_as_strictly_as_a_sidecar(running: Running) -> None:
    yaml = "version: 3.10\nreaders: ['tenant:acme']\nvalid_from: 2026-01-01\n"
    assert sent(running, {"a.md": TEXT}, yaml)[0]["version"] == "3.10"
    for text in (
        '{"version": 3.10}',
        '{"readers": [], "readers": []}',
        "reader: [public]",
        "readers: [acme]",
        "[1]",
        "{",
    ):
        reply = send(running, {"b.md": TEXT}, text)
        assert (reply.status_code, reply.headers["content-type"]) in {
            (422, "application/problem+json"),
            (400, "application/problem+json"),
        }
        assert reply.json()["where"].startswith("metadata")
    assert listed(running, "reader", after="PRIVATE.md") == ["a.md 3.10 live"]


def test_a_date_begins_in_the_zone_of_the_workspace(folder: Path, request: pytest.FixtureRequest) -> None:
    with (folder / "toulmin.toml").open("a", encoding="utf-8") as settings:
        settings.write('[time]\nzone = "Europe/Berlin"\n')
    running = request.getfixturevalue("running")
    sent(
        running,
        {"a.md": TEXT, "b.md": TEXT, "b.md.meta.yaml": b"valid_from: 2026-07-01"},
        {**ACME, "valid_from": "2026-01-01"},
    )
    with running.client() as client:
        revisions = [client.get(f"/v1/documents/{name}.md").json()["revisions"][0] for name in "ab"]
    assert [revision["valid_from"] for revision in revisions] == ["2025-12-31T23:00:00Z", "2026-06-30T22:00:00Z"]


def test_an_id_and_spans_can_be_stated_for_one_document(running: Running) -> None:
    spans = [{"id": "s1", "fact": "stops", "quote": "The zirconium pump stops at four bar."}]
    assert sent(running, {"a.md": TEXT}, {**ACME, "id": "P-1", "spans": spans})[0]["document"] == "P-1"
    reply = send(running, {"a.md": TEXT, "b.md": TEXT}, {**ACME, "id": "P-1"})
    assert (reply.status_code, reply.json()["code"]) == (422, "shared_id")


def test_a_pdf_is_read_in_a_process_of_its_own_and_a_broken_one_is_one_refused_file(running: Running) -> None:
    reply = send(running, {"a.pdf": pdf(["The zirconium pump stops."]), "b.pdf": b"%PDF-1.4 broken"}, ACME)
    first, second = reply.json()["files"]
    assert (first["outcome"], second["fault"]["code"]) == ("ingested", "malformed_file")


def test_text_is_read_apart_as_well_within_the_limits_of_parsing(folder: Path, request: pytest.FixtureRequest) -> None:
    with (folder / "toulmin.toml").open("a", encoding="utf-8") as settings:
        settings.write("[parsing]\nmax_text_chars = 30\n")
    running = request.getfixturevalue("running")
    assert refused(running, {"a.md": TEXT}, ACME)["code"] == "output_too_large"


class Hurried(SystemClock):
    """A clock on which a minute passes with each look at it."""

    def __init__(self) -> None:
        self.looks = 0

    def now(self) -> datetime:
        self.looks += 1
        return super().now() + timedelta(minutes=self.looks)


MANY = {f"{number:02}.md": TEXT + b"%d" % number for number in range(20)}


def test_files_whose_turn_comes_too_late_are_refused_and_those_before_them_kept(service: Service) -> None:
    uploads = [Upload(name=name, file=BytesIO(data)) for name, data in MANY.items()]
    options = stated_metadata({"readers": ("tenant:acme",)})
    with Workspace(service.workspace.settings, replace(service.parts, clock=Hurried())) as desk:
        until = SystemClock().now() + timedelta(minutes=10)
        reports = desk.take(desk.uploads(uploads, options=options), curator=PEOPLE["curator"], until=until)
    codes = [report.fault and report.fault.code for report in reports]
    assert (codes[0], codes[-1], set(codes)) == (None, "overdue", {None, "overdue"})


def test_a_request_that_takes_too_long_is_answered_for_each_of_its_files(service: Service) -> None:
    desk = Workspace(service.workspace.settings, replace(service.parts, clock=Hurried()))
    hurried = Service(desk, service.authenticator, Limits(request_s=300), service.telemetry)
    with served(create_app(hurried)) as running:
        reply = send(running, MANY, ACME)
    assert (reply.status_code, len(reply.json()["files"])) == (422, len(MANY))
    assert reply.json()["files"][-1]["fault"]["code"] == "overdue"


# The form of a request


def raw(server: Running, body: bytes, content_type: str = "multipart/form-data; boundary=x") -> httpx2.Response:
    with server.client("curator") as client:
        return client.post("/v1/documents", content=body, headers={"Content-Type": content_type})


def part(disposition: str | bytes, data: bytes = TEXT) -> bytes:
    stated = disposition if isinstance(disposition, bytes) else disposition.encode()
    return b"--x\r\nContent-Disposition: form-data; " + stated + b"\r\n\r\n" + data + b"\r\n"


END = b"--x--\r\n"
FILE = part('name="file"; filename="a.md"')


FORMS: tuple[tuple[bytes, str], ...] = (
    (END, "missing_key"),
    (b"", "bad_multipart"),
    (FILE, "bad_multipart"),
    (FILE + part('name="file"; filename="b.md"'), "bad_multipart"),
    (FILE[:-20], "bad_multipart"),
    (b"nothing of the kind", "bad_multipart"),
    (part('filename="a.md"') + END, "bad_multipart"),
    (part('name="file"') + END, "unknown_part"),
    (part('name="tenant"') + END, "unknown_part"),
    (part('name="files"; filename="a.md"') + END, "unknown_part"),
    (FILE + part('name="metadata"; filename="m.yaml"', b"readers: []") + END, "unknown_part"),
    (FILE + 2 * part('name="metadata"', b"readers: []") + END, "bad_multipart"),
    (FILE + FILE + END, "duplicate_path"),
    (part(b'name="file"; filename="\xff.md"') + END, "wrong_encoding"),
    (FILE + part('name="metadata"', b"title: \xff") + END, "wrong_encoding"),
    (FILE + part('name="metadata"', b"title: a\x00b") + END, "control_character"),
    (part('name="file"; filename="../a.md"') + END, "bad_name"),
    (part('name="file"; filename="/etc/passwd"') + END, "bad_name"),
    (part('name="file"; filename="a\x1b[2J.md"') + END, "bad_name"),
    (part('name="file"; filename=""') + END, "bad_name"),
    (b"".join(part(f'name="file"; filename="{n}.md"') for n in range(MAX_FILES + 1)) + END, "bad_multipart"),
    (FILE + part('name="metadata"', b"#" * 1_100_000) + END, "bad_multipart"),
)  # fmt: skip


def test_a_request_of_another_form_is_refused_whole(running: Running) -> None:
    for body, code in FORMS:
        reply = raw(running, body)
        assert (reply.status_code, reply.json()["code"]) == (422, code), body[:200]
        assert reply.headers["content-type"] == "application/problem+json"
    assert listed(running, "keeper", after="PRIVATE.md") == []


def test_a_body_of_another_kind_is_not_read(running: Running) -> None:
    kinds = (
        "application/json", "multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary="a\\"b"',
        "multipart/form-data; boundary=x; charset=punycode", "multipart/mixed; boundary=x", "",
    )  # fmt: skip
    for kind in kinds:
        reply = raw(running, FILE + END, kind)
        assert (reply.status_code, reply.json()["code"]) == (415, "unsupported_media_type"), kind


def test_a_name_beyond_ascii_and_a_folder_in_it_are_kept(running: Running) -> None:
    assert sent(running, {"docs/Prüfung.md": TEXT}, ACME)[0]["document"] == "docs/Prüfung.md"
    reply = raw(running, FILE + END, "multipart/form-data; charset=UTF-8; boundary=x")
    assert reply.json()["files"][0]["path"] == "a.md"


@pytest.mark.parametrize("stated", [True, False])
def test_a_body_beyond_the_limit_is_refused_while_it_comes(service: Service, *, stated: bool) -> None:
    service.limits.upload_bytes = 100_000
    with served(create_app(service)) as running, running.client("curator") as client:
        body = part('name="file"; filename="a.md"', b"a" * 100_000) + END
        chunks = (body[at : at + 1000] for at in range(0, len(body), 1000))
        headers = {"Content-Type": "multipart/form-data; boundary=x"}
        reply = client.post("/v1/documents", content=body if stated else chunks, headers=headers)
        assert (reply.status_code, reply.json()["code"]) == (413, "too_large")


def test_nothing_of_an_upload_without_end_is_waited_for_once_it_is_too_large(service: Service) -> None:
    service.limits.upload_bytes = 50_000
    with served(create_app(service)) as running:
        host, port = running.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(
                b"POST /v1/documents HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer curator\r\nTransfer-Encoding: chunked\r\n"
                b"Content-Type: multipart/form-data; boundary=x\r\n\r\n"
            )
            first = part('name="file"; filename="a.md"', b"a" * 60_000)
            connection.sendall(f"{len(first):x}\r\n".encode() + first + b"\r\n")  # and nothing more, ever
            assert b" 413 " in connection.recv(200)


def test_a_client_that_goes_away_leaves_nothing_behind(service: Service) -> None:
    with served(create_app(service)) as running:
        host, port = running.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(
                b"POST /v1/documents HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer curator\r\nContent-Length: 100000\r\n"
                b"Content-Type: multipart/form-data; boundary=x\r\n\r\n" + FILE
            )
        assert sent(running, {"b.md": TEXT}, ACME)[0]["outcome"] == "ingested"
        assert found(running, "reader") == ["b.md"]


# Whose documents


def test_who_is_no_curator_takes_nothing_in_and_nothing_out(running: Running) -> None:
    for who in ("reader", "reviewer", "operator", "service", "nobody"):
        assert send(running, {"a.md": TEXT}, ACME, who).status_code == 403
        with running.client(who) as client:
            assert client.post("/v1/documents/GW-241/withdraw", json={}).status_code == 403


READERS_NOT_THEIRS: tuple[list[str], ...] = (
    [], ["public"], ["tenant:rival"], ["tenant:acme", "public"], ["tenant:acme", "group:rival/desk"],
)  # fmt: skip


@pytest.mark.parametrize("place", ["metadata", "sidecar", "front matter"])
def test_a_curator_of_a_tenant_gives_no_other_readers_wherever_they_are_stated(running: Running, place: str) -> None:
    for readers in READERS_NOT_THEIRS:
        stated = json.dumps(readers).encode()
        files = {
            "metadata": {"a.md": TEXT},
            "sidecar": {"a.md": TEXT, "a.md.meta.yaml": b"readers: " + stated},
            "front matter": {"a.md": b"---\ntoulmin:\n  readers: " + stated + b"\n---\n" + TEXT},
        }[place]
        metadata = {"metadata": {"readers": readers}, "sidecar": ACME, "front matter": {"title": "A"}}[place]
        fault = refused(running, files, metadata)
        assert (fault["code"], fault["message"]) == ("not_your_document", "you may not curate it")
    assert listed(running, "keeper", after="PRIVATE.md") == []


def test_a_curator_without_a_tenant_gives_any_readers(running: Running) -> None:
    for number, readers in enumerate(READERS_NOT_THEIRS):
        sent(running, {f"a{number}.md": TEXT + b"%d" % number}, {**ACME, "readers": readers}, "keeper")


def test_groups_of_the_tenant_are_its_curators_to_name_whether_they_are_in_them_or_not(running: Running) -> None:
    sent(running, {"a.md": TEXT}, {**ACME, "readers": ["group:acme/board"]})
    assert found(running, "curator") == []


@contextmanager
def with_documents_of(running: Running, who: str, metadata: Mapping[str, object]) -> Iterator[None]:
    """Documents P and P.md of somebody else's, which are as they were at the end."""
    sent(running, {"p.md": TEXT}, {**metadata, "id": "P", "version": "1"}, who)
    sent(running, {"P.md": TEXT}, metadata, who)
    before = documents_of_everybody(running)
    yield
    assert documents_of_everybody(running) == before


def documents_of_everybody(running: Running) -> object:
    with running.client("keeper") as client, running.client("other") as other:
        return client.get("/v1/documents").json(), other.get("/v1/documents").json()


TAKES: tuple[tuple[str, Files, dict[str, object]], ...] = (
    ("the same id, another version", {"mine.md": b"# Mine\n\nOther words.\n"}, {"id": "P", "version": "2"}),
    ("the same version", {"mine.md": b"# Mine\n\nOther words.\n"}, {"id": "P", "version": "1"}),
    ("the same bytes, other readers", {"mine.md": TEXT}, {"id": "P", "version": "1"}),
    ("the same bytes, no version", {"mine.md": TEXT}, {"id": "P"}),
    ("the very same file", {"p.md": TEXT}, {"id": "P", "version": "1"}),
    ("supersedes it", {"mine.md": b"# Mine\n\nOther words.\n"}, {"id": "P", "version": "2", "supersedes": ["1"]}),
    (
        "by another scope",
        {"mine.md": b"# M\n\nWords.\n"},
        {"id": "P", "version": "2", "scope": {"model": "G9", "firmware": "1"}},
    ),
    ("by the file's name", {"P.md": b"# M\n\nWords.\n"}, {}),
    ("by a sidecar", {"m.md": b"# M\n\nWords.\n", "m.md.meta.yaml": b"id: P\nversion: 2\n"}, {}),
    ("by front matter", {"m.md": b"---\ntoulmin: {id: P, version: 7}\n---\n# M\n\nWords.\n"}, {}),
)


@pytest.mark.parametrize(("owner", "metadata"), [("other", RIVAL), ("keeper", PUBLIC)])
def test_nobody_takes_the_id_of_a_document_that_is_not_theirs(
    running: Running, owner: str, metadata: dict[str, object]
) -> None:
    with with_documents_of(running, owner, metadata):
        for how, files, stated in TAKES:
            fault = refused(running, files, {**ACME, **stated})
            told = (fault["code"], fault["message"], fault["where"])
            assert told == ("not_your_document", "you may not curate it", next(iter(files))), how


def test_a_refusal_for_the_readers_and_one_for_the_id_cannot_be_told_apart(running: Running) -> None:
    for_readers = refused(running, {"p.md": TEXT}, RIVAL)
    with with_documents_of(running, "other", RIVAL):
        for_id = refused(running, {"p.md": TEXT}, {**ACME, "id": "P"})
    assert for_readers == for_id


def test_the_same_file_of_another_tenant_is_not_said_to_be_known(running: Running) -> None:
    assert sent(running, {"p.md": TEXT}, RIVAL, "other")[0]["outcome"] == "ingested"
    assert refused(running, {"p.md": TEXT}, RIVAL)["code"] == "not_your_document"
    assert sent(running, {"q.md": TEXT}, ACME)[0]["outcome"] == "ingested"
    assert sent(running, {"p.md": TEXT}, RIVAL, "other")[0]["outcome"] == "unchanged"


def test_a_document_is_theirs_only_if_each_of_its_revisions_is_the_retired_ones_too(running: Running) -> None:
    sent(running, {"p.md": TEXT}, {**RIVAL, "id": "P", "version": "1"}, "other")
    sent(running, {"q.md": b"# Q\n\nOther.\n"}, {**ACME, "id": "P", "version": "2"}, "keeper")
    with running.client("keeper") as client:
        assert client.post("/v1/documents/P/withdraw", json={"version": "1"}).status_code == 200
    assert (
        refused(running, {"q.md": b"# Q\n\nOther.\n"}, {**ACME, "id": "P", "version": "2"})["code"]
        == "not_your_document"
    )
    assert (
        refused(running, {"r.md": b"# R\n\nMore.\n"}, {**ACME, "id": "P", "version": "3"})["code"]
        == "not_your_document"
    )
    with running.client("curator") as client:
        assert client.post("/v1/documents/P/withdraw", json={"version": "2"}).status_code == 404


def test_of_their_own_document_a_curator_learns_what_anybody_does_who_curates(running: Running) -> None:
    sent(running, {"p.md": TEXT}, {**ACME, "id": "P", "version": "1"})
    (file,) = sent(
        running, {"p.md": b"# P\n\nNew words.\n"}, {**ACME, "id": "P", "version": "2", "supersedes": ["1", "0"]}
    )
    assert (file["outcome"], file["supersedes"]) == ("superseded", ["1"])
    assert file["warnings"] == ["supersedes version 0, which is not in the corpus"]


def test_metadata_has_no_key_for_who_one_is(running: Running) -> None:
    for key in ("tenant", "curator", "principal", "role", "evidence", "path"):
        reply = send(running, {"a.md": TEXT}, {**ACME, key: "rival"})
        assert (reply.status_code, reply.json()["code"]) == (422, "unknown_key")


def test_the_ledger_says_who_took_a_document_in_and_out(running: Running, service: Service) -> None:
    before = service.workspace.recorded()
    sent(running, {"p.md": TEXT}, {**ACME, "id": "P", "version": "1"})
    sent(running, {"p.md": b"# P\n\nNew words.\n"}, {**ACME, "id": "P", "version": "2"})
    with running.client("curator") as client:
        client.post("/v1/documents/P/withdraw", json={})
    with service.parts.store.keep_ledger() as keeping:
        entries = list(keeping.entries(before + 1))
    assert {entry.kind for entry in entries} >= {"ingest", "supersede", "withdraw"}
    assert {entry.actor for entry in entries} == {principal_digest(PEOPLE["curator"])}


# Looking at documents


def test_a_list_has_what_the_caller_may_read(running: Running) -> None:
    names = [line.split()[0] for line in listed(running, "reader")]
    assert names == ["BILL-42", "G2-USB", "GW-241", "HOLD-7", "OLD-240"]
    assert listed(running, "keeper") == listed(running, "reader")


def test_pages_follow_each_other_by_their_links(running: Running) -> None:
    sent(running, {"&x=1#ü.md": TEXT}, ACME)
    seen: list[str] = []
    following: str | None = "/v1/documents?limit=2"
    with running.client() as client:
        while following:
            reply = client.get(following)
            page = [each["document"] for each in reply.json()["documents"]]
            assert len(page) <= 2
            seen += page
            following = reply.links.get("next", {}).get("url")
        whole = [each["document"] for each in client.get("/v1/documents").json()["documents"]]
    assert seen == whole
    assert len(seen) > 4


def test_a_query_that_is_wrong_is_refused(running: Running) -> None:
    with running.client() as client:
        for query in ("limit=0", "limit=1001", "limit=x", "limit=1&limit=2", "page=2", "tenant=birch"):
            assert client.get(f"/v1/documents?{query}").status_code == 422


def test_a_document_that_one_may_not_read_is_told_like_none(running: Running) -> None:
    sent(running, {"p.md": TEXT}, {**RIVAL, "id": "P", "version": "1"}, "other")
    with running.client() as client, running.client("other") as other:
        for path in ("/v1/documents/{}", "/v1/documents/{}?version=1", "/v1/texts/{}?version=1"):
            assert other.get(path.format("P")).status_code == 200
            hidden, absent = client.get(path.format("P")), client.get(path.format("Q"))
            assert (hidden.status_code, absent.status_code) == (404, 404)
            assert hidden.json() == json.loads(absent.text.replace("document Q", "document P"))


def test_a_document_is_shown_with_its_revisions_and_the_places_of_its_passages(running: Running) -> None:
    for version in ("1", "2"):
        sent(running, {"p.md": TEXT + version.encode()}, {**ACME, "id": "a/b c?.md", "version": version})
    with running.client() as client:
        both = client.get("/v1/documents/a/b%20c%3F.md").json()
        one = client.get("/v1/documents/a/b%20c%3F.md?version=2").json()["revisions"]
    assert [revision["version"] for revision in both["revisions"]] == ["1", "2"]
    assert [revision["version"] for revision in one] == ["2"]
    assert one[0]["passages"]


def test_a_text_is_plain_and_the_very_one_that_offsets_point_into(running: Running) -> None:
    text = "# Pümp\r\n\r\n<script>alert(1)</script> 😀\r\n"
    sent(running, {"p.md": text.encode()}, {**ACME, "id": "P/text", "version": "1"})
    with running.client() as client:
        reply = client.get("/v1/texts/P/text?version=1")
        shown = client.get("/v1/documents/P/text").json()["revisions"]
        assert client.get("/v1/texts/P/text").status_code == 422
    assert reply.content.decode() == text
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert (reply.headers["x-content-type-options"], reply.headers["cache-control"]) == ("nosniff", "no-store")
    assert shown[0]["text_sha256"] == sha256(reply.content).hexdigest()


def test_the_text_of_a_deleted_document_is_gone(running: Running, service: Service) -> None:
    sent(running, {"p.md": TEXT}, {**ACME, "id": "P", "version": "1"})
    service.workspace.retire("P", Status.DELETED)
    with running.client() as client:
        assert client.get("/v1/texts/P?version=1").status_code == 404
        assert client.get("/v1/documents/P").json()["revisions"][0]["passages"] == []


# Taking documents out


def test_a_withdrawn_document_is_found_no_more_and_its_text_stays(running: Running) -> None:
    sent(running, {"p.md": TEXT}, {**ACME, "id": "P/withdraw", "version": "1"})
    with running.client("curator") as client:
        reply = client.post("/v1/documents/P/withdraw/withdraw", json={})
        assert client.get("/v1/texts/P/withdraw?version=1").status_code == 200
        again = client.post("/v1/documents/P/withdraw/withdraw", json={})
    assert reply.json()["documents"] == [{"document": "P/withdraw", "version": "1", "state": "withdrawn"}]
    assert (again.status_code, found(running, "reader")) == (404, [])


def test_a_withdrawal_that_is_sent_again_with_its_key_is_answered_alike(running: Running) -> None:
    sent(running, {"p.md": TEXT}, {**ACME, "id": "P", "version": "1"})
    with running.client("curator") as client:
        replies = [
            client.post("/v1/documents/P/withdraw", json={"version": "1"}, headers={"Idempotency-Key": "k"})
            for _ in range(2)
        ]
    assert [reply.status_code for reply in replies] == [200, 200]
    assert replies[0].json() == replies[1].json()


@pytest.mark.parametrize("version", [None, "1"])
def test_nobody_withdraws_what_is_not_theirs_and_it_is_told_like_nothing(running: Running, version: str | None) -> None:
    sent(running, {"p.md": TEXT}, {**RIVAL, "id": "P", "version": "1"}, "other")
    with running.client("curator") as client:
        theirs, public, absent = (
            client.post(f"/v1/documents/{document}/withdraw", json={} if version is None else {"version": version})
            for document in ("P", "GW-241", "Q")
        )
    assert [reply.status_code for reply in (theirs, public, absent)] == [404, 404, 404]
    assert theirs.json() == json.loads(absent.text.replace(" Q", " P"))
    assert found(running, "other") == ["P"]


# What the description says


def test_the_description_tells_of_the_form(running: Running) -> None:
    with running.client() as client:
        post = client.get("/openapi.json").json()["paths"]["/v1/documents"]["post"]
    form = post["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert form["required"] == ["file"]
    assert set(form["properties"]) == {"file", "metadata"}
    assert set(post["responses"]["422"]["content"]) == {"application/json", "application/problem+json"}


def test_uploads_of_several_callers_at_once_are_all_taken_in(running: Running) -> None:
    async def one(number: int) -> int:
        return await asyncio.to_thread(lambda: send(running, {f"{number}.md": TEXT + b"%d" % number}, ACME).status_code)

    async def all_of_them() -> list[int]:
        return await asyncio.gather(*(one(number) for number in range(6)))

    assert asyncio.run(all_of_them()) == [200] * 6
    assert {f"{number}.md" for number in range(6)} <= {line.split()[0] for line in listed(running, "reader")}


def test_a_principal_without_the_role_curates_nothing_even_past_the_door(service: Service) -> None:
    with served(create_app(service)), pytest.raises(NotFound):
        service.workspace.retire("GW-241", Status.WITHDRAWN, curator=Principal(id="x", roles=("reader",)))
