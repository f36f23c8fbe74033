"""Approvals as people work with them: the queue, one approval, the steps on it, and a request."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from tests.api.conftest import PEOPLE, Running
from tests.web.conftest import FROM_HERE, Browser, browsing, read
from toulmin.domain.corpus.document import Status
from toulmin.domain.policy import Policy
from toulmin.domain.proof import approval as machine
from toulmin.domain.proof.approval import Approval, State
from toulmin.ports.source import Entry
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.sync import Workspace
from toulmin.surfaces.web.approvals import PAGE_SIZE, _remaining

FORM = "/ask/types/gateway-explain-and-next-step-v1"
CASE = {"case__model": "G2", "case__firmware": "2.4.1", "case__audit_hold": "true"}
CLAUSE = "Firmware 2.4.1 on G2 gateways may stop sending telemetry after a reconnect."
EFFECTS = f"""
[effects.send-reply]
kind = "command"
argv = [{sys.executable!r}, "-c", "import sys; open('sent', 'a').write('x'); sys.stdin.read(); print('gone out')"]
[effects.send-slowly]
kind = "command"
argv = [{sys.executable!r}, "-c", "import sys, time; time.sleep(1.5); open('sent', 'a').write('x'); sys.stdin.read()"]
"""


@pytest.fixture
def folder(folder: Path) -> Path:
    with (folder / "toulmin.toml").open("a") as settings:
        settings.write(EFFECTS)
    return folder


@pytest.fixture
def people(running: Running) -> Iterator[Callable[[str], Browser]]:
    """Browsers, by who has signed in; each is kept."""
    with ExitStack() as stack:
        known: dict[str, Browser] = {}

        def of(name: str) -> Browser:
            if name not in known:
                known[name] = stack.enter_context(browsing(running, name))
            return known[name]

        yield of


People = Callable[[str], Browser]


@pytest.fixture
def packet(people: People) -> str:
    """The packet of an answer."""
    return people("service").fill(FORM, "/ask", **CASE).headers["location"].removeprefix("/packets/")


@pytest.fixture
def approval(people: People, packet: str) -> str:
    """The page of an approval that waits for a decision."""
    reply = ask_for(people("service"), packet, name__0="ticket", value__0="T-1 <b>&\n2", comment="for the customer")
    assert reply.status_code == 303, reply.text
    return str(reply.headers["location"])


def ask_for(browser: Browser, packet: str, **given: str) -> httpx2.Response:
    """The response to a request of an operation on a packet."""
    return browser.fill(f"/approvals/new?packet={packet}", "/approvals/new", **{"operation": "send-reply", **given})


def step(browser: Browser, approval: str, name: str, **given: str) -> httpx2.Response:
    """The response to a step that somebody takes on an approval's page."""
    return browser.fill(approval, approval, step=name, **given)


def buttons(browser: Browser, approval: str) -> set[str]:
    """The steps that a page offers."""
    page = browser.see(approval)
    offered = {str(given["value"]) for tag, given in page.tags if tag == "button" and given.get("name") == "step"}
    return offered | ({"execute"} if f"{approval}/execute" in page.links else set())


def with_parts(service: Service, **changes: object) -> None:
    """Has the service go on under other settings."""
    place = service.workspace
    place.parts = replace(place.parts, **changes)  # type: ignore[arg-type]
    place.desk = replace(place.desk, parts=place.parts)


def supersede(folder: Path) -> None:
    """Takes in a newer version of a source of the answer."""
    text = (folder / "documents" / "GW-241.md").read_text()
    path = folder / "documents" / "newer.md"
    path.write_text(text.replace('version: "3"', 'version: "4"').replace("after a reconnect", "after a restart"))
    with Workspace.open(folder) as desk:
        (report,) = desk.ingest(each for each in desk.entries([path]) if isinstance(each, Entry))
        assert report.fault is None, report.fault


def test_an_operation_goes_from_request_to_execution_and_every_step_is_told(
    people: People, approval: str, folder: Path
) -> None:
    waiting = people("reviewer").get(approval)
    assert "T-1 &lt;b&gt;&amp;\n2" in waiting.text
    assert CLAUSE in waiting.text
    assert "for the customer" in waiting.text
    assert step(people("reviewer"), approval, "approve", comment="as agreed").headers["location"] == approval
    confirmed = people("operator").see(f"{approval}/execute")
    assert "T-1 <b>&\n2" in confirmed.text
    assert CLAUSE in confirmed.text
    sent = people("operator").send(approval, {**confirmed.fields, "step": "execute"})
    assert sent.headers["location"] == approval
    page = people("reader").see(approval)
    for words in ("Carried out", "desk-bot of acme", "rita of acme", "as agreed", "omar of acme", "exit_0", "gone out"):
        assert words in page.text
    assert "Nothing is left to be decided." in page.text
    assert (folder / "sent").read_text() == "x"


