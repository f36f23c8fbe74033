"""The passage index by meaning. Needs the extra `models`, also where the embedder is behind a server."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from toulmin.domain.errors import InputError
from toulmin.ports.embedder import Embedder

if TYPE_CHECKING:
    from toulmin.adapters.vectors.index import VectorIndex


def vector_index(path: Path, embedder: Embedder) -> VectorIndex:
    """The index in a folder, see `VectorIndex`; raises `InputError` (`missing_extra`) with the command that installs what it needs."""
    for package in ("numpy", "numkong"):
        if find_spec(package) is None:
            raise InputError(
                "missing_extra",
                f"search by meaning needs the package {package}, which is not installed",
                remedy='install it: pip install "toulmin[models]"',
            )
    from toulmin.adapters.vectors.index import VectorIndex

    return VectorIndex(path, embedder)
