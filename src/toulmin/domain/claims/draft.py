"""Drafts: what a drafter is given, what it gives back, and the structural faults that reject a draft whole.

Structural validation comes before anything is judged: one fault rejects all of it, nothing partial is kept. What a sentence means is
judged later, claim by claim.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A span of one revision that a claim rests on."""

    source: RevisionId
    span: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence with what it rests on; `fact` names what it claims, in licensed mode; `quotes` are words that it says it rests on."""

    text: str
    citations: tuple[Citation, ...]
    fact: str | None = None
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A candidate claim as a drafter gives it: its citations are the request's evidence ids, not yet resolved.

    `quotes` are exact words of the evidence that it says it rests on, where it gives any.
    """

    text: str
    evidence_ids: tuple[str, ...]
    quotes: tuple[str, ...] = ()
    fact: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LicensedClause:
    """A sentence that the contract licenses for this case, with the evidence id of its witness."""

    fact: str
    clause: str
    evidence_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceItem:
    """One piece of the closed evidence, under the id issued for this request. `pages` are printed labels, or numbers where there are none."""

    id: str
    passage: str
    title: str | None
    author: str | None
    section: tuple[str, ...]
    pages: tuple[str, ...]
    version: str


@dataclass(frozen=True, kw_only=True)
class DraftRequest:
    """All that a drafter is given: the question, the case's values, the evidence, and in licensed mode the licensed clauses.

    `conflicting` is evidence that speaks against the question's premise, in a block of its own. `reviewed`: each sentence will be reviewed
    against what it cites, so that the source's own words and the quotes it rests on are wanted. `output_tokens` bounds the reply.
    """

    question: str
    case: Mapping[str, str]
    evidence: tuple[EvidenceItem, ...]
    conflicting: tuple[EvidenceItem, ...] = ()
    licensed: tuple[LicensedClause, ...] | None = None
    reviewed: bool = False
    output_tokens: int = 768


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A draft with a structural fault: the first one found, by its stable code."""

    code: str


_MARKER = re.compile(
    r"[\[\uff3b][\s^]*[eE]?\d(?:[\s\deE,;:\u2010-\u2015-]*[\]\uff3d]|[\s\d.,;]*\Z)"  # numbers and our own ids, cut off or not
    r"|\u3010[^\u3011]*\u3011?"
)
_JOINERS = "\u200c\u200d"  # ZWNJ and ZWJ carry meaning in several scripts
_LINE_SEPARATORS = "\u2028\u2029"


def issue_ids(count: int) -> tuple[str, ...]:
    """Evidence ids for one request: short, all of one length, so that none is the beginning of another."""
    width = len(str(count))
    return tuple(f"e{number:0{width}d}" for number in range(1, count + 1))


def validate(
    segments: Sequence[Segment], evidence: Mapping[str, Citation], limits: Policy
) -> tuple[Claim, ...] | Rejected:
    """The claims of a draft with their citations resolved, or the first structural fault.

    `evidence` maps every id issued for this request to what it stands for; ids are compared character by character. Codes: `no_claims`,
    `too_many_claims`, `empty_text`, `forbidden_character`, `citation_marker`, `no_citation`, `too_many_citations`, `unknown_id`,
    `repeated_id`, `answer_too_long`.
    """
    fault = next(_faults(segments, evidence, limits), None)
    if fault is not None:
        return Rejected(code=fault)
    return tuple(
        Claim(
            text=s.text,
            fact=s.fact,
            quotes=s.quotes,
            citations=tuple(evidence[evidence_id] for evidence_id in s.evidence_ids),
        )
        for s in segments
    )


def text_fault(text: str) -> str | None:
    """The code of the first fault of a sentence as such, whatever it cites; None for one that a draft may hold."""
    return next(_text_faults(text), None)


def _faults(segments: Sequence[Segment], evidence: Mapping[str, Citation], limits: Policy) -> Iterator[str]:
    if not segments:
        yield "no_claims"
    if len(segments) > limits.claims:
        yield "too_many_claims"
    for segment in segments:
        yield from _text_faults(segment.text)
        yield from _citation_faults(segment.evidence_ids, evidence, limits)
    if len(answer_text([segment.text for segment in segments]).encode(errors="surrogatepass")) > limits.answer_bytes:
        yield "answer_too_long"


def _text_faults(text: str) -> Iterator[str]:
    if not text.strip():
        yield "empty_text"
    if any(map(_forbidden, text)):
        yield "forbidden_character"
    if _MARKER.search(text):
        yield "citation_marker"


def _forbidden(character: str) -> bool:
    """Control, surrogate, private and format characters (bidi controls are format characters), and U+FFFD."""
    category = unicodedata.category(character)
    return (category[0] == "C" and character not in _JOINERS) or character == "\ufffd" or character in _LINE_SEPARATORS


def _citation_faults(ids: Sequence[str], evidence: Mapping[str, Citation], limits: Policy) -> Iterator[str]:
    if not ids:
        yield "no_citation"
    if len(ids) > limits.citations:
        yield "too_many_citations"
    if len(set(ids)) < len(ids):
        yield "repeated_id"
    if any(evidence_id not in evidence for evidence_id in ids):
        yield "unknown_id"


def answer_text(sentences: Sequence[str]) -> str:
    """An answer's text: its claims' sentences in order, one space between them."""
    return " ".join(sentences)
