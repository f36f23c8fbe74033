"""The record of one decision, and the packet that it is sealed in.

The body names everything that is needed to read the decision again: contract, case, requester, selected spans, what was left out, verdicts with
their checks, policy, versions, and the ranked candidates, so that a replay does not need the index of then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from toulmin.domain.canonical import Json, canonical_json, text_digest
from toulmin.domain.claims.draft import Citation
from toulmin.domain.claims.verdict import Judged, Verdict
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.evidence.selection import Budget, EvidenceSet, LeftOut, Quote, Selection, Source
from toulmin.domain.policy import Policy
from toulmin.domain.proof.identity import evidence_identity
from toulmin.domain.proof.packet import SCHEMA, Packet, seal
from toulmin.domain.question.case import Case
from toulmin.domain.question.contract import Contract


@dataclass(frozen=True, kw_only=True)
class Record:
    """All that a packet covers. `trace` lists the steps in order, each with its counts; `elsewhere` are passages of rounds that do not count.

    `parsers` says what read each source, by name and version.
    """

    request_id: str
    made_at: datetime
    as_of: datetime
    requester: str
    contract: Contract
    question: str
    case: Case
    k: int
    policy: Policy
    corpus: str
    sequence: int
    evidence: EvidenceSet
    selection: Selection
    candidates: Sequence[Ranked]
    budget: Budget
    parsers: Mapping[RevisionId, str]
    elsewhere: Sequence[Ranked]
    outcome: Mapping[str, Json]
    missing: Sequence[str]
    answer: str | None
    claims: Sequence[Judged]
    withheld: Sequence[Judged]
    versions: Mapping[str, str]
    trace: Sequence[Mapping[str, Json]]


def sealed(record: Record) -> Packet:
    """The packet of a record: digests in the body, the words that they stand for beside it."""
    texts = _Texts()
    labelled = {fact.id for fact in record.contract.applicable(record.case)}
    evidence = evidence_identity(record.contract, record.question, record.case, record.evidence)
    body: dict[str, Json] = {
        "schema": SCHEMA,
        "request": {
            "id": record.request_id,
            "made_at": instant_text(record.made_at),
            "as_of": instant_text(record.as_of),
        },
        "requester": record.requester,
        "contract": {
            "id": record.contract.id,
            "version": record.contract.version,
            "digest": record.contract.digest,
            "snapshot": texts.keep(record.contract.canonical),
        },
        "question": texts.keep(record.question) if record.question else None,
        "case": [{"name": name, "value": value.lettered} for name, value in record.case.facts],
        "k": record.k,
        "budget": asdict(record.budget),
        "policy": {
            "version": record.policy.version,
            "digest": record.policy.digest,
            "snapshot": texts.keep(record.policy.canonical),
        },
        "corpus": {"fingerprint": record.corpus, "sequence": record.sequence},
        "evidence": evidence,
        "documents": [_document(source, record.parsers[source.id], texts) for source in record.evidence.sources],
        "passages": [_passage(item, texts) for item in record.evidence.passages],
        "left_out": [_left_out(item, reason) for item, reason in record.selection.left_out],
        "candidates": [_candidate(item, labelled) for item in record.candidates],
        "missing": record.missing,
        "outcome": record.outcome,
        "answer": texts.keep(record.answer) if record.answer is not None else None,
        "claims": [_claim(item, record, texts) for item in record.claims],
        "withheld": [_claim(item, record, texts) for item in record.withheld],
        "versions": record.versions,
        "trace": record.trace,
    }
    return seal(
        body,
        texts=texts.kept,
        sources=[
            *(source.id for source in record.evidence.sources),
            *(item.id for item in (*record.candidates, *record.elsewhere)),
        ],
        requester=record.requester,
        evidence=evidence,
        corpus=record.corpus,
        made_at=record.made_at,
    )


class _Texts:
    """Words by their digest, gathered while the body is written."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def keep(self, text: str) -> str:
        key = text_digest(text)
        self.kept[key] = text
        return key


def _id(rid: RevisionId) -> dict[str, Json]:
    return {"document": rid.document, "version": rid.version}


def _named(item: Ranked) -> dict[str, Json]:
    return {**_id(item.id), "passage": item.passage.id}


def _left_out(item: Ranked, reason: LeftOut) -> Json:
    return {**_named(item), "reason": reason.value}


def _candidate(item: Ranked, facts: Collection[str]) -> Json:
    """A passage that was found, with all that selection decides by, and none of its words."""
    ahead: dict[str, Json] = {"ahead": item.ahead} if item.ahead else {}
    return {
        **_named(item),
        "start": item.passage.start,
        "end": item.passage.end,
        "score": item.score,
        **ahead,
        "sha256": text_digest(item.text),
        "words": text_digest(item.words),
        "bytes": item.size,
        "heading": text_digest(canonical_json(item.passage.heading)),
        "curated": any(span.fact in facts for span in item.standing.descriptor.spans),
    }


def _passage(item: Ranked, texts: _Texts) -> Json:
    place: dict[str, Json] = {"start": item.passage.start, "end": item.passage.end}
    labelled = [
        {"id": span.id, "fact": span.fact, "start": span.start, "end": span.end}
        for span in item.standing.descriptor.spans
        if item.passage.start <= span.start and span.end <= item.passage.end
    ]
    return {**_named(item), **place, "score": item.score, "sha256": texts.keep(item.text), "spans": labelled}


def _document(source: Source, parser: str, texts: _Texts) -> Json:
    return {
        **_id(source.id),
        "parser": parser,
        "scope": source.scope.canonical,
        "readers": source.readers,
        "text_sha256": source.text_sha256,
        "spans": [_quote(quote, texts) for quote in source.quotes],
    }


def _quote(quote: Quote, texts: _Texts) -> Json:
    span = quote.span
    return {"id": span.id, "fact": span.fact, "start": span.start, "end": span.end, "sha256": texts.keep(quote.words)}


def _claim(item: Judged, record: Record, texts: _Texts) -> Json:
    claim, verdict = item.claim, item.verdict
    known = any(fact.id == claim.fact for fact in record.contract.facts)  # any other fact is a drafter's words
    return {
        "text": texts.keep(claim.text),
        "fact": claim.fact if known else None,
        "quotes": [texts.keep(quote) for quote in claim.quotes],
        "citations": [_citation(citation, record.evidence) for citation in claim.citations],
        "verdict": _verdict(verdict, texts),
    }


def _citation(citation: Citation, evidence: EvidenceSet) -> Json:
    words = _words_digest(evidence.quote(citation.source, citation.span))
    return {**_id(citation.source), "span": citation.span, "sha256": words}


def _verdict(verdict: Verdict, texts: _Texts) -> Json:
    """A verdict; reasons and objections may hold words of documents, and stand beside the body like all words."""
    given = verdict.probabilities
    probabilities: dict[str, Json] | None = None
    if given is not None:
        probabilities = {
            "supported": given.supported,
            "contradicted": given.contradicted,
            "unresolved": given.unresolved,
        }
    return {
        "status": verdict.status.value,
        "reason": texts.keep(verdict.reason) if verdict.reason is not None else None,
        "checks": verdict.checks,
        "objections": [
            {
                "oracle": item.oracle,
                "strength": item.strength.value,
                "claim": item.claim,
                "passage": item.passage,
                "evidence": item.evidence,
                "says": texts.keep(item.says),
            }
            for item in verdict.objections
        ],
        "probabilities": probabilities,
        "rests_on": verdict.rests_on,
    }


def _words_digest(quote: Quote | None) -> str | None:
    return text_digest(quote.words) if quote else None
