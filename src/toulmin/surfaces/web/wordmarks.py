"""Where the words of a question occur in a passage, so that a reader sees at a glance why it was found."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby

from toulmin.surfaces.web.marked import Range

_LEAST = 3
"""Letters of a word that is looked for; a shorter one is only where it has a digit: G2 says something, in and of do not."""

_FREQUENT = frozenset(
    "and are but can did does for from had has have how into its not one our she that the their them they this was were what when where which who why will with you your".split()
)
"""English words that occur everywhere."""

_JOINERS = "\u200c\u200d"
"""They stand inside of words, and of emoji."""


def occurrences(question: str, text: str) -> list[Range]:
    """The words of a text, as half-open ranges of code points, that begin with a word of a question, whatever their case and normal form."""
    wanted = tuple({word for _, _, word in _words(question) if _tells(word)})
    return [(start, end) for start, end, word in _words(text) if word.startswith(wanted)]


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    """Each word with its place, folded."""
    at = 0
    for within, letters in groupby(text, _is_of_a_word):
        word = "".join(letters)
        if within:
            yield at, at + len(word), unicodedata.normalize("NFKC", word).casefold()
        at += len(word)


def _is_of_a_word(letter: str) -> bool:
    """Letters and digits, the marks that are put on them, and what joins them."""
    return letter.isalnum() or letter in _JOINERS or unicodedata.category(letter).startswith("M")


def _tells(word: str) -> bool:
    return word not in _FREQUENT and (len(word) >= _LEAST or any(map(str.isdigit, word)))
