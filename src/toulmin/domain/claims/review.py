"""Review: whether the passages that a claim cites support it, contradict it, or leave it unresolved.

Two independent sources and a policy. Deterministic checks come first: a verbatim proof supports without a judge, an objection of an oracle
can never be outvoted by one. What is left is the judge's, by the thresholds of the policy. Nothing is averaged: a claim of several facts is
supported only if each of them is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toulmin.domain.claims.frame import framed_words
from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.opinion import Opinion, Probabilities
from toulmin.domain.claims.oracles import objections
from toulmin.domain.claims.oracles.language import covered
from toulmin.domain.claims.oracles.statement import Pair, Statement
from toulmin.domain.claims.oracles.words import words
from toulmin.domain.claims.parts import Part, parts
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.claims.verbatim import Proof, proof
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.corpus.quotes import Found, find, quotations
from toulmin.domain.corpus.sentences import UnitKind, units
from toulmin.domain.corpus.text import same_words
from toulmin.domain.policy import Policy

QUOTES = "quotes"
"""The name under which a quote that its source does not have is objected to."""

_SHORT_HEADING = 3
_STOPS = (".", "!", "?", "…", "。", "！", "？", ":", ";")
_CLOSERS = " \t\n\"'”’»)]"
_FINITE = frozenset(
    """
    am are is was were be been has have had do does did can cannot could may might must shall should will would isn't aren't wasn't weren't
    hasn't haven't hadn't don't doesn't didn't can't couldn't mustn't shouldn't won't wouldn't
    """.split()
)

VERSION = "oracles/1"
"""Of the deterministic checks: another number wherever the same claim and evidence may come to another verdict."""

NO_JUDGE = "no judge confirmed it"


@dataclass(frozen=True, slots=True, kw_only=True)
class _PartReview:
    """One fact of a claim: what is held against it, what a judge would be asked, and which words of the evidence speak about it."""

    part: Part
    objections: tuple[Objection, ...]
    unit: ReviewUnit
    aligned: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What the deterministic checks make of a claim: `settled` where they decide it alone, else the parts that are left."""

    checks: tuple[str, ...]
    settled: Verdict | None
    parts: tuple[_PartReview, ...] = ()

    @property
    def questions(self) -> tuple[ReviewUnit, ...]:
        """What a judge is asked: one unit for each part that nothing is held against. None: no judge is needed."""
        return tuple(part.unit for part in self.parts if not part.objections)

    def verdict(self, opinions: Sequence[Opinion], policy: Policy) -> Verdict:
        """The verdict, given a judge's opinions on the questions in their order; none at all where no judge was asked."""
        if self.settled is not None:
            return self.settled
        given = iter(opinions)
        return _together(
            [
                (part, _part_verdict(self.checks, part, None if part.objections else next(given, None), policy))
                for part in self.parts
            ],
        )


def review(unit: ReviewUnit) -> Review:
    """The deterministic part of a claim's review.

    In their order: there is a claim and evidence, neither a bare heading; the claim is in a language that is read here; a verbatim proof
    ends it; every quote is in the evidence; then the oracles, part by part.
    """
    fault = _empty(unit)
    if fault is not None:
        return Review(checks=(), settled=_unresolved((), fault))
    said = framed_words(unit.claim) or unit.claim
    if not covered(said, None):
        return Review(checks=(), settled=_unresolved((), "the claim is in a language that is not reviewed"))
    proven = proof(said, unit.passages)
    if proven is not None:
        return _verbatim(proven)
    misquoted, found = _quotes(unit)
    if misquoted:
        return Review(checks=("evidence",), settled=_unresolved(("evidence",), misquoted[0].says, misquoted))
    checks = ("evidence", "quotes") if found or any(quotations(unit.claim)) else ("evidence",)
    return Review(checks=checks, settled=None, parts=tuple(_reviewed(unit, found)))


def _verbatim(proven: Proof) -> Review:
    checks = ("evidence", "verbatim")
    place = (proven.passage, proven.start, proven.end)
    verdict = Verdict(status=VerdictStatus.SUPPORTED, reason="verbatim", checks=checks, rests_on=(place,))
    return Review(checks=checks, settled=verdict)


