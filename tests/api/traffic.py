"""What a service meets in a long day: searches, questions, faults of the model, callers who are wrong, and those who leave."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import httpx2

from tests.api.conftest import PEOPLE
from tests.api.drafting import OPEN, SEARCH, fitted
from tests.api.processes import SERVER, Server, configured, keys, started
from toulmin.ports.source import Entry
from toulmin.surfaces.sample import write_sample
from toulmin.surfaces.sync import Workspace
from toulmin.testing.provider import BEHAVIOURS, Author, Provider, Received, Response

GATEWAY = {
    "question": "gateway-explain-and-next-step-v1",
    "case": {"model": "G2", "firmware": "2.4.1", "audit_hold": True},
}
LIMITS = """
[server.limits]
per_minute = 1_000_000_000
concurrent_per_principal = 64
"""
AT_ONCE = 12
PROVIDER_S = 2
FAULTS = "http_401 http_503 rate_limited_for_an_hour disconnect prose truncated refusal unknown_id too_many_claims hang".split()

Ask = Callable[[httpx2.Client, random.Random], str]
"""Sends one request; what it came to. Raises `AssertionError` for a response that it should not have."""


def _search(client: httpx2.Client, _: random.Random) -> str:
    reply = client.post("/v1/search", json=SEARCH)
    assert reply.status_code == 200, reply.text
    assert reply.json()["results"]
    return "search"


def _licensed(client: httpx2.Client, _: random.Random) -> str:
    reply = client.post("/v1/ask", json=GATEWAY)
    assert (reply.status_code, reply.json()["outcome"]) == (200, "Answered"), reply.text
    return "Answered"


def _open(client: httpx2.Client, chance: random.Random) -> str:
    """An open question, to a model that answers half the time."""
    fault = chance.choice([*FAULTS, *["ok"] * len(FAULTS)])
    reply = client.post("/v1/ask", json={**OPEN, "text": f"telemetry after a reconnect {fault}"})
    outcome = reply.json()
    assert outcome["search"], reply.text
    assert (outcome["outcome"] == "Answered") <= (fault == "ok"), reply.text
    now = outcome["reason"] in {"provider_error", "rate_limited", "timeout", "saturated"}
    assert reply.status_code == (503 if now else 200), reply.text
    return str(outcome["reason"] or outcome["outcome"])


def _packet(client: httpx2.Client, _: random.Random) -> str:
    packet = client.post("/v1/ask", json=GATEWAY).json()["packet"]["id"]
    reply = client.get(f"/v1/packets/{packet}/verify")
    assert reply.status_code == 200, reply.text
    return "verified"


def _wrong(client: httpx2.Client, _: random.Random) -> str:
    reply = client.post("/v1/search", json={"text": "telemetry", "tenant": "rival"})
    assert (reply.status_code, reply.json()["code"]) == (422, "unknown_key"), reply.text
    return "refused"


def _unknown(client: httpx2.Client, _: random.Random) -> str:
    reply = client.post("/v1/search", json=SEARCH, headers={"Authorization": "Bearer nobody"})
    assert reply.status_code == 401, reply.text
    return "unauthenticated"


def _left(client: httpx2.Client, _: random.Random) -> str:
    """A stream that its caller leaves after the first event."""
    body, headers = {**OPEN, "text": "telemetry after a reconnect hang"}, {"Accept": "text/event-stream"}
    with client.stream("POST", "/v1/ask", json=body, headers=headers) as reply:
        assert reply.status_code == 200
        assert next(reply.iter_text()).startswith("event: search")
    return "left"


_SHARES: Mapping[Ask, int] = {_search: 20, _licensed: 8, _open: 6, _packet: 2, _wrong: 2, _unknown: 1, _left: 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """A service and those who call it. `clients` are the connections that are free."""

    server: Server
    provider: Provider
    clients: SimpleQueue[httpx2.Client]

    def send(self, requests: int, seed: int) -> Counter[str]:
        """So many requests; what they came to."""
        chance = random.Random(seed)
        asks = chance.choices(list(_SHARES), weights=list(_SHARES.values()), k=requests)
        seeds = [chance.random() for _ in asks]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            endings = Counter(pool.map(self._one, asks, seeds))
        self.provider.forget()
        return endings

    def _one(self, ask: Ask, seed: float) -> str:
        client = self.clients.get()
        try:
            return ask(client, random.Random(seed))
        finally:
            self.clients.put(client)


def sample(folder: Path) -> Path:
    """A new workspace with the gateway sample, ingested."""
    write_sample(folder)
    with Workspace.open(folder) as desk:
        list(desk.ingest(entry for entry in desk.entries([folder / "documents"]) if isinstance(entry, Entry)))
    return folder


@contextmanager
def traffic(folder: Path) -> Iterator[Traffic]:
    """A real server over the gateway sample in a folder, whose model does what the last word of a question says."""

    def obeys(request: Received, author: Author) -> Response:
        return BEHAVIOURS[request.question["question"].split()[-1]](request, author)

    with Provider(obeys) as provider, ExitStack() as stack:
        fitted(configured(folder, SERVER, LIMITS), provider.base_url, provider_s=PROVIDER_S, places=AT_ONCE)
        (token,) = keys(folder, [PEOPLE["service"]])
        server = stack.enter_context(started(folder))
        clients: SimpleQueue[httpx2.Client] = SimpleQueue()
        for _ in range(AT_ONCE):
            clients.put(stack.enter_context(server.client(token)))
        yield Traffic(server=server, provider=provider, clients=clients)