def test_each_person_is_offered_the_steps_that_the_state_and_their_roles_allow(people: People, approval: str) -> None:
    def offered() -> list[set[str]]:
        return [buttons(people(name), approval) for name in ("reader", "service", "reviewer", "operator")]

    assert offered() == [set(), {"revoke"}, {"approve", "reject", "revoke"}, set()]
    step(people("reviewer"), approval, "approve")
    assert offered() == [set(), {"revoke"}, {"revoke"}, {"execute"}]
    step(people("service"), approval, "revoke")
    assert offered() == [set()] * 4
    assert people("operator").get(f"{approval}/execute").headers["location"] == approval


def test_a_reader_who_sends_a_step_all_the_same_is_refused(people: People, approval: str) -> None:
    form = {**people("reviewer").see(approval).fields, "token": people("reader").see("/ask").fields["token"]}
    reply = people("reader").send(approval, {**form, "step": "approve"})
    assert reply.status_code == 403
    assert "ada may not approve operations" in read(reply).text
    assert "Waits for a decision" in people("reader").see(approval).text


def test_nobody_decides_on_an_own_request_and_the_page_says_so(people: People, packet: str) -> None:
    approval = ask_for(people("reviewer"), packet).headers["location"]
    page = people("reviewer").see(approval)
    assert "This is your own request" in page.text
    assert buttons(people("reviewer"), approval) == {"revoke"}
    reply = step(people("reviewer"), approval, "approve", comment="why not")
    assert reply.status_code == 409
    assert "Have another reviewer decide it." in read(reply).text
    assert "why not" in reply.text


def test_where_the_policy_allows_it_a_reviewer_decides_on_an_own_request(
    service: Service, people: People, packet: str
) -> None:
    approval = ask_for(people("reviewer"), packet).headers["location"]
    with_parts(service, policy=replace(Policy(), self_approval=True))
    assert buttons(people("reviewer"), approval) == {"approve", "reject", "revoke"}


def test_another_tenant_sees_nothing_of_it(people: People, approval: str) -> None:
    other = people("other")
    for path in (approval, f"{approval}/execute", "/approvals/ap-none"):
        assert "you may not see" in other.see(path, status=404).text
    assert "There is no approval that you may see." in other.see("/approvals").text
    token = other.see("/approvals/new").fields.get("token") or other.see("/ask").fields["token"]
    assert other.send(approval, {"token": token, "key": "k", "step": "approve"}).status_code == 404


