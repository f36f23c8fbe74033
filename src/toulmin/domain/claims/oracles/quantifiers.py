"""Quantity words: the claim says of all, of none, of these only or as the most what its source says of some, or without comparing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Final

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.clauses import Clauses, Cue, Lexicon, quoted
from toulmin.domain.claims.oracles.language import covered
from toulmin.domain.claims.oracles.statement import Pair, Statement
from toulmin.domain.claims.oracles.words import Word, stem

NAME: Final = "quantifiers"

_LEXICON: Final = Lexicon(
    {
        "all": """
            all | every | each | always | everyone | everybody | everything | everywhere | invariably | without exception | in every case
            | in all cases | exactly as long as
            """,
        "none": "no | none | nobody | no one | nothing | never | neither",
        "part": "not all | not every | not each | not always | not everyone | not everything | not everywhere",
        "some": """
            some | several | many | few | a few | certain | sometimes | occasionally | various | selected | a number of | partly | partially
            | half | most | mostly | majority | usually | typically | generally | normally | often | frequently | commonly | by default
            | in some cases | in most cases | primarily | mainly | largely | rarely | seldom
            """,
        "only": "only | solely | exclusively | nothing but | none but | nobody but | no one but",
        "counted": """
            at all | not only | after all | all of a sudden | some time | at most | at least | for some time | each other | each other's | all in all
            | above all | first of all | all along | all right
            """,
        "loosely": """
            all about | it all | all over | all kinds of | all sorts of | all types of | for all | with all | thanks for all | are all
            | were all | they all | we all | you all | them all | us all
            """,
    }
)
_AS_GOOD_AS_ALL: Final = frozenset(
    """
    any anyone anything anywhere both complete completely constant constantly either entire entirely ever full fully must neither never no
    nobody none nothing only regardless throughout whatever whenever wherever whichever whoever whole
    """.split()
)
_AS_GOOD_AS_ONLY: Final = frozenset(
    "alone but except exclusive just limited must no none nothing other restricted restrict single sole specific unique unless until".split()
)
_NO_SUPERLATIVE: Final = frozenset(
    """
    arrest chest contest crest digest forest guest harvest honest interest invest manifest midwest modest nest northwest protest quest
    request rest southwest suggest test unrest vest west earnest behest conquest zest
    """.split()
)
_COMPARED: Final = frozenset(
    """
    above ahead as beyond better below best champion chief compared comparable decrease decreased decreases double exceed exceeded exceeds extra extreme favorite
    favourite first half highest increase increased increases leading less limit main maximum minimum more most only outperform outperforms
    over peak prefer preferable preferred premier primary principal record reduce reduced reduces than times top triple twice ultimate under
    worse
    """.split()
)
_TIMES: Final = frozenset(
    map(stem, "second minute hour day night morning evening week weekend month quarter year time sunday monday".split())
)
_SAME_MATTER = 0.6


@dataclass(frozen=True, slots=True)
class _Quantities:
    """A statement read for its quantity words."""

    statement: Statement
    clauses: Clauses
    cues: tuple[Cue, ...]

    def of(self, *kinds: str) -> list[Cue]:
        return [cue for cue in self.cues if cue.kind in kinds]

    def counted(self, cue: Cue) -> str | None:
        """The stem of what a quantity word counts: the next word that names something."""
        at = next(self.clauses.content(cue.last, cue.reach), None)
        return None if at is None else self.clauses.stem(at)

    def has(self, listed: frozenset[str]) -> bool:
        return not listed.isdisjoint(self.clauses.plain)


@lru_cache(maxsize=256)
def _quantities(statement: Statement) -> _Quantities:
    clauses = Clauses.of(statement)
    cues = (Cue(kind, first, last, max(clauses.end(first), last)) for kind, first, last in _LEXICON.find(clauses.plain))
    return _Quantities(statement, clauses, tuple(cues))


def objections(pair: Pair) -> Iterator[Objection]:
    """At most one objection: where no aligned sentence goes as far as the claim does."""
    if not covered(pair.claim.content, pair.claim.language):
        return
    claim = _quantities(pair.claim)
    aligned = [_quantities(item) for item in pair.aligned if covered(item.content, item.language)]
    if aligned:
        yield from islice(
            chain(
                _all(pair, claim, aligned),
                _none(pair, claim, aligned),
                _only(pair, claim, aligned),
                _most(pair, claim, aligned),
            ),
            1,
        )


def _all(pair: Pair, claim: _Quantities, aligned: Sequence[_Quantities]) -> Iterator[Objection]:
    """The claim says it of all or always; the source of some, of most, or usually."""
    for cue in claim.of("all"):
        if any(source.of("all", "loosely") or source.has(_AS_GOOD_AS_ALL) for source in aligned):
            return
        counted = claim.counted(cue)
        if counted is not None and any(_speaks_in_general(source.clauses, counted) for source in aligned):
            continue
        for source in aligned:
            for weaker in source.of("part", "some"):
                if source.counted(weaker) not in claim.clauses.places and pair.share(source.statement) < _SAME_MATTER:
                    continue
                denies = weaker.kind == "part" and counted is not None and source.counted(weaker) == counted
                yield _objection(pair, Strength.CONTRADICTS if denies else Strength.UNSETTLES, cue, source, weaker)
        if counted not in _TIMES:
            yield _objection(pair, Strength.UNSETTLES, cue, aligned[0])


def _speaks_in_general(clauses: Clauses, counted: str) -> bool:
    """Whether a sentence says it of its kind: of "a valve", or of "valves" at its beginning."""
    return any(
        clauses.plain[at - 1] in ("a", "an") if at else clauses.plain[at].endswith("s")
        for at in clauses.places.get(counted, ())
    )


def _none(pair: Pair, claim: _Quantities, aligned: Sequence[_Quantities]) -> Iterator[Objection]:
    """The claim says it of none; the source says it of some, or only denies it of all."""
    for cue in claim.of("none"):
        counted = claim.counted(cue)
        if counted is None or any(source.of("none") for source in aligned):
            continue
        for source in aligned:
            for other in source.of("part", "some"):
                if source.counted(other) == counted and pair.share(source.statement) >= _SAME_MATTER:
                    strength = (
                        Strength.UNSETTLES
                        if other.kind == "part" or source.has(frozenset({"not"}))
                        else Strength.CONTRADICTS
                    )
                    yield _objection(pair, strength, cue, source, other)


def _only(pair: Pair, claim: _Quantities, aligned: Sequence[_Quantities]) -> Iterator[Objection]:
    """The claim says it of these only; the source does not say that there are no others."""
    for cue in claim.of("only"):
        if not any(source.of("only", "none") or source.has(_AS_GOOD_AS_ONLY) for source in aligned):
            yield _objection(pair, Strength.UNSETTLES, cue, aligned[0])


def _most(pair: Pair, claim: _Quantities, aligned: Sequence[_Quantities]) -> Iterator[Objection]:
    """The claim compares, or names the most of its kind; the source compares nothing."""
    found = next(_comparisons(claim), None)
    if found is None:
        return
    compared = claim.clauses.stem(found - 1 if claim.clauses.plain[found] == "than" else found)
    if any(compared in source.clauses.places for source in aligned):
        return
    if any(source.has(_COMPARED) or any(map(_is_superlative, source.clauses.words)) for source in aligned):
        return
    yield _objection(pair, Strength.UNSETTLES, Cue("most", found, found + 1, found + 1), aligned[0])


def _comparisons(claim: _Quantities) -> Iterator[int]:
    """Words of a claim that compare without a number: "faster than", "more likely than", "the fastest"."""
    plain = claim.clauses.plain
    for at, word in enumerate(claim.clauses.words):
        compares = word.word == "than" and at and not _is_of_numbers(claim, at)
        if compares or _is_superlative(word) or (word.word in ("most", "least") and plain[at - 1 : at] == ("the",)):
            yield at


def _is_of_numbers(claim: _Quantities, at: int) -> bool:
    """Whether "than" at this word belongs to "other than", "rather than", or to a bound such as "more than 30 days"."""
    before, after = claim.clauses.plain[at - 1], claim.clauses.words[at + 1 : at + 4]
    is_bound = any(word.is_number for word in after) or (
        after and before in ("more", "less") and after[0].word in ("a", "an", "one", "just")
    )
    return before in ("other", "rather") or bool(is_bound)


def _is_superlative(word: Word) -> bool:
    return (
        word.word.endswith("est")
        and len(word.word) > 4
        and word.word not in _NO_SUPERLATIVE
        and word.surface.islower()
        and word.surface.isalpha()
    )


def _objection(pair: Pair, strength: Strength, cue: Cue, source: _Quantities, other: Cue | None = None) -> Objection:
    """An objection with the claim's quantity words, and those of the source where it has any."""
    clauses, statement = Clauses.of(pair.claim), source.statement
    here = clauses.span(cue.first, cue.last)
    there = source.clauses.span(other.first, other.last) if other else (statement.start, statement.end)
    says = (
        f"the claim says {quoted(pair.claim, here)}; "
        f"the source says {'' if other else 'nothing of that kind: '}{quoted(statement, there)}"
    )
    return pair.objection(NAME, strength, says, claim=here, against=statement, evidence=there)
