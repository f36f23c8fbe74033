"""Words: what the oracles see of a sentence. Markup is not among it, and every word keeps its place in the text."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

FUNCTION_WORDS = frozenset(
    """
    a about after again all also although am an and another any anyone anything are as at be because been before being both but by can
    cannot could did do does doing done down during each either else ever every everyone everything few for from further get gets got had
    has have having he hence her here hers him his how however i if in instead into is it its itself just least less like many may me might
    mine more most much must my neither never no nobody none nor not nothing now of off often on once one only onto or other others our out
    over own per please rather s same shall she should since so some such than that the their them then there therefore these they this
    those though through thus till to too toward under unless until unto up upon us very via was we were what whatever when whenever where
    whereas whether which while who whoever whom whose why will with within without would yet you your
    """.split()
)
"""English words that hold a sentence together and name nothing; they weigh nothing in alignment."""

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+|[\u0300-\u036f]+[^\W_]*)*")
_IDENTIFIER = re.compile(
    r"(?<!\w)(?:(?:--?)?(?:_*+[^\W_]++_*|_+)(?:(?:[._]|::|-(?=\d)|(?<=\d)-)\w+)+(?!\w)|--?[^\W\d]\w*(?:-\w+)*|_+\w+)"
)
_MARKUP = re.compile(r":(?:[a-z]+:)?[a-z]+:(?=`)|^\s*\.\. [\w:-]*?::", re.MULTILINE)
_IRREGULAR = {
    "kept": "keep", "sent": "send", "made": "make", "gave": "give", "given": "give", "ran": "run", "running": "run", "written": "write",
    "wrote": "write", "chosen": "choose", "chose": "choose", "taken": "take", "took": "take", "built": "build", "found": "find",
    "left": "leave", "lost": "lose", "held": "hold", "shown": "show", "known": "know", "knew": "know", "began": "begin", "begun": "begin",
    "broken": "break", "broke": "break", "children": "child", "indices": "index", "fell": "fall", "fallen": "fall", "grew": "grow",
    "grown": "grow", "rose": "rise", "risen": "rise", "went": "go", "gone": "go", "came": "come", "led": "lead", "read": "read", "told": "tell",
    "said": "say", "saw": "see", "seen": "see", "meant": "mean", "paid": "pay", "sold": "sell", "bought": "buy", "brought": "bring",
    "women": "woman", "men": "man", "people": "person", "less": "less",
    "used": "use", "uses": "use", "using": "use",
}  # fmt: skip


_PLURAL = (("sses", "ss", 4), ("ies", "i", 5), ("es", "e", 5), ("s", "", 4))
_PARTICIPLE = (
    ("ied", "i", 5), ("ingly", "", 7), ("edly", "", 7), ("eed", "ee", 6), ("ing", "", 6), ("ed", "", 5), ("ly", "", 6)
)  # fmt: skip
_KEPT = ("ss", "ceed")
"""Endings that look like an inflection and are none."""


class Word(NamedTuple):
    """A word in its text: `text[start:end]`, in small letters and typographic apostrophes made plain, and its stem.

    `is_name` says that it is written as an identifier, an acronym or a proper name inside of a sentence is: with a capital letter that
    does not lead, a digit or a mark. `is_content` says that it names something and does not only hold the sentence together.
    """

    surface: str
    start: int
    end: int
    word: str
    stem: str
    is_number: bool
    is_name: bool
    is_content: bool


def words(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words of `text[start:end]` in their order. Identifiers, versions, dotted names and options are one word each.

    Marks of reStructuredText and Markdown around words are no part of them.
    """
    end = len(text) if end is None else end
    if ":" not in text and ".. " not in text:
        return _plain(text, start, end)
    at, found = start, list[Word]()
    for markup in _MARKUP.finditer(text, start, end):
        found += _plain(text, at, markup.start())
        at = markup.end()
    return found + _plain(text, at, end)


def _plain(text: str, start: int, end: int) -> list[Word]:
    at, found = start, list[Word]()
    for identifier in _IDENTIFIER.finditer(text, start, end):
        found += map(_word, _TOKEN.finditer(text, at, identifier.start()))
        found.append(_word(identifier))
        at = identifier.end()
    found += map(_word, _TOKEN.finditer(text, at, end))
    return found


def _word(found: re.Match[str]) -> Word:
    surface = found[0]
    start, end = found.span()
    return Word(surface, start, end, *_form(surface))


@lru_cache(maxsize=16384)
def _form(surface: str) -> tuple[str, str, bool, bool, bool]:
    """What is known of a word without its place: word, stem, is_number, is_name, is_content."""
    word = unicodedata.normalize("NFC", surface).replace("’", "'").lower()
    inner = surface[1:].replace("'", "").replace("’", "")
    is_name = bool(inner) and not (inner.isalpha() and inner.islower())
    is_content = word.partition("'")[0] not in FUNCTION_WORDS and not word.endswith("n't")
    return word, stem(word), surface[0].isdecimal(), is_name, is_content


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """What is left of an English word without its inflection: enough to align sentences, too little to judge by."""
    if not word.isalpha() and "'" not in word:
        return word
    word = word.removesuffix("'s").removesuffix("'")
    if word in _IRREGULAR:
        return _ending(_IRREGULAR[word])
    for endings in (_PLURAL, _PARTICIPLE):
        for ending, stand_in, least in endings:
            if word.endswith(ending) and len(word) >= least and not word.endswith(_KEPT):
                word = word.removesuffix(ending) + stand_in
                break
    return _ending(word)


def _ending(word: str) -> str:
    """Without a final e, y as i, and without the doubled consonant of "running" and "stopped"."""
    word = word.removesuffix("e") if len(word) > 3 else word
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsaeiou":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word
