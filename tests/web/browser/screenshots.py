"""Takes the pictures of the pages for the docs.

Usage: screenshots.py [FOLDER]   (default: docs/images)
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from tests.web.browser.window import Scheme, Width, browser, chromium_path, looking_at
from tests.web.browser.world import TYPE, made

MOST_BYTES = 150_000


def _nothing(page: Page) -> None:
    pass


def _filled_in(page: Page) -> None:
    page.get_by_label("model").fill("G2")
    page.get_by_label("firmware").fill("2.4.1")
    page.get_by_label("audit_hold").select_option("yes")


def _first_source_opened(page: Page) -> None:
    page.locator(".claim summary").first.click()
    page.locator(".claim").first.evaluate("claim => claim.scrollIntoView()")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A page as the docs show it: what it is called there, and what is done with the page before."""

    name: str
    address: str
    who: str = "reader"
    width: Width = "desktop"
    scheme: Scheme = "light"
    prepare: Callable[[Page], None] = _nothing


PICTURES = (
    Picture(name="ask", address=f"/ask/types/{TYPE}", who="service", prepare=_filled_in),
    Picture(name="answer", address="/packets/{answered}", prepare=_first_source_opened),
    Picture(name="answer-phone", address="/packets/{answered}", width="phone", scheme="dark"),
    Picture(name="documents", address="/documents"),
    Picture(name="diff", address="/diff/NOTES?old=1&new=2"),
    Picture(name="printed", address="/pages/1/MANUAL?version=1&start=13&end=36"),
    Picture(name="approval", address="/approvals/{approval}", who="reviewer"),
)


def main(folder: Path) -> None:
    """Writes them all, each as far as it is seen in its window."""
    path = chromium_path()
    if path is None:
        sys.exit("no browser: install chromium (Debian: apt-get install chromium), or name one in CHROMIUM")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, made(Path(place) / "desk") as world, browser(path) as chromium:
        for picture in PICTURES:
            with looking_at(chromium, world.running, picture.who, width=picture.width, scheme=picture.scheme) as window:
                assert window.see(picture.address.format(**world.names)).ok, picture.address
                picture.prepare(window.page)
                taken = window.page.screenshot(path=folder / f"{picture.name}.png")
            assert len(taken) <= MOST_BYTES, f"{picture.name}: {len(taken)} bytes are too many"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/images"))
