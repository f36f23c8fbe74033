"""Curating in a real browser: words are selected with the mouse and with keys, and it is those that are attached, whatever the text is made of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.api.conftest import Running
from tests.web.browser.test_reading import ODD, odd
from tests.web.browser.window import WIDTHS, Looking, Width, looking_at

__all__ = ["odd"]

QUOTE = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."
PAGE = "/curate/GW-241?version=3"

SELECT = """words => {
    const walker = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    const whole = nodes.map(node => node.data).join("");
    const place = at => {
        for (const node of nodes) {
            if (at <= node.length) return [node, at];
            at -= node.length;
        }
    };
    const start = whole.indexOf(words);
    document.getSelection().setBaseAndExtent(...place(start), ...place(start + words.length));
}"""
"""Selects words as the page has them, from the end of one stretch where they begin with another."""


@pytest.fixture
def window(chromium: Browser, running: Running) -> Iterator[Looking]:
    """A curator of everything, who looks at a document."""
    with looking_at(chromium, running, "keeper") as window:
        window.see(PAGE)
        yield window


def attached(page: Page) -> list[dict[str, str]]:
    """The spans of the draft, once the page has them."""
    expect(page.get_by_text("The words are attached, and not saved yet.")).to_be_visible()
    spans: list[dict[str, str]] = json.loads(page.locator("[name=kept]").input_value())["spans"]
    return spans


@pytest.mark.parametrize("name", ODD)
def test_the_selected_words_are_the_attached_ones(chromium: Browser, odd: Running, name: str) -> None:
    text, words = ODD[name]
    with looking_at(chromium, odd, "keeper") as window:
        page = window.page
        window.see(f"/curate/{name}?version=1")
        page.evaluate(SELECT, words.replace("\r\n", "\n").replace("\r", "\n"))
        expect(page.locator("#end")).not_to_have_value("")
        start = text.index(words)
        place = [int(page.locator(end).input_value()) for end in ("#start", "#end")]
        assert text[place[0] : place[1]].strip() == words
        assert (place[0], place[1]) in ((start, start + len(words)), (start - 1, start + len(words)))
        page.get_by_label("Fact", exact=True).select_option("known-issue")
        page.get_by_role("button", name="Attach them").click()
        (span,) = attached(page)
        assert span["quote"] == words
        marked = "".join(page.locator("#text .curated").all_text_contents())
        assert marked == words.replace("\r\n", "\n").replace("\r", "\n")
        window.check()


def test_words_are_selected_by_keys_alone(window: Looking) -> None:
    page, keys = window.page, window.page.keyboard
    page.get_by_role("textbox", name="Text", exact=True).focus()
    keys.press("Control+End")
    for _ in range(3):
        keys.press("Shift+ArrowLeft")
    keys.press("Control+End")
    for _ in range(len("reconnect.\n")):
        keys.press("Shift+ArrowLeft")
    expect(page.get_by_label("Words", exact=True)).to_have_value(re.compile(r"\s*reconnect\.\s*"))
    keys.type("changed")
    keys.press("Delete")
    assert "changed" not in (page.locator("#text").text_content() or ""), "the text cannot be written in"
    keys.press("Tab")
    expect(page.get_by_label("Words", exact=True)).to_be_focused()
    page.get_by_label("Fact", exact=True).select_option("known-issue")
    page.get_by_label("Name of the span").fill("end")
    keys.press("Tab")
    expect(page.get_by_role("button", name="Attach them")).to_be_focused()
    with page.expect_navigation():
        keys.press("Enter")
    assert [each["quote"] for each in attached(page)] == [QUOTE, "reconnect."]
    assert attached(page)[1]["prefix"] == "next "


def test_words_are_selected_with_the_mouse_beside_the_name_of_a_span(window: Looking) -> None:
    page = window.page
    page.locator("#text [data-names=s1]").dblclick(position={"x": 30, "y": 8})
    words = page.get_by_label("Words", exact=True).input_value().strip()
    assert words
    assert words in QUOTE
    box = page.locator("#text [data-names=s1]").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 1, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] - 5, steps=5)
    page.mouse.up()
    assert page.get_by_label("Words", exact=True).input_value() == QUOTE
    page.get_by_label("Name of the span").fill("again")
    page.get_by_role("button", name="Attach them").click()
    assert [(each["id"], each["fact"]) for each in attached(page)] == [("s1", "known-issue"), ("again", "known-issue")]


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("width", WIDTHS)
def test_an_edit_is_previewed_and_saved_with_and_without_scripts(
    chromium: Browser, running: Running, width: Width, scripts: bool
) -> None:
    with looking_at(chromium, running, "keeper", width=width, scripts=scripts) as window:
        page = window.page
        window.see(PAGE)
        page.get_by_label("Words", exact=True).fill("next reconnect")
        page.get_by_label("Fact", exact=True).select_option("audit-constraint")
        page.get_by_role("button", name="Attach them").click()
        assert [each["id"] for each in attached(page)] == ["s1", "s2"]
        page.get_by_label("Remove s1").check()
        page.get_by_role("button", name="See what this would change").first.click()
        expect(page.get_by_role("heading", name="What this would change")).to_be_visible()
        expect(page.get_by_text("the fact known-issue loses its source.")).to_be_visible()
        if scripts:
            window.check()
        page.get_by_role("button", name="Save it").click()
        expect(page.get_by_role("heading", name="GW-241 v3 is saved")).to_be_visible()
        page.get_by_role("link", name="Curate it further").click()
        expect(page.locator("#text [data-names]")).to_have_attribute("data-names", "s2")
