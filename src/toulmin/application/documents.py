"""Taking documents out of service: withdrawal keeps the text and serves it no more, deletion removes it from the corpus.

Erasure, which also takes the words out of packets and files, is in `application.erasure`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from toulmin.application.entries import retired
from toulmin.application.impact import make_stale
from toulmin.domain.corpus.document import Standing, Status, may_become
from toulmin.domain.errors import NotFound
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.question.case import Principal
from toulmin.domain.question.rights import may_curate
from toulmin.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Retired:
    """The revisions that were taken out of service, as they stood before, in the order of ingest; and the approvals that this ended."""

    revisions: tuple[Standing, ...]
    stale: tuple[str, ...]


def retire(
    store: Store,
    document: str,
    version: str | None,
    status: Status,
    *,
    at: datetime,
    curator: Principal | None = None,
) -> Retired:
    """Withdraws or deletes one version of a document, or all.

    From the moment that this returns, no search serves it, pinned or as of an earlier time. A withdrawn revision may still be deleted.
    Raises `NotFound` where there is nothing to do it to, and alike where the document is not the `curator`'s; None: whoever holds the
    workspace's files.
    """
    actor = "" if curator is None else principal_digest(curator)
    with store.curate() as session:
        named = _named(session.history(document), version, curator)
        concerned = [standing for standing in named if may_become(standing.status, status)]
        if not concerned:
            name = document if version is None else f"{document} v{version}"
            raise NotFound(
                "no_such_document",
                f"no revision of {name} is there to be {status}",
                remedy="list what there is",
            )
        for standing in concerned:
            session.retire(standing.key, status)
            session.ledger.append(retired(standing, status, at, actor))
        return Retired(revisions=tuple(concerned), stale=make_stale(session, [document], at))


def _named(history: Sequence[Standing], version: str | None, curator: Principal | None) -> Sequence[Standing]:
    """The revisions that are meant; none, where they are not the curator's."""
    if curator is not None and not may_curate(curator, [standing.descriptor.readers for standing in history]):
        return []
    return [standing for standing in history if version in (None, standing.id.version)]
