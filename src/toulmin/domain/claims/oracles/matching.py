"""Matching: whether the evidence states a quantity of the claim, and if not, what it states in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.oracles.figures.measures import MEASURES, PERCENT, named
from toulmin.domain.claims.oracles.figures.quantities import Quantity
from toulmin.domain.claims.oracles.figures.releases import Release
from toulmin.domain.claims.oracles.fit import Fit, alike, fit_of, scales_of
from toulmin.domain.claims.oracles.statement import Pair, Statement
from toulmin.domain.claims.oracles.words import stem

_LONGEST = 40
"""Of a sentence's words that name something, the most with which it may still be said to be about one thing."""
SURE = 0.6
"""Of a claim's content, the share that a sentence has to speak about for another value in it to deny the claim."""

_YEAR = MEASURES["year"]
_IN_WORDS = {
    number: frozenset(map(stem, words.split()))
    for number, words in {
        1: "single sole alone first", 2: "pair couple double twin", 3: "third triple trio", 4: "fourth", 5: "fifth", 6: "sixth",
        7: "seventh", 8: "eighth", 9: "ninth", 10: "tenth",
    }.items()
}  # fmt: skip
"""Words, as stems, that say that there is so many of a thing, or at least so many."""

_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)]|#\.)\s", re.MULTILINE)
_SERIES = re.compile(r"[^;.:]{1,200}?,\s[^,;.:]{0,60}?\b(?:and|or)\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A quantity of the claim that the evidence does not state, and the nearest that it states: None where it has nothing like it."""

    claim: Quantity
    against: Statement
    evidence: Quantity | None
    fit: Fit
    strength: Strength

    @property
    def span(self) -> tuple[int, int]:
        """Where the evidence is silent or says otherwise, as a range of its text."""
        seen = self.evidence or self.against
        return seen.start, seen.end


@lru_cache(maxsize=4)
def findings(pair: Pair) -> tuple[Finding, ...]:
    """For each quantity of the claim that the evidence neither states nor implies, what stands against it.

    Several families ask for the same pair in turn.
    """
    return tuple(_findings(pair)) if pair.evidence else ()


def _findings(pair: Pair) -> Iterator[Finding]:
    for quantity in pair.claim.figures.quantities:
        if quantity.ordinal or quantity.casual or _is_a_version(pair, quantity) or _is_settled(pair, quantity):
            continue
        finding = _against(pair, quantity)
        if finding is not None:
            yield finding


def said(statement: Statement, start: int, end: int) -> str:
    """The words of a range in one line."""
    return " ".join(statement.text[start:end].split())


def is_best(pair: Pair, statement: Statement, *, but: tuple[int, int] = (0, 0)) -> bool:
    """Whether a sentence is the one that speaks most about what the claim speaks about, and surely about the same thing.

    What the claim says in figures does not count, nor do its words in the range `but`.
    """
    return bool(pair.aligned) and statement is pair.aligned[0] and _speaks_of_the_same(pair, but)


@lru_cache(maxsize=8)
def _speaks_of_the_same(pair: Pair, but: tuple[int, int]) -> bool:
    """Whether the best sentence surely speaks about what the claim speaks about, leaving out the range `but` of that."""
    stems = pair.aligned[0].stems
    if len(stems) > _LONGEST:
        return False
    spans = [but, *pair.claim.figures.spans]
    named = {
        word.stem
        for word in pair.claim.words
        if word.is_content and not any(start <= word.start < end for start, end in spans)
    }
    return len(named & stems) >= SURE * len(named)


def _is_settled(pair: Pair, quantity: Quantity) -> bool:
    """Whether the evidence states or implies a quantity: any sentence, unless the best one has another just in its place."""
    contested = bool(pair.aligned) and _has_rival(pair, quantity, pair.aligned[0])
    return _is_stated(pair, quantity, pair.aligned if contested else pair.in_order) or any(
        _is_difference(quantity, item) or _has_both_ends(quantity, item) for item in pair.aligned
    )


def _is_stated(pair: Pair, quantity: Quantity, statements: Sequence[Statement]) -> bool:
    """Whether one of the sentences states a quantity, or implies it and is aligned."""
    for statement in statements:
        for item in statement.figures.quantities:
            fit = fit_of(quantity, item)
            is_implied = fit is Fit.IMPLIED and (statement in pair.aligned or _at_its_end(quantity, item))
            if fit is Fit.STATED or is_implied:
                return True
    return False


def _has_rival(pair: Pair, quantity: Quantity, statement: Statement) -> bool:
    """Whether a sentence surely has another quantity in the place of the claim's."""
    return is_best(pair, statement) and any(
        _tells(quantity, item) and _is_sure(pair, quantity, statement, item, fit_of(quantity, item))
        for item in statement.figures.quantities
    )


def _at_its_end(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the evidence names the very number that the claim bounds by."""
    return claim.value * claim.factor == evidence.value * evidence.factor


def _against(pair: Pair, quantity: Quantity) -> Finding | None:
    """The quantity of the evidence that tells most against one that is not settled; None where it is known in another way."""
    for statement in pair.in_order:
        near = statement in pair.aligned
        telling = [
            item for item in statement.figures.quantities if _tells(quantity, item) and (near or alike(quantity, item))
        ]
        if telling:
            item = max(telling, key=lambda item: (alike(quantity, item), fit_of(quantity, item)))
            if not alike(quantity, item) and _is_known(pair, quantity):
                return None
            fit = fit_of(quantity, item)
            sure = _has_rival(pair, quantity, statement) and not _is_stated(pair, quantity, pair.in_order)
            strength = Strength.CONTRADICTS if sure else Strength.UNSETTLES
            return Finding(claim=quantity, against=statement, evidence=item, fit=fit, strength=strength)
    if quantity.label or quantity.few or _is_known(pair, quantity):
        return None
    against = pair.aligned[0] if pair.aligned else pair.evidence[0]
    return Finding(claim=quantity, against=against, evidence=None, fit=Fit.UNRELATED, strength=Strength.UNSETTLES)


def _tells(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the evidence's quantity may stand against the claim's: of a label or a few things, only one that labels or counts the same."""
    if evidence.casual or ((claim.label or claim.few) and not alike(claim, evidence)):
        return False
    return claim.label <= evidence.label and fit_of(claim, evidence) > Fit.UNRELATED


def _is_sure(pair: Pair, claim: Quantity, statement: Statement, evidence: Quantity, fit: Fit) -> bool:
    """Whether the evidence's quantity surely stands where the claim's stands: both are the only ones of their kind."""
    others = [item for item in statement.figures.quantities if item is not evidence and not item.casual]
    siblings = [item for item in pair.claim.figures.quantities if item is not claim]
    if any(alike(claim, item) for item in (*others, *siblings)):
        return False
    match fit:
        case Fit.OTHER_VALUE:
            return alike(claim, evidence) and not _differ(claim, evidence)
        case Fit.OTHER_UNIT:
            factors = sorted((claim.factor, evidence.factor))
            return claim.dimension == evidence.dimension and factors[1] > factors[0] * 2
        case _:
            return fit is Fit.EXCLUDED


def _differ(claim: Quantity, evidence: Quantity) -> bool:
    """Whether two numbers count things of one kind and yet not the same: "two hydrogen atoms" and "one oxygen atom"."""
    return claim.nouns[1:] == evidence.nouns[1:] != () and claim.nouns[0] != evidence.nouns[0]


def _is_difference(quantity: Quantity, statement: Statement) -> bool:
    """Whether a quantity is the difference of two in one sentence; that of two percentages is in percentage points."""
    if quantity.upper is not None or quantity.dimension == "percent":
        return False
    dimension = "percent" if quantity.dimension == "percentage points" else quantity.dimension
    values = [
        item.value * item.factor
        for item in statement.figures.quantities
        if item.dimension == dimension and (item.measure or set(item.nouns) & set(quantity.nouns))
    ]
    return any(abs(a - b) == quantity.value * quantity.factor for a, b in combinations(values[:8], 2))


def _has_both_ends(quantity: Quantity, statement: Statement) -> bool:
    """Whether both ends of a claimed range stand in one sentence as numbers of that kind."""
    if quantity.upper is None:
        return False
    values = {item.value for item in statement.figures.quantities if item.upper is None and _same_unit(quantity, item)}
    return {quantity.value, quantity.upper} <= values


def _same_unit(claim: Quantity, evidence: Quantity) -> bool:
    mine, theirs = scales_of(claim, evidence) or (0, 1)
    return mine == theirs


def is_version(pair: Pair, release: Release) -> bool:
    """Whether a number of the claim that may be a version is one: it is written as one, or the evidence has versions of that product."""
    return release.sure or any(
        other.sure and (other.name == release.name or (not release.is_whole and None in {other.name, release.name}))
        for statement in pair.in_order
        for other in statement.figures.releases
    )


def _is_a_version(pair: Pair, quantity: Quantity) -> bool:
    return any(
        release.start <= quantity.end and quantity.start <= release.end and is_version(pair, release)
        for release in pair.claim.figures.releases
    )


def _is_known(pair: Pair, quantity: Quantity) -> bool:
    """Whether a whole number is known in another way.

    A bare one may be a part of a date or version, the length of a list, an ordinal or in a word such as "single", or stand in the titles.
    """
    if quantity.upper is not None or quantity.value != quantity.value.to_integral_value():
        return False
    number = int(quantity.value)
    if quantity.measure is not None:
        return _is_known_amount(pair, quantity, number)
    if not pair.known.isdisjoint(_IN_WORDS.get(number, ())):
        return True
    if quantity.relation.is_bound:
        return False
    if str(number) in pair.context:
        return True
    for statement in pair.evidence:
        if any(item.ordinal and number == item.value for item in statement.figures.quantities):
            return True
        if any(number == moment.year for moment in statement.figures.moments):
            return True
        if any(number == release.version.major for release in statement.figures.releases):
            return True
    return number <= 12 and bool(quantity.nouns) and number in _lengths(pair)


def _is_known_amount(pair: Pair, quantity: Quantity, number: int) -> bool:
    """Whether an amount goes without saying: one of a unit that the evidence names, all of 100 %, or the years between two of a sentence."""
    if number == 1:
        return any(named(word.word) == quantity.measure for statement in pair.evidence for word in statement.words)
    if number == 100 and quantity.measure is PERCENT:
        return not quantity.relation.is_bound
    if quantity.measure != _YEAR:
        return False
    years = ([moment.year for moment in statement.figures.moments if moment.year] for statement in pair.aligned)
    return any(abs(a - b) == number for each in years for a, b in combinations(each[:8], 2))


def _lengths(pair: Pair) -> set[int]:
    """How many items the lists and series of the evidence have."""
    lengths = {len(_LIST_ITEM.findall(cited.words)) for cited in pair.passages}
    for statement in pair.aligned:
        content = statement.content
        lengths |= {found[0].count(",") + more for found in _SERIES.finditer(content) for more in (1, 2)}
        lengths |= {2} if re.search(r"\b(?:and|or|both|either)\b", content) else set()
    return lengths - {0, 1}
