"""A browser as far as pages are concerned: it keeps cookies, sends forms as browsers do, and reads what a page says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx2
import pytest

from tests.api.conftest import Running, folder, running, sample, service

__all__ = ["Browser", "Read", "browsing", "folder", "read", "running", "sample", "service", "visitor"]

FROM_HERE = {"Sec-Fetch-Site": "same-origin"}


@dataclass(slots=True, kw_only=True)
class Read(HTMLParser):
    """A page as its reader takes it in: its words, what is marked, where it leads, and its forms' fields."""

    text: str = ""
    marks: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    labelled: set[str] = field(default_factory=set)
    controls: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)
    _marks: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self, convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        self._open.append(tag)
        match tag:
            case "mark":
                self._marks.append(len(self.marks))
                self.marks.append("")
            case "a":
                self.links.append(given["href"] or "")
            case "link" | "script":
                self.loaded.append(given.get("href") or given.get("src") or "")
            case "label":
                self.labelled.add(given["for"] or "")
            case "input" | "textarea" | "select":
                self._control(given)
            case "h1" | "h2" | "h3":
                self.headings.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass
        if tag == "mark":
            self._marks.pop()

    def handle_data(self, data: str) -> None:
        self.text += data
        for place in (
            () if "sup" in self._open else self._marks
        ):  # the number of an objection is none of the marked words
            self.marks[place] += data

    def _control(self, given: Mapping[str, str | None]) -> None:
        name = given.get("name") or ""
        if given.get("type") == "hidden":
            self.fields[name] = given.get("value") or ""
        else:
            self.controls[name] = given.get("id") or ""


def read(reply: httpx2.Response) -> Read:
    """What a response says, which has to be a page."""
    assert reply.headers["content-type"] == "text/html; charset=utf-8", reply.text
    page = Read()
    page.feed(reply.text)
    page.close()
    return page


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """Looks at pages of a server, and keeps its cookies."""

    client: httpx2.Client

    def get(self, path: str, **headers: str) -> httpx2.Response:
        """The response itself, also where it leads elsewhere."""
        return self.client.get(path, headers=headers)

    def see(self, path: str, status: int = 200) -> Read:
        """A page."""
        reply = self.client.get(path)
        assert reply.status_code == status, reply.text
        return read(reply)

    def send(self, path: str, form: Mapping[str, str], headers: Mapping[str, str] = FROM_HERE) -> httpx2.Response:
        """The response to a form, as it is."""
        return self.client.post(path, data=dict(form), headers=dict(headers))

    def fill(self, page: str, action: str, **given: str) -> httpx2.Response:
        """The response to the form of a page, filled in; `__` in a name stands for a point."""
        fields = self.see(page).fields
        return self.send(action, {**fields, **{name.replace("__", "."): value for name, value in given.items()}})

    def sign_in(self, credential: str, back: str = "/ask") -> httpx2.Response:
        """The response to signing in."""
        fields = self.see("/sign-in").fields
        return self.send("/sign-in", {**fields, "next": back, "credential": credential})


@contextmanager
def browsing(running: Running, who: str | None = None) -> Iterator[Browser]:
    """A browser for the block, in which somebody has signed in."""
    with running.client(None) as client:
        browser = Browser(client=client)
        if who is not None:
            assert browser.sign_in(who).status_code == 303
        yield browser


@pytest.fixture
def visitor(running: Running) -> Iterator[Browser]:
    """The browser of a reader who has signed in."""
    with browsing(running, "reader") as browser:
        yield browser
