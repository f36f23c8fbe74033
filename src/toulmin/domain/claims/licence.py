"""Licence: the claim gate of the closed domain. A claim passes only when every check does; each refusal has its own reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.claims.verdict import Judged, Verdict, VerdictStatus
from toulmin.domain.corpus.text import same_words
from toulmin.domain.evidence.selection import EvidenceSet
from toulmin.domain.question.case import Case
from toulmin.domain.question.contract import Fact

_REFUSALS: Final[Mapping[str, str]] = {
    "fact_known": "the contract has no such fact",
    "fact_applies": "this fact does not apply to the case",
    "cited": "the claim cites nothing",
    "source_selected": "cited source is not in the selected evidence",
    "span_carries_fact": "the cited span does not carry this fact",
    "words_are_proposition": "the cited words are not the fact's proposition",
    "sentence_licensed": "the rule does not license this sentence",
}
"""The checks in their order, each with what it says where it refuses."""

_CHECKS: Final = {refusal: name for name, refusal in _REFUSALS.items()}


def check(claim: Claim, evidence: EvidenceSet, facts: Sequence[Fact], case: Case) -> Verdict:
    """Whether the contract licenses a claim, from the closed set, for this case.

    The checks, in order: the contract has the fact; the fact applies to the case; there is a citation; and for every citation its source
    and version are selected, its span carries the fact, the span's words are the curated proposition; at last the sentence is the
    licensed clause, character by character.
    """
    passed: list[str] = []
    for name, passes in _checks(claim, evidence, facts, case):
        if not passes:
            return Verdict(status=VerdictStatus.NOT_LICENSED, reason=_REFUSALS[name], checks=tuple(passed))
        if name not in passed:
            passed.append(name)
    return Verdict(status=VerdictStatus.LICENSED, reason=None, checks=tuple(passed))


def refused_by(verdict: Verdict) -> str:
    """The check that refused a claim which is not licensed."""
    assert verdict.reason is not None
    return _CHECKS[verdict.reason]


def judge_all(claims: Sequence[Claim], evidence: EvidenceSet, facts: Sequence[Fact], case: Case) -> tuple[Judged, ...]:
    """Each claim with its verdict, in order; no claim's verdict depends on another's."""
    return tuple(Judged(claim=claim, verdict=check(claim, evidence, facts, case)) for claim in claims)


def _checks(claim: Claim, evidence: EvidenceSet, facts: Sequence[Fact], case: Case) -> Iterator[tuple[str, bool]]:
    """Each check by name with whether the claim passes it, to be read up to the first that it does not."""
    fact = next((fact for fact in facts if fact.id == claim.fact), None)
    if fact is None:
        yield "fact_known", False
        return
    yield "fact_known", True
    yield "fact_applies", fact.applies_to(case)
    yield "cited", bool(claim.citations)
    for citation in claim.citations:
        yield from _citation_checks(citation, evidence, fact)
    yield "sentence_licensed", claim.text == fact.clause


def _citation_checks(citation: Citation, evidence: EvidenceSet, fact: Fact) -> Iterator[tuple[str, bool]]:
    yield "source_selected", evidence.source(citation.source) is not None
    quote = evidence.quote(citation.source, citation.span)
    yield "span_carries_fact", quote is not None and quote.span.fact == fact.id
    yield "words_are_proposition", quote is not None and same_words(quote.words, fact.proposition)
