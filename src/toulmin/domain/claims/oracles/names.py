"""Names: the claim names something that its source does not, or another one in the same place."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Final

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.clauses import Clauses, quoted
from toulmin.domain.claims.oracles.language import covered
from toulmin.domain.claims.oracles.polarity import Polarity
from toulmin.domain.claims.oracles.statement import Pair, Statement
from toulmin.domain.claims.oracles.words import FUNCTION_WORDS, Word, stem

NAME: Final = "names"

_OTHERS: Final = frozenset(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday true false none null nil yes ok tv id am pm ad bc ce bce vs mr mrs ms dr
    """.split()
)
"""Words with a capital letter that name no thing: dates, which another oracle compares, values, and abbreviations that everyone reads."""

_PRONOUNS: Final = frozenset("he her him his it its she their them they this these".split())
"""Words by which a source may call what the claim calls by its name."""

_KINDS: Final = frozenset(
    map(
        stem,
        """
        agency airline album animal app author award band bank book city club college community company country county disease district
        drug episode event festival film firm franchise game group hotel industry institution island magazine manufacturer medicine movie
        museum network newspaper novel organisation organization park party play poem product programme publisher region restaurant river
        school season series ship show singer single site software song species store team town tournament university village website
        actor actress artist building car church person plant player president century king queen prince princess minister senator governor
        mayor professor captain general state government congress parliament court republic kingdom internet
        """.split(),
    )
)
"""Words by which a source may call a thing whose name its title has ("the film"), and which name nothing by themselves."""

_DETERMINERS: Final = frozenset("the this that these those its their his her".split())

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

_SAME_MATTER = 0.8
"""Of the rest of the claim, the share that a sentence has to say too, so that another name there is in the place of the claim's."""
_ACRONYM = 8
"""Longer words with capital letters inside are names of things in a program."""
_ROMAN = frozenset("ivxlcdm")
_BEGINNING = 4
"""So many first letters in common make two proper names forms of one: "Europe" and "European"."""
_LONG = 5
"""Names with fewer letters than these are not taken for one another's misspelling."""
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
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


def objections(pair: Pair) -> Iterator[Objection]:
    """At most one objection: a name that stands nowhere in the evidence or its titles, or a sentence that says the same of another thing."""
    if pair.aligned and covered(pair.claim.content, pair.claim.language):
        names = tuple(_names(pair.claim))
        yield from islice(chain(_swapped(pair, names), _unknown(pair, names), _other_subject(pair)), 1)


@dataclass(frozen=True, slots=True)
class _Name:
    """A name, words `first` to `last` (half-open) of a statement, and how it is written."""

    statement: Statement
    first: int
    last: int
    kind: str

    @property
    def words(self) -> tuple[Word, ...]:
        return self.statement.words[self.first : self.last]

    @property
    def span(self) -> tuple[int, int]:
        return self.words[0].start, self.words[-1].end

    @property
    def is_proper(self) -> bool:
        """Whether it is written as people and places are, or as products are: "LinkedIn"."""
        return self.kind == "name" or (
            self.kind == "acronym" and self.words[0].surface.isalpha() and not self.words[0].surface.isupper()
        )

    @property
    def before(self) -> str | None:
        return self.statement.words[self.first - 1].stem if self.first else None

    @property
    def after(self) -> str | None:
        return self.statement.words[self.last].stem if self.last < len(self.statement.words) else None


def _names(statement: Statement) -> Iterator[_Name]:
    """The names of a statement: each identifier, and each run of words with a capital letter; one at the beginning makes none."""
    words, at = statement.words, 0
    while at < len(words):
        kind, last = _kind(statement, at), at + 1
        if kind == "name":
            while (
                last < len(words)
                and _kind(statement, last) == "name"
                and statement.text[words[last - 1].end : words[last].start] == " "
            ):
                last += 1
        if kind is not None:
            yield _Name(statement, at, last, kind)
        at = last


def _kind(statement: Statement, at: int) -> str | None:
    """How a word is written: as an option, a constant, an identifier, a proper name, or None for a word that is no name."""
    word = statement.words[at]
    surface = word.surface
    if surface.isalpha() and surface.islower():
        return None
    if word.is_number or word.word in _OTHERS or not word.is_content or _ROMAN.issuperset(word.word):
        return None
    if surface.startswith("-"):
        return "option"
    if _INITIALS.fullmatch(surface):
        return "acronym" if surface.isupper() else None
    if any(mark in surface for mark in "_.-"):
        return "constant" if surface.isupper() else "identifier"
    if word.is_name and surface.isalnum() and not (at > 0 and statement.words[at - 1].surface.istitle()):
        return "acronym" if len(surface) <= _ACRONYM else "identifier"
    return "name" if surface[0].isupper() and at > 0 and not _opens(statement, at) else None


