"""`python -m toulmin`: the command line."""

from __future__ import annotations

from toulmin.surfaces.cli import main

main()
