"""Recall: which words an independent reading of a file has that its canonical text lacks."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

_WORD = re.compile(r"\w+")
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """How many words the independent reading has, and those of them that the text lacks, each as often as it is lacking."""

    words: int
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of the words that the text has, from 0 to 1; 1 where there were none to have."""
        return 1 - len(self.missing) / self.words if self.words else 1.0

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence that names the number of missing words and the first few, or nothing where none is missing."""
        if not self.missing:
            return ()
        first = ", ".join(list(dict.fromkeys(self.missing))[:_SHOWN])[:200]
        return (
            f"{len(self.missing)} of {self.words} words that the file holds are not in its text, the first: {first}",
        )


def recall(text: str, witness: str) -> Recall:
    """The words of `witness` against those of `text`, wherever they stand and however Unicode composes them."""
    spare = _words(text)
    wanted = _words(witness)
    return Recall(words=wanted.total(), missing=tuple((wanted - spare).elements()))


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", text)))
