"""What strangers write stays words, in every place that shows it: markup does nothing, and nothing runs or is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.api.drafting import OPEN, Drafting, drafting
from tests.web.browser.window import looking_at
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace

PLANTED = (
    "<script>window.planted = 1</script>"
    "<img src='https://elsewhere.example/x.png' onerror='window.planted = 2'>"
    "<style>body { display: none }</style>"
    "</textarea></title></details><h1 onclick='window.planted = 3'>Planted</h1>"
    "\"'><svg onload='window.planted = 4'>{{ 7 * 7 }}"
)


def _author(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """A draft of markup that cites the planted document."""
    (known,) = (item["evidence_id"] for item in question["evidence"] if "window.planted" in item["passage"])
    return {"segments": [{"text": f"It stopped. {PLANTED}", "evidence_ids": [known]}]}


@pytest.fixture
def planted(folder: Path) -> Iterator[Drafting]:
    """The service with markup in the text, title, type and scope of a document in two versions, and in what its model writes."""
    for version in ("1", "2"):
        path = folder / f"{version}.txt"
        path.write_text(
            f"The gateway stopped sending telemetry after a reconnect. {PLANTED} {version}", encoding="utf-8"
        )
        options = stated_metadata(
            {
                "id": "<b>BAD</b>",
                "version": version,
                "readers": ("public",),
                "title": PLANTED,
                "source_type": PLANTED,
                "scope": Scope.of({"model": "*", "firmware": "*"}),
            }
        )
        with Workspace.open(folder) as desk:
            (report,) = desk.ingest(each for each in desk.entries([path], options=options) if isinstance(each, Entry))
            assert report.fault is None, report.fault
    with drafting(folder, author=_author) as desk:
        yield desk


def test_planted_markup_is_words_wherever_it_is_shown(chromium: Browser, planted: Drafting) -> None:
    question = f"Why did the gateway stop sending telemetry after a reconnect? {PLANTED}"
    with planted.running.client() as client:
        packet = client.post("/v1/ask", json={**OPEN, "text": question}).json()["packet"]["id"]
    document = "%3Cb%3EBAD%3C%2Fb%3E"
    with looking_at(chromium, planted.running) as window:
        for address in (
            f"/packets/{packet}",
            f"/packets/{packet}/why-not?document={document}",
            f"/ask/again/{packet}",
            f"/approvals/new?packet={packet}",
            "/search?text=telemetry+reconnect+%3Cscript%3E&explain=1",
            "/documents",
            f"/documents?words={document}",
            f"/sources/{document}?version=2&start=4&end=90",
            f"/diff/{document}?old=1&new=2",
            f"/impact/{document}",
        ):
            reply = window.see(address)
            assert reply.status == 200, address
            assert window.page.evaluate("window.planted") is None, address
            assert window.page.locator("main h1").count() == 1, address
            expect(window.page.get_by_role("main")).to_be_visible()
            assert "49" not in window.page.inner_text("h1"), address
            window.check()
        window.see(f"/packets/{packet}")
        expect(window.page.locator(".claim .words")).to_have_text(f"It stopped. {PLANTED}")
        assert window.page.get_by_role("heading", name="Planted", exact=True).count() == 0


def test_planted_markup_is_words_while_an_answer_is_drafted(chromium: Browser, planted: Drafting) -> None:
    with looking_at(chromium, planted.running) as window:
        window.see("/ask/open")
        window.page.get_by_label("Your question").fill(OPEN["text"])
        window.page.get_by_role("button", name="Ask", exact=True).click()
        window.page.wait_for_url("**/packets/pk-*")
        expect(window.page.locator(".claim .words")).to_have_text(f"It stopped. {PLANTED}")
        assert window.page.evaluate("window.planted") is None
