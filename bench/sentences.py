"""How many of our test sentences each splitter cuts right, and how fast it cuts plain English text.

Measures every other splitter that can be imported: pysbd, syntok, nltk (its untrained Punkt), blingfire, sentencex.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from common import report

from toulmin.domain.corpus.sentences import sentences, units

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.unit.sentence_cuts import CUTS, ends, parts, text

Splitter = Callable[[str], Iterable[str]]

_PROSE = (
    "The pump weighs 12 kg and needs a fuse, as shown in Fig. 3 of the manual. It was built by J. Smith in 2004. "
    "Do not open it while it runs! The lamp, e.g. the one above the door, lasts for 20 years.\n\n"
) * 500


def main() -> None:
    rows = []
    for name, split in _splitters():
        right = sum(_is_right(case, split(text(case))) for case in CUTS)
        began = time.perf_counter()
        all(split(_PROSE))
        taken = time.perf_counter() - began
        row = {"splitter": name, "right": right, "of": len(CUTS), "share": right / len(CUTS)}
        rows.append({**row, "MB/s": len(_PROSE) / taken / 1e6})
    report("sentences", rows, cases=len(CUTS))


def _is_right(case: str, pieces: Iterable[str]) -> bool:
    """Whether the pieces end where they should; a splitter that changes the text is wrong about it."""
    found = [piece.strip() for piece in pieces]
    return all(piece in text(case) for piece in found) and ends(text(case), found) == ends(text(case), parts(case))


def _splitters() -> Iterator[tuple[str, Splitter]]:
    yield "toulmin units", lambda words: [words[unit.start : unit.end] for unit in units(words)]
    yield "toulmin sentences", lambda words: [words[start:end] for start, end in sentences(words, 0, len(words))]
    for name, made in _OTHERS.items():
        try:
            yield name, made(importlib.import_module(name))
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)


_OTHERS: dict[str, Callable[..., Splitter]] = {
    "pysbd": lambda module: module.Segmenter(language="en", clean=False).segment,
    "syntok.segmenter": lambda module: lambda words: _syntok(module, words),
    "nltk.tokenize.punkt": lambda module: module.PunktSentenceTokenizer().tokenize,
    "blingfire": lambda module: lambda words: module.text_to_sentences(words).split("\n"),
    "sentencex": lambda module: lambda words: list(module.segment("en", words)),
}


def _syntok(module: object, words: str) -> Iterator[str]:
    for paragraph in module.analyze(words):  # type: ignore[attr-defined]
        for sentence in paragraph:
            yield words[sentence[0].offset : sentence[-1].offset + len(sentence[-1].value)]


if __name__ == "__main__":
    main()