def test_a_step_from_another_page_or_without_its_token_is_not_taken(people: People, approval: str) -> None:
    form = {**people("reviewer").see(approval).fields, "step": "approve"}
    assert people("reviewer").send(approval, form, {"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert people("reviewer").send(approval, {**form, "token": "0" * 64}).status_code == 403
    assert people("reviewer").send("/approvals/new", {**form, "token": ""}).status_code == 403
    assert "Waits for a decision" in people("reader").see(approval).text


def test_a_form_that_is_sent_twice_takes_one_step(people: People, approval: str, folder: Path) -> None:
    for name, who, act in (("approved", "reviewer", "approve"), ("executed", "operator", "execute")):
        page = f"{approval}/execute" if act == "execute" else approval
        form = {**people(who).see(page).fields, "step": act}
        assert [people(who).send(approval, form).status_code for _ in range(2)] == [303, 303], name
    assert (folder / "sent").read_text() == "x"
    assert people("reviewer").see(approval).text.count("Approved by rita") == 1


def test_a_request_that_is_sent_twice_is_one_approval(people: People, packet: str) -> None:
    form = {**people("service").see(f"/approvals/new?packet={packet}").fields, "operation": "send-reply"}
    replies = [people("service").send("/approvals/new", form) for _ in range(2)]
    assert replies[0].headers["location"] == replies[1].headers["location"]
    assert people("service").see("/approvals").text.count("Waits for a decision") == 2  # the one, and its count


def test_a_second_click_while_it_is_carried_out_leads_to_the_approval(
    people: People, packet: str, running: Running, folder: Path
) -> None:
    approval = ask_for(people("service"), packet, operation="send-slowly").headers["location"]
    step(people("reviewer"), approval, "approve")
    form = {**people("operator").see(f"{approval}/execute").fields, "step": "execute"}
    first: list[httpx2.Response] = []
    thread = threading.Thread(target=lambda: first.append(people("operator").send(approval, form)))
    thread.start()
    with browsing(running, "operator") as reader:
        while "Being carried out" not in reader.see(approval).text:
            pass
    with running.client(None) as client:
        client.cookies.update(dict(people("operator").client.cookies))
        second = client.post(approval, data=form, headers=FROM_HERE)
    thread.join()
    assert (second.status_code, second.headers["location"]) == (303, approval)
    assert first[0].headers["location"] == approval
    assert (folder / "sent").read_text() == "x"


def test_a_step_that_outlasts_its_request_leads_to_the_approval_that_tells_how_it_ends(
    service: Service, people: People, packet: str
) -> None:
    approval = ask_for(people("service"), packet, operation="send-slowly").headers["location"]
    step(people("reviewer"), approval, "approve")
    form = {**people("operator").see(f"{approval}/execute").fields, "step": "execute"}
    service.limits.request_s = 1.0
    assert people("operator").send(approval, form).headers["location"] == approval
    assert "Being carried out" in people("operator").see(approval).text
    while "Being carried out" in people("operator").see(approval).text:
        pass
    assert "Carried out" in people("operator").see(approval).text


def test_an_approval_whose_source_was_replaced_is_stale_and_says_what_changed(
    people: People, approval: str, folder: Path
) -> None:
    step(people("reviewer"), approval, "approve")
    form = {**people("operator").see(f"{approval}/execute").fields, "step": "execute"}
    supersede(folder)
    for path in (approval, "/approvals", "/approvals?state=stale"):
        page = people("operator").see(path)
        assert "Stale: what it rests on has changed" in page.text
        assert "GW-241 v3 is superseded" in page.text
    page = people("operator").see(approval)
    assert "In force now: GW-241 v4" in page.text
    assert any(link.startswith("/diff/GW-241?") for link in page.links)
    assert any(link.startswith("/ask/again/pk-") for link in page.links)
    assert buttons(people("operator"), approval) == set()
    reply = people("operator").send(approval, form)
    assert (reply.status_code, reply.headers["location"]) == (303, approval)
    assert not (folder / "sent").exists()
    late = step(people("service"), approval, "revoke", key="late")
    assert late.status_code == 409
    assert "Somebody else was quicker" in read(late).text


def test_an_operation_on_an_answer_whose_source_was_replaced_is_refused_with_what_changed(
    people: People, packet: str, folder: Path
) -> None:
    supersede(folder)
    reply = ask_for(people("service"), packet, comment="please", name__0="to", value__0="x")
    page = read(reply)
    assert reply.status_code == 409
    assert "GW-241 v3 is superseded" in page.text
    assert "Ask the question again" in page.text
    assert "please" in page.text
    assert 'value="to"' in reply.text


def test_a_policy_that_was_changed_is_warned_of_before_anybody_carries_it_out(
    people: People, approval: str, service: Service
) -> None:
    with_parts(service, policy=replace(Policy(), version="other"))
    page = people("reviewer").see(approval)
    assert "Its evidence is not what it was" in page.text
    assert "The policy is another" in page.text


@pytest.fixture
def doubtful(people: People, approval: str, service: Service) -> str:
    """The page of an approval that was begun by a process that is gone."""
    step(people("reviewer"), approval, "approve")
    desk, name = service.workspace.desk, approval.rpartition("/")[2]
    with desk.parts.store.begin(PEOPLE["operator"], write=True) as session:
        known = session.approvals.get(name)
        assert known is not None
        now = desk.parts.clock.now()
        worker = replace(desk.workers.me(), process="999999 1")
        lease = machine.Lease(worker=worker, until=now)
        session.approvals.advance(known, machine.begin(known, PEOPLE["operator"], now, lease, idempotent=False))
    return approval


def test_a_doubt_is_resolved_by_an_operator_who_says_how_they_know(people: People, doubtful: str) -> None:
    page = people("operator").see(doubtful)
    assert "In doubt: nobody knows" in page.text
    assert buttons(people("operator"), doubtful) == {"resolve_executed", "resolve_failed"}
    assert buttons(people("reviewer"), doubtful) == set()
    reply = step(people("operator"), doubtful, "resolve_failed")
    assert reply.status_code == 422
    assert "Say in the comment how you found out." in read(reply).text
    assert step(people("operator"), doubtful, "resolve_failed", comment="the mail server").status_code == 303
    assert "the mail server" in people("operator").see(doubtful).text


def test_a_doubt_is_among_what_waits_to_be_carried_out(people: People, doubtful: str) -> None:
    assert doubtful in people("operator").see("/approvals?show=carry_out").links
    step(people("operator"), doubtful, "resolve_executed", comment="seen")
    assert doubtful not in people("operator").see("/approvals?show=carry_out").links


def test_the_queue_has_filters_and_says_what_to_do_where_it_is_empty(people: People, packet: str) -> None:
    reviewer = people("reviewer")
    assert "There is no approval that you may see." in reviewer.see("/approvals").text
    own, others = (ask_for(people(who), packet, instance=who).headers["location"] for who in ("reviewer", "service"))
    slow = ask_for(people("service"), packet, operation="send-slowly").headers["location"]
    step(reviewer, slow, "reject")

    def found(query: str) -> list[str]:
        return [link for link in reviewer.see(f"/approvals?{query}").links if link.startswith("/approvals/ap-")]

    assert found("") == [slow, others, own]
    assert found("order=deadline") == [own, others, slow]
    assert found("show=decide") == [others]
    assert found("state=rejected") == [slow]
    assert found("operation=send-reply&requester=") == [others, own]
    assert found("requester=rita") == [own]
    assert found("show=carry_out") == []
    assert "Nothing waits to be carried out" in reviewer.see("/approvals?show=carry_out").text
    assert "Take them off" in reviewer.see("/approvals?requester=nobody").text
    assert "Take them off" in reviewer.see("/approvals?show=decide&requester=nobody").text
    assert "Take them off" in reviewer.see("/approvals?show=carry_out&operation=send-reply").text
    counts = " ".join(reviewer.see("/approvals").text.split())
    assert "Waits for a decision 2" in counts
    assert "Rejected 1" in counts
    for wrong in ("state=none", "page=0", "show=mine", "more=1", "order=none"):
        reviewer.see(f"/approvals?{wrong}", status=422)


def test_a_long_queue_has_pages_and_stays_small(people: People, approval: str, service: Service) -> None:
    known = approvals_of(service, approval, PAGE_SIZE + 2)
    pages = [people("reader").get(f"/approvals?page={number}") for number in (1, 2, 3)]
    rows = [[link for link in read(page).links if link.startswith("/approvals/ap-")] for page in pages]
    assert list(map(len, rows)) == [PAGE_SIZE, len(known) - PAGE_SIZE, 0]
    assert len(set(rows[0]) & set(rows[1])) == 0
    assert f"1 to 50 of {len(known)}" in read(pages[0]).text
    assert "Page 2 of 2" in read(pages[1]).text
    assert "Go to the first one." in read(pages[2]).text
    assert all(len(page.content) < 100_000 for page in pages)
    assert "…" in pages[0].text


def approvals_of(service: Service, approval: str, number: int) -> list[Approval]:
    """Adds so many approvals like one that is there, with long parameters; all of them."""
    parts, who = service.parts, PEOPLE["service"]
    with parts.store.begin(who, write=True) as session:
        known = session.approvals.get(approval.rpartition("/")[2])
        assert known is not None
        for each in range(number):
            params = tuple((f"name {column}", f"{each} " + "long " * 150) for column in range(6))
            operation = replace(known.operation, params=params)
            at = parts.clock.now()
            session.approvals.add(
                machine.request(
                    operation, approval_id=f"ap-{each}", packet=known.packet, principal=who, at=at, policy=parts.policy
                )
            )
        return list(session.approvals.all())


def test_what_has_expired_is_told_as_such_and_recorded_with_the_first_look(
    people: People, approval: str, service: Service
) -> None:
    clock = service.parts.clock

    class Later:
        now = staticmethod(lambda: clock.now() + timedelta(days=31))
        new_id = staticmethod(clock.new_id)

    with_parts(service, clock=Later())
    assert "Expired before it was carried out" in people("reader").see("/approvals?state=expired").text
    assert service.workspace.approval(approval.rpartition("/")[2], principal=PEOPLE["reader"]).state is State.EXPIRED


def test_only_an_answer_can_be_submitted_and_the_page_says_why_not(people: People) -> None:
    form = people("service").fill(FORM, "/ask", **(CASE | {"case__firmware": "9.9"}))
    page = people("service").see(f"/approvals/new?packet={form.headers['location'].rpartition('/')[2]}")
    assert "Nothing can be requested on this packet." in page.text
    assert "operation" not in page.controls


def test_a_request_begins_with_a_packet(people: People) -> None:
    assert "packet" in people("reader").see("/approvals/new").controls
    people("reader").see("/approvals/new?packet=pk-none", status=404)
    form = {**people("reader").see("/ask").fields, "key": "k", "packet": "pk-none", "operation": "send-reply"}
    assert people("reader").send("/approvals/new", form).status_code == 404


def test_a_source_that_is_deleted_has_no_newer_version_to_compare_it_with(
    people: People, approval: str, folder: Path
) -> None:
    with Workspace.open(folder) as desk:
        desk.retire("GW-241", Status.DELETED)
    page = people("reviewer").see(approval)
    assert "GW-241 v3 was deleted" in page.text
    assert not any(link.startswith("/diff/") for link in page.links)


def test_how_long_it_is_until_an_instant_is_told_in_words() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    spans = ("in 29 days", 29.9 * 24), ("in 1 day", 24), ("in 23 hours", 23.9), ("in 1 minute", 1 / 60), ("now", 0)
    assert [_remaining(now + timedelta(hours=hours), now) for _, hours in spans] == [words for words, _ in spans]
    assert _remaining(now + timedelta(seconds=59), now) == "in less than a minute"


def test_a_form_has_room_for_so_many_parameters_and_says_so(people: People, packet: str) -> None:
    page = read(ask_for(people("service"), packet, more="more", rows="64"))
    assert "no room for more" in page.text
    assert read(ask_for(people("service"), packet, more="more", rows="odd")).fields["rows"] == "8"


def test_a_form_gets_more_rows_for_parameters_and_keeps_what_was_filled_in(people: People, packet: str) -> None:
    reply = ask_for(people("service"), packet, more="more", name__0="to", comment="kept")
    page = read(reply)
    assert reply.status_code == 200
    assert {"name.7", "value.7"} <= set(page.controls)
    assert "kept" in page.text
    assert page.fields["rows"] == "8"
    sent = people("service").send(
        "/approvals/new", {**page.fields, "operation": "send-reply", "name.7": "a", "value.7": "b"}
    )
    assert "a" in people("service").see(sent.headers["location"]).text


@pytest.mark.parametrize(
    "given",
    [
        {"value__0": "without a name"},
        {"name__0": "same", "name__1": "same"},
        {"operation": "unknown"},
        {"comment": "x" * 2001},
        {"instance": " padded"},
        {"key": "x" * 2000},
    ],
)
def test_what_is_wrong_in_a_request_is_told_beside_the_form(people: People, packet: str, given: dict[str, str]) -> None:
    reply = ask_for(people("service"), packet, **given)
    assert reply.status_code == 422
    assert "It was not done." in read(reply).text
    assert "There is no approval that you may see." in people("service").see("/approvals").text


def test_the_pages_are_built_for_keyboards_and_for_those_who_hear_them(
    people: People, packet: str, approval: str
) -> None:
    step(people("reviewer"), approval, "approve")
    for path in ("/approvals", approval, f"{approval}/execute", "/approvals/new", f"/approvals/new?packet={packet}"):
        page = people("operator").see(path)
        assert (page.headings[0], page.headings.count(1)) == (1, 1), path
        assert set(page.controls.values()) <= page.labelled, path
        ids = [given["id"] for _, given in page.tags if "id" in given]
        assert len(ids) == len(set(ids)), path
        assert not any("style" in given for _, given in page.tags), path
        assert all("scope" in given for tag, given in page.tags if tag == "th"), path


def test_who_lacks_the_role_is_told_so(people: People) -> None:
    for path in ("/approvals", "/approvals/new", "/approvals/ap-1", "/approvals/ap-1/execute"):
        assert "Your role does not allow it" in people("nobody").see(path, status=403).text
