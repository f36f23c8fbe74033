"""How fast the command line starts: `toulmin --help`, and `toulmin ask` on the sample, each a new process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from common import in_turns, milliseconds, percentile, report

_RUNS = 21
_ASK = (
    "ask",
    "gateway-explain-and-next-step-v1",
    "--case",
    "model=G2",
    "--case",
    "firmware=2.4.1",
    "--case",
    "audit_hold=true",
)
_GOALS = {"--help": 250.0, "ask": 800.0}


def main() -> None:
    toulmin = Path(sys.executable).with_name("toulmin")
    with tempfile.TemporaryDirectory() as folder:
        desk = Path(folder) / "desk"
        for arguments in (("init", str(desk)), ("ingest", str(desk / "documents"), "--workspace", str(desk))):
            subprocess.run([toulmin, *arguments], check=True, capture_output=True)
        work = {
            "python -c pass": [partial(_run, sys.executable, "-c", "pass")] * _RUNS,
            "--help": [partial(_run, toulmin, "--help")] * _RUNS,
            "ask": [partial(_run, toulmin, *_ASK, "--workspace", desk)] * _RUNS,
        }
        times = in_turns(work)
    rows = [
        {
            "command": name,
            "p50 ms": milliseconds(taken),
            "best ms": min(taken) * 1000,
            "p90 ms": percentile(taken, 0.9),
            "goal ms": _GOALS.get(name, "-"),
        }
        for name, taken in times.items()
    ]
    report("start", rows, runs=_RUNS)


def _run(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


if __name__ == "__main__":
    main()
