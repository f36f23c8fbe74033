"""The processes of this machine, as the kernel tells of them."""

from __future__ import annotations

import os
from pathlib import Path

from toulmin.domain.proof.approval import Worker

_PROC = Path("/proc")
_DEAD = frozenset("ZX")
_STATE, _START = 0, 19
"""Places behind the program's name in `/proc/PID/stat`: the process's state, and when it began, in ticks since the machine did."""


class SystemWorkers:
    """Processes of one run of this machine and one process namespace of it. Without `/proc` none can be told apart, and none is ever gone."""

    def me(self) -> Worker:
        pid = os.getpid()
        stat = _stat(pid)
        return Worker(host=_host(), process=f"{pid} {stat[_START]}") if stat else Worker(host="", process=str(pid))

    def is_gone(self, worker: Worker) -> bool:
        if not worker.host or worker.host != _host():
            return False
        pid, _, start = worker.process.partition(" ")
        try:
            os.kill(int(pid), 0)  # no signal: it only asks; another user's process may be hidden from /proc
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        stat = _stat(int(pid))
        return stat is not None and (stat[_START] != start or stat[_STATE] in _DEAD)


def _host() -> str:
    """This run of the machine, and the namespace that process ids are those of; empty where they cannot be told."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def _stat(pid: int) -> list[str] | None:
    """What the kernel says of a process, from its state on; None where it says nothing to us."""
    try:
        line = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return line.rpartition(")")[2].split()
