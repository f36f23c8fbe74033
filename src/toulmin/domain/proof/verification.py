"""Verifying a packet by what it says alone: no database, no index, no network.

Every statement of a body that can be computed again from the rest of it is, as far as the words that this takes are still beside it. What was
erased is told, and is no fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toulmin.domain.canonical import counted, digest, field, fields, text_digest
from toulmin.domain.claims.draft import answer_text
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.proof.audit import Signature

_DELIVERED = frozenset({VerdictStatus.LICENSED, VerdictStatus.SUPPORTED, VerdictStatus.CITED})

Body = Mapping[str, Any]
Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something that a packet states, whether it holds, and what was found, in words."""

    name: str
    holds: bool
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What verifying a packet came to: every statement that was checked, up to the first that makes the others meaningless.

    `packet` and `evidence` are None where no body could be read. `erased` are the digests of words that are no longer beside the body.
    """

    packet: str | None
    evidence: str | None
    signature: Signature
    keys: tuple[str, ...]
    statements: tuple[Statement, ...]
    erased: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether all that was checked holds."""
        return all(statement.holds for statement in self.statements)


def statements(body: Body, texts: Texts) -> tuple[Statement, ...]:
    """What a body of the shape `toulmin.packet/1` states, in an order in which the first that fails explains the others.

    A text that is not the one of its digest counts as erased in all but the first.
    """
    checks: tuple[tuple[str, Callable[[Body, Texts], Iterator[str]], str], ...] = (
        ("contract", _wrong_contract, "the contract is the one of its digest"),
        ("policy", _wrong_policy, "the policy is the one of its digest"),
        ("evidence", _wrong_evidence, "the evidence identity is that of contract, question, case and documents"),
        ("passages", _wrong_passages, "every passage is of a selected document, and its words are as long as its span"),
        ("citations", _wrong_citations, "every citation is a span of the selected documents"),
        (
            "verdicts",
            _wrong_verdicts,
            "every delivered claim was accepted, and verdicts point into what they are about",
        ),
        ("answer", _wrong_answer, "the answer is its claims"),
    )
    wrong = _statement("texts", _wrong_texts(body, texts), "every text is the one that its digest stands for")
    sound = {key: text for key, text in texts.items() if text_digest(text) == key}
    return (wrong, *(_statement(name, check(body, sound), right) for name, check, right in checks))


def erased(body: Body, texts: Texts) -> tuple[str, ...]:
    """The digests that a body names as words and that no text is beside it for, in their order."""
    return tuple(sorted(set(_named(body)) - set(texts)))


def _statement(name: str, wrong: Iterator[str], right: str) -> Statement:
    first = next(wrong, None)
    return Statement(name=name, holds=first is None, says=right if first is None else first)


def _named(body: Body) -> Iterator[str]:
    """Every digest that stands for words beside the body."""
    yield body["contract"]["snapshot"]
    yield body["policy"]["snapshot"]
    for item in (body["question"], body["answer"]):
        if item is not None:
            yield item
    for document in body["documents"]:
        yield from (span["sha256"] for span in document["spans"])
    yield from (passage["sha256"] for passage in body["passages"])
    for claim in _claims(body):
        yield from (claim["text"], *claim["quotes"])
        yield from (item["says"] for item in claim["verdict"]["objections"])
        if claim["verdict"]["reason"] is not None:
            yield claim["verdict"]["reason"]


def _claims(body: Body) -> Iterator[Mapping[str, Any]]:
    yield from body["claims"]
    yield from body["withheld"]


def _wrong_texts(body: Body, texts: Texts) -> Iterator[str]:
    for key, text in texts.items():
        if text_digest(text) != key:
            yield f"the text under {key} is another one"
    for key in sorted(set(texts) - set(_named(body))):
        yield f"the text under {key} is none that the packet names"


def _wrong_contract(body: Body, texts: Texts) -> Iterator[str]:
    stated = body["contract"]
    snapshot = texts.get(stated["snapshot"])
    if snapshot is None:
        return
    if digest(fields("toulmin.contract/1", snapshot)) != stated["digest"]:
        yield "the contract's digest is not that of its text"
    for name in ("id", "version"):
        if _read(snapshot).get(name) != stated[name]:
            yield f"the contract's {name} is not the one of its text"


def _wrong_policy(body: Body, texts: Texts) -> Iterator[str]:
    stated = body["policy"]
    snapshot = texts.get(stated["snapshot"])
    if snapshot is None:
        return
    if digest(fields("toulmin.policy/1", snapshot)) != stated["digest"]:
        yield "the policy's digest is not that of its text"
    if _read(snapshot).get("version") != stated["version"]:
        yield "the policy's version is not the one of its text"


