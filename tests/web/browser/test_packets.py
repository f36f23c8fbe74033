"""A packet in a browser: a click shows the words of a claim in their place, next to the claim."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, expect

from tests.web.browser.window import Width, looking_at
from tests.web.browser.world import World

QUOTE = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."


def box(found: Locator) -> FloatRect:
    """Where something is in the window."""
    there = found.bounding_box()
    assert there is not None
    return there


@pytest.mark.parametrize("width", ["desktop", "phone"])
@pytest.mark.parametrize("scripts", [True, False])
def test_a_click_shows_the_words_in_their_place_next_to_the_claim(
    chromium: Browser, world: World, width: Width, *, scripts: bool
) -> None:
    with looking_at(chromium, world.running, width=width, scripts=scripts) as window:
        window.see(f"/packets/{world.names['answered']}")
        claim = window.page.locator(".claim").first
        quote, marked = claim.locator("blockquote"), claim.locator("details mark.span")
        expect(quote).to_have_text(QUOTE)
        expect(marked).not_to_be_visible()
        claim.locator("summary").click()
        expect(marked).to_have_text(QUOTE)
        expect(marked).to_be_visible()
        expect(quote).not_to_be_visible()
        expect(claim.get_by_text("The gateway itself")).to_be_visible()
        said, shown = box(claim.locator(".said")), box(claim.locator(".sources"))
        if width == "desktop":
            assert shown["x"] >= said["x"] + said["width"]
        else:
            assert shown["y"] >= said["y"] + said["height"]
        if scripts:
            window.check()
        claim.get_by_role("link", name="Read on in the source").click()
        assert "".join(window.page.locator(".text mark").all_text_contents()) == QUOTE


def test_an_identity_is_copied_with_a_button_and_selected_with_a_click(chromium: Browser, world: World) -> None:
    with looking_at(chromium, world.running) as window:
        window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        window.see(f"/packets/{world.names['answered']}")
        window.page.get_by_role("button", name="Copy the identity of the packet").click()
        expect(window.page.get_by_text("Copied.")).to_be_visible()
        assert window.page.evaluate("navigator.clipboard.readText()") == world.names["answered"]
        window.page.get_by_text(world.names["answered"]).click()
        assert window.page.evaluate("getSelection().toString()").strip() == world.names["answered"]