def _opens(statement: Statement, at: int) -> bool:
    """Whether a word opens a quotation, an item or what follows a colon, where a capital means as little as at the beginning."""
    gap = statement.text[statement.words[at - 1].end : statement.words[at].start]
    return any(mark in gap for mark in ':"“\n.!?*')


def _unknown(pair: Pair, names: Sequence[_Name]) -> Iterator[Objection]:
    """Names of the claim that stand nowhere in its evidence, nor in what the sources are called."""
    clauses, polarity = Clauses.of(pair.claim), Polarity.of(pair.claim)
    refers_back = any(_refers_back(statement, pair.claim) for statement in pair.aligned)
    for name in names:
        if polarity.odd[name.first] or _KINDS.issuperset(word.stem for word in name.words):
            continue  # what is denied need not be there
        if name.is_proper and (refers_back or name.first <= clauses.start(name.first) + 1):
            continue  # who does something may be "it", "she" or "the film" in the source
        if not _is_known(name, pair):
            yield _objection(pair, Strength.UNSETTLES, name, pair.aligned[0], None)


def _refers_back(statement: Statement, claim: Statement) -> bool:
    """Whether a sentence may call something by a pronoun, or by its kind, that the claim calls by its name."""
    words = statement.words
    return any(
        word.word in _PRONOUNS
        or (word.stem in _KINDS and word.stem not in claim.stems and at > 0 and words[at - 1].word in _DETERMINERS)
        for at, word in enumerate(words)
    )


def _is_known(name: _Name, pair: Pair) -> bool:
    """Whether a name stands in the evidence or a title: itself, its last part, as what it abbreviates, or in another form."""
    known = pair.known
    if any(word.stem in known for word in name.words) or _has_an_alias(name, pair):
        return True
    match name.kind:
        case "name":
            beginnings = {_plain(item)[:_BEGINNING] for item in known if len(item) >= _BEGINNING}
            return any(_plain(item.stem)[:_BEGINNING] in beginnings for item in name.words)
        case "acronym" if pair.claim.text[: name.span[0]].endswith("("):
            return True  # the claim's own short form of what stands before it
        case "acronym":
            return _is_short_for_something(name.words[0].word.removesuffix("s"), pair)
        case "identifier":
            return _are_parts_known(name.words[0].surface, known)
        case _:
            return False


def _has_an_alias(name: _Name, pair: Pair) -> bool:
    """Whether the evidence has a name of a country in another form, as "Dutch" for "Netherlands" and "US" for "American"."""
    stems = {word.stem.replace(".", "") for word in name.words}
    groups = [group for group in _ALIASES if not group.isdisjoint(stems)]
    return bool(groups) and any(
        word.stem.replace(".", "") in group and not word.surface.islower()
        for group in groups
        for statement in pair.evidence
        for word in statement.words
    )


def _are_parts_known(surface: str, known: frozenset[str]) -> bool:
    """Whether the last part of a dotted name is known, or all parts of another one; of "SF1-expressing", the part that is a name."""
    dotted = {stem(part) for item in known if "." in item for part in item.split(".")}
    if stem(surface.lower().rpartition(".")[2]) in known | dotted:
        return True
    parts = [part for part in re.split("[_-]", surface) if part]
    if "_" not in surface and "." not in surface:
        parts = [part for part in parts if not (part.isalpha() and part.islower())] or parts
    return all(part.lower() in FUNCTION_WORDS or stem(part.lower()) in known for part in parts)


def _is_short_for_something(acronym: str, pair: Pair) -> bool:
    """Whether letters are the initials of words of the evidence that stand together, are found in order inside of one, or in another form."""
    letters = _DIGITS.sub("", acronym.replace(".", ""))
    words = [_plain(word.word) for statement in pair.evidence for word in statement.words]
    parts = [part for word in words for part in re.split("[-.]", word) if part]
    if acronym in "".join(words) or (letters == acronym and letters in "".join(words)):
        return True
    digits = acronym.replace(".", "").removeprefix(letters)
    if letters in "".join(part[0] for part in parts) and (not digits or digits in parts):
        return True
    if digits and (letters in words or any(_is_other_form(acronym, word) for word in words)):
        return True
    long = len(letters) > 2 and not digits
    return long and any(word[0] == letters[0] and _in_order(letters, word) for word in words)


