"""A real browser that looks at the pages of a real service, and notes whatever no page may do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    ViewportSize,
    sync_playwright,
)

from tests.api.conftest import Running
from toulmin.surfaces.web.session import CREDENTIAL

Width = Literal["phone", "desktop"]
Scheme = Literal["light", "dark"]

WIDTHS: dict[Width, ViewportSize] = {"phone": {"width": 360, "height": 740}, "desktop": {"width": 1280, "height": 800}}
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
RULES_OF_COLOUR = ("color-contrast",)
"""Those whose result another scheme can change."""


@dataclass(slots=True, kw_only=True)
class Looking:
    """Somebody who looks at pages: what has gone wrong meanwhile is in `faults`, and is looked at when they close the browser; `received` counts the bytes of all that was loaded."""

    page: Page
    url: str
    faults: list[str] = field(default_factory=list)
    received: int = 0

    def see(self, path: str) -> Response:
        """What comes from an address, once the page is loaded."""
        reply = self.page.goto(self.url + path)
        assert reply is not None
        return reply

    def becomes(self, width: Width, scheme: Scheme) -> None:
        """Has the window and its colours change, with the page in it."""
        self.page.set_viewport_size(WIDTHS[width])
        self.page.emulate_media(color_scheme=scheme)

    def expects(self, *parts: str) -> None:
        """Takes those faults for what a test wants: each of the parts is in at least one of them, and no others there are."""
        assert all(any(part in fault for fault in self.faults) for part in parts), self.faults
        self.faults = [fault for fault in self.faults if not any(part in fault for part in parts)]

    def check(self, rules: Sequence[str] = RULES) -> None:
        """Fails for a page that some people cannot use, and for one that has to be scrolled sideways."""
        violations = Axe().run(self.page, options={"runOnly": list(rules)}).response["violations"]
        told = [f"{each['id']}: {node['html']}" for each in violations for node in each["nodes"]]
        assert not told, self.page.url
        wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{self.page.url} is wider than its window by {wide} pixels"

    def watch(self) -> None:
        """Notes from now on what no page may do; what the policy of a page forbids, the console tells."""

        def said(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                self.faults.append(f"console: {message.text}")

        def asked(request: Request) -> None:
            if not request.url.startswith((self.url, "blob:", "data:")):
                self.faults.append(f"another host: {request.url}")

        def told(response: Response) -> None:
            self.received += int(response.headers.get("content-length", 0))
            if response.status >= 400:
                self.faults.append(f"{response.status}: {response.url.removeprefix(self.url)}")

        def failed(request: Request) -> None:
            if request.failure != "net::ERR_ABORTED":  # by leaving the page
                self.faults.append(f"failed: {request.url}: {request.failure}")

        self.page.on("console", said)
        self.page.on("request", asked)
        self.page.on("response", told)
        self.page.on("requestfailed", failed)
        self.page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))


def chromium_path() -> str | None:
    """Where the browser is: what CHROMIUM names, or `chromium` on the PATH; None where there is none."""
    return shutil.which(os.environ.get("CHROMIUM", "chromium"))


@contextmanager
def browser(path: str) -> Iterator[Browser]:
    """The browser at a path, for the block."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield started
        started.close()


@contextmanager
def looking_at(
    chromium: Browser,
    running: Running,
    who: str | None = "reader",
    *,
    width: Width = "desktop",
    scheme: Scheme = "light",
    scripts: bool = True,
) -> Iterator[Looking]:
    """A browser window for the block, in which somebody is signed in. Fails at the end if a page did what no page may do."""
    context: BrowserContext = chromium.new_context(
        viewport=WIDTHS[width],
        color_scheme=scheme,
        java_script_enabled=scripts,
        has_touch=width == "phone",
        reduced_motion="reduce",
    )
    context.set_default_timeout(15_000)
    if who is not None:
        context.add_cookies(
            [{"name": CREDENTIAL, "value": who, "url": running.url, "httpOnly": True, "sameSite": "Strict"}]
        )
    looking = Looking(page=context.new_page(), url=running.url)
    looking.watch()
    try:
        yield looking
    finally:
        context.close()
    assert looking.faults == []
