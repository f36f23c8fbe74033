"""Asking and reading with a browser: by keyboard alone, as the answer comes, without scripts, and the exact words of a source in their place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.api.conftest import Running, served
from tests.api.drafting import TEXT, drafting, opened
from tests.web.browser.window import looking_at
from tests.web.browser.world import TYPE, World
from toulmin.ports.source import Entry
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.sync import Workspace
from toulmin.testing.provider import waits

METADATA = "{{id: {}, version: '1', readers: [public], valid_from: 2026-01-01}}"
CLAUSE = "Firmware 2.4.1 on G2 gateways may stop sending telemetry after a reconnect."
QUOTE = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."

# Texts that are counted differently in bytes, in UTF-16, in code points and in what a reader sees, each with words of it.
ODD = {
    "emoji": (
        "👩‍🚀 Crew 🛰️ first.\n\nThe 🛰️ relay keeps 🔋🔋 two cells. Then 👨‍👩‍👧 leave.\n",
        "🛰️ relay keeps 🔋🔋 two cells.",
    ),
    "combining": ("Cafe\u0301 de\u0301ja\u0300 vu.\n\nThe re\u0301seau keeps two. Fin.\n", "re\u0301seau keeps two."),
    "lines": ("First.\r\n\r\nThe relay\r\nkeeps two.\rThen it ends.\r\n", "relay\r\nkeeps two.\rThen"),
    "hebrew": ("מסמך ראשון.\n\nהממסר שומר two תאים רזרביים. סוף.\n", "הממסר שומר two תאים"),
    "astral": ("𝒜𝓁𝓁.\n\n𝒯he relay keeps 𝓉𝓌ℴ cells 𐍈.\n", "keeps 𝓉𝓌ℴ cells 𐍈"),
    "markup": (
        "One <b>two</b> &amp; <script>alert(1)</script>\n\n<mark>three</mark> four.\n",
        "<mark>three</mark> four",
    ),
}


def test_a_person_without_a_mouse_signs_in_asks_and_reads_the_source(chromium: Browser, running: Running) -> None:
    with looking_at(chromium, running, who=None) as window:
        page, keys = window.page, window.page.keyboard
        window.see(f"/ask/types/{TYPE}")
        expect(page).to_have_title("Sign in · toulmin")
        page.get_by_label("Your API key or token").focus()
        keys.type("service")
        keys.press("Enter")
        page.wait_for_url(f"**/ask/types/{TYPE}")
        keys.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        keys.press("Enter")
        for value in ("G2", "2.4.1", "yes"):
            keys.press("Tab")
            keys.type(value)
        keys.press("Tab")
        keys.press("Tab")
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_focused()
        keys.press("Enter")
        page.wait_for_url("**/packets/pk-*")
        expect(page.get_by_text(CLAUSE).first).to_be_visible()
        source = page.get_by_role("link", name="GW-241 v3").first
        for _ in range(20):
            keys.press("Tab")
            if source.evaluate("element => element === document.activeElement"):
                break
        keys.press("Enter")
        page.wait_for_url("**/sources/GW-241?*")
        assert "".join(page.locator(".text mark").all_text_contents()) == QUOTE


def test_passages_are_there_while_the_answer_is_still_being_drafted(chromium: Browser, folder: Path) -> None:
    with drafting(folder, waits(4)) as desk, looking_at(chromium, desk.running) as window:
        window.see("/ask/open")
        window.page.get_by_label("Your question").fill(TEXT)
        window.page.get_by_label("model").fill("G2")
        window.page.get_by_label("firmware").fill("2.4.1")
        window.page.get_by_role("button", name="Ask", exact=True).click()
        expect(window.page.get_by_role("link", name="GW-241 v3")).to_be_visible()
        assert "/ask/open" in window.page.url, "the outcome is not there yet"
        window.page.wait_for_url("**/packets/pk-*")


@pytest.mark.parametrize("scripts", [True, False])
def test_an_answer_is_the_same_with_and_without_scripts(chromium: Browser, running: Running, scripts: bool) -> None:
    with looking_at(chromium, running, "service", scripts=scripts) as window:
        window.see(f"/ask/types/{TYPE}")
        window.page.get_by_label("model").fill("G2")
        window.page.get_by_label("firmware").fill("2.4.1")
        window.page.get_by_label("audit_hold").select_option("yes")
        window.page.get_by_role("button", name="Ask", exact=True).click()
        window.page.wait_for_url("**/packets/pk-*")
        expect(window.page.get_by_text(CLAUSE).first).to_be_visible()


@pytest.fixture
def odd(folder: Path) -> Iterator[Running]:
    """The service with the odd texts among its documents, each version 1 of a document of its name."""
    paths = [folder / "documents" / f"{name}.txt" for name in ODD]
    for path in paths:
        path.write_bytes(ODD[path.stem][0].encode())
        path.with_name(f"{path.name}.meta.yaml").write_text(METADATA.format(path.stem))
    with Workspace.open(folder) as desk:
        reports = list(desk.ingest(entry for entry in desk.entries(paths) if isinstance(entry, Entry)))
    assert not [report.fault for report in reports if report.fault]
    with served(create_app(opened(folder))) as running:
        yield running


def test_the_marked_words_are_the_cited_ones_whatever_the_text_is_made_of(chromium: Browser, odd: Running) -> None:
    with looking_at(chromium, odd) as window:
        for name, (text, words) in ODD.items():
            start = text.index(words)
            window.see(f"/sources/{name}?version=1&start={start}&end={start + len(words)}")
            marked = "".join(window.page.locator(".text mark").all_text_contents())
            assert marked == words.replace("\r\n", "\n").replace("\r", "\n"), (
                name
            )  # which is what HTML makes of line ends
            window.check()


@pytest.mark.parametrize(
    ("packet", "heading", "next_step"),
    [
        ("answered", "Answered", "Open each citation"),
        ("drafted", "Answered", "Open each citation"),
        ("lacking", "More evidence is needed", "Add a document that says what is missing"),
        ("failed", "Passages were found, but there is no answer", "Read the passages below"),
    ],
)
def test_every_outcome_says_what_it_is_and_what_to_do_next(
    chromium: Browser, world: World, packet: str, heading: str, next_step: str
) -> None:
    with looking_at(chromium, world.running, width="phone") as window:
        window.see(f"/packets/{world.names[packet]}")
        expect(window.page.get_by_role("heading", level=1)).to_have_text(heading)
        expect(window.page.locator(".next")).to_contain_text(next_step)


def test_text_runs_in_the_direction_of_its_script(chromium: Browser, odd: Running) -> None:
    with looking_at(chromium, odd) as window:
        for name, direction in (("hebrew", "rtl"), ("emoji", "ltr")):
            window.see(f"/sources/{name}?version=1")
            text = window.page.locator(".text").first
            assert text.evaluate("element => getComputedStyle(element).direction") == direction


def test_a_page_that_is_zoomed_to_twice_its_size_needs_no_scrolling_sideways(chromium: Browser, world: World) -> None:
    with looking_at(chromium, world.running) as window:
        window.page.set_viewport_size({"width": 640, "height": 400})  # a window of 1280 pixels, zoomed
        window.see(f"/packets/{world.names['answered']}")
        window.check()


def test_on_paper_there_is_the_answer_with_its_identity_and_nothing_to_press(chromium: Browser, world: World) -> None:
    with looking_at(chromium, world.running) as window:
        window.see(f"/packets/{world.names['answered']}")
        window.page.emulate_media(media="print")
        expect(window.page.get_by_text(CLAUSE).first).to_be_visible()
        expect(window.page.get_by_text(QUOTE).first).to_be_visible()
        expect(window.page.get_by_text(world.names["answered"]).first).to_be_visible()
        expect(window.page.get_by_role("navigation")).to_have_count(0)
        expect(window.page.get_by_role("button")).to_have_count(0)
