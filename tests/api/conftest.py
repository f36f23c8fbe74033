"""A service as its callers meet it: the gateway sample, its principals, and a real server on loopback."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI

from toulmin.domain.question.case import Principal
from toulmin.ports.authenticator import Denied, Reason
from toulmin.ports.source import Entry
from toulmin.surfaces import wiring
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.authentication import HttpAuthenticator
from toulmin.surfaces.http.limits import Limits
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.sample import write_sample
from toulmin.surfaces.sync import Workspace

READER = Principal(id="ada", tenant="acme", groups=("desk",), roles=("reader",))
PEOPLE = {
    "reader": READER,
    "other": Principal(id="eve", tenant="rival", roles=("reader", "reviewer", "operator", "curator")),
    "service": Principal(id="desk-bot", tenant="acme", groups=("desk",), roles=("reader", "service")),
    "curator": Principal(id="carl", tenant="acme", roles=("curator", "reader")),
    "keeper": Principal(id="kim", roles=("curator", "reader")),
    "reviewer": Principal(id="rita", tenant="acme", groups=("desk",), roles=("reader", "reviewer")),
    "operator": Principal(id="omar", tenant="acme", groups=("desk",), roles=("reader", "operator")),
    "nobody": Principal(id="nils", tenant="acme"),
}
"""Principals by the tokens that they present."""


class Tokens:
    """An authenticator that knows its callers by name; see `ports.authenticator.Authenticator`."""

    def authenticate(self, credential: str) -> Principal | Denied:
        return PEOPLE.get(credential) or Denied(Reason.MALFORMED)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that listens on loopback."""

    url: str

    def client(self, token: str | None = "reader", timeout: float = 20) -> httpx2.Client:
        """A plain HTTP client that presents a token."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=timeout)


@contextmanager
def served(app: FastAPI) -> Iterator[Running]:
    """A server of its own for an application, which ends with the block."""
    with socket.socket(proto=socket.IPPROTO_TCP) as listening:  # named, or asyncio leaves Nagle's algorithm on
        listening.bind(("127.0.0.1", 0))
        with serving(app, listening):
            yield Running(f"http://127.0.0.1:{listening.getsockname()[1]}")


@contextmanager
def serving(app: FastAPI, listening: socket.socket) -> Iterator[None]:
    """A server for an application on a socket that is bound."""
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to copy: to ingest anew takes thirty times as long."""
    return sampled(tmp_path_factory.mktemp("sample") / "desk")


@pytest.fixture
def folder(sample: Path, tmp_path: Path) -> Path:
    """The folder of a workspace with the gateway sample, ingested."""
    return Path(copytree(sample, tmp_path / "desk"))


def sampled(place: Path) -> Path:
    """The folder, new, as that of a workspace with the gateway sample, ingested."""
    write_sample(place)
    with Workspace.open(place) as desk:
        entries = desk.entries([place / "documents"])
        list(desk.ingest(entry for entry in entries if isinstance(entry, Entry)))
    return place


@pytest.fixture
def service(folder: Path) -> Service:
    """The service over it; whoever runs it releases it."""
    return over(folder)


def over(folder: Path, limits: Limits | None = None) -> Service:
    """The service over a folder as its settings are now; whoever runs it releases it."""
    desk = Workspace.open(folder)
    return Service(desk, HttpAuthenticator(tokens=Tokens()), limits or Limits(), wiring.telemetry(desk.settings))


@pytest.fixture
def running(service: Service) -> Iterator[Running]:
    """The service behind a real server."""
    with served(create_app(service)) as server:
        yield server
