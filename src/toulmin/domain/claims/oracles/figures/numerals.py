"""Numerals: what a number written in digits or in English words is worth."""

from __future__ import annotations

import re
from decimal import Decimal

GROUP_SPACES = "\u00a0\u202f\u2009"
"""Spaces that keep a number together: no-break, narrow no-break and thin. A plain space groups where three digits follow."""

DIGITS = rf"\d+(?:_\d+)+|\d{{1,3}}(?:[ {GROUP_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d{{1,3}}(?:['’]\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)*"
"""The pattern of a number in digits, with all of its group and decimal marks."""

_DECIMAL_COMMA = frozenset(
    "bg ca cs da de el es et eu fi fr gl hr hu id is it lt lv nb nl nn no pl pt ro ru sk sl sr sv tr uk vi".split()
)
_DECIMAL_POINT = frozenset("en ja ko zh he hi th ms".split())

_SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen".split()
    )
} | {
    word: value * 10
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}  # fmt: skip
_HUNDREDS = {"hundred": 100, "dozen": 12}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "mn": 10**6, "bn": 10**9}
"""Words that multiply the number before them."""

WORDS = frozenset({*_SMALL, *_HUNDREDS, "thousand", "million", "billion", "trillion"})
"""The English words that a number is made of."""
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
NUMBER_WORDS = (
    rf"(?:an?\s+(?=hundred|thousand|million|billion|dozen))?\b(?:{_WORD})\b"
    rf"(?:(?:\s+|-|(?<=ty)\s-\s|(?<=hundred)\s+and\s+|(?<=thousand)\s+and\s+)(?:{_WORD})\b)*"
)
"""The pattern of an English number word or several that make up one number."""


def readings(digits: str, language: str | None) -> tuple[Decimal, ...]:
    """What a number in digits is worth; several values where its marks can be read in several ways, none where it is no single number.

    A language decides between "1.234" for a bit more than one and for more than a thousand. Where it is not known, that has two
    readings, but "1,234" has one: these texts are read in English.
    """
    plain = re.sub(rf"[_'’ {GROUP_SPACES}]", "", digits)
    points, commas = plain.count("."), plain.count(",")
    if not points and not commas:
        return (Decimal(plain),)
    if points and commas:
        return _with_both_marks(plain)
    mark = "." if points else ","
    grouped = re.fullmatch(rf"[1-9]\d{{0,2}}(?:\{mark}\d{{3}})+", plain) is not None
    as_group = Decimal(plain.replace(mark, "")) if grouped else None
    if points + commas > 1:
        return () if as_group is None else (as_group,)
    as_decimal = Decimal(plain.replace(mark, "."))
    if as_group is None:
        return () if mark == "," and _is_decimal_mark(".", language) else (as_decimal,)
    if _is_decimal_mark(mark, language):
        return (as_decimal,)
    if mark == "," or _is_decimal_mark(",", language):
        return (as_group,)
    return as_decimal, as_group


def _with_both_marks(plain: str) -> tuple[Decimal, ...]:
    """The last of the two marks is the decimal one, and the other one parts groups of three."""
    decimal = max(".,", key=plain.rfind)
    group = "." if decimal == "," else ","
    if not re.fullmatch(rf"\d{{1,3}}(?:\{group}\d{{3}})+\{decimal}\d+", plain):
        return ()
    return (Decimal(plain.replace(group, "").replace(decimal, ".")),)


def _is_decimal_mark(mark: str, language: str | None) -> bool:
    """Whether a language surely writes its decimals with this mark."""
    return (language or "").lower().partition("-")[0] in (_DECIMAL_COMMA if mark == "," else _DECIMAL_POINT)


def worth(words: str) -> Decimal | None:
    """What English number words are worth together; None where they make up no number, as "two three" and "hundred" do not."""
    if words.lower().startswith(("hundred", "dozen", *SCALES)):
        return None
    total, part, last = 0, 0, 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in _SMALL:
            value = _SMALL[word]
            if last and last != 100 and not (last >= 20 and value < 10):
                return None
            part, last = part + value, value
        elif word in _HUNDREDS and part >= 100:
            return None
        elif word in _HUNDREDS:
            part, last = max(part, 1) * _HUNDREDS[word], 100
        elif word in SCALES:
            total, part, last = total + max(part, 1) * SCALES[word], 0, 100
    return Decimal(total + part)
