"""Workers: processes that do the same work until a signal ends them all; one that dies is replaced."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Sequence
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from threading import Thread
from typing import Final

from toulmin.domain.errors import StoreFault

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
CANNOT_START: Final = 3
"""The exit code of a worker that no replacement of it would fare better than."""

_PAUSE_S = 1.0
"""Before a worker is replaced: one that dies at once again and again is to leave time for others."""


def keep_at_work(work: Callable[[], None], number: int, before_the_end: Callable[[], None]) -> None:
    """Has so many processes do the work until this one is told to end by a signal; they are then told to end as well, and waited for.

    `work` is pickled, and ends on SIGTERM. Each is told to end too when this process is gone. `before_the_end` is called before they are told.
    Raises `StoreFault` when one cannot start, which ends the others.
    """
    told, teller = socket.socketpair()
    with told, teller:
        for sign in SIGNALS:
            signal.signal(sign, lambda *_: teller.send(b"."))
        workers = [_started(work) for _ in range(number)]
        while told not in wait([told, *(worker.sentinel for worker in workers)]):
            if _cannot_start(workers) or wait([told], _PAUSE_S):
                break
            workers = [worker if worker.is_alive() else _started(work) for worker in workers]
        before_the_end()
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()
    if _cannot_start(workers):
        raise StoreFault("no_workers", "a worker cannot be started", remedy="it has said why: mend that")


def _cannot_start(workers: Sequence[SpawnProcess]) -> bool:
    return any(worker.exitcode == CANNOT_START for worker in workers)


def _started(work: Callable[[], None]) -> SpawnProcess:
    worker = get_context("spawn").Process(target=_work, args=(work,))
    worker.start()
    return worker


def _work(work: Callable[[], None]) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    work()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
