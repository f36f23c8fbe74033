"""Every page there is, on a phone and a desktop, in light and dark: anybody can use it, and it asks nothing of another host."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.web.browser.window import RULES_OF_COLOUR, WIDTHS, looking_at
from tests.web.browser.world import SIGHTS, Sight, World
from toulmin.surfaces.web.app import PARTS
from toulmin.surfaces.web.pages import PageRoute

MOST_BYTES = 100_000
"""Of a page with all that it loads, where it holds no text of a document."""


NO_PAGES = {"/page-images/{number}/{document:path}"}
"""Routes that look like those of pages and show something else."""


def test_no_page_is_left_out() -> None:
    routes = [route for part in PARTS for route in part.router.routes if isinstance(route, PageRoute)]
    shown = {route.path for route in routes if "GET" in (route.methods or ())}
    assert {sight.route for sight in SIGHTS} == shown - NO_PAGES


@pytest.mark.parametrize("sight", SIGHTS, ids=lambda sight: f"{sight.address} {sight.who}")
def test_a_page_can_be_used_by_everybody(chromium: Browser, world: World, sight: Sight) -> None:
    with looking_at(chromium, world.running, sight.who) as window:
        reply = window.see(sight.address.format(**world.names))
        assert reply.status == sight.status
        if sight.status >= 400:
            window.expects(f"{sight.status}: ", "Failed to load resource")
        for width in WIDTHS:
            window.becomes(width, "light")
            window.check()
            window.becomes(width, "dark")
            window.check(RULES_OF_COLOUR)
        assert window.received <= MOST_BYTES