def _empty(unit: ReviewUnit) -> str | None:
    """Why there is nothing to review."""
    if not any(character.isalnum() for character in unit.claim):
        return "the claim is empty"
    if _is_heading(unit):
        return "the claim is a bare heading"
    if not unit.passages:
        return "the claim cites nothing"
    if not any(character.isalnum() for cited in unit.passages for character in cited.words):
        return "the cited evidence is empty"
    if all(_only_headings(cited.words) for cited in unit.passages):
        return "the cited evidence is a bare heading"
    return None


def _is_heading(unit: ReviewUnit) -> bool:
    return (
        _only_headings(unit.claim)
        or _reads_as_heading(unit.claim)
        or any(
            same_words(unit.claim, heading)
            for cited in unit.passages
            for heading in (cited.title, *cited.section)
            if heading is not None
        )
    )


def _reads_as_heading(claim: str) -> bool:
    """Whether it names a topic and says nothing of it: without a stop at its end, and either very short or in capitals throughout."""
    if claim.rstrip(_CLOSERS).endswith(_STOPS):
        return False
    said = list(words(claim))
    if any(word.word in _FINITE for word in said):
        return False
    named = [word for word in said if word.is_content]
    return len(said) <= _SHORT_HEADING or all(word.surface[:1].isupper() for word in named)


def _only_headings(text: str) -> bool:
    return all(item.kind is UnitKind.HEADING for item in units(text))


def _quotes(unit: ReviewUnit) -> tuple[tuple[Objection, ...], list[tuple[int, Found]]]:
    """What is held against the quotations, both those that a claim rests on and those in its words; and where the former stand.

    Only what a claim says it rests on narrows the evidence; words that it mentions do not. They have to be all that matters of their
    sentence: the claim is read without the rest.
    """
    misquoted: list[Objection] = []
    found: list[tuple[int, Found]] = []
    for quote in unit.quotes:
        places = _places(quote, unit.passages)
        found += places
        if not places:
            misquoted.append(
                _misquoted(unit, (0, len(unit.claim)), f"the cited source does not have the words “{quote}”")
            )
    for start, end in quotations(unit.claim):
        quote = unit.claim[start:end]
        places = _places(quote, unit.passages)
        if not places:
            misquoted.append(_misquoted(unit, (start, end), f"the cited source does not have the words “{quote}”"))
        elif all(place.fragment for _, place in places):
            says = f"“{quote}” is cut out of its sentence so that its meaning may be another"
            misquoted.append(_misquoted(unit, (start, end), says))
    return tuple(misquoted), found


def _places(quote: str, passages: Sequence[Cited]) -> list[tuple[int, Found]]:
    return [(number, place) for number, cited in enumerate(passages) for place in find(cited.words, quote)]


def _misquoted(unit: ReviewUnit, span: tuple[int, int], says: str) -> Objection:
    return Objection(
        oracle=QUOTES,
        strength=Strength.UNSETTLES,
        claim=span,
        passage=0,
        evidence=(0, len(unit.passages[0].words)),
        says=says,
    )


def _reviewed(unit: ReviewUnit, found: Sequence[tuple[int, Found]]) -> Iterator[_PartReview]:
    """Each part of the claim with what the oracles hold against it, over the evidence that its quotes narrow it to."""
    windows = _windows(unit.passages, found)
    narrowed = tuple(_cut(unit.passages[number], start, end) for number, start, end in windows)
    for part in parts(unit.claim):
        about = replace(unit, claim=part.text, passages=narrowed, quotes=())
        pair = Pair.of(about)
        held = sorted(_placed(item, part, unit.claim, windows) for item in objections(pair))
        aligned = tuple(_in_passage(item, windows) for item in pair.aligned)
        yield _PartReview(part=part, objections=tuple(held), unit=about, aligned=aligned)


