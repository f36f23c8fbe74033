"""Erasure: which of the words beside a packet go with a source.

A packet's body has no words of documents, and stays; every digest in it still says what was there.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.corpus.text import locate
from toulmin.domain.proof.packet import Packet
from toulmin.domain.proof.recorded import revision
from toulmin.domain.question.contract import Mode

_NOT_SUPPORTED = (VerdictStatus.CONTRADICTED.value, VerdictStatus.UNRESOLVED.value)
"""Their reasons may name a part of the claim."""


def rests_on(packet: Packet, document: str, version: str | None = None) -> bool:
    """Whether a packet's selected evidence has a revision of the document, or that version of it."""
    if not any(source.document == document for source in packet.sources):
        return False
    named = map(revision, json.loads(packet.body).get("documents", ()))
    return any(source.document == document and version in (None, source.version) for source in named)


def words_of(packet: Packet, gone: Collection[RevisionId]) -> frozenset[str]:
    """Digests of the words that only these sources have: passages, quotes, what was drafted and said with them in hand, and a snapshot that quotes them.

    A licensed claim is not among them: it is a clause of the contract.
    """
    body = json.loads(packet.body)
    licensed = body["outcome"]["assurance"] == Mode.LICENSED.value
    return _with_snapshot(packet, body, _own(body, gone, frozenset() if licensed else frozenset(_drafted(body, gone))))


def erased_words(packet: Packet, gone: Collection[RevisionId]) -> frozenset[str]:
    """Digests of the texts that go from a packet when these of its sources are erased: nothing is left of what they said or were cited for.

    That is what only they have, every claim that cites one of them, an answer with such a claim, and the contract's snapshot, where a
    proposition in it is a quote of one of them and of no other source.
    """
    body = json.loads(packet.body)
    return _with_snapshot(packet, body, _own(body, gone, frozenset(_drafted(body, gone))))


def _with_snapshot(packet: Packet, body: Mapping[str, Any], own: frozenset[str]) -> frozenset[str]:
    """Words that only some sources have, with the contract's snapshot where a proposition in it is a quote of these words and of no others."""
    if not own:
        return own
    snapshot = body["contract"]["snapshot"]
    quoted = _quoted(packet, snapshot, own) - _quoted(packet, snapshot, _words(body) - own)
    return own | {snapshot} if quoted else own


def _own(body: Mapping[str, Any], gone: Collection[RevisionId], said: frozenset[str]) -> frozenset[str]:
    owners = list(_owned(body))
    kept = {words for source, words in owners if source not in gone}
    kept |= {words for claim in _claims(body) if not _cites(claim, gone) for words in _of_claim(claim)}
    return (frozenset(words for source, words in owners if source in gone) | said) - kept


def _owned(body: Mapping[str, Any]) -> Iterator[tuple[RevisionId, str]]:
    """Each passage and each quote, with the source that it is of."""
    yield from ((revision(item), item["sha256"]) for item in body["passages"])
    yield from ((revision(item), span["sha256"]) for item in body["documents"] for span in item["spans"])


def _words(body: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(words for _, words in _owned(body))


def _quoted(packet: Packet, snapshot: str, digests: Collection[str]) -> set[str]:
    """The facts whose propositions, as the contract's snapshot has them, stand in any of the words."""
    contract = json.loads(packet.texts.get(snapshot, '{"facts": []}'))
    words = [packet.texts[digest] for digest in digests if digest in packet.texts]
    return {fact["id"] for fact in contract["facts"] if any(locate(text, fact["proposition"]) for text in words)}


def _drafted(body: Mapping[str, Any], gone: Collection[RevisionId]) -> Iterator[str]:
    """Digests of the claims that cite one of the sources, of what is held against them, and of an answer that has one of them."""
    for claim in _claims(body):
        if _cites(claim, gone):
            yield from _of_claim(claim)
    if body["answer"] is not None and any(_cites(claim, gone) for claim in body["claims"]):
        yield body["answer"]


def _claims(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from body["claims"]
    yield from body["withheld"]


def _cites(claim: Mapping[str, Any], sources: Collection[RevisionId]) -> bool:
    return any(revision(citation) in sources for citation in claim["citations"])


def _of_claim(claim: Mapping[str, Any]) -> Iterator[str]:
    """Digests of a claim's words, of the objections to it, and of a reason that may repeat either."""
    verdict = claim["verdict"]
    yield from (claim["text"], *claim["quotes"])
    yield from (item["says"] for item in verdict["objections"])
    if verdict["reason"] is not None and (verdict["objections"] or verdict["status"] in _NOT_SUPPORTED):
        yield verdict["reason"]
