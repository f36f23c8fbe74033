"""Review: whether the passages that a claim cites support it, contradict it, or leave it unresolved.

Two independent sources and a policy. Deterministic checks come first: a verbatim proof supports without a judge, an objection of an oracle
can never be outvoted by one. What is left is the judge's, by the thresholds of the policy; it may also find contradicted what an oracle
found nothing for in the evidence. Nothing is averaged: a claim of several facts is supported only if each of them is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toulmin.domain.claims.frame import framed_words
from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.opinion import Opinion, Probabilities
from toulmin.domain.claims.oracles import bounds, conditions, modality, objections, quantifiers
from toulmin.domain.claims.oracles.language import covered_beside
from toulmin.domain.claims.oracles.statement import Pair, Statement
from toulmin.domain.claims.parts import Part, parts
from toulmin.domain.claims.quoting import Window, misquotations, quotes_anything, windows
from toulmin.domain.claims.substance import lacking
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.claims.verbatim import Proof, proof
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.corpus.sentences import units
from toulmin.domain.policy import Policy

VERSION = "oracles/2"
"""Of the deterministic checks: another number wherever the same claim and evidence may come to another verdict."""

VERBATIM = "verbatim"
NO_JUDGE = "no judge confirmed it"

_KNOWN_TO_BE_OPEN = frozenset({bounds.NAME, modality.NAME, quantifiers.NAME, conditions.NAME})
"""Oracles that compare how much two statements say: where one does not settle the other, no judge makes a denial of it."""

_Place = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    """One fact of a claim: where it stands word for word, what is held against it, and what a judge would be asked.

    `aligned` are the words of the evidence that speak about it.
    """

    part: Part
    proven: Proof | None
    objections: tuple[Objection, ...]
    unit: ReviewUnit
    aligned: tuple[_Place, ...]

    @property
    def denied(self) -> Objection | None:
        """The first objection that shows that the evidence denies it."""
        return next((item for item in self.objections if item.strength is Strength.CONTRADICTS), None)

    @property
    def is_asked(self) -> bool:
        """Whether a judge's opinion can change what becomes of it."""
        is_known = self.denied is not None or any(item.oracle in _KNOWN_TO_BE_OPEN for item in self.objections)
        return self.proven is None and not is_known


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What the deterministic checks make of a claim: `settled` where they decide it alone, else its facts and what it misquotes."""

    checks: tuple[str, ...]
    settled: Verdict | None = None
    facts: tuple[_Fact, ...] = ()
    misquoted: tuple[Objection, ...] = ()

    @property
    def questions(self) -> tuple[ReviewUnit, ...]:
        """What a judge is asked: one unit for each fact on which its opinion can change the verdict. None: no judge is needed."""
        decided = bool(self.misquoted) or any(fact.denied for fact in self.facts if fact.proven is None)
        return () if decided else tuple(fact.unit for fact in self.facts if fact.is_asked)

    @property
    def hangs_on_judge(self) -> bool:
        """Whether the claim is supported if a judge is convinced of every question: nothing is held against any fact of it."""
        return bool(self.questions) and not any(fact.objections for fact in self.facts)

    def verdict(self, opinions: Sequence[Opinion], policy: Policy) -> Verdict:
        """The verdict, given a judge's opinions on the questions in their order; none at all where no judge was asked."""
        if self.settled is not None:
            return self.settled
        given = iter(opinions)
        judged = [
            (fact, _fact_verdict(self.checks, fact, next(given, None) if fact.is_asked else None, policy))
            for fact in self.facts
        ]
        return self._with_quotes(_together(judged))

    def _with_quotes(self, verdict: Verdict) -> Verdict:
        """A misquotation leaves a claim unresolved that is not proven without it; it is told in any case."""
        if not self.misquoted:
            return verdict
        held = (*self.misquoted, *verdict.objections)
        if verdict.status is VerdictStatus.UNRESOLVED:
            return replace(verdict, objections=held, reason=self.misquoted[0].says)
        return replace(verdict, objections=held)


