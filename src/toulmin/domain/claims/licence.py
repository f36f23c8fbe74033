"""Licence: the claim gate of the closed domain. A claim passes only when every check does; each refusal has its own reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.claims.verdict import Judged, Verdict, VerdictStatus
from toulmin.domain.corpus.text import same_words
from toulmin.domain.evidence.selection import EvidenceSet
from toulmin.domain.question.case import Case
from toulmin.domain.question.contract import Fact


def check(claim: Claim, evidence: EvidenceSet, facts: Sequence[Fact], case: Case) -> Verdict:
    """Whether the contract licenses a claim, from the closed set, for this case.

    The checks, in order: the contract has the fact; the fact applies to the case; there is a citation; and for every citation its source
    and version are selected, its span carries the fact, the span's words are the curated proposition; at last the sentence is the
    licensed clause, character by character.
    """
    passed: list[str] = []
    for name, refusal in _checks(claim, evidence, facts, case):
        if refusal is not None:
            return Verdict(status=VerdictStatus.NOT_LICENSED, reason=refusal, checks=tuple(passed))
        if name not in passed:
            passed.append(name)
    return Verdict(status=VerdictStatus.LICENSED, reason=None, checks=tuple(passed))


def judge_all(claims: Sequence[Claim], evidence: EvidenceSet, facts: Sequence[Fact], case: Case) -> tuple[Judged, ...]:
    """Each claim with its verdict, in order; no claim's verdict depends on another's."""
    return tuple(Judged(claim=claim, verdict=check(claim, evidence, facts, case)) for claim in claims)


def _checks(claim: Claim, evidence: EvidenceSet, facts: Sequence[Fact], case: Case) -> Iterator[tuple[str, str | None]]:
    """(name of the check, why it refuses or None), stopping to be read at the first refusal."""
    fact = next((fact for fact in facts if fact.id == claim.fact), None)
    if fact is None:
        yield "fact_known", "the contract has no such fact"
        return
    yield "fact_known", None
    yield "fact_applies", None if fact.applies_to(case) else "this fact does not apply to the case"
    yield "cited", None if claim.citations else "the claim cites nothing"
    for citation in claim.citations:
        yield from _citation_checks(citation, evidence, fact)
    yield "sentence_licensed", None if claim.text == fact.clause else "the rule does not license this sentence"


def _citation_checks(citation: Citation, evidence: EvidenceSet, fact: Fact) -> Iterator[tuple[str, str | None]]:
    selected = evidence.source(citation.source) is not None
    yield "source_selected", None if selected else "cited source is not in the selected evidence"
    quote = evidence.quote(citation.source, citation.span)
    carries = quote is not None and quote.span.fact == fact.id
    yield "span_carries_fact", None if carries else "the cited span does not carry this fact"
    words = quote is not None and same_words(quote.words, fact.proposition)
    yield "words_are_proposition", None if words else "the cited words are not the fact's proposition"
