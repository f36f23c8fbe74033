"""The gateway sample: six documents and one contract, as every new workspace has them."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from toulmin.domain.errors import InputError


def write_sample(folder: Path) -> None:
    """Copies the sample workspace to a folder that is not there yet, or empty; raises `InputError` for any other."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("not_empty", f"{folder} exists and is not empty", remedy="name a new folder")
    try:
        with as_file(files("toulmin.surfaces") / "gateway_sample") as sample:
            shutil.copytree(sample, folder, dirs_exist_ok=True)
    except OSError as error:
        raise InputError(
            "not_writable", f"{folder} cannot be written: {error.strerror}", remedy="name a folder that you may write"
        ) from None
