"""Effects that are commands: a program, started without a shell, which reads the order as JSON on its standard input."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread
from typing import IO

from toulmin.adapters.effects.output import MAX_OUTPUT_BYTES, kept
from toulmin.domain.proof.approval import Order
from toulmin.ports.effects import Done, Ending, NotDone, Unknown
from toulmin.wire.order import order_json

_CHUNK = 65_536
_LINGER_S = 0.5
"""How long is waited for the last words of a program that has ended: children of it may keep its outputs open for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEffect:
    """Runs a program in a folder, in a process group of its own that is killed at the timeout.

    Exit status 0 is done, any other not done, with the last of what it wrote to its standard error. One that was killed, at the timeout or by
    anybody else, may have done its work before. It sees this process's environment.
    """

    argv: Sequence[str]
    folder: Path
    idempotent: bool
    timeout_s: float

    def carry_out(self, order: Order) -> Ending:
        with TemporaryFile() as given:  # not a pipe: a program that does not read it blocks nobody
            given.write(order_json(order).encode() + b"\n")
            given.seek(0)
            try:
                process = subprocess.Popen(  # noqa: S603  # the settings name the program; nothing of an order is on its command line
                    self.argv,
                    cwd=self.folder,
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:  # the latter: a NUL in a word
                why = error.strerror if isinstance(error, OSError) else None
                return NotDone(code="cannot_start", output=f"{self.argv[0]}: {why or error}")
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = _Listener(process.stdout), _Listener(process.stderr)
        ended = _wait(process, self.timeout_s)
        out.wait()
        err.wait()
        return _ending(process.returncode, out, err) if ended else Unknown(code="timeout", output=kept(err.last))


class _Listener:
    """Reads a pipe to its end, in a thread, and keeps the first and the last bytes of it."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.first = b""
        self.last = b""
        self._pipe = pipe
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Waits a moment for the end."""
        self._thread.join(_LINGER_S)

    def _listen(self) -> None:
        with self._pipe:
            while data := os.read(self._pipe.fileno(), _CHUNK):
                self.first = (self.first + data)[:MAX_OUTPUT_BYTES]
                self.last = (self.last + data)[-MAX_OUTPUT_BYTES:]


def _wait(process: subprocess.Popen[bytes], timeout_s: float) -> bool:
    """Whether the process ends in time; if not, and where the waiting is interrupted, it and all of its group are killed."""
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return False
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return True


def _ending(status: int, out: _Listener, err: _Listener) -> Ending:
    if status == 0:
        return Done(code="exit_0", output=kept(out.first))
    if status > 0:
        return NotDone(code=f"exit_{status}", output=kept(err.last))
    return Unknown(code=f"signal_{-status}", output=kept(err.last))
