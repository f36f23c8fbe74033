"""A claim beside a passage, with what is known of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

CLASSES = ("supported", "contradicted", "unresolved")
"""The classes of the model, in the order of its outputs."""

NOT_SUPPORTED = "not_supported"
"""Contradicted or unresolved: the set does not say which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """`label` is one of CLASSES or NOT_SUPPORTED; pairs of one `group` belong together. `teacher`: its probabilities."""

    claim: str
    evidence: str
    label: str
    source: str
    group: str
    phenomenon: str = ""
    teacher: tuple[float, float, float] | None = None


def read(path: Path) -> Iterator[Pair]:
    """The pairs of a prepared file."""
    with opened(path) as lines:
        for line in lines:
            row = json.loads(line)
            teacher = row.pop("teacher")
            yield Pair(**row, teacher=tuple(teacher) if teacher else None)


def write(path: Path, pairs: Iterable[Pair]) -> int:
    """Writes a prepared file, whole or not at all; gives the number of its pairs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    count = 0
    with beside.open("w", encoding="utf-8") as out:
        for pair in pairs:
            out.write(json.dumps(asdict(pair), ensure_ascii=False) + "\n")
            count += 1
    beside.rename(path)
    return count


def opened(path: Path) -> TextIO:
    """A text file to read, unpacked where it is gzipped."""
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
