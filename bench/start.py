"""How fast the command line starts: `toulmin --help`, and `toulmin ask` on the sample; and how long it takes to load the local judge.

Each is a new process; the judge's has to load its engine too.
"""

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
_JUDGE = "from toulmin.adapters.onnx import Stated, onnx_judge; judge = onnx_judge(Stated(), deadline_s=60)"
_GOALS = {"--help": 250.0, "ask": 800.0}
_GOAL_OF_LOADING = 1000


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
            "judge, not loaded": [partial(_run, sys.executable, "-c", _JUDGE)] * _RUNS,
            "judge, loaded": [partial(_run, sys.executable, "-c", f"{_JUDGE}; judge.load()")] * _RUNS,
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
    loading = milliseconds([b - a for a, b in zip(times["judge, not loaded"], times["judge, loaded"], strict=True)])
    notes = [f"loading the judge takes {loading:.0f} ms, goal {_GOAL_OF_LOADING}"]
    report("start", rows, notes=notes, runs=_RUNS)


def _run(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


if __name__ == "__main__":
    main()
