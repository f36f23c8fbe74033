"""Packets: the record of one decision, canonical, complete and content-addressed.

A packet's body holds digests, never words; the words stand beside it by their digest, so that erasing a text leaves a
packet that still verifies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from toulmin.domain.canonical import Json, canonical_json, digest, fields
from toulmin.domain.corpus.document import RevisionId

SCHEMA = "toulmin.packet/1"


@dataclass(frozen=True, kw_only=True)
class Packet:
    """A decision's record: canonical body, the texts that its digests stand for, and every revision that it names.

    `requester` is the digest of the principal who asked. A packet is for those who may read all its sources; one without
    sources is for its requester alone.
    """

    id: str
    body: str
    texts: Mapping[str, str]
    sources: tuple[RevisionId, ...]
    requester: str
    evidence: str
    corpus: str
    made_at: datetime


def packet_id(body: str) -> str:
    """The packet's identity `pk-...`: hex SHA-256 over tag `toulmin.packet/1` and the canonical body."""
    return "pk-" + digest(fields(SCHEMA, body))


def seal(
    body: Mapping[str, Json],
    *,
    texts: Mapping[str, str],
    sources: Sequence[RevisionId],
    requester: str,
    evidence: str,
    corpus: str,
    made_at: datetime,
) -> Packet:
    """The packet of a body: canonical bytes and identity; sources sorted, each once."""
    canonical = canonical_json(body)
    return Packet(
        id=packet_id(canonical),
        body=canonical,
        texts=dict(texts),
        sources=tuple(sorted(set(sources))),
        requester=requester,
        evidence=evidence,
        corpus=corpus,
        made_at=made_at,
    )
