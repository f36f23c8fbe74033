"""A service whose open questions a model answers: a provider on this host that does what its script says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from tests.api.conftest import Running, Tokens, served
from tests.api.processes import configured
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.surfaces import wiring
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.authentication import HttpAuthenticator
from toulmin.surfaces.http.limits import Limits
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.settings import SqliteFile, load
from toulmin.surfaces.sync import Workspace
from toulmin.testing.provider import Author, Behaviour, Provider, faithful

MODEL = """
[open_question]
mode = "{mode}"
[drafter]
kind = "openai"
base_url = "{url}"
"""
POLICY = """\
version: tests/1
provider_deadline_s: {provider_s}
retrieval_deadline_s: 100
request_deadline_s: 120
concurrent_drafts: {places}
repair_rounds: 0
"""
TEXT = "Why did the gateway stop sending telemetry after a reconnect?"
OPEN: Mapping[str, Any] = {"text": TEXT, "case": {"model": "G2", "firmware": "2.4.1"}}
SEARCH: Mapping[str, Any] = {"text": TEXT, "case": {"model": "G2", "firmware": "2.4.1"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """The service behind a real server, and what its model does."""

    running: Running
    app: FastAPI
    service: Service
    provider: Provider


def fitted(folder: Path, url: str, *, mode: str = "cited", provider_s: int = 90, places: int = 4) -> Path:
    """The same folder, with a model at an address that writes so many drafts at once."""
    return configured(
        folder, MODEL.format(mode=mode, url=url), policy=POLICY.format(provider_s=provider_s, places=places)
    )


def opened(folder: Path, *, patience_s: float = 10, **limits: Any) -> Service:
    """The service over a folder as its settings are now, which waits so long for another writer; whoever runs it releases it."""
    settings = load(folder)
    assert isinstance(settings.store.url, SqliteFile)
    store = SqliteStore(settings.store.url.path, busy_timeout_s=patience_s)
    desk = Workspace(settings, wiring.assembled(settings, store, wiring.open_index(settings)))
    return Service(desk, HttpAuthenticator(tokens=Tokens()), Limits(**limits), wiring.telemetry(settings))


@contextmanager
def drafting(
    folder: Path,
    *script: str | Behaviour,
    author: Author = faithful,
    mode: str = "cited",
    provider_s: int = 90,
    places: int = 4,
    **limits: Any,
) -> Iterator[Drafting]:
    """The service over a folder, for the block."""
    with Provider(*script, author=author) as provider:
        service = opened(fitted(folder, provider.base_url, mode=mode, provider_s=provider_s, places=places), **limits)
        app = create_app(service)
        with served(app) as running:
            yield Drafting(running=running, app=app, service=service, provider=provider)


def timeless(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """An outcome without what two askings of one question differ in: the id of the packet, and the instant."""
    packet = {name: value for name, value in outcome["packet"].items() if name != "id"}
    return {**outcome, "packet": packet, "as_of": None}
