"""Conditions: the claim drops a condition of its source, turns it round, or adds one; or forgets an exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Final

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.clauses import Clauses, Lexicon, quoted
from toulmin.domain.claims.oracles.language import covered
from toulmin.domain.claims.oracles.opposites import opposites
from toulmin.domain.claims.oracles.polarity import Polarity, negative, phrase_end
from toulmin.domain.claims.oracles.statement import Pair, Statement

NAME: Final = "conditions"

_MARKERS: Final = Lexicon(
    {
        "if": """
            if | when | whenever | once the | once you | once it | once they | once this | once all | as long as | provided that | provided the | provided a | provided you | provided it
            | provided they | given that | assuming | in case | only if | only when | only while | if and only if | on condition that
            """,
        "while": "while",
        "unless": "unless | except when | except if | except while | except during | other than when",
        "exception": "except | except for | excluding | apart from | with the exception of",
        "none": """
            even if | even when | as if | what if | if only | if not more | when compared | when to | how and when | when and where | if any
            | if applicable | if appropriate | if desired | if necessary | if possible | if so | if you have any
            """,
    }
)
_ADJUNCTS: Final = frozenset("in on for under with by from".split())
_RESTRICTS: Final = frozenset("selected certain supported eligible qualifying chosen paid".split())
_SUBSTITUTES: Final = frozenset("after before by default during otherwise outside under using via with without".split())
"""Words by which a claim may state a condition without "if"."""

_PAST: Final = frozenset("became began came did died gave had left made saw told took was went were".split())
"""Words that tell when something happened; such a "when" is no condition."""
_OF_VERBS: Final = frozenset("a an are be been being both by each has have if is not or the their when".split())
"""Words after which a word in "-ed" says what something is, and not what happened."""
_NEARLY_ALL = 0.75
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class _Condition:
    """A condition: words `first` to `last` (half-open); `turned` says that what it states holds where the words are not so."""

    kind: str
    first: int
    last: int
    turned: bool


@dataclass(frozen=True, slots=True)
class _Conditions:
    """A statement read for its conditions; `main` are the words that name something outside of them."""

    statement: Statement
    clauses: Clauses
    conditions: tuple[_Condition, ...]
    exceptions: tuple[_Condition, ...]
    main: frozenset[str]

    def stems(self, condition: _Condition) -> frozenset[str]:
        """What a condition names, numbers included."""
        return frozenset(self.clauses.stem(at) for at in self.clauses.content(condition.first, condition.last))


@lru_cache(maxsize=256)
def _conditions(statement: Statement) -> _Conditions:
    clauses, odd = Clauses.of(statement), Polarity.of(statement).odd
    found = []
    for kind, first, last in _MARKERS.find(clauses.plain):
        if kind == "none" or last >= len(clauses.words):
            continue
        end = phrase_end(clauses, last) if kind == "exception" else clauses.end(last)
        found.append(_Condition(kind, first, end, (kind == "unless") != any(odd[last:end])))
    found += _adjuncts(clauses, odd, found)
    inside = {at for condition in found for at in range(condition.first, condition.last)}
    main = frozenset(clauses.stem(at) for at in clauses.content(0, len(clauses.words)) if at not in inside)
    return _Conditions(
        statement,
        clauses,
        tuple(item for item in found if item.kind != "exception"),
        tuple(item for item in found if item.kind == "exception"),
        main,
    )


def _adjuncts(clauses: Clauses, odd: Sequence[bool], found: Sequence[_Condition]) -> Iterator[_Condition]:
    """Parts such as "With caching enabled," and "In debug mode," before a sentence, and "on selected plans" anywhere in it."""
    taken = {at for condition in found for at in range(condition.first, condition.last)}
    if clauses.words and 0 not in taken and len(clauses.ends) > 1:
        end = clauses.ends[0]
        closing = clauses.plain[end - 1]
        if clauses.plain[0] in ("without", "outside") or (
            clauses.plain[0] in ("in", "with", "under")
            and (closing in ("mode", "on", "off", "set") or (closing.endswith("ed") and clauses.plain[0] == "with"))
        ):
            yield _Condition("adjunct", 0, end, (clauses.plain[0] == "outside") != any(odd[1:end]))
            taken.update(range(end))
    for at, word in enumerate(clauses.plain[:-2]):
        if at not in taken and word in _ADJUNCTS and clauses.plain[at + 1] in _RESTRICTS:
            yield _Condition("adjunct", at, min(at + 4, clauses.end(at)), turned=False)


def objections(pair: Pair) -> Iterator[Objection]:
    """At most one objection: a condition turned round, an exception forgotten, a condition dropped, or one that nothing speaks of."""
    if not covered(pair.claim.content, pair.claim.language):
        return
    aligned = [_conditions(item) for item in pair.aligned if covered(item.content, item.language)]
    if aligned:
        claim = _conditions(pair.claim)
        found = chain(
            _turned(pair, claim, aligned),
            _excepted(pair, claim),
            _dropped(pair, claim, aligned),
            _made_up(pair, claim, aligned),
        )
        yield from islice(found, 1)


def _turned(pair: Pair, claim: _Conditions, aligned: Sequence[_Conditions]) -> Iterator[Objection]:
    """The same under the opposite condition: "unless" for "if", "off" for "on", inside for outside."""
    for source in aligned:
        if not claim.main or len(claim.main & source.main) < _HALF * len(claim.main) or _main_differs(claim, source):
            continue
        for own in claim.conditions:
            for other in source.conditions:
                turns = _turns(claim, own, source, other)
                if turns:
                    yield _objection(pair, Strength.CONTRADICTS, own, source, other)


def _turns(claim: _Conditions, own: _Condition, source: _Conditions, other: _Condition) -> bool | None:
    """Whether two conditions are each other's opposite; None where they are about different things."""
    here, there = claim.stems(own), source.stems(other)
    opposed = {stem for stem in here - there if opposites(stem) & there} | _switched(claim, own, source, other)
    alike = here & there
    if len(alike) + len(opposed) < max(1.0, _NEARLY_ALL * min(len(here), len(there))) or not alike | opposed:
        return None
    return (own.turned != other.turned) != (len(opposed) % 2 == 1)


