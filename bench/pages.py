"""How much the web pages weigh, and how soon a browser shows them: every page over the sample, beside a page with one word from the same server.

Usage: pages.py [VISITS]   (default: 10)
Each visit is that of a browser that has nothing in its cache; the pages take turns. Browser and server share the machine.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from common import milliseconds, percentile, report, say
from fastapi import FastAPI
from starlette.responses import HTMLResponse

sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests are no installed package

from playwright.sync_api import Browser

from tests.web.browser.window import browser, chromium_path, looking_at
from tests.web.browser.world import SIGHTS, Sight, World, made

_EMPTY = Sight(route="/empty", address="/empty", who=None)
_MOST_BYTES, _GOAL_MS = 100_000, 500
_TIMES = """() => new Promise(told => {
    const {loadEventEnd: load} = performance.getEntriesByType("navigation")[0];
    new PerformanceObserver(list => {
        const [first] = list.getEntriesByName("first-contentful-paint");
        if (first) told({paint: first.startTime, load});
    }).observe({type: "paint", buffered: true});
})"""
"""When something was first seen, and when all was there, in milliseconds since the visit began."""


def main() -> None:
    visits = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    path = chromium_path()
    if path is None:
        sys.exit("no browser: install chromium (Debian: apt-get install chromium), or name one in CHROMIUM")
    sights = [_EMPTY, *(sight for sight in SIGHTS if sight.status == 200)]
    seen: dict[Sight, list[dict[str, Any]]] = {sight: [] for sight in sights}
    with tempfile.TemporaryDirectory() as place, made(Path(place) / "desk") as world, browser(path) as chromium:
        _serve_empty(world.app)
        for number in range(visits + 1):
            say(f"  visit {number} of {visits}")
            for sight in sights:
                visit = _visit(chromium, world, sight)
                if number > 0:  # what the first one waits for, only the first one waits for
                    seen[sight].append(visit)
        version = chromium.version
    rows = [_row(sight, found) for sight, found in seen.items()]
    pages = rows[1:]
    notes = [
        f"bytes, with styles and scripts: at most {max(row['bytes'] for row in pages):,}, goal {_MOST_BYTES:,}",
        f"first paint, p50: at most {max(row['paint p50 ms'] for row in pages):.0f} ms, goal {_GOAL_MS}",
    ]
    report("pages", rows, notes=notes, visits=visits, chromium=version)


def _serve_empty(app: FastAPI) -> None:
    def empty() -> HTMLResponse:
        return HTMLResponse(
            '<!doctype html><html lang="en"><title>Empty</title><link rel="icon" href="data:,"><p>Empty</p></html>'
        )

    app.add_api_route("/empty", empty, include_in_schema=False, response_class=HTMLResponse)


def _visit(chromium: Browser, world: World, sight: Sight) -> dict[str, Any]:
    with looking_at(chromium, world.running, sight.who) as window:
        window.see(sight.address.format(**world.names))
        times: dict[str, Any] = window.page.evaluate(_TIMES)
        return {**times, "bytes": window.received}


def _row(sight: Sight, visits: list[dict[str, Any]]) -> dict[str, Any]:
    paint, load = ([visit[name] / 1000 for visit in visits] for name in ("paint", "load"))
    return {
        "page": sight.address,
        "who": sight.who or "-",
        "bytes": max(visit["bytes"] for visit in visits),
        "paint p50 ms": milliseconds(paint),
        "paint p90 ms": percentile(paint, 0.9),
        "load p50 ms": milliseconds(load),
    }


if __name__ == "__main__":
    main()
