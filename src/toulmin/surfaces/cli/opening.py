"""Opening the workspace of a command, with its index caught up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toulmin.surfaces.sync import Workspace


@contextmanager
def opened(folder: Path | None) -> Iterator[Workspace]:
    """The workspace at a folder or above the current one, its index brought up with the corpus."""
    from toulmin.surfaces.sync import Workspace

    with Workspace.open(folder or Path()) as workspace:
        workspace.catch_up()
        yield workspace