def _is_other_form(acronym: str, word: str) -> bool:
    """Whether an acronym with a number is another one with letters left out, as "K17" for "KRT17"."""
    number = _DIGITS.search(acronym)
    return (
        number is not None
        and len(word) > len(number[0])
        and word.endswith(number[0])
        and word[0] == acronym[0]
        and _in_order(word.removesuffix(number[0]), acronym)
    )


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _plain(word: str) -> str:
    """A word without accents, and with its Greek letters spelled."""
    if word.isascii():
        return word
    word = word.translate(_GREEK)
    return "".join(mark for mark in unicodedata.normalize("NFD", word) if not unicodedata.combining(mark))


def _swapped(pair: Pair, names: Sequence[_Name]) -> Iterator[Objection]:
    """A name of the claim in whose place an aligned sentence, otherwise the same, has another name of its kind."""
    for name in names:
        own = {word.stem for word in name.words}
        if any(own & item.stems for item in pair.aligned):
            continue
        rest = pair.claim.stems - own
        for statement in pair.aligned:
            if rest and len(rest & statement.stems) >= _SAME_MATTER * len(rest):
                yield from (
                    _objection(pair, Strength.CONTRADICTS, name, statement, other)
                    for other in _names(statement)
                    if _in_place_of(other, name, pair)
                )


def _in_place_of(other: _Name, name: _Name, pair: Pair) -> bool:
    """Whether a name of the source stands where the claim has this one, and is no form of it."""
    if other.kind != name.kind or any(word.stem in pair.claim.stems for word in other.words):
        return False
    before = name.before is not None and name.before == other.before
    after = name.after == other.after
    if name.kind in ("name", "acronym"):
        return before and after and not _are_forms_of_one(name, other)
    return before or (after and name.after is not None)


def _are_forms_of_one(name: _Name, other: _Name) -> bool:
    ones, others = ({_plain(word.stem.replace(".", "")) for word in item.words} for item in (name, other))
    aliases = any(not group.isdisjoint(ones) and not group.isdisjoint(others) for group in _ALIASES)
    return aliases or any(_are_alike(one, another) for one, another in product(ones, others))


def _are_alike(name: str, other: str) -> bool:
    """Whether one word is in the other, both begin alike, or one is the other misspelled."""
    return name in other or other in name or name[:_BEGINNING] == other[:_BEGINNING] or _is_misspelled(name, other)


def _is_misspelled(name: str, other: str) -> bool:
    """Whether two long words have the same letters but two at most, and the same first one."""
    missing = sum(((Counter(name) - Counter(other)) + (Counter(other) - Counter(name))).values())
    return min(len(name), len(other)) >= _LONG and name[0] == other[0] and missing <= 2


def _other_subject(pair: Pair) -> Iterator[Objection]:
    """An aligned sentence that says all the rest of the claim, with the same verb, of another thing."""
    subject = _subject(pair.claim)
    if subject is None:
        return
    word, verb = pair.claim.words[subject : subject + 2]
    rest = pair.claim.stems - {word.stem}
    if not rest or any(rest <= item.stems and word.stem in item.stems for item in pair.evidence):
        return
    for statement in pair.aligned:
        place = _subject(statement)
        if place is None or not rest <= statement.stems or statement.words[place].stem in pair.claim.stems:
            continue
        same = _are_alike(word.stem, statement.words[place].stem) or statement.words[place].stem in _KINDS
        if statement.words[place + 1].stem == verb.stem and not same:
            other = _Name(statement, place, place + 1, "noun")
            yield _objection(
                pair, Strength.UNSETTLES, _Name(pair.claim, subject, subject + 1, "noun"), statement, other
            )


def _subject(statement: Statement) -> int | None:
    """The place of the word that a plain sentence is about: the one after "the" that opens it, where a word follows."""
    words = statement.words
    opened = len(words) > 2 and words[0].word in ("the", "each", "every")
    return 1 if opened and words[1].is_content and words[1].surface.islower() else None


def _objection(pair: Pair, strength: Strength, name: _Name, statement: Statement, other: _Name | None) -> Objection:
    here, there = name.span, other.span if other else (statement.start, statement.end)
    says = (
        f"the claim says it of {quoted(pair.claim, here)}; the source says it of {quoted(statement, there)}"
        if other
        else f"the claim names {quoted(pair.claim, here)}, which stands nowhere in the source: {quoted(statement, there)}"
    )
    return pair.objection(NAME, strength, says, claim=here, against=statement, evidence=there)
