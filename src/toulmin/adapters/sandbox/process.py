"""Work on files in processes of their own: what goes wrong in there concerns one file."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
from collections import deque
from contextlib import suppress
from enum import Enum, auto
from functools import cached_property
from threading import BoundedSemaphore
from typing import IO, Generic

from pydantic import TypeAdapter, ValidationError

from toulmin.adapters.sandbox.frames import (
    A,
    FrameTooLarge,
    ProcessLimits,
    Refusal,
    Task,
    read_frame,
    replies,
    write_frame,
)

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from toulmin.adapters.sandbox.worker import main; main()"
_LAST_WORDS = 4096
_OUT_OF_MEMORY = re.compile(rb"memory allocation of|MemoryError|bad_alloc|out of memory|cannot allocate", re.IGNORECASE)
"""What Rust, Python and C++ say when they end for want of memory."""


class End(Enum):
    """Why a process broke down over a file."""

    TIMEOUT = auto()
    MEMORY = auto()
    REPLY_TOO_LARGE = auto()
    CRASH = auto()


class Broken(Exception):
    """A file over which a process broke down; `detail` says how, where it crashed."""

    def __init__(self, end: End, detail: str = "") -> None:
        super().__init__(end.name)
        self.end = end
        self.detail = detail


class Sandbox(Generic[A]):
    """Worker processes for a task, limited in time and memory, and in what they may reply.

    A worker starts when it is first needed, is used for file after file, and is replaced after a fault. If it was not new, the file is
    tried once more in a new one (unless it took too much), so that what becomes of a file never depends on the files before it.

    Any number of threads may call `ask`; at most `workers` files are worked on at once, the others wait. Workers end with `close`, or
    with this process, however it ends.
    """

    def __init__(self, task: Task[A], limits: ProcessLimits, *, workers: int = 1) -> None:
        self._task = task
        self._limits = limits
        self._setup = pickle.dumps((task, limits))
        self._free = BoundedSemaphore(workers)
        self._idle: deque[_Worker] = deque()

    def ask(self, request: str, data: bytes) -> A:
        """The task's answer. Raises the `InputError` that the task raises, and `Broken`."""
        with self._free:
            reply = self._reply(request, data)
        if isinstance(reply, Refusal):
            raise reply.fault()
        return reply

    def close(self) -> None:
        """Ends the workers; the next file would start a new one."""
        while (worker := self._idle_worker()) is not None:
            worker.end()

    @cached_property
    def _form(self) -> TypeAdapter[A | Refusal]:
        return replies(self._task)

    def _idle_worker(self) -> _Worker | None:
        try:
            return self._idle.pop()  # one step: two threads never get the same worker
        except IndexError:
            return None

    def _reply(self, request: str, data: bytes) -> A | Refusal:
        used = self._idle_worker()
        if used is not None:
            try:
                return self._asked(used, request, data)
            except Broken as broken:
                if broken.end in {End.TIMEOUT, End.REPLY_TOO_LARGE}:
                    raise  # another one would fare no better
        return self._asked(_Worker(self._setup), request, data)

    def _asked(self, worker: _Worker, request: str, data: bytes) -> A | Refusal:
        """What a worker answers; it is kept for the next file only if it has answered as it should."""
        answered = False
        try:
            reply = self._form.validate_json(worker.answer(request, data, self._limits.reply_bytes))
            answered = True
        except ValidationError:
            raise Broken(End.CRASH, "it answered what is no reply") from None
        finally:
            if answered:
                self._idle.append(worker)
            else:
                worker.end()
        return reply


class _Worker:
    """A running worker process."""

    def __init__(self, setup: bytes) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the process; see `end`
        self._process = subprocess.Popen(  # noqa: S603  this interpreter, with the paths that it imports from itself
            [sys.executable, "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._setup: bytes | None = setup

    def answer(self, request: str, data: bytes, at_most: int) -> bytes:
        """What the worker says, in at most so many bytes; raises `Broken` where it ends instead."""
        try:
            payload = self._exchange(request, data, at_most)
        except BrokenPipeError:
            payload = None
        except FrameTooLarge:
            raise Broken(End.REPLY_TOO_LARGE) from None
        if payload is None:
            raise self._broken(self._process.wait())
        return payload

    def _exchange(self, request: str, data: bytes, at_most: int) -> bytes | None:
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        if self._setup is not None:
            write_frame(requests, self._setup)
            self._setup = None
        write_frame(requests, request.encode())
        write_frame(requests, data)
        return read_frame(answers, at_most=at_most)

    def _broken(self, status: int) -> Broken:
        """What the end of the process says; a negative status is the signal that ended it."""
        if status == -signal.SIGALRM:
            return Broken(End.TIMEOUT)
        if status == -signal.SIGKILL or _OUT_OF_MEMORY.search(self._last_words()):
            return Broken(End.MEMORY)
        return Broken(End.CRASH, signal.Signals(-status).name if status < 0 else f"exit status {status}")

    def _last_words(self) -> bytes:
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _LAST_WORDS))
        return self._errors.read()

    def end(self) -> None:
        """Ends the process at once: it holds nothing that is worth keeping."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            with suppress(BrokenPipeError):  # what it was to read next is still in our buffer
                if pipe is not None:
                    pipe.close()