def review(unit: ReviewUnit) -> Review:
    """The deterministic part of a claim's review.

    In their order: there is a claim that says something, and evidence; the claim is in a language that is read here; every quote is in the
    evidence; then fact by fact the verbatim proof and the oracles.
    """
    fault = lacking(unit)
    if fault is not None:
        return _settled(fault)
    said = framed_words(unit.claim)
    if not covered_beside(said or unit.claim, unit.passages):
        return _settled("the claim is in a language that is not reviewed")
    if said is not None:
        return _framed(said, unit)
    checks = ("evidence", "quotes") if quotes_anything(unit) else ("evidence",)
    return Review(checks=checks, facts=tuple(_facts(unit)), misquoted=tuple(misquotations(unit)))


def _settled(reason: str) -> Review:
    return Review(checks=(), settled=_unresolved((), reason))


def _framed(said: str, unit: ReviewUnit) -> Review:
    """A claim that says no more than that the source has these words: they are a whole sentence of it, or nothing."""
    proven = proof(said, unit.passages)
    if proven is None:
        return _settled("the cited source does not have these words as a sentence that stands alone")
    part = Part(text=said, start=0, end=len(unit.claim))
    fact = _Fact(part=part, proven=proven, objections=(), unit=unit, aligned=())
    return Review(checks=("evidence",), facts=(fact,))


def _facts(unit: ReviewUnit) -> Iterator[_Fact]:
    """Each fact of the claim with what is held against it."""
    narrow, whole = windows(unit), tuple(_whole(unit))
    for part in _parts(unit.claim):
        about = _over(narrow, unit, part)
        pair = Pair.of(about)
        proven = proof(part.text, unit.passages)
        held = _held(pair, part, unit, narrow) if proven is None else set()
        if proven is not None or narrow != whole:  # no choice of quotes or citations hides what denies the claim
            rest = tuple(window for window in whole if proven is None or window.passage != proven.passage)
            everything = _held(Pair.of(_over(rest, unit, part)), part, unit, rest)
            held |= {item for item in everything if item.strength is Strength.CONTRADICTS}
        aligned = tuple(_in_passage(item, narrow) for item in pair.aligned)
        yield _Fact(part=part, proven=proven, objections=tuple(sorted(held)), unit=about, aligned=aligned)


def _whole(unit: ReviewUnit) -> Iterator[Window]:
    return (Window(passage=at, start=0, end=len(cited.words)) for at, cited in enumerate(unit.passages))


def _over(over: Sequence[Window], unit: ReviewUnit, part: Part) -> ReviewUnit:
    """One fact of a claim over a part of the evidence."""
    passages = tuple(_cut(unit.passages[window.passage], window) for window in over)
    return replace(unit, claim=part.text, passages=passages, quotes=())


def _held(pair: Pair, part: Part, unit: ReviewUnit, over: Sequence[Window]) -> set[Objection]:
    return {_placed(item, part, unit.claim, over) for item in objections(pair)}


def _in_passage(item: Statement, over: Sequence[Window]) -> _Place:
    window = over[item.passage]
    return window.passage, window.start + item.start, window.start + item.end


def _parts(claim: str) -> Iterator[Part]:
    """The facts of each sentence of a claim, with their places in it."""
    for sentence in units(claim):
        for part in parts(claim[sentence.start : sentence.end]):
            yield Part(text=part.text, start=part.start + sentence.start, end=part.end + sentence.start)


def _cut(cited: Cited, window: Window) -> Cited:
    words, start, end = cited.words, window.start, window.end
    return replace(cited, words=words[start:end], before=cited.before + words[:start], after=words[end:] + cited.after)


def _placed(item: Objection, part: Part, claim: str, over: Sequence[Window]) -> Objection:
    """An objection to a part, over a window of a passage, as one to the claim over the passage."""
    words = part.text[slice(*item.claim)]
    at = claim.find(words, part.start, part.end)
    window = over[item.passage]
    return replace(
        item,
        claim=(at, at + len(words)) if at >= 0 else (part.start, part.end),
        passage=window.passage,
        evidence=(item.evidence[0] + window.start, item.evidence[1] + window.start),
    )