def _windows(passages: Sequence[Cited], found: Sequence[tuple[int, Found]]) -> list[tuple[int, int, int]]:
    """(number of the passage, start, end) of the evidence: the sentences of each quote and their neighbours, else whole passages."""
    if not found:
        return [(number, 0, len(cited.words)) for number, cited in enumerate(passages)]
    return sorted({(number, *_neighbours(passages[number].words, place)) for number, place in found})


def _neighbours(words: str, place: Found) -> tuple[int, int]:
    spans = [(item.start, item.end) for item in units(words)]
    touched = [at for at, (start, end) in enumerate(spans) if start < place.end and place.start < end]
    if not touched:  # the quote is of a list's mark or a table's border
        return 0, len(words)
    first, last = max(0, touched[0] - 1), min(len(spans) - 1, touched[-1] + 1)
    return spans[first][0], spans[last][1]


def _cut(cited: Cited, start: int, end: int) -> Cited:
    words = cited.words
    return replace(cited, words=words[start:end], before=cited.before + words[:start], after=words[end:] + cited.after)


def _placed(item: Objection, part: Part, claim: str, windows: Sequence[tuple[int, int, int]]) -> Objection:
    """An objection to a part, over a window of a passage, as one to the claim over the passage."""
    words = part.text[slice(*item.claim)]
    at = claim.find(words, part.start, part.end)
    number, start, _ = windows[item.passage]
    return replace(
        item,
        claim=(at, at + len(words)) if at >= 0 else (part.start, part.end),
        passage=number,
        evidence=(item.evidence[0] + start, item.evidence[1] + start),
    )


def _in_passage(item: Statement, windows: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    number, start, _ = windows[item.passage]
    return number, start + item.start, start + item.end


def _part_verdict(checks: tuple[str, ...], part: _PartReview, opinion: Opinion | None, policy: Policy) -> Verdict:
    if part.objections:
        denied = next((item for item in part.objections if item.strength is Strength.CONTRADICTS), None)
        status = VerdictStatus.UNRESOLVED if denied is None else VerdictStatus.CONTRADICTED
        reason = (denied or part.objections[0]).says
        return Verdict(status=status, reason=reason, checks=checks, objections=part.objections)
    checks = (*checks, "oracles")
    if opinion is None or opinion.probabilities is None:
        return _unresolved(checks, (opinion and opinion.why) or NO_JUDGE)
    return _by_threshold(checks, opinion.probabilities, policy)


def _by_threshold(checks: tuple[str, ...], given: Probabilities, policy: Policy) -> Verdict:
    if given.supported >= policy.supported:
        status, reason = (
            VerdictStatus.SUPPORTED,
            f"nothing is held against it, and the judge gives it {given.supported:.2f}",
        )
        return Verdict(status=status, reason=reason, checks=(*checks, "judge"), probabilities=given)
    if given.contradicted >= policy.contradicted:
        status, reason = VerdictStatus.CONTRADICTED, f"the judge finds it contradicted ({given.contradicted:.2f})"
    else:
        status = VerdictStatus.UNRESOLVED
        reason = f"the judge gives it {given.supported:.2f}, and the policy wants {policy.supported:g}"
    return Verdict(status=status, reason=reason, checks=checks, probabilities=given)


_WORST_FIRST = (VerdictStatus.CONTRADICTED, VerdictStatus.UNRESOLVED, VerdictStatus.SUPPORTED)


def _together(judged: Sequence[tuple[_PartReview, Verdict]]) -> Verdict:
    """The verdict of a claim from those of its parts: that of the worst part, with everything that is held against any."""
    part, worst = min(judged, key=lambda item: _WORST_FIRST.index(item[1].status))
    held = tuple(objection for item, _ in judged for objection in item.objections)
    if worst.status is VerdictStatus.SUPPORTED:
        return replace(worst, rests_on=tuple(sorted({place for item, _ in judged for place in item.aligned})))
    if len(judged) == 1:
        return replace(worst, objections=held)
    return replace(worst, objections=held, reason=f"“{part.part.text}”: {worst.reason}")


def _unresolved(checks: tuple[str, ...], reason: str, held: tuple[Objection, ...] = ()) -> Verdict:
    return Verdict(status=VerdictStatus.UNRESOLVED, reason=reason, checks=checks, objections=held)
