"""The judge on this host: any sequence classifier of three classes in ONNX. Needs the extra `models`; nothing leaves the host."""

from __future__ import annotations

from importlib.util import find_spec

from toulmin.adapters.onnx.folder import LocalModel, Stated, local_model
from toulmin.adapters.onnx.judge import LocalJudge
from toulmin.domain.errors import InputError

__all__ = ["LocalJudge", "LocalModel", "Stated", "onnx_judge"]

_VENDORS = ("numpy", "onnxruntime", "tokenizers")


def onnx_judge(stated: Stated, *, deadline_s: float, threads: int | None = None) -> LocalJudge:
    """The judge for what is stated of a model, which is loaded with the first judgement.

    `threads` is how many claims are judged at once, each by one thread; None: as many as there are processors, up to 4. Raises
    `InputError`: `missing_extra`, and what `local_model` does.
    """
    for package in _VENDORS:
        if find_spec(package) is None:
            raise InputError(
                "missing_extra",
                f"a judge on this host needs the package {package}, which is not installed",
                remedy='install it: pip install "toulmin[models]"',
            )
    return LocalJudge(local_model(stated), deadline_s=deadline_s, threads=threads)