def _fact_verdict(checks: tuple[str, ...], fact: _Fact, opinion: Opinion | None, policy: Policy) -> Verdict:
    if fact.proven is not None:
        return _verbatim(checks, fact, fact.proven)
    given = opinion.probabilities if opinion is not None else None
    if fact.objections:
        return _objected(checks, fact, given, policy)
    checks = (*checks, "oracles")
    if given is None:
        return _unresolved(checks, (opinion and opinion.why) or NO_JUDGE)
    return _by_threshold(checks, fact, given, policy)


def _verbatim(checks: tuple[str, ...], fact: _Fact, proven: Proof) -> Verdict:
    if fact.objections:
        return _unresolved(
            checks, f"one cited source has it word for word, and another denies it: {fact.objections[0].says}"
        )
    place = (proven.passage, proven.start, proven.end)
    return Verdict(status=VerdictStatus.SUPPORTED, reason=VERBATIM, checks=(*checks, VERBATIM), rests_on=(place,))


def _objected(checks: tuple[str, ...], fact: _Fact, given: Probabilities | None, policy: Policy) -> Verdict:
    """What an objection leaves of a fact: contradicted where it denies it, or where the judge does; never supported, however sure that is."""
    if fact.denied is not None:
        return Verdict(status=VerdictStatus.CONTRADICTED, reason=fact.denied.says, checks=checks)
    status, reason = VerdictStatus.UNRESOLVED, fact.objections[0].says
    if given is not None and given.contradicted >= policy.contradicted:
        status, reason = VerdictStatus.CONTRADICTED, f"{reason}; {_contradicted(given)}"
    return Verdict(status=status, reason=reason, checks=checks, probabilities=given)


def _contradicted(given: Probabilities) -> str:
    return f"the judge finds it contradicted ({given.contradicted:.2f})"


def _by_threshold(checks: tuple[str, ...], fact: _Fact, given: Probabilities, policy: Policy) -> Verdict:
    if given.supported >= policy.supported:
        return Verdict(
            status=VerdictStatus.SUPPORTED,
            reason=f"nothing is held against it, and the judge gives it {given.supported:.2f}",
            checks=(*checks, "judge"),
            probabilities=given,
            rests_on=fact.aligned,
        )
    if given.contradicted >= policy.contradicted:
        status, reason = VerdictStatus.CONTRADICTED, _contradicted(given)
    else:
        status = VerdictStatus.UNRESOLVED
        reason = f"the judge gives it {given.supported:.2f}, and the policy wants {policy.supported:g}"
    return Verdict(status=status, reason=reason, checks=checks, probabilities=given)


_WORST_FIRST = (VerdictStatus.CONTRADICTED, VerdictStatus.UNRESOLVED, VerdictStatus.SUPPORTED)


def _together(judged: Sequence[tuple[_Fact, Verdict]]) -> Verdict:
    """The verdict of a claim from those of its facts: that of the worst, with everything that is held against any.

    Of several that are supported, one that needed the judge is the worst, and the least probable of these.
    """
    fact, worst = min(judged, key=lambda item: (_WORST_FIRST.index(item[1].status), _probability(item[1])))
    held = tuple(objection for item, _ in judged for objection in item.objections)
    if worst.status is VerdictStatus.SUPPORTED:
        return replace(worst, rests_on=tuple(sorted({place for _, verdict in judged for place in verdict.rests_on})))
    reason = worst.reason if len(judged) == 1 else f"“{fact.part.text}”: {worst.reason}"
    return replace(worst, objections=held, reason=reason)


def _probability(verdict: Verdict) -> float:
    return verdict.probabilities.supported if verdict.probabilities else 1.0


def _unresolved(checks: tuple[str, ...], reason: str) -> Verdict:
    return Verdict(status=VerdictStatus.UNRESOLVED, reason=reason, checks=checks)
