"""A decision made again, as its page shows it: what is the same, what differs, old and new side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.conftest import Running
from tests.api.drafting import TEXT, drafting
from tests.web.conftest import Browser, browsing
from tests.web.conftest import read as page_of
from toulmin.domain.corpus.document import Status
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace

FORM = "/ask/types/gateway-explain-and-next-step-v1"
CASE = {"case__model": "G2", "case__firmware": "2.4.1", "case__audit_hold": "true"}
OPEN = {"text": TEXT, "case__model": "G2", "case__firmware": "2.4.1"}


@pytest.fixture
def packet(running: Running) -> str:
    """The page of a packet of an answer."""
    with browsing(running, "service") as browser:
        return str(browser.fill(FORM, "/ask", **CASE).headers["location"])


def newer(folder: Path, old: str = "after a reconnect", new: str = "after a restart") -> None:
    """Takes in a newer version of a source, with other words."""
    text = (folder / "documents" / "GW-241.md").read_text()
    path = folder / "documents" / "newer.md"
    path.write_text(text.replace('version: "3"', 'version: "4"').replace(old, new))
    with Workspace.open(folder) as desk:
        (report,) = desk.ingest(each for each in desk.entries([path]) if isinstance(each, Entry))
        assert report.fault is None, report.fault


def test_a_decision_that_rests_on_the_same_is_told_so(running: Running, packet: str) -> None:
    with browsing(running, "service") as browser:
        assert "The decision is made again twice" in browser.see(f"{packet}/replay").text
        page = page_of(browser.fill(f"{packet}/replay", f"{packet}/replay"))
    assert "As of then, it reproduces." in page.text
    assert "it would rest on the same." in page.text
    assert "What it cites stands as it stood." in page.text
    assert "Somebody else asked" not in page.text
    assert page.headings[0] == 1


def test_somebody_else_who_looks_is_told_that_they_may_read_otherwise(visitor: Browser, packet: str) -> None:
    assert "Somebody else asked" in page_of(visitor.fill(f"{packet}/replay", f"{packet}/replay")).text


def test_a_source_with_a_newer_version_stands_beside_it_with_what_differs(
    folder: Path, visitor: Browser, packet: str
) -> None:
    newer(folder)
    reply = visitor.fill(f"{packet}/replay", f"{packet}/replay")
    page = page_of(reply)
    assert "As of then, it reproduces." in page.text
    assert "it would rest on other evidence." in page.text
    assert "A source has a newer version: GW-241 v3 is superseded by GW-241 v4" in " ".join(page.text.split())
    assert "nothing states known-issue" in page.text
    assert f"/ask/again/{packet.rpartition('/')[2]}" in page.links


def test_words_that_only_one_side_has_are_marked_in_an_open_question(folder: Path) -> None:
    with drafting(folder) as desk, browsing(desk.running, "reader") as browser:
        packet = browser.fill("/ask/open", "/ask", **OPEN).headers["location"]
        newer(folder)
        reply = browser.fill(f"{packet}/replay", f"{packet}/replay")
    assert "Another version, or other words" in reply.text
    assert "after a <del>reconnect</del>" in reply.text
    assert "after a <ins>restart</ins>" in reply.text
    assert "GW-241 v3 is superseded" in reply.text


def test_an_earlier_instant_is_compared_with_and_a_wrong_one_told_beside_the_form(
    visitor: Browser, packet: str
) -> None:
    before = page_of(visitor.fill(f"{packet}/replay", f"{packet}/replay", as_of="2025-06-01"))
    assert "As of 2025-06-01T00:00:00Z" in before.text
    assert "GW-241 v3 is not in force" in before.text
    reply = visitor.fill(f"{packet}/replay", f"{packet}/replay", as_of="some day")
    assert reply.status_code == 422
    assert 'value="some day"' in reply.text
    assert "It cannot be made again so." in reply.text


def test_what_was_deleted_is_said_to_be_gone(folder: Path, visitor: Browser, packet: str) -> None:
    with Workspace.open(folder) as desk:
        desk.retire("GW-241", Status.DELETED)
    page = page_of(visitor.fill(f"{packet}/replay", f"{packet}/replay"))
    assert "A source is gone: GW-241 v3 was deleted" in " ".join(page.text.split())
    assert "More evidence would be needed" in page.text


def test_a_question_that_cannot_be_asked_any_more_says_why(folder: Path, visitor: Browser, packet: str) -> None:
    (contract,) = (folder / "contracts").iterdir()
    contract.unlink()
    page = page_of(visitor.fill(f"{packet}/replay", f"{packet}/replay"))
    assert "the question could not be asked like this" in page.text
    assert "The question type is gone" in page.text
    assert "none any more" in page.text


def test_a_replay_is_for_those_who_may_see_the_packet_and_from_our_own_page(
    running: Running, visitor: Browser, packet: str
) -> None:
    fields = visitor.see(f"{packet}/replay").fields
    assert visitor.send(f"{packet}/replay", fields, {"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert visitor.send(f"{packet}/replay", {"token": "0" * 64}).status_code == 403
    visitor.see("/packets/pk-none/replay", status=404)
    with browsing(running, "nobody") as nobody:
        nobody.see(f"{packet}/replay", status=403)
