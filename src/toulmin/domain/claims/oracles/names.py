"""Names: the claim names something that its source does not, or another one in the same place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Final

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.clauses import Clauses, quoted
from toulmin.domain.claims.oracles.language import covered
from toulmin.domain.claims.oracles.polarity import Polarity
from toulmin.domain.claims.oracles.spellings import (
    are_alike,
    are_forms_of_one,
    are_parts_known,
    begin_alike,
    have_an_alias,
    is_misspelled,
    is_short_for_something,
)
from toulmin.domain.claims.oracles.statement import Pair, Statement
from toulmin.domain.claims.oracles.words import Word, stem

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
        actor actress agency airline album animal app area artist author award band bank book building captain car
        century ceremony church city club college community company congress country county court disease district
        drug episode event festival film firm franchise game general government governor group hotel industry
        institution internet island king kingdom magazine manufacturer mayor medicine minister movie museum network
        newspaper novel organisation organization park parliament party peninsula person plant play player poem
        president prince princess product professor programme publisher queen race region republic restaurant river
        school season senator series ship show singer single site software song species state store team territory
        tournament town university village website
        """.split(),
    )
)
"""Words by which a source may call a thing whose name its title has ("the film"), and which name nothing by themselves."""

_DETERMINERS: Final = frozenset("the this that these those its their his her".split())

_LINKS: Final = frozenset("a an and at by de for from in of on the to".split())
"""Words inside of names and titles."""

_SAME_MATTER = 0.8
"""Of the rest of the claim, the share that a sentence has to say too, so that another name there is in the place of the claim's."""
_ACRONYM = 8
"""Longer words with capital letters inside are names of things in a program."""
_ROMAN = frozenset("ivxlcdm")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
_YEARS = re.compile(r"(?:mid|pre|post|early|late)-\d{4}s?")


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
    if len(surface) == 1 or _YEARS.fullmatch(surface):
        return None
    if _INITIALS.fullmatch(surface):
        return None if surface.islower() or _is_part_of_a_name(statement, at) else "acronym"
    if any(mark in surface for mark in "_.-"):
        return "constant" if surface.isupper() else "identifier"
    if word.is_name and surface.isalnum() and not (at > 0 and statement.words[at - 1].surface.istitle()):
        return "acronym" if len(surface) <= _ACRONYM else "identifier"
    return "name" if surface[0].isupper() and at > 0 and not _opens(statement, at) else None


def _is_part_of_a_name(statement: Statement, at: int) -> bool:
    """Whether a proper name stands beside a word, as beside the initials of a person or a club."""
    beside = statement.words[max(0, at - 1) : at] + statement.words[at + 1 : at + 2]
    return any(word.surface[0].isupper() and word.is_content for word in beside)


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
        if name.is_proper and (refers_back or _opens_its_clause(name, clauses)):
            continue  # who does something may be "it", "she" or "the film" in the source
        if not _is_known(name, pair):
            yield _objection(pair, Strength.UNSETTLES, name, pair.aligned[0], None)


def _opens_its_clause(name: _Name, clauses: Clauses) -> bool:
    """Whether a name is the first thing of its clause, alone or within a longer name as "The House of the Spirits" is."""
    start = clauses.start(name.first)
    before = clauses.words[start : name.first]
    return len(before) < 2 or all(word.word in _LINKS or not word.surface.islower() for word in before)


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
    known, own = pair.known, [word.stem for word in name.words]
    if any(word.stem in known or word.word.replace("-", "") in known for word in name.words):
        return True
    evidence = [word for statement in pair.evidence for word in statement.words]
    if have_an_alias(own, (word.stem for word in evidence if not word.surface.islower())):
        return True
    match name.kind:
        case "name":
            return any(begin_alike(one, other) or is_misspelled(one, other) for one, other in product(own, known))
        case "acronym" if pair.claim.text[: name.span[0]].endswith("("):
            return True  # the claim's own short form of what stands before it
        case "acronym":
            return is_short_for_something(name.words[0].word.removesuffix("s"), [word.word for word in evidence])
        case "identifier":
            return are_parts_known(name.words[0].surface, known)
        case _:
            return False


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
        return (
            before
            and after
            and not are_forms_of_one([word.stem for word in name.words], [word.stem for word in other.words])
        )
    return before or (after and name.after is not None)


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
        same = are_alike(word.stem, statement.words[place].stem) or statement.words[place].stem in _KINDS
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
