"""Substance: whether there is a claim, and evidence beside it, at all. What says nothing is supported by nothing."""

from __future__ import annotations

from toulmin.domain.claims.oracles.words import words
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.domain.corpus.sentences import UnitKind, units
from toulmin.domain.corpus.text import same_words

_TOPIC, _SHORT_HEADING = 2, 3
_STOPS = (".", "!", "…", "。", "！", ":", ";")
_QUESTIONS = ("?", "？")
_CLOSERS = " \t\n\"'”’»)]"
_FINITE = frozenset(
    """
    am are is was were be been has have had do does did can cannot could may might must shall should will would isn't aren't wasn't weren't
    hasn't haven't hadn't don't doesn't didn't can't couldn't mustn't shouldn't won't wouldn't
    """.split()
)


def lacking(unit: ReviewUnit) -> str | None:
    """In words, why there is nothing to review; None: there is a claim that says something, and evidence that does."""
    claim = unit.claim.rstrip(_CLOSERS)
    if not any(map(str.isalnum, claim)):
        return "the claim is empty"
    if claim.endswith(_QUESTIONS):
        return "the claim is a question"
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
    headings = (heading for cited in unit.passages for heading in (cited.title, *cited.section) if heading is not None)
    return (
        _only_headings(unit.claim)
        or _names_a_topic(unit.claim)
        or any(same_words(unit.claim, heading) for heading in headings)
    )


def _only_headings(text: str) -> bool:
    return all(item.kind is UnitKind.HEADING for item in units(text))


def _names_a_topic(claim: str) -> bool:
    """Whether it names something and says nothing of it: a word or two, or without a stop and short or in capitals throughout."""
    said = list(words(claim))
    if any(word.word in _FINITE for word in said):
        return False
    if len(said) <= _TOPIC:
        return True
    if claim.rstrip(_CLOSERS).endswith(_STOPS):
        return False
    return len(said) <= _SHORT_HEADING or all(word.surface[:1].isupper() for word in said if word.is_content)
