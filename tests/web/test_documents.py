"""Documents: listed, compared, taken in, and taken out of service, by whom and as far as the same may be done over `/v1`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.api.conftest import Running
from tests.web.conftest import FROM_HERE, Browser, Read, browsing, read
from toulmin.domain.corpus.document import Status
from toulmin.surfaces.sync import Workspace
from toulmin.surfaces.web import diff, documents
from toulmin.surfaces.web.aligning import Work, runs
from toulmin.surfaces.web.comparing import Changed, Same, compared, compared_words

PUBLIC = {"readers": "public"}
META = "id: {id}\nversion: '{version}'\ntitle: {title}\nreaders: [public]\nscope: {{model: G2, firmware: '*'}}\n"


@pytest.fixture
def folder(folder: Path) -> Path:
    with (folder / "toulmin.toml").open("a") as settings:
        settings.write('[effects.send]\nkind = "command"\nargv = ["true"]\n')
    return folder


@pytest.fixture
def curator(running: Running) -> Iterator[Browser]:
    """The browser of a curator of a tenant who may also read."""
    with browsing(running, "curator") as browser:
        yield browser


@pytest.fixture
def keeper(running: Running) -> Iterator[Browser]:
    """The browser of a curator of everything."""
    with browsing(running, "keeper") as browser:
        yield browser


def send(
    browser: Browser,
    files: Mapping[str, str],
    form: Mapping[str, str] | None = None,
    token: str | None = None,
    headers: Mapping[str, str] = FROM_HERE,
) -> httpx2.Response:
    """The response to the form for documents with these files, by name."""
    known = browser.see("/documents/new").fields["token"] if token is None else token
    sent = [("file", (name, text.encode(), "application/octet-stream")) for name, text in files.items()]
    return browser.client.post(
        "/documents/new", data={"token": known, **(form or {})}, files=sent, headers=dict(headers)
    )


def put(browser: Browser, id: str, version: str, text: str, title: str = "Some") -> Read:  # noqa: A002
    """The page that tells what became of a version."""
    meta = META.format(id=id, version=version, title=title)
    return read(send(browser, {f"{id}-{version}.txt": text, f"{id}-{version}.txt.meta.yaml": meta}))


class TestTheList:
    def test_has_every_version_that_the_visitor_may_see_with_what_it_applies_to(self, visitor: Browser) -> None:
        page = visitor.see("/documents")
        assert "/sources/GW-241?version=3" in page.links
        for words in ("Gateway telemetry after reconnect", "in force", "<2.4.2,>=2.4.1", "since 2026-01-01", "public"):
            assert words in page.text
        assert "PRIVATE" not in page.text

    @pytest.mark.parametrize(
        ("filter_", "found"),
        [
            ("words=gateway", {"GW-241"}),
            ("words=gw-241+TELEMETRY", {"GW-241"}),
            ("words=gateway+hold", set()),
            ("scope=model%3Dg2", {"G2-USB", "GW-241", "OLD-240"}),
            ("state=superseded", set()),
            ("scope=model%3DG2&words=console", {"G2-USB"}),
        ],
    )
    def test_is_filtered_by_words_scope_and_state(self, visitor: Browser, filter_: str, found: set[str]) -> None:
        page = visitor.see(f"/documents?{filter_}")
        assert {link.split("?")[0].removeprefix("/sources/") for link in page.links if "/sources/" in link} == found
        assert ("No document that you may see is like this." in page.text) == (not found)

    def test_says_what_is_wrong_in_the_filter_and_keeps_it(self, visitor: Browser) -> None:
        page = visitor.see("/documents?state=odd&words=gate", status=422)
        assert "odd" in page.text
        assert ("input", "gate") in {(tag, given.get("value")) for tag, given in page.tags}

    def test_has_pages_and_says_where_it_stopped_looking(
        self, visitor: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(documents, "LENGTH", 2)
        seen, address = [], "/documents"
        for _ in range(5):
            page = visitor.see(address)
            seen += [link for link in page.links if link.startswith("/sources/")]
            more = [link for link in page.links if "after=" in link]
            if not more:
                break
            address = more[0]
        assert len(seen) == len(set(seen)) == 5
        monkeypatch.setattr(documents, "MOST_LOOKED_AT", 2)
        page = visitor.see("/documents?words=old-240")
        assert "None so far." in page.text
        assert [link for link in page.links if "after=" in link]

    def test_of_many_versions_the_latest_are_listed_and_the_others_counted(
        self, keeper: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(documents, "MOST_VERSIONS", 2)
        for version in "123":
            put(keeper, "MANY", version, f"Text {version}.")
        page = keeper.see("/documents?words=MANY")
        assert [link for link in page.links if link.startswith("/sources/")] == [
            "/sources/MANY?version=3",
            "/sources/MANY?version=2",
        ]
        assert "and 1 earlier: all are listed beside the text of a version" in page.text
        assert "/sources/MANY?version=1" in keeper.see("/sources/MANY?version=3").links

    def test_offers_to_add_documents_to_curators_alone(self, visitor: Browser, keeper: Browser) -> None:
        assert "/documents/new" in keeper.see("/documents").links
        assert "/documents/new" not in visitor.see("/documents").links
        visitor.see("/documents/new", status=403)


class TestTakingIn:
    def test_says_of_each_file_what_became_of_it(self, keeper: Browser) -> None:
        page = put(keeper, "NEW-1", "1", "Words of the first.")
        assert "taken in" in page.text
        assert "/sources/NEW-1?version=1" in page.links
        assert "was there already" in put(keeper, "NEW-1", "1", "Words of the first.").text
        page = put(keeper, "NEW-1", "2", "Words of the second.")
        assert "superseded what was in force" in page.text
        refused = send(keeper, {"a.txt": "Other words.", "a.txt.meta.yaml": META.format(id="NEW-1", version="2", title="A"),
                                "b.txt": "Good words."}, {"readers": "public", "scope": "model=G2\nfirmware=*"})  # fmt: skip
        assert refused.status_code == 422
        page = read(refused)
        assert "refused, and nothing of it was kept" in page.text
        assert "What helps: " in page.text
        assert "taken in" in page.text

    def test_what_the_form_states_holds_for_files_that_state_nothing(self, keeper: Browser) -> None:
        form = {
            "readers": "tenant:acme, group:acme/desk", "scope": "model = G2\n\nfirmware=>=2,<3\n", "version": "7",
            "source_type": "manual", "valid_from": "2026-02-01", "valid_to": "2027-02-01", "egress": "local",
        }  # fmt: skip
        assert send(keeper, {"plain.txt": "Words."}, form).status_code == 200
        with_rights = keeper.client.get("/documents?words=plain").text
        assert "plain.txt" not in with_rights, "the keeper is none of its readers"

    @pytest.mark.parametrize(
        ("form", "says"),
        [
            ({"scope": "model"}, "&#39;model&#39; is no attribute with its value"),
            ({"scope": "model=G2\nmodel=G3"}, "is no attribute with its value"),
            ({"valid_from": "soon"}, "soon"),
            ({"readers": "everybody"}, "everybody"),
        ],
    )
    def test_a_fault_is_told_beside_the_form_and_nothing_is_taken_in(
        self, keeper: Browser, form: Mapping[str, str], says: str
    ) -> None:
        reply = send(keeper, {"fault.txt": "Words."}, form)
        assert reply.status_code == 422
        assert says in reply.text
        assert set(form.values()) & {given.get("value") or "" for _, given in read(reply).tags} or "scope" in form
        assert "fault.txt" not in keeper.see("/documents").text

    def test_without_a_file_it_says_so(self, keeper: Browser) -> None:
        token = keeper.see("/documents/new").fields["token"]
        part = '--b\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
        nothing = part.format("file", '; filename=""\r\nContent-Type: application/octet-stream', "")
        body = (
            part.format("token", "", token) + nothing + "--b--\r\n"
        )  # as browsers send a form in which no file was chosen
        headers = {**FROM_HERE, "Content-Type": "multipart/form-data; boundary=b"}
        reply = keeper.client.post("/documents/new", content=body, headers=headers)
        assert (reply.status_code, "no file was chosen" in reply.text) == (422, True)

    def test_a_curator_of_a_tenant_gives_no_readers_of_others(self, curator: Browser) -> None:
        page = read(send(curator, {"foreign.txt": "Words."}, {"readers": "public"}))
        assert "refused, and nothing of it was kept" in page.text

    def test_a_form_from_elsewhere_is_not_even_read(self, keeper: Browser) -> None:
        away = {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
        assert send(keeper, {"x.txt": "Words."}, PUBLIC, headers=away).status_code == 403
        assert send(keeper, {"x.txt": "Words."}, PUBLIC, token="0" * 64).status_code == 403
        assert "x.txt" not in keeper.see("/documents").text


class TestComparing:
    def test_shows_what_has_changed_in_text_and_metadata(self, keeper: Browser) -> None:
        lines = [f"Line {number}.\n" for number in range(20)]
        put(keeper, "CHG", "1", "".join(lines), title="Before")
        put(keeper, "CHG", "2", "".join([*lines[:10], "Line ten, now.\n", *lines[11:]]), title="After")
        page = keeper.see("/diff/CHG?old=1&new=2")
        assert [tag for tag, _ in page.tags].count("del") == 1 + 1  # and the one that explains it
        assert "Before" in page.text
        assert "After" in page.text
        assert "The same in both: " in page.text
        assert "/diff/CHG?old=1&new=2" in keeper.see("/sources/CHG?version=1").links
        assert "/diff/CHG?old=1&new=2" in keeper.see("/sources/CHG?version=2").links

    def test_equal_texts_are_said_to_be_equal(self, visitor: Browser) -> None:
        page = visitor.see("/diff/GW-241?old=3&new=3")
        assert "The same, to the letter." in page.text
        assert "The same of both." in page.text

    def test_what_may_not_be_read_is_not_compared(self, visitor: Browser) -> None:
        visitor.see("/diff/PRIVATE?old=1&new=1", status=404)
        visitor.see("/diff/GW-241?old=3&new=4", status=404)

    def test_other_line_ends_are_said_and_not_marked(self, keeper: Browser) -> None:
        put(keeper, "ENDS", "1", "One.\nTwo.\n")
        put(keeper, "ENDS", "2", "One.\r\nTwo.\r\n")
        page = keeper.see("/diff/ENDS?old=1&new=2")
        assert "Lines end otherwise than before." in page.text
        assert [tag for tag, _ in page.tags].count("del") == 1  # the one that explains it

    def test_many_differences_have_pages_and_long_equal_parts_are_read_elsewhere(
        self, keeper: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(diff, "PAGE_SIZE", 60)
        equal = "".join(f"Line {number} is the same.\n" for number in range(600))
        old, new = (f"{letter} one.\n{equal}{letter} two.\n{letter * 70}\nSame.\n" for letter in "ab")
        put(keeper, "PAGES", "1", old)
        put(keeper, "PAGES", "2", new)
        first = keeper.see("/diff/PAGES?old=1&new=2")
        (later,) = {link for link in first.links if "first=" in link}
        assert "1 to 1 of 4" in first.text
        second = keeper.see(f"/diff/PAGES{later}")
        (elsewhere,) = (link for link in second.links if "offset=" in link)
        offset = int(elsewhere.rpartition("=")[2])
        assert equal[:200] not in second.text
        assert "The same in both: 594 lines." in second.text
        assert keeper.see(elsewhere).text.count("Line 3 is the same.") == 1
        assert new[offset:].startswith("Line 3 is")
        last = keeper.see("/diff/PAGES?old=1&new=2&first=999")
        assert "4 to 4 of 4" in last.text
        assert [link for link in last.links if "first=3" in link]

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("", "a\n"), ("a\n", ""), ("a\nb\nc\n", "a\nB\nc\n"), ("same\n" * 30, "same\n" * 31), ("x " * 9000, "y " * 9000),
            ("".join(f"{n}\n" for n in range(50)), "".join(f"{n}\n" for n in range(50) if n != 25)),
            ("a. " * 5000, "b. " + "a. " * 5000), ("\n".join("abcab" * 900), "\n".join("bcaba" * 700)),
        ],
    )  # fmt: skip
    def test_both_texts_are_there_whole(self, old: str, new: str) -> None:
        sides: list[list[str]] = [[], []]
        for stretch in compared(old, new):
            match stretch:
                case Same(before, hidden, after):
                    for side in sides:
                        side.append(before + hidden + after)
                case Changed(left, right):
                    words = compared_words(left, right)
                    sides[0] += [piece.text for piece in words.old]
                    sides[1] += [piece.text for piece in words.new]
        assert ["".join(side) for side in sides] == [old, new]

    def test_words_that_one_side_has_are_marked_there(self) -> None:
        changed = compared_words("The red fox runs.", "The fox runs\nfar.")
        assert [piece.text.strip() for piece in changed.old if piece.marked] == ["red"]
        assert [piece.text.strip() for piece in changed.new if piece.marked] == ["far"]

    def test_a_text_in_the_place_of_another_is_marked_whole(self) -> None:
        changed = compared_words("The lamp is red, as before.", "Call the desk and wait there")
        assert [(piece.marked, piece.text) for piece in (*changed.old, *changed.new)] == [
            (True, "The lamp is red, as before."),
            (True, "Call the desk and wait there"),
        ]

    @pytest.mark.timeout(20)
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("!" * 11_000, "!a" * 5_500),
            ("".join(f"{n}\n" + "!\n" * 190 for n in range(300)), "".join(f"{n}\n" + "!\nx\n" * 95 for n in range(300))),
            ("".join(f"{n} {n % 7}\n" for n in range(40_000)), "".join(f"{n} {n % 7 if n % 2 else 8}\n" for n in range(40_000))),
            ("x" * 2_000_000, "y" + "x" * 2_000_000),
        ],
        ids=["signs", "lines", "long", "without-words"],
    )  # fmt: skip
    def test_no_text_takes_long(self, old: str, new: str) -> None:
        work = Work()
        for stretch in compared(old, new)[:200]:
            if isinstance(stretch, Changed):
                compared_words(stretch.old, stretch.new, work)
        assert work.left >= 0


class TestAligning:
    @given(
        st.lists(st.sampled_from("abcd"), max_size=30),
        st.lists(st.sampled_from("abcd"), max_size=30),
        st.integers(0, 200),
    )
    def test_runs_cover_both_sides_in_order_and_equal_ones_are_equal(
        self, old: list[str], new: list[str], left: int
    ) -> None:
        sides: tuple[list[str], list[str]] = ([], [])
        for run in runs(old, new, Work(left)):
            assert old[run.old] or new[run.new]
            assert not run.equal or old[run.old] == new[run.new]
            sides[0].extend(old[run.old])
            sides[1].extend(new[run.new])
        assert sides == (old, new)

    def test_without_work_to_spare_elements_that_occur_once_are_still_found(self) -> None:
        found = runs("xxaxxbxxcxx", "yyaycyyybyy", Work(0))
        assert ["xxaxxbxxcxx"[run.old] for run in found if run.equal] in (["a", "b"], ["a", "c"])


class TestTakingOut:
    def test_says_what_rests_on_it_and_does_it_once(self, running: Running, keeper: Browser, folder: Path) -> None:
        with running.client("service") as client:
            body = {"question": "gateway-explain-and-next-step-v1", "case": {"model": "G2", "firmware": "2.4.1", "audit_hold": True}}  # fmt: skip
            packet = client.post("/v1/ask", json=body).json()["packet"]["id"]
        page = keeper.see("/withdraw/GW-241?version=3")
        assert "1 answer rests on it" in page.text
        assert f"/packets/{packet}" in keeper.see("/impact/GW-241?version=3").links
        assert "gateway-explain-and-next-step-v1, fact known-issue: " in page.text, "no other document has its facts"
        for _ in range(2):  # a second click finds it done
            done = keeper.send("/withdraw/GW-241", page.fields)
            assert (done.status_code, done.headers["location"]) == (303, "/withdraw/GW-241?version=3")
        assert "GW-241 3 is out of service." in keeper.see("/withdraw/GW-241?version=3").text
        with Workspace.open(folder) as desk:
            (standing,) = desk.documents(document="GW-241")
            assert standing.status is Status.WITHDRAWN

    def test_all_of_a_document_goes_at_once(self, keeper: Browser, folder: Path) -> None:
        for version in ("1", "2"):
            put(keeper, "ALL", version, f"Words of {version}.")
        page = keeper.see("/withdraw/ALL?version=2")
        assert "No question type will lack anything" in page.text
        assert "/withdraw/ALL" in page.links
        page = keeper.see("/withdraw/ALL")
        assert {"/sources/ALL?version=1", "/sources/ALL?version=2"} < set(page.links)
        assert keeper.send("/withdraw/ALL", page.fields).headers["location"] == "/withdraw/ALL"
        assert "ALL is out of service." in keeper.see("/withdraw/ALL").text
        with Workspace.open(folder) as desk:
            assert {each.status for each in desk.documents(document="ALL")} == {Status.WITHDRAWN}

    def test_of_what_is_withdrawn_the_other_versions_can_follow(self, keeper: Browser) -> None:
        for version in ("1", "2"):
            put(keeper, "ONE", version, f"Words of {version}.")
        keeper.send("/withdraw/ONE", keeper.see("/withdraw/ONE?version=1").fields)
        page = keeper.see("/withdraw/ONE?version=1")
        assert "1 other version of the document is in service" in page.text
        assert "/withdraw/ONE" in page.links
        keeper.see("/withdraw/ONE?version=3", status=404)
        keeper.see("/withdraw/NONE", status=404)

    def test_says_which_approvals_ended(self, running: Running, keeper: Browser) -> None:
        with running.client("service") as client:
            body = {"question": "gateway-explain-and-next-step-v1", "case": {"model": "G2", "firmware": "2.4.1", "audit_hold": True}}  # fmt: skip
            packet = client.post("/v1/ask", json=body).json()["packet"]["id"]
            approval = client.post("/v1/approvals", json={"packet": packet, "operation": "send"}).json()["id"]
        page = keeper.see("/withdraw/GW-241?version=3")
        assert "1 approval that is not carried out yet will end." in page.text
        keeper.send("/withdraw/GW-241", page.fields)
        assert f"/approvals/{approval}" in keeper.see("/withdraw/GW-241?version=3").links

    def test_is_for_curators_and_for_what_is_theirs(self, visitor: Browser, curator: Browser, folder: Path) -> None:
        visitor.see("/withdraw/GW-241?version=3", status=403)
        page = curator.see("/withdraw/GW-241?version=3")
        assert curator.send("/withdraw/GW-241", page.fields).status_code == 404, "it has readers beyond the tenant"
        assert curator.send("/withdraw/GW-241", {"version": "3"}).status_code == 403
        with Workspace.open(folder) as desk:
            (standing,) = desk.documents(document="GW-241")
            assert standing.status is Status.LIVE

    def test_nothing_rests_on_what_nobody_asked_about(self, visitor: Browser) -> None:
        assert "No answer that you may see rests on it." in visitor.see("/impact/G2-USB").text
        visitor.see("/impact/PRIVATE", status=404)
