"""What holds of every page: its headers, its size, how it is built; and that nothing in a document, or in a draft, becomes a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Running
from tests.api.drafting import TEXT, drafting
from tests.web.conftest import Browser, browsing, read
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace

LIMIT = 100_000
QUESTION = "/ask/types/gateway-explain-and-next-step-v1"
SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
TEMPLATE = "{{ 7 * 7 }}{% raw %}"
PLANTED = f"""\
---
toulmin:
  id: "A/'{SCRIPT}"
  version: "1 & 2"
  title: 'Title {SCRIPT}'
  author: 'Author <b onclick=x>'
  source_type: known-issue
  scope: {{model: 'G2', firmware: "*", note: 'in <i>'}}
  readers: [public]
  valid_from: 2026-01-01
---
# Heading {SCRIPT}

The gateway stopped sending telemetry after a reconnect {SCRIPT} {IMAGE} {TEMPLATE} &amp; </div></main> gateway.
"""


def planted_draft(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """A draft of claims with markup in them."""
    return {
        "segments": [
            {"text": f"It stopped {SCRIPT} {IMAGE}.", "evidence_ids": [item["evidence_id"]]}
            for item in question["evidence"]
        ]
    }


@pytest.fixture
def planted(folder: Path) -> Iterator[Browser]:
    """A reader of a service with a document, and a model, that say markup wherever they can."""
    settings = folder / "toulmin.toml"
    settings.write_text(settings.read_text() + 'ignore = ["note"]\n')
    path = folder / "documents" / "planted.md"
    path.write_text(PLANTED)
    with Workspace.open(folder) as desk:
        (report,) = desk.ingest(each for each in desk.entries([path]) if isinstance(each, Entry))
        assert report.fault is None, report.fault
    with drafting(folder, author=planted_draft) as service, browsing(service.running, "reader") as browser:
        yield browser


def addresses(browser: Browser) -> list[str]:
    """Pages of every kind."""
    packet = browser.fill("/ask/open", "/ask", text=TEXT, case__model="G2", case__firmware="2.4.1").headers["location"]
    sources = [link for link in browser.see(packet).links if link.startswith("/sources/")]
    assert sources
    excluded = "/search?text=gateway+telemetry+reconnect&explain=true&case.model=G3&case.firmware=9.9"
    found = "/search?text=gateway+telemetry+reconnect&case.model=G2&case.firmware=2.4.1"
    forms = ["/sign-in", "/ask", "/ask/open", QUESTION, "/search"]
    pages = [excluded, found, packet, f"{packet}/why-not", *sources]
    faults = [
        "/ask/types/<b>",
        "/packets/pk-<b>",
        "/sources/<b>?version=1",
        "/search?profile=<b>",
        "/search?text=a&case.<b>=<b>",
    ]
    return [*forms, *pages, *faults]


def test_nothing_in_a_document_or_in_a_draft_becomes_markup(planted: Browser) -> None:
    pages = {path: planted.get(path).text for path in addresses(planted)}
    for path, text in pages.items():
        for markup in ("<script>", "<img", "<b>", "<b onclick", "<i>"):
            assert markup not in text, path
    shown = {path.split("/")[1].partition("?")[0] for path, text in pages.items() if "&lt;script&gt;alert" in text}
    assert shown == {"search", "packets", "sources"}
    assert any("It stopped &lt;script&gt;" in text for text in pages.values())
    assert any(TEMPLATE in text for text in pages.values())


def test_no_page_loads_or_runs_anything_but_its_own_files(planted: Browser) -> None:
    for path in addresses(planted):
        page = read(planted.get(path))
        assert all(each.startswith("/static/") for each in page.loaded), path
        for tag, given in page.tags:
            assert tag not in {"style", "iframe", "object", "embed", "img", "base"}, path
            assert not any(name.startswith("on") or name == "style" for name in given), path


def test_every_page_has_the_headers_that_keep_it_safe_and_is_small(planted: Browser) -> None:
    for path in addresses(planted):
        reply = planted.get(path)
        policy = reply.headers["content-security-policy"].split("; ")
        assert policy[0] == "default-src 'none'", path
        assert {"frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "script-src 'self'"} <= set(policy)
        assert not any("unsafe" in rule for rule in policy)
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "same-origin"
        assert reply.headers["cache-control"] == "no-store"
        assert len(reply.content) < LIMIT, path


def test_pages_that_lead_elsewhere_are_not_kept_either(running: Running) -> None:
    with browsing(running) as browser:
        reply = browser.get("/ask")
    assert (reply.status_code, reply.headers["cache-control"]) == (303, "no-store")
    assert "content-security-policy" in reply.headers


def test_pages_are_built_for_keyboards_and_for_those_who_hear_them(planted: Browser) -> None:
    for path in addresses(planted):
        page = read(planted.get(path))
        assert page.headings.count(1) == 1, path
        assert page.headings[0] == 1, path
        assert all(later <= earlier + 1 for earlier, later in pairwise(page.headings)), path
        assert page.links[0] == "#content", path
        assert set(page.controls.values()) <= page.labelled, path
        assert ("html", {"lang": "en"}) in page.tags
        ids = [given["id"] for _, given in page.tags if "id" in given]
        assert len(ids) == len(set(ids)), path


def test_files_are_kept_for_ever_under_addresses_that_hold_their_digests(visitor: Browser) -> None:
    loaded = visitor.see(QUESTION).loaded
    assert len(loaded) == 3
    for address in loaded:
        reply = visitor.get(address)
        assert reply.status_code == 200
        assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert visitor.get(address.replace("/static/", "/static/0")).status_code == 404
    assert visitor.get("/static/0/toulmin.toml").status_code == 404


def test_what_may_not_be_seen_is_told_as_what_is_not_there(running: Running) -> None:
    with browsing(running, "other") as other:
        private = other.see("/sources/PRIVATE?version=1", status=404)
        absent = other.see("/sources/ABSENT?version=1", status=404)
    assert private.text.replace("PRIVATE", "ABSENT").split("request")[0] == absent.text.split("request")[0]


def test_a_packet_that_another_tenant_may_not_read_is_not_there(folder: Path, running: Running) -> None:
    path = folder / "documents" / "own.md"
    path.write_text(
        '---\ntoulmin: {id: OWN, version: "1", readers: ["tenant:acme"], valid_from: 2026-01-01, '
        'scope: {model: "*", firmware: "*"}}\n---\n# Own\n\nZebras cross the reconnecting bridge.\n'
    )
    with Workspace.open(folder) as desk:
        (report,) = desk.ingest(each for each in desk.entries([path]) if isinstance(each, Entry))
        assert report.fault is None, report.fault
    with browsing(running, "reader") as own, browsing(running, "other") as other:
        form = {"text": "Do zebras cross the bridge?", "case__model": "G2", "case__firmware": "2.4.1"}
        packet = own.fill("/ask/open", "/ask", **form).headers["location"]
        assert "Zebras cross" in own.see(packet).text
        assert "Zebras" not in other.see(packet, status=404).text
        assert "Zebras" not in other.see(f"{packet}/why-not", status=404).text


def test_who_lacks_the_role_is_told_so(running: Running) -> None:
    with browsing(running, "nobody") as browser:
        for path in ("/ask", "/search", "/packets/pk-1", "/sources/GW-241?version=3"):
            assert "Your role does not allow it" in browser.see(path, status=403).text


def test_nothing_moves_on_a_page() -> None:
    for file in (files("toulmin.surfaces.web") / "static").iterdir():
        assert not re.search(r"\b(transition|animation|@keyframes|scroll-behavior|behavior:)", file.read_text()), (
            file.name
        )
