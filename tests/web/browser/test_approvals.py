"""Approvals in a real browser: from the request to the execution, with the mouse and with the keyboard, and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.api.conftest import Running
from tests.web.browser.window import looking_at
from tests.web.conftest import browsing
from tests.web.test_approvals import EFFECTS, ask_for, supersede
from tests.web.test_replay import CASE, FORM


@pytest.fixture
def folder(folder: Path) -> Path:
    with (folder / "toulmin.toml").open("a") as settings:
        settings.write(EFFECTS)
    return folder


@pytest.fixture
def packet(running: Running) -> str:
    """The packet of an answer."""
    with browsing(running, "service") as browser:
        return str(browser.fill(FORM, "/ask", **CASE).headers["location"]).removeprefix("/packets/")


@pytest.fixture
def approval(running: Running, packet: str) -> str:
    """The page of an approval that waits for a decision."""
    with browsing(running, "service") as browser:
        return str(ask_for(browser, packet, name__0="ticket", value__0="T-1").headers["location"])


def test_an_operation_is_requested_approved_and_carried_out_without_scripts(
    chromium: Browser, running: Running, packet: str, folder: Path
) -> None:
    with looking_at(chromium, running, "service", scripts=False) as asking:
        asking.see(f"/approvals/new?packet={packet}")
        asking.page.get_by_label("Name of parameter 1").fill("ticket")
        asking.page.get_by_label("Value of parameter 1").fill("T-1")
        asking.page.get_by_role("button", name="Request it").click()
        expect(asking.page.get_by_text("Waits for a decision")).to_be_visible()
        address = asking.page.url.removeprefix(running.url)
    with looking_at(chromium, running, "reviewer", scripts=False, width="phone") as deciding:
        deciding.see("/approvals?show=decide")
        deciding.page.get_by_role("link", name="send-reply").click()
        deciding.page.get_by_label("Comment").fill("As agreed.")
        deciding.page.get_by_role("button", name="Approve").click()
        expect(deciding.page.get_by_text("Approved, not carried out yet")).to_be_visible()
    with looking_at(chromium, running, "operator", scripts=False) as carrying_out:
        carrying_out.see(address)
        carrying_out.page.get_by_role("link", name="Carry it out").click()
        carrying_out.page.get_by_role("button", name="Yes, carry it out").click()
        expect(carrying_out.page.get_by_text("Nothing is left to be decided.")).to_be_visible()
    assert (folder / "sent").read_text() == "x"


def test_a_double_click_carries_it_out_once(chromium: Browser, running: Running, approval: str, folder: Path) -> None:
    with browsing(running, "reviewer") as reviewer:
        reviewer.fill(approval, approval, step="approve")
    with looking_at(chromium, running, "operator") as window:
        window.see(f"{approval}/execute")
        window.page.get_by_role("button", name="Yes, carry it out").dblclick()
        expect(window.page.get_by_text("Nothing is left to be decided.")).to_be_visible()
    assert (folder / "sent").read_text() == "x"


def test_a_decision_is_made_with_the_keyboard_alone(chromium: Browser, running: Running, approval: str) -> None:
    with looking_at(chromium, running, "reviewer") as window:
        window.see(approval)
        window.page.get_by_label("Comment").focus()
        window.page.keyboard.type("Not to this customer.")
        for _ in range(2):
            window.page.keyboard.press("Tab")
        expect(window.page.get_by_role("button", name="Reject")).to_be_focused()
        window.page.keyboard.press("Enter")
        expect(window.page.get_by_text("Not to this customer.")).to_be_visible()


def test_a_stale_approval_and_its_replay_can_be_used_by_everybody(
    chromium: Browser, running: Running, packet: str, approval: str, folder: Path
) -> None:
    supersede(folder)
    with looking_at(chromium, running, "reviewer", width="phone") as window:
        for path in (approval, "/approvals?state=stale"):
            window.see(path)
            expect(window.page.get_by_text("Stale: what it rests on has changed").first).to_be_visible()
            window.check()
        window.see(f"/packets/{packet}/replay")
        window.page.get_by_role("button", name="Make it again").click()
        expect(window.page.get_by_text("it would rest on other evidence")).to_be_visible()
        window.check()
        window.becomes("desktop", "dark")
        window.check()


def test_paper_has_the_words_and_ids_and_nothing_to_click(
    chromium: Browser, running: Running, packet: str, approval: str
) -> None:
    with looking_at(chromium, running, "reviewer") as window:
        for path, identity in ((approval, approval.rpartition("/")[2]), (f"/packets/{packet}", packet)):
            window.see(path)
            window.page.emulate_media(media="print")
            for gone in ("button", "form", ".top", ".skip", ".button"):
                assert not any(each.is_visible() for each in window.page.locator(gone).all()), (path, gone)
            for kept in (identity, "G2 firmware 2.4.1 may stop sending telemetry after a reconnect.", "GW-241 v3"):
                expect(window.page.get_by_text(kept).first).to_be_visible()
            assert window.page.locator(".claim").first.evaluate("e => getComputedStyle(e).breakInside") == "avoid"
