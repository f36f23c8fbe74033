"""What changes of the corpus, and of its API keys, are recorded as in the ledger: ids, digests and dates, and no words."""

from __future__ import annotations

from datetime import datetime

from toulmin.domain.canonical import Json
from toulmin.domain.corpus.curation import InForce
from toulmin.domain.corpus.document import Descriptor, Revision, RevisionId, Standing, Status
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.proof.ledger import Event, Kind
from toulmin.domain.question.api_key import ApiKey


def ingested(revision: Revision, descriptor: Descriptor, at: datetime, actor: str, *, known: bool) -> Event:
    """A revision came into the corpus; or, where it was `known`, got another descriptor or reading."""
    facts: dict[str, Json] = {
        **_named(revision.id),
        "bytes_sha256": revision.bytes_sha256,
        "text_sha256": revision.text_sha256,
        "descriptor": descriptor.digest,
        "known": known,
    }
    return Event(at=at, kind=Kind.INGEST, actor=actor, facts=facts)


def superseded(rid: RevisionId, by: RevisionId, now: InForce, at: datetime, actor: str) -> Event:
    """A revision is in force at other times, because of another one of its document."""
    end = now.validity.end
    facts: dict[str, Json] = {
        **_named(rid),
        "by": by.version,
        "superseded": bool(now.superseded_by),
        "valid_from": instant_text(now.validity.start),
        "valid_to": instant_text(end) if end else None,
    }
    return Event(at=at, kind=Kind.SUPERSEDE, actor=actor, facts=facts)


def retired(standing: Standing, status: Status, at: datetime, actor: str) -> Event:
    """A revision was withdrawn, deleted or erased."""
    facts = {**_named(standing.id), "text_sha256": standing.text_sha256}
    return Event(at=at, kind=_RETIRED[status], actor=actor, facts=facts)


def issued(key: ApiKey) -> Event:
    """An API key was made. Who it stands for is a digest, and its label, which a person wrote, is left out."""
    facts: dict[str, Json] = {
        "key": key.id,
        "principal": principal_digest(key.principal),
        "expires_at": instant_text(key.expires_at) if key.expires_at else None,
    }
    return Event(at=key.created_at, kind=Kind.ISSUE_KEY, facts=facts)


def revoked(key: ApiKey, at: datetime) -> Event:
    """An API key was revoked."""
    facts = {"key": key.id, "principal": principal_digest(key.principal)}
    return Event(at=at, kind=Kind.REVOKE_KEY, facts=facts)


_RETIRED = {Status.WITHDRAWN: Kind.WITHDRAW, Status.DELETED: Kind.DELETE, Status.ERASED: Kind.ERASE}


def _named(rid: RevisionId) -> dict[str, str]:
    return {"document": rid.document, "version": rid.version}
