"""The gateway sample: six documents and one contract, as every new workspace has them."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from toulmin.domain.errors import InputError
from toulmin.surfaces.settings import FILE

_LOCAL_JUDGE = """
[judge]                 # who says that a passage supports a claim of an open question: a model on this host, which nothing leaves
kind = "onnx"
"""

_LOCAL_EMBEDDER = """
[embedder]              # passages are found by what they mean as well: a model on this host, which nothing leaves
kind = "onnx"

[open_question]
min_score = 0.1         # by meaning nearly everything is a little alike: below this an open question asks for evidence
"""


def write_sample(folder: Path, *, local_judge: bool = False, local_embedder: bool = False) -> None:
    """Copies the sample workspace to a folder that is not there yet, or empty; raises `InputError` for any other.

    `local_judge`: its open questions are judged by the model that is installed; else by the deterministic checks alone. `local_embedder`: its
    passages are found by the model that is installed too; else by their words alone.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("not_empty", f"{folder} exists and is not empty", remedy="name a new folder")
    try:
        with as_file(files("toulmin.surfaces") / "gateway_sample") as sample:
            shutil.copytree(sample, folder, dirs_exist_ok=True)
        with (folder / FILE).open("a", encoding="utf-8") as settings:
            settings.write(local_judge * _LOCAL_JUDGE + local_embedder * _LOCAL_EMBEDDER)
    except OSError as error:
        raise InputError(
            "not_writable", f"{folder} cannot be written: {error.strerror}", remedy="name a folder that you may write"
        ) from None
