from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from toulmin.adapters.effects import CommandEffect
from toulmin.adapters.effects.webhook import WebhookEffect
from toulmin.ports.effects import Effect
from toulmin.testing.effects import Does, EffectContract, Place
from toulmin.testing.provider import Behaviour, Provider, Response

TALK = b"begin\n\x07\x00\x1bend" + b"x" * 10_000

SCRIPTS: Mapping[Does, str] = {
    "works": "echo done",
    "fails": "echo no such address >&2; exit 3",
    "hangs": "sleep 60",
    "talks": r"printf 'begin\n\007\000\033end'; head -c 10000 /dev/zero | tr '\0' x",
}


class Commands:
    """Shell scripts that append what they are given to a file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def effect(self, does: Does, *, timeout_s: float = 30.0) -> Effect:
        if does in SCRIPTS:
            script = self._folder / does
            script.write_text(f"#!/bin/sh\ncat >> orders\n{SCRIPTS[does]}\n", encoding="utf-8")
            script.chmod(0o700)
        return CommandEffect(argv=(f"./{does}",), folder=self._folder, idempotent=False, timeout_s=timeout_s)

    def received(self) -> Sequence[Mapping[str, Any]]:
        orders = self._folder / "orders"
        return [json.loads(line) for line in orders.read_text().splitlines()] if orders.exists() else []


ANSWERS: Mapping[Does, Behaviour] = {
    "works": lambda *_: Response(body=b"done"),
    "fails": lambda *_: Response(status=404, body=b"no such address"),
    "hangs": lambda *_: Response(pause_s=60),
    "talks": lambda *_: Response(body=TALK),
}


class Webhooks:
    """A server that keeps what is posted to it."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def effect(self, does: Does, *, timeout_s: float = 30.0) -> Effect:
        url = f"{self._provider.base_url}/hook"
        if does in ANSWERS:
            self._provider.script(ANSWERS[does])
        else:
            url = f"http://127.0.0.1:{free_port()}/hook"
        return WebhookEffect(url=url, secret=b"secret", idempotent=False, timeout_s=timeout_s)

    def received(self) -> Sequence[Mapping[str, Any]]:
        return [request.json() for request in self._provider.requests]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class TestCommandEffect(EffectContract):
    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        return Commands(tmp_path)


class TestWebhookEffect(EffectContract):
    @pytest.fixture
    def place(self) -> Iterator[Place]:
        with Provider() as provider:
            yield Webhooks(provider)
