"""The process in which a task runs: it limits itself, and then answers one request after the other until its parent is gone."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
from typing import IO, Any

from toulmin.adapters.sandbox.frames import ProcessLimits, Refusal, Task, read_frame, replies, write_frame
from toulmin.domain.errors import InputError

_MIB = 1 << 20


def main() -> None:
    """Reads the task and its limits, then request and file's bytes each time, from standard input; writes the replies to what was standard output.

    The kernel ends the process (SIGALRM) when it takes longer than it may, wherever it hangs and whether or not its parent still lives.
    A fault that is not the file's is not caught: the process ends, and its parent sees that it did.
    """
    requests, answers = sys.stdin.buffer, _answers()
    setup = read_frame(requests)
    if setup is None:
        return
    task, limits = _unpacked(setup)
    form = replies(task)  # made here, since making it is no part of any file's time
    while (request := read_frame(requests)) is not None:
        signal.setitimer(signal.ITIMER_REAL, limits.timeout_s)
        data = read_frame(requests)
        if data is None:
            return
        write_frame(answers, form.dump_json(_reply(task, request.decode(), data)))
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answers() -> IO[bytes]:
    """The pipe to the parent, out of reach of anything that prints."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


def _unpacked(setup: bytes) -> tuple[Task[Any], ProcessLimits]:
    task, limits = pickle.loads(setup)  # noqa: S301  it comes from the parent, which started this process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would leave the document's text on the disk
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_mb * _MIB, limits.memory_mb * _MIB))
    return task, limits


def _reply(task: Task[Any], request: str, data: bytes) -> Any:
    try:
        return task.run(request, data)
    except InputError as fault:
        return Refusal.of(fault)
