"""Has a teacher judge the pairs that a student will learn from: `python -m judge.distil TEACHER runs/student.toml --work FOLDER`.

Writes the pairs with the teacher's probabilities to the file that the run file names as `told`, a piece at a time, and goes
on where it stopped. Then `judge.train runs/student.toml` learns from them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from judge import model as judge_model
from judge.pairs import Pair, read, write
from judge.train import Settings, chosen

_PIECE = 512


def tell(teacher: Path, pairs: Sequence[Pair], told: Path) -> None:
    """Writes `told`; its pieces stand beside it until all are there."""
    model, reader = judge_model.load(teacher), judge_model.Reader.of(teacher)
    pieces = []
    for start in range(0, len(pairs), _PIECE):
        piece = told.with_name(f"{told.stem}-{start}.jsonl")
        if not piece.exists():
            some = pairs[start : start + _PIECE]
            rows = judge_model.probabilities(model, reader, some).tolist()
            write(piece, (replace(pair, teacher=tuple(row)) for pair, row in zip(some, rows, strict=True)))
        pieces.append(piece)
    write(told, (pair for piece in pieces for pair in read(piece)))
    for piece in pieces:
        piece.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("run", type=Path, help="the run file of the student")
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    settings = Settings.of(given.run)
    if settings.told is None:
        raise SystemExit(f"{given.run} names no file `told` for the teacher's probabilities")
    torch.set_num_threads(settings.threads)
    tell(given.teacher, chosen(given.work, replace(settings, told=None)), given.work / settings.told)


if __name__ == "__main__":
    main()
