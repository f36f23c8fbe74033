"""How much memory and time it takes to review very many pairs, and to measure as many labelled claims: short pairs, each command a new process.

Usage: review.py [PAIRS] [JUDGED]   (default: 100000 by the deterministic checks, and 1000 of them with the local judge)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import report

_LABELS = ("supported", "contradicted", "unresolved")


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    some = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    kinds = (("oracles", many // 10), ("oracles", many), ("onnx", some // 10), ("onnx", some))
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for kind, pairs in kinds for row in _rows(Path(folder) / f"{kind}-{pairs}", kind, pairs)]
    report("review", rows, many=many, some=some)


def _rows(place: Path, kind: str, pairs: int) -> Iterator[dict[str, Any]]:
    _write(place, kind, pairs)
    for command in (("review", "pairs.jsonl"), ("eval", "claims", "labelled.jsonl")):
        yield {"command": " ".join(command[:-1]), "judge": kind, "pairs": pairs, **_run(place, command, pairs)}


def _write(place: Path, kind: str, count: int) -> None:
    """A workspace with pairs of which no two are the same; half of the claims are put to the judge."""
    place.mkdir()
    (place / "toulmin.toml").write_text(f'[judge]\nkind = "{kind}"\n', encoding="utf-8")
    with (place / "pairs.jsonl").open("w") as pairs, (place / "labelled.jsonl").open("w") as labelled:
        for at in range(count):
            claim = f"Pump {at} halts when it is hot." if at % 2 else f"Pump {at} stops at 80 degrees."
            row = {
                "id": f"p{at}",
                "claim": claim,
                "evidence": f"Above {at % 90} degrees pump {at} stops, and the valve opens.",
            }
            pairs.write(json.dumps(row) + "\n")
            labelled.write(json.dumps({**row, "label": _LABELS[at % 3]}) + "\n")


def _run(place: Path, command: tuple[str, ...], pairs: int) -> dict[str, Any]:
    """The command once, and what it took."""
    toulmin = Path(sys.executable).with_name("toulmin")
    began = time.monotonic()
    with (place / "out").open("wb") as out:
        process = subprocess.Popen([toulmin, *command, "--json"], cwd=place, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return {
        "pairs/s": pairs / (time.monotonic() - began),
        "CPU s": used.ru_utime + used.ru_stime,
        "peak MiB": used.ru_maxrss / 1024,
    }


if __name__ == "__main__":
    main()
