"""Negation: one side denies what the other one says, by a word such as "not", by a prefix, or by the opposite word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.clauses import Clauses, Cue, quoted
from toulmin.domain.claims.oracles.language import covered
from toulmin.domain.claims.oracles.opposites import opposites
from toulmin.domain.claims.oracles.polarity import Polarity, negative
from toulmin.domain.claims.oracles.statement import Pair, Statement

NAME: Final = "negation"

_SAME_MATTER = 0.5
"""Of what the claim names, the share that a sentence has to name too, so that a denial there is a denial of the claim."""
_MUCH = 0.6
"""The same where the claim has what a denial is about, but not the word that is denied."""
_NEARLY_ALL = 0.75
"""The same where the claim has the opposite word, or the denied word with something else."""

_CIRCUMSTANCES: Final = frozenset(
    "after at before by during for from in on since to under until upon when while with within without".split()
)

_BE: Final = frozenset("are be been is was were".split())
_NEAR: Final = 4
"""So many words before another one belong to the same phrase: "is the third planet"."""
_DOUBTS: Final = frozenset("few little rarely remain remains seldom than".split())
_HAVING: Final = frozenset(
    "contain contains had has have having include includes including need needs require requires with".split()
)
"""Words with which a side has what the other one is without."""

_RELATIONS: Final = {
    "before": "after", "after": "before", "above": "below", "below": "above", "until": "since", "since": "until",
}  # fmt: skip


def objections(pair: Pair) -> Iterator[Objection]:
    """At most one objection: where an aligned sentence says of the same thing the opposite, and none says the same."""
    if not covered(pair.claim.content, pair.claim.language):
        return
    found = [_Beside(pair, item) for item in pair.aligned if covered(item.content, item.language)]
    agreed = {stem for beside in found for stem in beside.agreed()}
    for beside in found:
        for stem, objection in beside.objections():
            if stem not in agreed:
                yield objection
                return


@dataclass(frozen=True)
class _Beside:
    """A claim beside one sentence of the evidence."""

    pair: Pair
    statement: Statement

    @cached_property
    def claim(self) -> Polarity:
        return Polarity.of(self.pair.claim)

    @cached_property
    def evidence(self) -> Polarity:
        return Polarity.of(self.statement)

    @cached_property
    def share(self) -> float:
        return self.pair.share(self.statement)

    def agreed(self) -> Iterator[str]:
        """The stems of what both sides affirm, or both deny."""
        for stem, places in self.claim.clauses.places.items():
            others = self.evidence.clauses.places.get(stem, ())
            if {self.claim.odd[at] for at in places} & {self.evidence.odd[at] for at in others}:
                yield stem

    def objections(self) -> Iterator[tuple[str, Objection]]:
        """What the sentence holds against the claim, each with the stem that it is about."""
        if self.share >= _SAME_MATTER:
            if not any(item.content.endswith("?") for item in (self.pair.claim, self.statement)):
                yield from self._denials(self.claim, self.evidence)
                yield from self._denials(self.evidence, self.claim)
            yield from self._opposites()
            yield from self._relations()

    def _denials(self, denying: Polarity, other: Polarity) -> Iterator[tuple[str, Objection]]:
        """Negations of one side in a matter that the other one affirms, or names without denying anything."""
        for cue in denying.negations:
            reached = list(denying.clauses.content(cue.last, cue.reach))
            shared = [at for at in reached if denying.clauses.stem(at) in other.clauses.places]
            if (
                not shared
                or cue.kind not in _DENY
                or denying.is_conditional(cue)
                or (denying is self.evidence and _is_of_another(denying, other, cue))
                or (_is_of_having(denying, cue) and _HAVING.isdisjoint(other.clauses.plain))
                or _denies_too(denying, other, shared)
            ):
                continue
            strength = self._strength(denying, other, reached, shared)
            if strength is not None:
                stem = denying.clauses.stem(shared[0])
                place = other.clauses.places[stem][0]
                here, there = denying.clauses.span(cue.first, shared[0] + 1), other.clauses.span(place, place + 1)
                claim, evidence = (here, there) if denying is self.claim else (there, here)
                yield stem, self._objection(strength, claim, evidence)

    def _strength(
        self, denying: Polarity, other: Polarity, reached: Sequence[int], shared: Sequence[int]
    ) -> Strength | None:
        """What a negation weighs that reaches some words, of which the other side shares some."""
        shares_the_head = shared[0] == reached[0]
        if self._is_same_matter(denying, reached, shared):
            is_doubted = denying is self.claim and _is_doubted(
                other, other.clauses.places[denying.clauses.stem(shared[0])]
            )
            if shares_the_head and _affirms(denying, other, shared[0]) and not is_doubted:
                return None if _has_a_denial_of_its_own(other, denying) else Strength.CONTRADICTS
            least = _MUCH if denying is self.claim else _NEARLY_ALL
        elif shares_the_head and denying is self.evidence:
            least = _NEARLY_ALL
        else:
            return None
        silent = not other.negations and not any(map(negative, other.clauses.words))
        return Strength.UNSETTLES if silent and denying.odd[shared[0]] and self.share >= least else None

    def _is_same_matter(self, denying: Polarity, reached: Sequence[int], shared: Sequence[int]) -> bool:
        """Whether the other side speaks about what a negation reaches: it may deny one thing, and the other side affirm another."""
        missing = [denying.clauses.words[at] for at in reached if at not in shared]
        if denying is self.evidence:
            return len(missing) * 2 <= len(reached)
        return len(missing) * 3 <= len(reached) and not any(word.is_name for word in missing)

    def _opposites(self) -> Iterator[tuple[str, Objection]]:
        """Words of the claim in whose place the sentence has the opposite one."""
        claim, evidence = self.claim.clauses, self.evidence.clauses
        named = {claim.stem(at) for at in claim.content(0, len(claim.words)) if not claim.words[at].is_number}
        for at in claim.content(0, len(claim.words)):
            stem, rest = claim.stem(at), named - {claim.stem(at)}
            if stem in evidence.places or not rest or len(rest & evidence.places.keys()) < _NEARLY_ALL * len(rest):
                continue
            for opposite in sorted(opposites(stem) & evidence.places.keys() - claim.places.keys()):
                place = evidence.places[opposite][0]
                is_a_name = place > 0 and evidence.words[place].surface[0].isupper()
                if self.claim.odd[at] == self.evidence.odd[place] and not self.evidence.unsure[place] and not is_a_name:
                    spans = claim.span(at, at + 1), evidence.span(place, place + 1)
                    yield stem, self._objection(_strength_of_opposites(claim, at, evidence, place), *spans)

    def _relations(self) -> Iterator[tuple[str, Objection]]:
        """Words such as "before" where the sentence has "after", between the same two things in the same order."""
        claim, evidence = self.claim.clauses, self.evidence.clauses
        for at, word in enumerate(claim.plain):
            if word not in _RELATIONS or word in evidence.plain:
                continue
            for place, other in enumerate(evidence.plain):
                if other == _RELATIONS[word] and _neighbours(claim, at) == _neighbours(evidence, place):
                    spans = claim.span(at, at + 1), evidence.span(place, place + 1)
                    yield word, self._objection(Strength.CONTRADICTS, *spans)

    def _objection(self, strength: Strength, claim: tuple[int, int], evidence: tuple[int, int]) -> Objection:
        says = f"the claim says {quoted(self.pair.claim, claim)}; the source says {quoted(self.statement, evidence)}"
        return self.pair.objection(NAME, strength, says, claim=claim, against=self.statement, evidence=evidence)


_DENY: Final = ("clause", "phrase")
"""The kinds of negations that deny outright; "not all" and "instead of" do not."""


def _neighbours(clauses: Clauses, at: int) -> tuple[str | None, str | None]:
    """The nearest words that name something, before a word and after it."""
    before = next((clauses.stem(place) for place in reversed(range(at)) if clauses.words[place].is_content), None)
    return before, next(map(clauses.stem, clauses.content(at + 1, len(clauses.words))), None)


def _strength_of_opposites(claim: Clauses, at: int, evidence: Clauses, place: int) -> Strength:
    """Opposite words deny one another in the same circumstances only: "deleted after 30 days" does not deny "kept for 30 days"."""
    here, there = claim.words[at + 1 : at + 2], evidence.words[place + 1 : place + 2]
    if not here or not there:
        return Strength.CONTRADICTS
    prepositions = here[0].word in _CIRCUMSTANCES and there[0].word in _CIRCUMSTANCES
    both_named = here[0].is_content and there[0].is_content
    differ = (prepositions or both_named) and here[0].stem != there[0].stem
    return Strength.UNSETTLES if differ else Strength.CONTRADICTS


def _denies_too(denying: Polarity, other: Polarity, shared: Sequence[int]) -> bool:
    """Whether the other side denies one of the words that a negation reaches, as "is not included" does for "no cable is included"."""
    return any(
        denying.odd[at] and any(other.odd[place] for place in other.clauses.places[denying.clauses.stem(at)])
        for at in shared
    )


def _affirms(denying: Polarity, other: Polarity, at: int) -> bool:
    """Whether the other side says, and does not only name ("scaling"), what word `at` of the denying one says, with no denial near."""
    places = other.clauses.places[denying.clauses.stem(at)]
    if not denying.odd[at] or any(
        other.odd[place] or other.unsure[place] or other.is_clouded(place) for place in places
    ):
        return False
    if denying.clauses.plain[max(0, at - 2) : at] in (("not", "a"), ("not", "an")):
        return any(not _BE.isdisjoint(other.clauses.plain[max(0, place - _NEAR) : place]) for place in places)
    return denying.clauses.plain[at].endswith("ing") or any(
        not other.clauses.plain[place].endswith("ing") for place in places
    )


def _is_doubted(side: Polarity, places: Sequence[int]) -> bool:
    """Whether something else in the clause of a word may deny it: a negation after it, "few", or a comparison."""
    clauses = side.clauses
    return any(
        any(clauses.plain[place] in _DOUBTS for place in range(clauses.start(at), clauses.end(at)))
        or any(cue.kind in _DENY and at < cue.first < clauses.end(at) for cue in side.negations)
        for at in places
    )


def _is_of_having(denying: Polarity, cue: Cue) -> bool:
    """Whether a negation denies that something is there, as "without a signature" does: the other side has to say that it is."""
    plain = denying.clauses.plain
    is_done = any(word.endswith("ing") for word in plain[cue.last : cue.last + 1])
    return cue.kind == "phrase" and plain[cue.first] != "non" and not is_done


def _is_of_another(denying: Polarity, other: Polarity, cue: Cue) -> bool:
    """Whether a clause denies something of someone, and of nothing that the other side names."""
    clauses = denying.clauses
    subject = list(clauses.content(clauses.start(cue.first), cue.first))
    is_named = any(clauses.words[at].surface[0].isupper() for at in subject if at)
    return is_named and not any(clauses.stem(at) in other.clauses.places for at in subject)


def _has_a_denial_of_its_own(side: Polarity, other: Polarity) -> bool:
    """Whether a side denies something that the other one does not name: it may be the same denial in other words."""
    heads: Iterator[int | None] = (side.head(cue) for cue in side.negations)
    return any(head is None or side.clauses.stem(head) not in other.clauses.places for head in heads)