def _switched(claim: _Conditions, own: _Condition, source: _Conditions, other: _Condition) -> set[str]:
    """Whether one condition says "on" at its end where the other one says "off"."""
    ends = {claim.clauses.plain[own.last - 1], source.clauses.plain[other.last - 1]}
    return {"off"} if ends == {"on", "off"} else set()


def _main_differs(claim: _Conditions, source: _Conditions) -> bool:
    """Whether the rest of the two might say opposite things, so that opposite conditions say the same."""
    here, there = _denials(claim), _denials(source)
    one_denies = bool(here | there) and not here & there
    return one_denies or any(opposites(stem) & source.main for stem in claim.main - source.main)


def _denials(side: _Conditions) -> set[str]:
    """The stems, outside of the conditions, of what is denied and of what may be a denial."""
    inside = {at for item in side.conditions for at in range(item.first, item.last)}
    odd = Polarity.of(side.statement).odd
    words = enumerate(side.clauses.words)
    return {word.stem for at, word in words if at not in inside and word.is_content and (odd[at] or negative(word))}


def _excepted(pair: Pair, claim: _Conditions) -> Iterator[Objection]:
    """The claim says it of someone or something to which the source says that it does not apply."""
    if any(map(negative, claim.clauses.words)) or Polarity.of(claim.statement).negations:
        return
    for statement in pair.evidence:
        if "appli" not in statement.stems:
            continue
        clauses = Clauses.of(statement)
        for at in clauses.places.get("appli", ()):
            if not Polarity.of(statement).odd[at] or clauses.plain[at + 1 : at + 2] != ("to",):
                continue
            named = [
                place
                for place in clauses.content(at + 2, clauses.end(at))
                if clauses.stem(place) in claim.clauses.places
            ]
            if named and named[0] == next(clauses.content(at + 2, clauses.end(at))):
                own = claim.clauses.places[clauses.stem(named[0])][0]
                yield pair.objection(
                    NAME,
                    Strength.CONTRADICTS,
                    f"the claim says it of {quoted(pair.claim, claim.clauses.span(own, own + 1))}; "
                    f"the source excepts that: {quoted(statement, (statement.start, statement.end))}",
                    claim=claim.clauses.span(own, own + 1),
                    against=statement,
                    evidence=(statement.start, statement.end),
                )


