"""Words: how a text is cut for the index, the same for passages and for questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import normalize

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

ANALYZER = "toulmin-words-1"
"""The analyzer's name, part of the schema: count it up with any change of this module, and indexes cut otherwise no longer open."""

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")


def analyzer() -> TextAnalyzer:
    """Splits what `spaced` joins, and stems it as English."""
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer("english")).build()


def spaced(text: str) -> str:
    """The words of a text with one space between them: letters and digits after NFKC and case folding, nothing else.

    An identifier with underscores comes whole and then in parts, so that it is found by either and best by all of it.
    """
    folded = text.lower() if text.isascii() else normalize("NFKC", text).casefold()  # the same for ASCII, at a fraction
    words = _WORD.findall(folded)
    return " ".join(_with_parts(words) if "_" in folded else words)


def _with_parts(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield word
        if "_" in word:
            yield from filter(None, word.split("_"))
