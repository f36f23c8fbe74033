"""Models on this host, in ONNX: a judge, which is any sequence classifier of three classes, and an embedder. Needs the extra `models`."""

from __future__ import annotations

import os
from importlib.util import find_spec

from toulmin.adapters.onnx.embedder import LocalEmbedder
from toulmin.adapters.onnx.embedding_folder import WEIGHTS, EmbeddingModel, StatedEmbedder, embedding_model
from toulmin.adapters.onnx.folder import PACKAGE, LocalModel, Stated, local_model
from toulmin.adapters.onnx.judge import LocalJudge
from toulmin.domain.errors import InputError

__all__ = [
    "EmbeddingModel",
    "LocalEmbedder",
    "LocalJudge",
    "LocalModel",
    "Stated",
    "StatedEmbedder",
    "embedder_is_installed",
    "judge_is_installed",
    "onnx_embedder",
    "onnx_judge",
]

_VENDORS = ("numpy", "onnxruntime", "tokenizers")
_MOST_THREADS = 4


def judge_is_installed() -> bool:
    """Whether all is installed that a judge on this host takes: the extra `models`, with its model."""
    return all(find_spec(package) for package in (*_VENDORS, PACKAGE))


def embedder_is_installed() -> bool:
    """Whether all is installed that an embedder on this host takes: the extra `models`, with its model."""
    return all(find_spec(package) for package in (*_VENDORS, WEIGHTS))


def onnx_judge(stated: Stated, *, deadline_s: float, threads: int | None = None) -> LocalJudge:
    """The judge for what is stated of a model, which is loaded with the first judgement.

    `threads` is how many claims are judged at once, each by one thread; None: as many as there are processors, up to 4. Raises
    `InputError`: `missing_extra`, and what `local_model` does.
    """
    _check_vendors("a judge")
    return LocalJudge(local_model(stated), deadline_s=deadline_s, threads=threads)


def onnx_embedder(stated: StatedEmbedder, *, threads: int | None = None) -> LocalEmbedder:
    """The embedder for what is stated of a model, which is loaded with the first text.

    `threads` is how many texts are read at once, each by one thread; None: as many as there are processors, up to 4. Raises `InputError`:
    `missing_extra`, and what `embedding_model` does.
    """
    _check_vendors("an embedder")
    return LocalEmbedder(embedding_model(stated), threads=threads or min(_MOST_THREADS, os.cpu_count() or 1))


def _check_vendors(what: str) -> None:
    for package in _VENDORS:
        if find_spec(package) is None:
            raise InputError(
                "missing_extra",
                f"{what} on this host needs the package {package}, which is not installed",
                remedy='install it: pip install "toulmin[models]"',
            )
