"""Taking documents in with a browser: each file with its own outcome as it comes, and the same without scripts."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.api.conftest import Running
from tests.web.browser.window import looking_at

SIDECAR = "id: A-1\nversion: '1'\nreaders: [public]\n"


@pytest.mark.parametrize("scripts", [True, False])
def test_files_are_chosen_sent_and_each_has_its_outcome(
    chromium: Browser, running: Running, tmp_path: Path, scripts: bool
) -> None:
    files = {"a.txt": "Words.", "a.txt.meta.yaml": SIDECAR, "<b>.md": "# More\n\nWords 🛰️.", "odd.xyz": "?"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with looking_at(chromium, running, "keeper", scripts=scripts) as window:
        page = window.page
        window.see("/documents/new")
        page.get_by_label("Files").set_input_files([tmp_path / name for name in files])
        page.get_by_label("Readers").fill("public")
        page.get_by_role("button", name="Add", exact=True).click()
        outcomes = page.locator("ol.outcomes > li")
        expect(outcomes).to_have_count(3)
        expect(outcomes.filter(has_text="a.txt")).to_contain_text("taken in")
        expect(outcomes.filter(has_text="<b>.md")).to_contain_text("taken in")
        expect(outcomes.filter(has_text="odd.xyz")).to_contain_text("refused, and nothing of it was kept")
        if scripts:
            window.check()
        outcomes.filter(has_text="a.txt").get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("A-1 v1")
        window.expects("422: /documents/new", "Failed to load resource")
