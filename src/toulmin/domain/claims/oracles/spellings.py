"""Spellings: whether two names written in different ways may be of one thing."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final

from toulmin.domain.claims.oracles.words import FUNCTION_WORDS, stem

_ALIASES: Final = tuple(
    frozenset(map(stem, group.split()))
    for group in (
        "us usa america american americans states",
        "uk britain british england english kingdom",
        "eu europe european",
        "un nations",
        "ussr soviet russia russian",
        "french france",
        "dutch netherlands holland",
        "spanish spain",
        "danish denmark",
        "irish ireland",
        "polish poland",
        "welsh wales",
        "finnish finland",
    )
)
"""Names of countries that do not begin alike, by their stems without dots."""

_BEGINNING = 4
"""So many first letters in common make two proper names forms of one: "Europe" and "European"."""
_LONG = 5
"""Names with fewer letters than these are not taken for one another's misspelling."""
_DIGITS = re.compile(r"\d+$")
_GREEK: Final = str.maketrans(
    {
        "α": "alpha",
        "β": "beta",
        "ß": "beta",
        "γ": "gamma",
        "δ": "delta",
        "κ": "kappa",
        "λ": "lambda",
        "μ": "mu",
        "ω": "omega",
    }
)


def are_forms_of_one(name: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two names, by the stems of their words, may be of one thing: they have an alias or a word in common."""
    ones, others = [item.replace(".", "") for item in name], [item.replace(".", "") for item in other]
    return have_an_alias(ones, others) or any(are_alike(one, another) for one, another in product(ones, others))


def have_an_alias(ones: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a country among some stems is among the others in another form, as "Dutch" for "Netherlands" and "US" for "American"."""
    stems = {item.replace(".", "") for item in ones}
    groups = [group for group in _ALIASES if not group.isdisjoint(stems)]
    return bool(groups) and any(item.replace(".", "") in group for item in others for group in groups)


def are_alike(name: str, other: str) -> bool:
    """Whether one word is in the other, both begin alike, or one is the other misspelled."""
    name, other = plain(name), plain(other)
    return name in other or other in name or begin_alike(name, other) or is_misspelled(name, other)


def begin_alike(name: str, other: str) -> bool:
    """Whether two words begin with the same letters, accents aside, as "Europe" and "European" do."""
    beginning = plain(name)[:_BEGINNING]
    return len(other) >= _BEGINNING and plain(other).startswith(beginning)


def is_misspelled(name: str, other: str) -> bool:
    """Whether two long words have the same letters but two at most, and the same first one."""
    if min(len(name), len(other)) < _LONG or name[0] != other[0] or abs(len(name) - len(other)) > 2:
        return False
    ones, others = Counter(name), Counter(other)
    return ((ones - others) + (others - ones)).total() <= 2


def are_parts_known(surface: str, known: frozenset[str]) -> bool:
    """Whether the last part of a dotted name is known, or all parts of another one; of "SF1-expressing", the part that is a name."""
    dotted = {stem(part) for item in known if "." in item for part in item.split(".")}
    if stem(surface.lower().rpartition(".")[2]) in known | dotted:
        return True
    parts = [part for part in re.split("[_-]", surface) if part]
    if "_" not in surface and "." not in surface:
        parts = [part for part in parts if not (part.isalpha() and part.islower())] or parts
    return all(part.lower() in FUNCTION_WORDS or stem(part.lower()) in known for part in parts)


def is_short_for_something(acronym: str, words: Sequence[str]) -> bool:
    """Whether letters are the initials of words that stand together, are found in order inside of one of them, or in another form."""
    acronym = acronym.replace(".", "")
    letters = _DIGITS.sub("", acronym)
    number = acronym.removeprefix(letters)
    words = [plain(word) for word in words]
    parts = [part for word in words for part in re.split("[-.]", word) if part]
    return (
        acronym in "".join(words)
        or (letters in "".join(part[0] for part in parts) and (not number or number in parts))
        or any(_is_another_form(letters, number, word) for word in words)
    )


def _is_another_form(letters: str, number: str, word: str) -> bool:
    """Whether a word is an acronym with some letters left out, as "K17" for "KRT17" and "SMC" for "VSMC", or is what it abbreviates."""
    if number:
        rest = word.removesuffix(number)
        return word == letters or (rest != word and word[0] == letters[0] and _in_order(rest, letters))
    if len(word) > 2 and letters.endswith(word):
        return True
    return len(letters) > 2 and word[0] == letters[0] and _in_order(letters, word)


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def plain(word: str) -> str:
    """A word without accents, and with its Greek letters spelled."""
    if word.isascii():
        return word
    word = word.translate(_GREEK)
    return "".join(mark for mark in unicodedata.normalize("NFD", word) if not unicodedata.combining(mark))
