"""The command line as a user meets it: started as a program, or called in this process where many calls are needed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from toulmin.surfaces.cli import main

QUESTION = "gateway-explain-and-next-step-v1"
CASE = ("--case", "model=G2", "--case", "firmware=2.4.1", "--case", "audit_hold=true")


@dataclass(frozen=True, slots=True)
class Run:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout; fails if there is anything else."""
        return json.loads(self.out)


def started(*arguments: str, at: Path) -> Run:
    """A command in a process of its own, in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "toulmin", *arguments], cwd=at, capture_output=True, encoding="utf-8", check=False
    )
    return Run(done.returncode, done.stdout, done.stderr)


def called(*arguments: str, at: Path) -> Run:
    """The same through `main` in this process, which saves the start."""
    out, err, code = StringIO(), StringIO(), None
    with chdir(at), redirect_stdout(out), redirect_stderr(err), patch.object(sys, "argv", ["toulmin", *arguments]):
        try:
            main()
        except SystemExit as end:
            code = end.code
    assert isinstance(code, int)
    return Run(code, out.getvalue(), err.getvalue())


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files by their paths below a folder, as they are; returns the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def workspace(folder: Path, *, settings: str = "", contracts: Mapping[str, str] | None = None) -> Path:
    """A workspace without documents."""
    write(folder, {"toulmin.toml": settings, **{f"contracts/{name}": text for name, text in (contracts or {}).items()}})
    return folder


def documents(place: Path, *who: str) -> list[dict[str, Any]]:
    """What `document list` says."""
    listed: list[dict[str, Any]] = called("document", "list", "--json", *who, at=place).json["documents"]
    return listed
