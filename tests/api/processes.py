"""`toulmin serve` as an operator starts it: a process of its own with its workers, and callers with keys of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from toulmin.domain.question.case import Principal
from toulmin.surfaces.sync import Workspace

PATIENCE_S = 60
SERVER = """
[server]
auth = "api-key"
port = 0
[telemetry]
log_file = ".toulmin/service.jsonl"
"""

_LISTENS = re.compile(r"^listening on (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A started `toulmin serve`. `address` is where it says that it listens: a URL, or the path of a Unix socket."""

    process: subprocess.Popen[bytes]
    address: str
    errors: Path
    log: Path

    def client(self, token: str | None = None, timeout: float = 30) -> httpx2.Client:
        """A plain HTTP client that presents a token."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if self.address.startswith("http"):
            return httpx2.Client(base_url=self.address, headers=headers, timeout=timeout)
        transport = httpx2.HTTPTransport(uds=self.address)
        return httpx2.Client(transport=transport, base_url="http://desk", headers=headers, timeout=timeout)

    def workers(self) -> set[int]:
        """The processes that answer, once they have said that they do: those of them that are alive."""
        started = {line["worker"] for line in lines(self.log) if line["event"] == "started"}
        return {worker for worker in started if Path(f"/proc/{worker}/stat").exists()}

    def is_listened_on(self) -> bool:
        """Whether somebody takes connections there."""
        url = httpx2.URL(self.address)
        family, address = (socket.AF_INET, (url.host, url.port)) if url.host else (socket.AF_UNIX, self.address)
        with socket.socket(family) as asking:
            return asking.connect_ex(address) == 0

    def is_ready(self) -> bool:
        """Whether some worker can do its work."""
        if not self.is_listened_on():
            return False
        with self.client() as client:
            return client.get("/readyz").status_code == 200

    def end(self, sign: signal.Signals = signal.SIGTERM) -> int:
        """Tells it to end; its exit code."""
        self.process.send_signal(sign)
        return self.process.wait(PATIENCE_S)

    def said(self) -> str:
        """What it wrote on standard error."""
        return self.errors.read_text(encoding="utf-8")

    def resident_mib(self) -> float:
        """The memory that it holds now, its workers' included, in MiB."""
        return sum(map(_resident_mib, self.workers() | {self.process.pid}))


def lines(log: Path) -> list[dict[str, Any]]:
    """The lines of a service's log."""
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def _resident_mib(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


@contextmanager
def started(folder: Path, *options: str) -> Iterator[Server]:
    """A service over a folder, which ends with the block; it is ready when the block begins."""
    errors = folder / "stderr.txt"
    command = [sys.executable, "-m", "toulmin", "serve", "--workspace", str(folder), *options]
    with errors.open("wb") as said:
        process = subprocess.Popen(command, stderr=said, start_new_session=True)
    try:
        until(lambda: _LISTENS.search(errors.read_text(encoding="utf-8")), lambda: _is_alive(process, errors))
        address = _LISTENS.findall(errors.read_text(encoding="utf-8"))[0]
        server = Server(process=process, address=address, errors=errors, log=folder / ".toulmin/service.jsonl")
        until(server.is_ready, lambda: _is_alive(process, errors))
        yield server
        if process.poll() is None:
            server.end()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _is_alive(process: subprocess.Popen[bytes], errors: Path) -> None:
    assert process.poll() is None, errors.read_text(encoding="utf-8")


def until(state: Callable[[], object], otherwise: Callable[[], object] = lambda: None) -> float:
    """The seconds until something that has to come is there; `otherwise` may say before that it does not."""
    began = time.monotonic()
    while not state():
        otherwise()
        assert time.monotonic() - began < PATIENCE_S, "it does not come"
        time.sleep(0.01)
    return time.monotonic() - began


def configured(folder: Path, *settings: str, policy: str = "") -> Path:
    """The same folder, with more settings, and a policy where one is given."""
    with (folder / "toulmin.toml").open("a", encoding="utf-8") as file:
        file.writelines(settings)
    if policy:
        (folder / "policy.yaml").write_text(policy, encoding="utf-8")
    return folder


def keys(folder: Path, people: Sequence[Principal]) -> list[str]:
    """A new API key for each of these people."""
    with Workspace.open(folder) as place:
        return [place.new_api_key(who).token for who in people]
