"""The command line: `toulmin`."""

from __future__ import annotations

from toulmin.surfaces.cli.app import main

__all__ = ["main"]
