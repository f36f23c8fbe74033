"""Quantities: the numbers of a text, with what they count or measure and how the text bounds them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import prod
from typing import NamedTuple
from unicodedata import normalize

from toulmin.domain.claims.oracles.figures.measures import MEASURES, TIMES, Measure, measure_at, named, rate_at
from toulmin.domain.claims.oracles.figures.numerals import DIGITS, NUMBER_WORDS, SCALES, WORDS, readings, worth
from toulmin.domain.claims.oracles.figures.relations import Relation, after, before, implied
from toulmin.domain.claims.oracles.figures.tables import ColumnHeads, column_heads
from toulmin.domain.claims.oracles.words import FUNCTION_WORDS, stem

_LETTER = "A-Za-z_\u00c0-\u024f\u0370-\u04ff"
"""Letters of scripts that part words by spaces, in which a number next to a letter is a piece of a word."""
_NOT_WITHIN = rf"(?<![\d{_LETTER}]) (?<![\d{_LETTER}][-‑/]) (?<!\d[.,])"
"""What a number does not stand behind: a letter, a hyphen after one, and the mark of another number."""
SINGLE_UNITS = frozenset(
    "nanosecond microsecond millisecond second minute hour day week month year decade century dozen byte kilobyte megabyte gigabyte"
    " terabyte metre meter kilometre kilometer millimetre millimeter kilogram gram litre liter percent".split()
)
"""Units before which an article may stand for one."""

_IN_DIGITS = rf"""
    (?=[\d$€£¥₹−–[\#@-])
    (?:
      (?P<skip> \[\d+\]_? | (?<!\w)[\#@]\d+ | ^\d+[.)](?=\s) | (?<![\w.])\d+(?:\.\d+){{2,}}(?:[:/]\d+)? | \d+/\d+ )
    | (?P<power> {_NOT_WITHIN} (?P<mantissa> \d+(?:\.\d+)? ) \s?[×x·]\s? 10 (?P<exponent> \^[−-]?\d{{1,2}} | −\d{{1,2}} | ⁻?[⁰¹²³⁴-⁹]{{1,2}} ) )
    | (?P<product> (?<![\w.]) \d[\d_]* (?: \s?\*\s? \d[\d_]* )+ (?!\w|\.\d) )
    | (?P<sign> (?:(?<=[\s(\[|"“'‘`=,:{{])|\A) [-−–] )? (?P<currency> (?<!\w) [$€£¥₹] \s? )? {_NOT_WITHIN} (?P<digits> {DIGITS} )
    )
"""
_IN_LETTERS = rf"""
    \b(?=[A-Za-z])
    (?i:
      (?P<address> https?://\S+ )
    | (?P<keyword> nanoseconds|microseconds|milliseconds|seconds|minutes|hours|days|weeks)=(?P<given>\d[\d_]*)
    | (?P<half> half \s (?:an?\s) | an?\s half\s | (?:halves|halved|halving)(?=\s(?:the|its|their|an?)\b)
        | twice(?=\s(?:as|the|its|their)\b) | (?:doubles|doubled|triples|tripled)(?=\s(?:the|its|their)\b) )
    | (?<![\w-]) (?P<words> {NUMBER_WORDS} )
    | (?:(?P<minus> minus\s ) | (?P<code> (?:US\$|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|SEK)\b) \s? )) (?P<more> {DIGITS} )
    | (?P<article> an? ) (?=\s(?:{"|".join(sorted(SINGLE_UNITS))})\b)
    )
"""
_FLAGS = re.VERBOSE | re.MULTILINE
_NUMBER = re.compile(f"{_IN_DIGITS} | {_IN_LETTERS}", _FLAGS)
_NUMBER_IN_DIGITS = re.compile(f"{_IN_DIGITS} | (?!) {_IN_LETTERS}", _FLAGS)
"""The same groups, of which those in letters match nothing."""
_WORD = re.compile(r"[a-z]+")
_SPELLED = WORDS | frozenset(
    "half halves halved halving twice doubles doubled triples tripled minus http https us usd eur gbp chf jpy cny inr sek".split()
)
_ARTICLES = frozenset({"a", "an"})
_FACTORS = {"half": Decimal("0.5"), "halv": Decimal("0.5"), "twic": Decimal(2), "doub": Decimal(2), "trip": Decimal(3)}
_SCALE = re.compile(
    r"(?:[ \u00a0\u202f-]?(?P<word>thousand|million|billion|trillion|bn|mn)\b|(?P<letter>[kmM])\b)", re.IGNORECASE
)
_LETTERS = {"k": 10**3, "m": 10**6}
_TO = re.compile(r"\s*(?P<dash>[–—-]|\.\.\.?)\s*|\s+(?P<to>to|through|and|bis)\s+")
_SECOND = re.compile(rf"(?P<sign>[-−])?(?P<digits>{DIGITS})(?!\d)|(?P<words>{NUMBER_WORDS})", re.IGNORECASE)
_PARTS = re.compile(r"\d+(?:\.\d+)?")
_BY = re.compile(r"\s?(?:×|x|by)\s?\d+(?:[.,]\d+)*", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(between|from|of)\s+\Z", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:rose|rise[ns]?|fell|falls?|fallen|grew|grow[ns]?|increas\w+|decreas\w+|drop\w*|chang\w+|went|climb\w*|declin\w+|mov\w+|jump\w*"
    r"|rais\w+|reduc\w+|cut|lower\w*|rais\w+|improv\w+|up|down|switch\w*|shrank|shr\w+nk)\b[^.;]{0,40}\bfrom\s+\Z",
    re.IGNORECASE,
)
_NOUN = re.compile(r"[\s`*_]{1,4}(?:(?:of|the)\s(?:the\s)?)?([^\W\d_]+)(?:[\s`*_]{1,3}([^\W\d_]+))?")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_WORD_GOES_ON = re.compile(rf"[-‑'’]?[{_LETTER}]|[-‑]?\d")
_LONGEST_NUMBER = 28
"""Of characters; more of them are a serial number, and more than decimal arithmetic keeps."""
_AND_A_HALF = re.compile(r"\s+and\s+(?:a|one)[\s-]half\b")
_CLOCK = re.compile(r"\s+o['’]clock\b")
_OF_A_CENTURY = re.compile(r"\b(?:the|early|mid|late)[\s-]\Z", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[ \u00a0]\Z")
_REFERENCE = re.compile(r"(?:\s?[,–-]\s?\d{1,3})*(?P<mark>\]|\)|,,)")
_REFERENCES = re.compile(r"[\d\s,–-]*")
_MANY_REFERENCES = 100
_EXACT = frozenset({Relation.IS, Relation.EXACTLY})
_FEW = frozenset(map(Decimal, (2, 3, 4)))
_LABELS = frozenset(
    "annex appendix article case chapter class episode figure grade group item level no number page paragraph part phase rule schedule"
    " season section series stage step table tier type volume world".split()
)


class Quantity(NamedTuple):
    """A number in its text: `text[start:end]`, from the words that bound it to its unit.

    `readings` are what the number is worth: several where its marks can be read in several ways. `upper` is the other end of a range.
    `loose` says that the bound comes from a noun such as "maximum" elsewhere in the clause. `nouns` are the stems of what it counts.
    `counts` says that the first of them is a plural, which it surely counts. `label` says that the number names one of several things, as
    in "season 8" and "Type 2", and counts nothing. `casual` says that it may be no more than a way of speaking, as in "a week", "one
    of" and "two-step", or a reference mark. `few` says that it is a word for as many things as a text seldom counts: "a man and a woman".
    """

    start: int
    end: int
    readings: tuple[Decimal, ...]
    upper: Decimal | None = None
    measure: Measure | None = None
    rate: Measure | None = None
    nouns: tuple[str, ...] = ()
    counts: bool = False
    relation: Relation = Relation.IS
    loose: bool = False
    ordinal: bool = False
    label: bool = False
    casual: bool = False
    few: bool = False

    @property
    def value(self) -> Decimal:
        return self.readings[0]

    @property
    def is_exact(self) -> bool:
        """Whether it is no more and no less than its value."""
        return self.upper is None and self.relation in _EXACT

    @property
    def factor(self) -> Decimal:
        return self.measure.factor if self.measure else Decimal(1)

    @property
    def dimension(self) -> str | None:
        return self.measure.dimension if self.measure else None


def quantities(
    text: str, start: int, end: int, language: str | None, taken: Sequence[tuple[int, int]]
) -> Iterator[Quantity]:
    """The numbers of `text[start:end]`, in their order. `taken` are the ranges of dates and versions, which are no quantities.

    A number within an identifier, an address or a version is none. A cell of a table takes its unit from the head of its column.
    """
    reader = _Reader(text=text, start=start, end=end, language=language)
    heads = column_heads(text, start, end)
    pattern = _NUMBER if in_letters(text[start:end]) else _NUMBER_IN_DIGITS
    at = start
    for found in pattern.finditer(text, start, end):
        is_taken = any(first < found.end() and found.start() < last for first, last in taken)
        if found.start() < at or found["skip"] or found["address"] or is_taken:
            continue
        for quantity in reader.read(found):
            at = max(at, quantity.end)
            yield _in_its_column(quantity, heads)


def in_letters(text: str) -> bool:
    """Whether there may be a number in letters, or one that begins in letters: most sentences have none, and need not be read for it."""
    words = frozenset(_WORD.findall(text.lower()))
    return (
        not words.isdisjoint(_SPELLED)
        or "=" in text
        or not (words.isdisjoint(_ARTICLES) or words.isdisjoint(SINGLE_UNITS))
    )


def _in_its_column(quantity: Quantity, heads: ColumnHeads | None) -> Quantity:
    """The quantity with the unit of its column, where it stands in a cell; words of other cells are no part of it."""
    if heads is None or quantity.start < heads.end:
        return quantity
    return quantity._replace(measure=quantity.measure or heads.measure(quantity.start), nouns=())


class _Number(NamedTuple):
    """A number without what belongs to it: `text[start:end]`. `currency` stands before it; `spelled` numbers are written in words."""

    start: int
    end: int
    values: tuple[Decimal, ...]
    currency: Measure | None = None
    spelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Reads what belongs to the numbers of `text[start:end]`: units, nouns, other ends of ranges, and bounds."""

    text: str
    start: int
    end: int
    language: str | None

    def read(self, found: re.Match[str]) -> Iterator[Quantity]:
        """The quantity of a number that the pattern found; none where it is no number, several where they are not parted by a space."""
        if found["given"]:
            value = Decimal(found["given"].replace("_", ""))
            yield Quantity(start=found.start(), end=found.end(), readings=(value,), measure=named(found["keyword"]))
        elif found["product"]:
            factors = [Decimal(part.replace("_", "")) for part in re.findall(r"[\d_]+", found["product"])]
            yield Quantity(start=found.start(), end=found.end(), readings=(prod(factors, start=Decimal(1)),))
        elif found["half"]:
            yield from self._times(found)
        else:
            quantities = (self._quantity(number) for number in self._numbers(found))
            yield from (quantity for quantity in quantities if quantity is not None)

    def _times(self, found: re.Match[str]) -> Iterator[Quantity]:
        """Half a unit; half, twice or three times as much."""
        word = found["half"].lower()
        if "half" not in word:
            times = Quantity(start=found.start(), end=found.end(), readings=(_FACTORS[word[:4]],), measure=TIMES)
            yield self._bounded(times, found.end())
        elif measured := measure_at(self.text, found.end() - 1, self.end):
            measure, end = measured
            half = Quantity(start=found.start(), end=end, readings=(Decimal("0.5"),), measure=measure)
            yield self._bounded(half, end)

    def _numbers(self, found: re.Match[str]) -> Iterator[_Number]:
        if found["article"]:
            yield _Number(start=found.start(), end=found.end(), values=(Decimal(1),), spelled=True)
        elif found["words"]:
            value = worth(found["words"])
            if value:  # "zero" says "no", no matter of numbers
                yield _Number(start=found.start(), end=found.end(), values=(value,), spelled=True)
        elif found["power"]:
            exponent = int(normalize("NFKC", found["exponent"]).strip("^").replace("−", "-"))
            yield _Number(start=found.start(), end=found.end(), values=(Decimal(found["mantissa"]).scaleb(exponent),))
        else:
            yield from self._in_digits(found)

    def _in_digits(self, found: re.Match[str]) -> Iterator[_Number]:
        group = "more" if found["more"] else "digits"
        if len(found[group]) > _LONGEST_NUMBER:
            return
        values, end = readings(found[group], self.language), found.end()
        if not values:  # several numbers with nothing but commas between them
            for part in _PARTS.finditer(self.text, found.start(group), end):
                yield _Number(start=part.start(), end=part.end(), values=(Decimal(part[0]),))
            return
        if found["sign"] or found["minus"]:
            values = tuple(-value for value in values)
        money = found["currency"] or found["code"]
        currency = MEASURES[money.strip().upper()] if money else None
        scale = _SCALE.match(self.text, end, self.end)
        if scale and (scale["word"] or currency or scale["letter"] == "k"):
            factor = SCALES[scale["word"].lower()] if scale["word"] else _LETTERS[scale["letter"].lower()]
            values, end = tuple(value * factor for value in values), scale.end()
        yield _Number(start=found.start(), end=end, values=values, currency=currency)

    def _quantity(self, number: _Number) -> Quantity | None:
        """The number with all that belongs to it; None for a piece of an identifier such as 3D."""
        if half := _AND_A_HALF.match(self.text, number.end, self.end):
            number = number._replace(values=tuple(value + Decimal("0.5") for value in number.values), end=half.end())
        if not number.spelled and (ordinal := _ORDINAL.match(self.text, number.end, self.end)):
            return Quantity(start=number.start, end=ordinal.end(), readings=number.values, ordinal=True)
        if clock := _CLOCK.match(self.text, number.end, self.end):
            return Quantity(start=number.start, end=clock.end(), readings=number.values, nouns=("clock",), label=True)
        if self._is_decade(number):
            return None
        measured = measure_at(self.text, number.end, self.end)
        if not measured and not number.spelled and _WORD_GOES_ON.match(self.text, number.end, self.end):
            return None
        measure, end = measured or (None, number.end)
        quantity = self._ranged(Quantity(start=number.start, end=end, readings=number.values, measure=measure))
        measure = number.currency or quantity.measure or self._of_a_product(quantity.end)
        quantity, at = self._counting(quantity._replace(measure=measure))
        quantity = self._bounded(quantity, at)
        return self._casual(quantity, number) if number.spelled else self._labelled(quantity)

    def _is_decade(self, number: _Number) -> bool:
        """Whether a number is one of "the 90s", which no seconds are."""
        is_plural = self.text.startswith("s", number.end) and not number.spelled and number.values[0] % 10 == 0
        return (
            is_plural and _OF_A_CENTURY.search(self.text, max(self.start, number.start - 8), number.start) is not None
        )

    def _ranged(self, quantity: Quantity) -> Quantity:
        """The quantity with the other end of its range, and the unit that stands behind that."""
        link = _TO.match(self.text, quantity.end, self.end)
        if link is None or (link["to"] and not self._links(quantity.start, link["to"])):
            return quantity
        second = _SECOND.match(self.text, link.end(), self.end)
        upper = self._value(second) if second else None
        if second is None or upper is None or upper <= quantity.value:
            return quantity
        measure, end = measure_at(self.text, second.end(), self.end) or (quantity.measure, second.end())
        return quantity._replace(upper=upper, measure=measure, end=end)

    def _links(self, at: int, word: str) -> bool:
        """Whether "to" or "and" after the number at `at` makes a range: not in "rose from 4 to 6", nor in "4 and 6"."""
        introduced = _BETWEEN.search(self.text, max(self.start, at - 12), at)
        if word == "and":
            return introduced is not None and introduced[1].lower() == "between"
        return not _CHANGE.search(self.text, max(self.start, at - 80), at)

    def _value(self, found: re.Match[str]) -> Decimal | None:
        """What the second number of a range is worth; None where that is not clear."""
        if found["words"]:
            return worth(found["words"])
        values = readings(found["digits"], self.language) if len(found["digits"]) <= _LONGEST_NUMBER else ()
        if len(values) != 1:
            return None
        return -values[0] if found["sign"] else values[0]

    def _of_a_product(self, at: int) -> Measure | None:
        """The unit of the first number in "16 by 16 pixels"."""
        found = _BY.match(self.text, at, self.end)
        measured = measure_at(self.text, found.end(), self.end) if found else None
        return measured[0] if measured else None

    def _counting(self, quantity: Quantity) -> tuple[Quantity, int]:
        """The quantity with what it counts and by which unit, and where all that ends."""
        at = quantity.end
        if quantity.measure is None and (found := _NOUN.match(self.text, at, self.end)):
            first, second = found[1].lower(), (found[2] or "").lower()
            if first not in FUNCTION_WORDS:
                goes_on = second and second not in FUNCTION_WORDS
                nouns = (stem(first), stem(second)) if goes_on else (stem(first),)
                counts = first.endswith("s")
                quantity = quantity._replace(nouns=nouns, counts=counts, end=found.end(1) if counts else at)
                at = found.end(2) if goes_on else found.end(1)
        if rated := rate_at(self.text, at, self.end):
            rate, end = rated
            return quantity._replace(rate=rate, end=end), end
        return quantity, at

    def _bounded(self, quantity: Quantity, at: int) -> Quantity:
        """The quantity with the words before and after it that bound it; `at` is where its unit or noun ends."""
        if quantity.upper is not None:
            between = _BETWEEN.search(self.text, max(self.start, quantity.start - 12), quantity.start)
            return quantity._replace(start=between.start() if between else quantity.start)
        if found := before(self.text, self.start, quantity.start):
            relation, start = found
            return quantity._replace(relation=relation, start=start)
        if found := after(self.text, at, self.end) or after(self.text, quantity.end, self.end):
            relation, end = found
            return quantity._replace(relation=relation, end=end)
        relation = implied(self.text, self.start, quantity.start)
        return quantity._replace(relation=relation, loose=relation is not Relation.IS)

    def _casual(self, quantity: Quantity, number: _Number) -> Quantity:
        """A spelled number, marked where it may be no more than an article, a plural ("more than one") or a part of a word."""
        has_bound = quantity.relation is not Relation.IS and not quantity.loose
        if quantity.measure is not None:
            is_article = self.text[number.start : number.end].lower() in {"a", "an"}
            return quantity._replace(casual=is_article and not has_bound)
        is_exact = quantity.relation is Relation.EXACTLY
        is_one = quantity.value == 1 and not is_exact
        few = quantity.value in _FEW and quantity.upper is None and not is_exact
        return quantity._replace(casual=is_one or self.text.startswith("-", number.end), few=few)

    def _labelled(self, quantity: Quantity) -> Quantity:
        """The quantity as a label, where the word before it makes it one: a word for a part, or a name that it belongs to."""
        if quantity.measure or quantity.relation is not Relation.IS or quantity.upper is not None or quantity.rate:
            return quantity
        if self._is_reference(quantity):
            return quantity._replace(casual=True)
        found = _WORD_BEFORE.search(self.text, max(self.start, quantity.start - 30), quantity.start)
        if found is None:
            return quantity
        word = found[1].lower()
        is_name = found[1][0].isupper() and found.start() > self.start
        return quantity._replace(label=True, nouns=(stem(word),)) if word in _LABELS or is_name else quantity

    def _is_reference(self, quantity: Quantity) -> bool:
        """Whether a number looks like the mark of a reference: "[12]", "(5)", or what is left of one, as in "12]" and "12,,"."""
        found = _REFERENCE.match(self.text, quantity.end, self.end)
        if found is None or quantity.value >= _MANY_REFERENCES or quantity.value != quantity.value.to_integral_value():
            return False
        opened = self.text.rfind("(", self.start, quantity.start)
        return (
            found["mark"] != ")"
            or opened < 0
            or _REFERENCES.fullmatch(self.text, opened + 1, quantity.start) is not None
        )