def _dropped(pair: Pair, claim: _Conditions, aligned: Sequence[_Conditions]) -> Iterator[Objection]:
    """The source says it under a condition that the claim, otherwise the same, does not have in any words."""
    best = aligned[0]
    named = claim.main
    if claim.conditions or claim.exceptions or not named or len(named & best.main) < _NEARLY_ALL * len(named):
        return
    if not _SUBSTITUTES.isdisjoint(claim.clauses.plain):
        return
    for condition in (*best.conditions, *best.exceptions):
        stems = best.stems(condition)
        if (
            stems
            and _is_of_the_claim(best, condition, named)
            and not _is_past(best.clauses, condition)
            and not stems & claim.clauses.places.keys()
        ):
            yield _objection(pair, Strength.UNSETTLES, None, best, condition)


def _is_of_the_claim(source: _Conditions, condition: _Condition, named: frozenset[str]) -> bool:
    """Whether a condition is one of what the claim says: the clause before it, or after it, says most of that."""
    clauses = source.clauses
    beside = {max(0, condition.first - 1), min(condition.last, len(clauses.words) - 1)}
    said = ({clauses.stem(at) for at in range(clauses.start(place), clauses.end(place))} for place in beside)
    return condition.kind != "while" and any(len(named & stems) >= _HALF * len(named) for stems in said)


def _is_past(clauses: Clauses, condition: _Condition) -> bool:
    """Whether a condition tells what happened once: it has a verb in the past."""
    plain = clauses.plain
    return condition.kind != "adjunct" and any(
        plain[at] in _PAST or (at > condition.first + 1 and plain[at].endswith("ed") and plain[at - 1] not in _OF_VERBS)
        for at in range(condition.first, condition.last)
    )


def _made_up(pair: Pair, claim: _Conditions, aligned: Sequence[_Conditions]) -> Iterator[Objection]:
    """The claim has a condition of which the evidence, and what it is called, does not speak."""
    known = pair.known
    for condition in claim.conditions:
        if condition.kind == "while":
            continue
        words = [
            at for at in claim.clauses.content(condition.first, condition.last) if not claim.clauses.words[at].is_number
        ]
        missing = [
            at for at in words if claim.clauses.stem(at) not in known and not opposites(claim.clauses.stem(at)) & known
        ]
        if len(words) > 1 and len(missing) == len(words):
            yield _objection(pair, Strength.UNSETTLES, condition, aligned[0], None)


def _objection(
    pair: Pair, strength: Strength, own: _Condition | None, source: _Conditions, other: _Condition | None
) -> Objection:
    """An objection with the conditions of both sides, as far as they have any."""
    statement = source.statement
    here = Clauses.of(pair.claim).span(own.first, own.last) if own else (pair.claim.start, pair.claim.end)
    there = source.clauses.span(other.first, other.last) if other else (statement.start, statement.end)
    holds = f"it holds {quoted(pair.claim, here)}" if own else "it holds in every case"
    stated = f"says it {quoted(statement, there)}" if other else f"has no such condition: {quoted(statement, there)}"
    says = f"the claim says that {holds}; the source {stated}"
    return pair.objection(NAME, strength, says, claim=here, against=statement, evidence=there)
