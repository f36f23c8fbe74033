"""Faults that no page tells: a browser is shown them as pages, in the same frame; programs get problem documents as ever."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.api.conftest import Running, served
from tests.api.drafting import opened
from tests.web.conftest import FROM_HERE, Browser, browsing, read
from toulmin.surfaces.http.app import create_app

HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


@pytest.fixture
def browser(running: Running) -> Iterator[Browser]:
    """Somebody's browser, not signed in."""
    with browsing(running) as browser:
        yield browser


def is_page(reply: httpx2.Response) -> bool:
    """Whether something is a page of ours, with all that keeps it safe."""
    page = read(reply)
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    return page.headings == [1] and "#content" in page.links


@pytest.mark.parametrize("path", ["/nothing", "/nothing/at/all", "/static/0/none.css", "/packets", "/v2/ask"])
def test_an_unknown_address_is_a_page_for_a_browser(browser: Browser, path: str) -> None:
    reply = browser.get(path, **HTML)
    assert reply.status_code == 404
    assert is_page(reply)
    assert "Check the address." in reply.text


@pytest.mark.parametrize(
    ("path", "accept"), [("/nothing", "*/*"), ("/nothing", "application/json"), ("/v1/nothing", HTML["Accept"])]
)
def test_programs_are_told_of_an_unknown_address_in_a_document(browser: Browser, path: str, accept: str) -> None:
    reply = browser.get(path, Accept=accept)
    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")
    assert reply.json()["code"] == "not_found"


def test_a_method_that_does_nothing_is_a_page_for_a_browser(browser: Browser) -> None:
    reply = browser.send("/search", {}, FROM_HERE | HTML)
    assert (reply.status_code, reply.headers["allow"]) == (405, "GET")
    assert is_page(reply)


def test_a_full_service_is_a_page_for_a_browser_that_says_when_to_come_again(folder: Path) -> None:
    with served(create_app(opened(folder, concurrent=0))) as running, browsing(running) as browser:
        page, document = browser.get("/ask", **HTML), browser.get("/ask")
    assert (page.status_code, page.headers["retry-after"]) == (503, "1")
    assert is_page(page)
    assert "Try again in a moment." in page.text
    assert document.json()["code"] == "overloaded"


def test_a_mistake_of_ours_is_a_page_without_its_words(folder: Path) -> None:
    app = create_app(opened(folder))

    @app.get("/mistake")
    async def mistake() -> None:
        raise ValueError("words of a document")

    with served(app) as running, browsing(running) as browser:
        reply = browser.get("/mistake", **HTML)
    assert reply.status_code == 500
    assert is_page(reply)
    assert "words of a document" not in reply.text
    assert reply.headers["x-request-id"] in reply.text


def test_without_what_pages_are_made_with_the_service_starts_and_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for name in [name for name in sys.modules if name.startswith(("toulmin.surfaces.web", "jinja2."))]:
        monkeypatch.delitem(sys.modules, name)
    with served(create_app(opened(folder))) as running, running.client("reader") as client:
        page = client.get("/ask", headers=HTML)
        answer = client.post("/v1/search", json={"text": "telemetry"})
    assert (page.status_code, page.json()["code"]) == (404, "not_found")
    assert answer.status_code == 200
    assert '"event": "without_pages"' in capfd.readouterr().err


def test_with_them_nothing_is_said(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with served(create_app(opened(folder))):
        pass
    assert "without_pages" not in capfd.readouterr().err
