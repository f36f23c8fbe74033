"""Modality: the claim says more or less firmly than its source that something is so, may be so or has to be so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, product
from typing import Final

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.clauses import SUBORDINATORS, Clauses, Cue, Lexicon, quoted
from toulmin.domain.claims.oracles.language import covered
from toulmin.domain.claims.oracles.polarity import Polarity
from toulmin.domain.claims.oracles.statement import Pair, Statement

NAME: Final = "modality"

_LEXICON: Final = Lexicon(
    {
        "may": "may | might | could | is allowed to | are allowed to | is permitted to | are permitted to | is free to | are free to",
        "hedge": """
            perhaps | possibly | maybe | probably | likely | potentially | presumably | apparently | allegedly | reportedly | usually
            | typically | normally | tend to | tends to | is expected to | are expected to | is intended to | are intended to | aims to
            | in some cases | in many cases | in most cases | optionally | seem to | seems to | appear to | appears to | suspected | proposed | hypothesized | hypothesised
            | is thought to | are thought to | is believed to | are believed to
            """,
        "often": "often | sometimes | generally | commonly | frequently | occasionally",
        "plan": "is planned | are planned | planned for | is scheduled | are scheduled | scheduled for | foreseen",
        "can": "can | is able to | are able to | possible | potential | would | able to | capable of | chance",
        "should": """
            should | ought to | is recommended | are recommended | be recommended | recommend | recommends | is advised | are advised
            | be advised | we advise | is preferred | are preferred | be preferred | preferable | preferably | advisable
            """,
        "must": "must | shall | has to | have to | need to | needs to | required to | obliged to | forced to",
        "duty": "mandatory | obligatory | compulsory | critical | crucial | essential | imperative",
        "needed": """required | require | requires | requirement | necessary | need | needs | needed | only | ensure | never | had to
            | better | got to | gotta | forced | force | asked | important""",
    }
)
_CONTRACTED: Final = {
    "can't": "can", "cannot": "can", "couldn't": "could", "mightn't": "might", "mustn't": "must", "shouldn't": "should", "wouldn't": "would",
}  # fmt: skip
_BETWEEN: Final = frozenset("be been being have has had not also a an the".split())
"""Words that may stand between a hedge and what it hedges."""
_WEAK: Final = frozenset({"may", "hedge", "plan", "should"})
_OFTEN: Final = frozenset({"often"})
_SOFT: Final = frozenset({"may", "can", "should"})
_MUST: Final = frozenset({"must"})

_SAYS: Final = {
    "may": "may be so", "hedge": "is not always or not surely so", "often": "is not always so", "plan": "is planned", "can": "can be so", "should": "should be so", "must": "has to be so",
    "duty": "has to be so", "plain": "is so",
}  # fmt: skip
_STRONG: Final = frozenset(
    "all always certainly definitely each every everywhere exactly exception guaranteed invariably must never only shall surely will".split()
)
_SAME_MATTER = 0.6
_NEARLY_ALL = 0.75
_HALF = 0.5
_LEAST: Final = {"plan": _HALF, "may": _SAME_MATTER, "should": _SAME_MATTER}
"""Of a plain claim, the share that a sentence with such a word has to speak about; with another one nearly all."""


@dataclass(frozen=True, slots=True)
class _Modals:
    """A statement read for its modal words."""

    statement: Statement
    clauses: Clauses
    cues: tuple[Cue, ...]

    def of(self, kinds: frozenset[str]) -> list[Cue]:
        return [cue for cue in self.cues if cue.kind in kinds]

    def denies(self, at: int) -> bool:
        return Polarity.of(self.statement).odd[at]

    def verb(self, cue: Cue) -> int | None:
        """The word that a modal verb belongs to: the next one that names something and is no adverb."""
        following = self.clauses.content(cue.last, cue.reach)
        return next((at for at in following if not self.clauses.plain[at].endswith("ly")), None)


@dataclass(frozen=True, slots=True)
class _Said:
    """Words `first` to `last` (half-open) of a statement, and how firmly they say it: a kind of modal words, or plainly."""

    modals: _Modals
    first: int
    last: int
    kind: str = "plain"

    @property
    def span(self) -> tuple[int, int]:
        return self.modals.clauses.span(self.first, self.last)

    def __str__(self) -> str:
        return f"it {_SAYS[self.kind]}: {quoted(self.modals.statement, self.span)}"


@lru_cache(maxsize=256)
def _modals(statement: Statement) -> _Modals:
    clauses = Clauses.of(statement)
    cues = (
        Cue(kind, first, last, max(clauses.end(first), last))
        for kind, first, last in _LEXICON.find([_CONTRACTED.get(word.word, word.word) for word in clauses.words])
        if not _is_the_month(clauses, first)
    )
    return _Modals(statement, clauses, tuple(cues))


def _is_the_month(clauses: Clauses, at: int) -> bool:
    """Whether "May" is the month: with a capital letter inside of a sentence, or before a number."""
    if clauses.words[at].surface != "May":
        return False
    following = clauses.words[at + 1 : at + 2]
    return at > 0 or not following or following[0].is_number


def objections(pair: Pair) -> Iterator[Objection]:
    """At most one objection: where the claim is firmer than all aligned sentences that say the same, or where it softens a duty."""
    if not covered(pair.claim.content, pair.claim.language):
        return
    aligned = [_modals(item) for item in pair.aligned if covered(item.content, item.language)]
    if not aligned:
        return
    claim = _modals(pair.claim)
    found = chain(
        _softened(pair, claim, aligned), _hedge_lost(pair, claim, aligned), _duty_made_up(pair, claim, aligned)
    )
    yield from islice(found, 1)


def _softened(pair: Pair, claim: _Modals, aligned: Sequence[_Modals]) -> Iterator[Objection]:
    """The source says that something must be so, the claim that it may, can or should."""
    for cue, source in product(claim.of(_SOFT), aligned):
        verb = claim.verb(cue)
        if verb is None or claim.denies(verb) or _is_within(claim, cue) or pair.share(source.statement) < _NEARLY_ALL:
            continue
        if any(
            source.verb(other) in source.clauses.places.get(claim.clauses.stem(verb), ()) for other in source.of(_SOFT)
        ):
            continue  # "can and must"
        for duty in source.of(_MUST):
            at = source.verb(duty)
            if at is not None and source.clauses.stem(at) == claim.clauses.stem(verb) and not source.denies(at):
                strength = Strength.CONTRADICTS if cue.kind == "may" else Strength.UNSETTLES
                said = _Said(claim, cue.first, verb + 1, cue.kind)
                yield _objection(pair, strength, said, _Said(source, duty.first, at + 1, duty.kind))


def _hedge_lost(pair: Pair, claim: _Modals, aligned: Sequence[_Modals]) -> Iterator[Objection]:
    """The source says that something may, should or usually is so, the claim that it is."""
    if claim.of(_WEAK | _OFTEN | {"can"}):
        return
    firm = next((at for at, word in enumerate(claim.clauses.plain) if word in _STRONG), None)
    weak = _WEAK | _OFTEN if firm is not None else _WEAK
    for source in aligned:
        share = pair.share(source.statement)
        for cue in source.of(weak):
            if share < (_HALF if firm is not None else _LEAST.get(cue.kind, _NEARLY_ALL)):
                continue
            if firm is None and _is_within(source, cue):
                continue
            at = _hedged(claim, source, cue, strongly=firm is not None)
            if at is None or any(_says_plainly(pair, other, source, source.clauses.stem(at)) for other in aligned):
                continue
            place = claim.clauses.places[source.clauses.stem(at)][0]
            could_not = source.denies(at) and source.clauses.words[cue.first].word.startswith("could")
            if claim.denies(place) == source.denies(at) and not could_not:
                kind = "must" if claim.of(_MUST) else "plain"
                said = _Said(claim, place if firm is None else min(place, firm), place + 1, kind)
                stated = _Said(source, min(cue.first, at), max(cue.last, at + 1), cue.kind)
                yield _objection(pair, Strength.UNSETTLES, said, stated)


def _hedged(claim: _Modals, source: _Modals, cue: Cue, *, strongly: bool) -> int | None:
    """The word of the source that a hedge holds for and that the claim says too; None where the claim is about something else."""
    places = claim.clauses.places
    if cue.kind in ("may", "hedge", "often") or source.clauses.plain[cue.first] in ("should", "ought"):
        verb = source.verb(cue)
        if verb is not None and source.clauses.stem(verb) in places and _is_next_to(source, cue, verb):
            return verb
        if not strongly:
            return None
    clause = source.clauses.content(source.clauses.start(cue.first), cue.reach)
    both = [at for at in clause if source.clauses.stem(at) in places]
    least = sum(1 for _ in claim.clauses.content(0, len(claim.clauses.words))) * (1 if strongly else 2) / 3
    return both[-1] if both and len(both) >= least else None


def _is_next_to(source: _Modals, cue: Cue, verb: int) -> bool:
    """Whether a hedge is one of the word `verb`, and not of the sentence that it opens."""
    between = source.clauses.plain[cue.last : verb]
    is_asked = between[:1] in (("a",), ("an",), ("the",))
    return not is_asked and all(word in _BETWEEN or word.endswith("ly") for word in between)


def _says_plainly(pair: Pair, other: _Modals, source: _Modals, stem: str) -> bool:
    """Whether another aligned sentence says the same without a hedge."""
    if other is source or stem not in other.clauses.places or other.of(_WEAK):
        return False
    return pair.share(other.statement) >= pair.share(source.statement)


def _duty_made_up(pair: Pair, claim: _Modals, aligned: Sequence[_Modals]) -> Iterator[Objection]:
    """The claim says that something must be so, and no aligned sentence says anything of that kind."""
    duties = [cue for cue in claim.of(_MUST | {"duty"}) if not _is_within(claim, cue)]
    if not duties or pair.share(aligned[0].statement) < _SAME_MATTER:
        return
    if any(map(_may_be_a_duty, aligned)) or any(_is_told_to(claim, cue, item) for cue in duties for item in aligned):
        return
    said = _Said(claim, duties[0].first, duties[0].last, duties[0].kind)
    yield _objection(pair, Strength.UNSETTLES, said, _stated(claim, aligned[0]))


def _stated(claim: _Modals, source: _Modals) -> _Said:
    """What a sentence says instead of a duty: its hedge, or the first word that it shares with the claim."""
    weaker = next(iter(source.of(_WEAK)), None)
    if weaker is not None:
        return _Said(source, weaker.first, weaker.last, weaker.kind)
    shared = (
        at for at, word in enumerate(source.clauses.words) if word.is_content and word.stem in claim.clauses.places
    )
    at = next(shared, 0)
    return _Said(source, at, at + 1)


def _may_be_a_duty(source: _Modals) -> bool:
    """Whether a sentence says that something must or must not be, in whatever words."""
    return bool(source.of(_MUST | {"duty", "needed"}) or Polarity.of(source.statement).negations)


def _is_told_to(claim: _Modals, cue: Cue, source: _Modals) -> bool:
    """Whether a clause of the source begins with the bare verb of the claim's duty, as an instruction does."""
    verb = claim.verb(cue)
    begin = {source.clauses.stem(at) for at in (0, *source.clauses.ends[:-1])}
    return verb is not None and claim.clauses.stem(verb) in begin


def _is_within(claim: _Modals, cue: Cue) -> bool:
    """Whether a modal word stands in a clause that only says which thing is meant, or when."""
    before = claim.clauses.plain[max(0, cue.first - 2) : cue.first]
    return "that" in before or claim.clauses.plain[claim.clauses.start(cue.first)] in SUBORDINATORS


def _objection(pair: Pair, strength: Strength, said: _Said, stated: _Said) -> Objection:
    says = f"the claim says that {said}; the source says that {stated}"
    against = stated.modals.statement
    return pair.objection(NAME, strength, says, claim=said.span, against=against, evidence=stated.span)
