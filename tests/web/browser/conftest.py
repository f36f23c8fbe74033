"""A browser, and a world to look at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.api.conftest import folder, running, sample, service
from tests.web.browser.window import browser, chromium_path
from tests.web.browser.world import World, made

__all__ = ["folder", "running", "sample", "service"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser, for the tests of a module: while it is there an event loop runs in this thread, and no test of another module may start its own."""
    path = chromium_path()
    if path is None:
        pytest.skip("no browser: install chromium (Debian: apt-get install chromium), or name one in CHROMIUM")
    with browser(path) as started:
        yield started


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Something on every page, for tests that change nothing of it."""
    with made(tmp_path_factory.mktemp("world") / "desk") as world:
        yield world
