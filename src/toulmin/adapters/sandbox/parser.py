"""A parser in a process of its own: what goes wrong in there is one refused file."""

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
from threading import BoundedSemaphore
from types import TracebackType
from typing import IO, Self

from pydantic import ValidationError

from toulmin.adapters.sandbox.frames import (
    FrameTooLarge,
    Refusal,
    largest_reply,
    output_too_large,
    read_frame,
    replies,
    write_frame,
)
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed, Parser, ParsingLimits

_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from toulmin.adapters.sandbox.worker import main; main()"
_LAST_WORDS = 4096
_OUT_OF_MEMORY = re.compile(rb"memory allocation of|MemoryError|bad_alloc|out of memory|cannot allocate", re.IGNORECASE)
"""What Rust, Python and C++ say when they end for want of memory."""


class SandboxedParser:
    """Any parser, run in worker processes that are limited in time and memory, and whose output is limited.

    A crash, hang or over-use is an `InputError` that concerns the one file: `parser_crashed`, `parser_timeout`,
    `parser_out_of_memory`, `output_too_large`; a file of more than `max_bytes` is not sent at all (`too_large`). A worker starts when it
    is first needed, is used for file after file, and is replaced after a fault. If it was not new, the file is tried once more in a new
    one (unless it took too long), so that what becomes of a file never depends on the files before it.

    Any number of threads may call `parse`; at most `workers` files are read at once, the others wait. The parser must be picklable:
    it is sent to each worker once. Workers end with `close`, or with this process, however it ends.
    """

    def __init__(self, parser: Parser, limits: ParsingLimits, *, workers: int = 1) -> None:
        self._parser = parser
        self._limits = limits
        self._setup = pickle.dumps((parser, limits))
        self._free = BoundedSemaphore(workers)
        self._idle: deque[_Worker] = deque()

    @property
    def name(self) -> str:
        return self._parser.name

    @property
    def suffixes(self) -> frozenset[str]:
        return self._parser.suffixes

    def parse(self, data: bytes, *, name: str) -> Parsed:
        if len(data) > self._limits.max_bytes:
            raise InputError(
                "too_large",
                f"the file has {len(data)} bytes; at most {self._limits.max_bytes} are read",
                where=name,
                remedy="split it, or raise max_bytes under [parsing] in toulmin.toml",
            )
        with self._free:
            reply = self._reply(data, name)
        if isinstance(reply, Refusal):
            raise reply.fault()
        return reply

    def close(self) -> None:
        """Ends the workers; the next file would start a new one."""
        while (worker := self._idle_worker()) is not None:
            worker.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _idle_worker(self) -> _Worker | None:
        try:
            return self._idle.pop()  # one step: two threads never get the same worker
        except IndexError:
            return None

    def _reply(self, data: bytes, name: str) -> Parsed | Refusal:
        used = self._idle_worker()
        if used is not None:
            try:
                return self._ask(used, data, name)
            except _Broken as broken:
                if broken.used_up:
                    raise broken.fault from None
        try:
            return self._ask(_Worker(self._setup), data, name)
        except _Broken as broken:
            raise broken.fault from None

    def _ask(self, worker: _Worker, data: bytes, name: str) -> Parsed | Refusal:
        """What the worker makes of a file; it is kept for the next one only if it has answered."""
        answered = False
        try:
            reply = worker.answer(data, name, self._limits)
            answered = True
        finally:
            if answered:
                self._idle.append(worker)
            else:
                worker.end()
        return reply


class _Broken(Exception):
    """A worker that cannot be asked anything any more; `used_up`: it had its time, and another one would fare no better."""

    def __init__(self, fault: InputError, *, used_up: bool = False) -> None:
        super().__init__(fault.code)
        self.fault = fault
        self.used_up = used_up


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

    def answer(self, data: bytes, name: str, limits: ParsingLimits) -> Parsed | Refusal:
        """What the worker makes of a file; raises `_Broken` where it ends instead, or answers what it should not."""
        try:
            payload = self._exchange(data, name, largest_reply(limits))
        except BrokenPipeError:
            payload = None
        except FrameTooLarge:
            raise _Broken(output_too_large(name, limits)) from None
        if payload is None:
            status = self._process.wait()
            raise _Broken(self._fault(status, name, limits), used_up=status == -signal.SIGALRM)
        try:
            return replies().validate_json(payload)
        except ValidationError:
            raise _Broken(_crashed(name, "it answered what is no reply")) from None

    def _exchange(self, data: bytes, name: str, at_most: int) -> bytes | None:
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        if self._setup is not None:
            write_frame(requests, self._setup)
            self._setup = None
        write_frame(requests, name.encode())
        write_frame(requests, data)
        return read_frame(answers, at_most=at_most)

    def _fault(self, status: int, name: str, limits: ParsingLimits) -> InputError:
        """What the end of the process says about the file; a negative status is the signal that ended it."""
        if status == -signal.SIGALRM:
            return InputError(
                "parser_timeout",
                f"reading the file took longer than {limits.timeout_s:g} seconds",
                where=name,
                remedy="save it anew or split it, or raise timeout_s under [parsing] in toulmin.toml",
            )
        if status == -signal.SIGKILL or _OUT_OF_MEMORY.search(self._last_words()):
            return InputError(
                "parser_out_of_memory",
                f"reading the file took more than {limits.memory_mb} MiB of memory",
                where=name,
                remedy="save it anew or split it, or raise memory_mb under [parsing] in toulmin.toml",
            )
        return _crashed(name, signal.Signals(-status).name if status < 0 else f"exit status {status}")

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


def _crashed(name: str, how: str) -> InputError:
    return InputError(
        "parser_crashed",
        f"the parser's process broke down over the file ({how})",
        where=name,
        remedy="save the file anew in the program that made it, or raise memory_mb under [parsing] in toulmin.toml: it may lack memory",
    )
