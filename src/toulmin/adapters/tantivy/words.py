"""Words: how a text is cut for the index, the same for passages and for questions.

A word is a run of letters and digits after NFKC and case folding. What programs are full of comes whole and in parts, so that it is found
by either and best by all of it: identifiers (`SESSION_COOKIE_DOMAIN`, `Flask.run`) and options (`--debug`); a version (`2.4.1`) with its
series (`2.4`). Scripts that put no space between words are cut into pairs of characters, since a sentence of them would else be one word.

A passage's words are stemmed as its document's language wants it, a question's in every language that the index holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from unicodedata import normalize

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from toulmin.domain.claims.oracles.words import FUNCTION_WORDS

ANALYZER = "toulmin-words-2"
"""The analyzer's name, part of the schema: count it up with any change of this module, and indexes cut otherwise no longer open."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Chinese, Japanese; and Korean, whose words run on with what other languages put beside them."""

_SIGNED = "\u0900-\u0963\u0966-\u0dff"
"""The scripts of India: their vowel signs are letters of the word, which Python's `\\w` does not know."""

_LETTER = rf"(?:[^\W_]|[{_SIGNED}{_UNSPACED}])"
_DROPPED = re.compile(
    "\u00ad\\s*|[\u200b-\u200f\u2060\ufeff\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]"
)
"""What stands in a word and is no part of it: soft hyphens with the line's end after them, joiners, vowel points, and the accents that are left."""

_WORD = re.compile(rf"(?<![\w-])--{_LETTER}+(?:[-_]+{_LETTER}+)*|{_LETTER}+(?:(?:\.|_+){_LETTER}+)*")
_ASCII_WORD = re.compile(r"(?<![\w-])--[a-z0-9]+(?:[-_]+[a-z0-9]+)*|[a-z0-9]+(?:(?:\.|_+)[a-z0-9]+)*")
_JOINED = re.compile(r"[._-]")
_NUMBER = re.compile(r"[0-9.]+")
_RUN = re.compile(rf"([{_UNSPACED}]+)|[^{_UNSPACED}]+")
DEFAULT = "english"
"""How a document is read whose language is not known: a question is read so as well, and what is spelled alike meets in any case."""

PLAIN = "plain"
"""How a document is read whose language has no stemmer: word by word, as it stands."""

_STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}

_LIGHT = 0.5
"""Of a function word of English in a question, against any other: that a passage has it says little, however rare it is where passages are
terse. Of 0.1, 0.25, 0.5 and 1 the one that does well on the Flask questions and SciFact's training queries alike."""

_REMEMBERED = 100_000
"""Stems of words, by language: a language's common words are most of every text."""


def analyzer() -> TextAnalyzer:
    """Splits what `of_passage` joins, and changes nothing."""
    return TextAnalyzerBuilder(Tokenizer.whitespace()).build()


def reading_of(language: str | None) -> str:
    """How a document of a language (a code such as `de` or `de-CH`) is read: the name of its stemmer, or `PLAIN`."""
    if language is None:
        return DEFAULT
    return _STEMMERS.get(re.split("[-_]", language.lower())[0], PLAIN)


def of_passage(text: str, reading: str) -> str:
    """The words of a text with one space between them, stemmed."""
    return " ".join(map(_stems(reading), _words(text, alone=True)))


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: its distinct stems, one for each reading that differs, and how much it counts."""

    stems: tuple[str, ...]
    weight: float


def of_question(text: str, readings: Collection[str]) -> tuple[Word, ...]:
    """The distinct words of a text in order, stemmed in several readings; a word counts as often as it is said."""
    weights: dict[tuple[str, ...], float] = {}
    stems = [_stems(reading) for reading in readings]
    for word in _words(text, alone=False):
        distinct = tuple(dict.fromkeys(stem(word) for stem in stems))
        weights[distinct] = weights.get(distinct, 0) + (_LIGHT if word in FUNCTION_WORDS else 1)
    return tuple(Word(*counted) for counted in weights.items())


def _words(text: str, *, alone: bool) -> Iterator[str]:
    """The words of a text, those with parts also in parts; `alone`: characters of unspaced scripts also one by one."""
    if text.isascii():
        found = _ASCII_WORD.findall(text.lower())
    else:
        text = normalize("NFKC", _DROPPED.sub("", normalize("NFC", text)))
        found = _WORD.findall(text.casefold())
    for word in found:
        yield from _whole_and_parts(word) if word.isascii() else _of_any_script(word, alone=alone)


def _whole_and_parts(word: str) -> Iterable[str]:
    """A word; one that is joined also in parts."""
    if not _JOINED.search(word):
        return (word,)
    if _NUMBER.fullmatch(word):
        return _series(word)
    return dict.fromkeys(_names(word))


def _series(version: str) -> Iterator[str]:
    """A version with the series that it is of: `2.4.1`, `2.4`."""
    while "." in version:
        yield version
        version = version.rpartition(".")[0]


def _names(word: str) -> Iterator[str]:
    """A joined word whole, and its parts: at dots first, so that a dotted name has its names whole. `e.g` is no name, but two letters."""
    names = word.split(".")
    if max(map(len, names)) > 1:
        yield word
    for name in names:
        yield name
        yield from filter(None, re.split("[-_]+", name))


def _of_any_script(word: str, *, alone: bool) -> Iterator[str]:
    """The same where some characters may be of an unspaced script: these in pairs, a single one as it is."""
    for run in _RUN.finditer(word):
        unspaced = run[1]
        if unspaced is None:
            yield from _whole_and_parts(run[0].strip("._"))
            continue
        yield from map("".join, pairwise(unspaced))
        if alone or len(unspaced) == 1:
            yield from unspaced


@lru_cache
def _stems(reading: str) -> Callable[[str], str]:
    """The function that stems a word in a reading."""
    if reading == PLAIN:
        return str
    stemmer = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer(reading)).build()

    @lru_cache(_REMEMBERED)
    def stem(word: str) -> str:
        return str(stemmer.analyze(word)[0])

    return stem