def _read(snapshot: str) -> Mapping[str, Any]:
    """What a snapshot says; nothing where it is no JSON object."""
    try:
        value = json.loads(snapshot)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _wrong_evidence(body: Body, texts: Texts) -> Iterator[str]:
    question = "" if body["question"] is None else texts.get(body["question"])
    if question is not None and _evidence_identity(body, question) != body["evidence"]:
        yield "the evidence identity is not that of contract, question, case and documents"


def _evidence_identity(body: Body, question: str) -> str:
    """`ev-` as `identity.evidence_identity` has it, from the parts of a body."""
    contract = body["contract"]
    return "ev-" + digest(
        fields("toulmin.evidence/1", contract["id"], contract["digest"], question),
        counted(fields(fact["name"], fact["value"]) for fact in body["case"]),
        counted(_document(document) for document in body["documents"]),
    )


def _document(document: Mapping[str, Any]) -> bytes:
    return b"".join(
        (
            fields(document["document"], document["version"], document["scope"]),
            counted(map(field, document["readers"])),
            field(document["text_sha256"]),
            counted(
                fields(span["id"], span["fact"] or "", str(span["start"]), str(span["end"]), span["sha256"])
                for span in document["spans"]
            ),
        )
    )


def _spans(body: Body) -> Mapping[tuple[str, str, str], Mapping[str, Any]]:
    return {
        (document["document"], document["version"], span["id"]): span
        for document in body["documents"]
        for span in document["spans"]
    }


def _wrong_passages(body: Body, texts: Texts) -> Iterator[str]:
    known = {(document["document"], document["version"]) for document in body["documents"]}
    for passage in body["passages"]:
        if (passage["document"], passage["version"]) not in known:
            yield f"passage {_title(passage)} {passage['passage']} is of no selected document"
    for item in (*body["passages"], *_spans(body).values()):
        words = texts.get(item["sha256"])
        if not 0 <= item["start"] <= item["end"] or (words is not None and len(words) != item["end"] - item["start"]):
            yield f"the words from {item['start']} to {item['end']} are not as long as that"


def _wrong_citations(body: Body, _: Texts) -> Iterator[str]:
    spans = _spans(body)
    for delivered, claims in ((True, body["claims"]), (False, body["withheld"])):
        for number, claim in enumerate(claims):
            if delivered and not claim["citations"]:
                yield f"delivered claim {number} cites nothing"
            for cited in claim["citations"]:
                span = spans.get((cited["document"], cited["version"], cited["span"]))
                if delivered and span is None:
                    yield f"delivered claim {number} cites {_title(cited)} {cited['span']}, which is not in the evidence"
                elif cited["sha256"] != (span["sha256"] if span else None):
                    yield f"claim {number} cites {_title(cited)} {cited['span']} with other words than the evidence has"


def _wrong_verdicts(body: Body, texts: Texts) -> Iterator[str]:
    for number, claim in enumerate(body["claims"]):
        if claim["verdict"]["status"] not in _DELIVERED:
            yield f"delivered claim {number} is {claim['verdict']['status']}"
    spans = _spans(body)
    for claim in _claims(body):
        lengths = [_length(spans.get((c["document"], c["version"], c["span"]))) for c in claim["citations"]]
        text = texts.get(claim["text"])
        verdict = claim["verdict"]
        pointers = [
            *((number, start, end) for number, start, end in verdict["rests_on"]),
            *((item["passage"], *item["evidence"]) for item in verdict["objections"]),
        ]
        if any(
            number not in range(len(lengths)) or not 0 <= start <= end <= lengths[number]
            for number, start, end in pointers
        ):
            yield "a verdict points to words that the claim does not cite"
        ranges = [item["claim"] for item in verdict["objections"]]
        if text is not None and any(not 0 <= start <= end <= len(text) for start, end in ranges):
            yield "an objection is to words that the claim does not have"


def _length(span: Mapping[str, Any] | None) -> int:
    return span["end"] - span["start"] if span else 0


def _wrong_answer(body: Body, texts: Texts) -> Iterator[str]:
    if (body["outcome"]["name"] == "Answered") != (body["answer"] is not None) or (
        (body["answer"] is None) != (not body["claims"])
    ):
        yield f"the outcome is {body['outcome']['name']}, with {len(body['claims'])} claims delivered"
    said = [texts.get(claim["text"]) for claim in body["claims"]]
    sentences = [text for text in said if text is not None]
    answer = texts.get(body["answer"]) if body["answer"] is not None else None
    if answer is not None and len(sentences) == len(said) and answer != answer_text(sentences):
        yield "the answer is not made of its claims"


def _title(named: Mapping[str, Any]) -> str:
    return f"{named['document']} v{named['version']}"
