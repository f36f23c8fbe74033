"""Real documents in a browser: the Flask documentation, searched, listed and read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.api.conftest import Running, served
from tests.api.drafting import opened
from tests.web.browser.window import WIDTHS, Width, looking_at
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.ports.source import Entry
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.sync import Workspace

SETTINGS = """\
[eligibility.flask]
rules = { flask = "version_in" }
[telemetry]
log_file = "service.jsonl"
"""
VERSION = "3.1.2"


@pytest.fixture(scope="module")
def flask(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The service over one version of it."""
    folder = tmp_path_factory.mktemp("flask")
    (folder / "toulmin.toml").write_text(SETTINGS, encoding="utf-8")
    options = stated_metadata({"version": VERSION, "readers": ("public",), "scope": Scope.of({"flask": VERSION})})
    with Workspace.open(folder) as desk:
        entries = desk.entries([shared_data / "flask-docs" / VERSION], options=options)
        reports = list(desk.ingest(entry for entry in entries if isinstance(entry, Entry)))
    assert reports
    assert not [report.fault for report in reports if report.fault]
    with served(create_app(opened(folder))) as running:
        yield running


@pytest.mark.parametrize("width", WIDTHS)
def test_a_passage_that_was_found_is_marked_in_its_source_to_the_letter(
    chromium: Browser, flask: Running, width: Width
) -> None:
    with flask.client() as client:
        body = {"text": "stream file uploads with a size limit", "case": {"flask": VERSION}, "profile": "flask"}
        found = client.post("/v1/search", json=body).json()["results"]
    with looking_at(chromium, flask, width=width) as window:
        window.see("/search?profile=flask")
        window.page.get_by_label("Words to look for").fill("stream file uploads with a size limit")
        window.page.get_by_label("flask", exact=False).first.fill(VERSION)
        window.page.get_by_role("button", name="Search").click()
        links = window.page.locator("#found h3 a")
        expect(links).to_have_count(len(found))
        window.check()
        for number, passage in enumerate(found[:3]):
            links.nth(number).click()
            window.page.wait_for_url("**/sources/**")
            marked = "".join(window.page.locator(".text mark").all_text_contents())
            assert marked == passage["text"]
            window.check()
            window.page.go_back()


def test_a_long_list_and_a_long_text_have_pages(chromium: Browser, flask: Running) -> None:
    with looking_at(chromium, flask, width="phone") as window:
        window.see("/documents")
        shown = window.page.locator(".documents tbody").count()
        window.check()
        window.page.get_by_role("link", name="More documents").click()
        expect(window.page.locator(".documents tbody").first).to_be_visible()
        assert shown + window.page.locator(".documents tbody").count() > shown
        window.see(f"/sources/docs%2Fapi.rst?version={VERSION}")
        window.check()
