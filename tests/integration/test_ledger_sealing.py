"""One sealer at a time, in however many processes; one that is killed leaves what was sealed before it."""

from __future__ import annotations

import signal
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.integration.workers import PATIENCE_S, elsewhere, start
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.system import SystemClock
from toulmin.application.ledger import check_ledger, seal
from toulmin.domain.errors import Conflict
from toulmin.testing.ledger import append, event

pytestmark = pytest.mark.enable_socket  # the fork server is reached over a Unix socket

ROUNDS = 10


class StuckKey:
    """Says that it was asked to sign, and never does: the sealer then holds the right to write."""

    key_id = "stuck"

    def __init__(self, ready: Path) -> None:
        self._ready = ready

    def sign(self, data: bytes) -> bytes:
        self._ready.write_bytes(data)
        signal.pause()
        return b""


def seal_and_stick(path: Path, ready: Path) -> None:
    with closing(SqliteStore(path)) as store:
        seal(store, SystemClock(), StuckKey(ready))


def append_and_seal(path: Path, first: int) -> int:
    """Records and seals in turns, beside others that do the same; returns how often another one was in the way."""
    conflicts = 0
    with closing(SqliteStore(path, busy_timeout_s=30)) as store:
        for number in range(first, first + ROUNDS):
            append(store, event(number=number))
            try:
                seal(store, SystemClock(), None)
            except Conflict:
                conflicts += 1
    return conflicts


def test_two_processes_that_seal_at_once_make_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "corpus.db"
    SqliteStore(path).close()
    other = start(append_and_seal, path, 1000)
    conflicts = elsewhere(append_and_seal, path, 0)
    other.join(PATIENCE_S)
    assert (other.exitcode, conflicts) == (0, 0)
    with closing(SqliteStore(path)) as store:
        last = seal(store, SystemClock(), None)
        assert last is not None
        found = check_ledger(store, kept=[last])
    assert found.whole
    assert (found.entries, found.sealed, found.tail) == (2 * ROUNDS, 2 * ROUNDS, 0)


def test_a_sealer_that_is_killed_leaves_the_tail_for_the_next_one(tmp_path: Path) -> None:
    path, ready = tmp_path / "corpus.db", tmp_path / "ready"
    with closing(SqliteStore(path)) as store:
        append(store, event(number=1), event(number=2))
        first = seal(store, SystemClock(), None)
        append(store, event(number=3))
    assert first is not None
    process = start(seal_and_stick, path, ready)
    wait_for(ready)
    with closing(SqliteStore(path, busy_timeout_s=0.02)) as store:
        with pytest.raises(Conflict):
            seal(store, SystemClock(), None)
        process.kill()
        process.join(PATIENCE_S)
        assert process.exitcode == -signal.SIGKILL
        found = check_ledger(store, kept=[first])
        assert (found.whole, found.sealed, found.tail) == (True, 2, 1)
        last = seal(store, SystemClock(), None)
        assert last is not None
        assert (last.sequence, last.previous) == (3, first.digest)
        assert check_ledger(store, kept=[first, last]).whole


def wait_for(ready: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not ready.exists():
        assert time.monotonic() < deadline, "the sealer never got to sign"
        with suppress(InterruptedError):
            time.sleep(0.01)
