"""Language: whether the oracles read a text. They read English."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache

from toulmin.domain.claims.oracles.words import FUNCTION_WORDS
from toulmin.domain.claims.unit import Cited

_ENGLISH = FUNCTION_WORDS - frozenset("a am an as do has her in me no on or over s so us was will".split())
"""Function words that no other common language writes the same way, or seldom."""

_OTHERS = (
    frozenset(
        """
    aber als auch auf aus bei das dass dem den der des die durch ein eine einem einen einer es für ist kann mit nach nicht nur oder sich
    sie sind und von vor werden wird wenn wie zu zum zur über
    au aux avec ce ces cette dans doit du elle en est et il ils la le les leur mais ne ou par pas peut plus pour qui que sans ses si son
    sont sous sur un une vous
    al como con cuando debe del el ella ellos entre esta este hasta las los más muy nunca para pero por puede se sin sobre su sus también
    una uno y ya
    alla alle anche che come deve della delle di dei gli ha il lo ma nel nella non o per più può quando sono sulla un'
    ao aos até com da das deve do dos e ele em essa esse foi isso mais mas na não nas nos num os pela pelo quando são sem seu sua também uma
    aan bij dat de een en geen het hij in met naar niet ook of om onder op te tot uit van voor wordt zijn
    att av den det du eller ett från för han har hon inte kan men med mycket när och om på som till är
    """.split()
    )
    - FUNCTION_WORDS
)
"""Function words of German, French, Spanish, Italian, Portuguese, Dutch and Swedish that are no common English words."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SHORT = 9
"""Fewer words than these, without any function word, are names and numbers, which read the same in most languages."""


_LEAST_ENGLISH = 0.1
"""Of the words of a longer English text, the least share that are function words; a borrowed phrase makes no English of another language."""


class _Reading(Enum):
    ENGLISH = "English"
    NAMES = "a few words, none of which is a function word: names and numbers read the same in most languages"
    OTHER = "another language or script"


def covered(text: str, language: str | None) -> bool:
    """Whether the oracles read this text: English words, or a few names and numbers, whatever their order.

    A stated `language` (a BCP 47 tag) that is not English is taken at its word; one that is English, or unknown, is checked by the script
    and the function words of the text.
    """
    return _is_english(language) and _reading(text) is not _Reading.OTHER


def covered_beside(claim: str, passages: Iterable[Cited]) -> bool:
    """Whether the oracles read a claim, given what it cites: a few words that might be any language's are English beside English words."""
    reading = _reading(claim)
    if reading is not _Reading.NAMES:
        return reading is _Reading.ENGLISH
    return any(_is_english(cited.language) and _reading(cited.words) is _Reading.ENGLISH for cited in passages)


def _is_english(language: str | None) -> bool:
    return language is None or language.partition("-")[0].lower() in {"en", "eng", "und"}


@lru_cache(maxsize=4096)
def _reading(text: str) -> _Reading:
    words: list[str] = [word.lower() for word in _WORD.findall(text)]
    if sum(map(_is_latin, words)) * 2 < len(words):
        return _Reading.OTHER
    english = sum(word in _ENGLISH or word.endswith(("n't", "n’t")) for word in words)
    others = sum(word in _OTHERS for word in words)
    if english == others == 0:
        return _Reading.NAMES if len(words) < _SHORT else _Reading.OTHER
    is_english = english >= others and (len(words) < _SHORT or english >= _LEAST_ENGLISH * len(words))
    return _Reading.ENGLISH if is_english else _Reading.OTHER


def _is_latin(word: str) -> bool:
    """Whether a word is written in Latin letters, those with marks of their own included."""
    return word < "\u0250" or word.isascii()
