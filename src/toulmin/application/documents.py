"""Taking documents out of service: withdrawal keeps the text and serves it no more, deletion removes it."""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.domain.corpus.document import Standing, Status
from toulmin.domain.errors import NotFound
from toulmin.ports.store import CurationSession, Store


def retire(store: Store, document: str, version: str | None, status: Status) -> tuple[Standing, ...]:
    """Withdraws or deletes one version of a document, or all; returns what was changed, in the order of ingest.

    From the moment that this returns, no search serves it, pinned or as of an earlier time. A withdrawn revision may still be deleted.
    Raises `NotFound` where there is nothing to do it to.
    """
    with store.curate() as session:
        concerned = [standing for standing in _named(session, document, version) if _may_become(standing, status)]
        if not concerned:
            name = document if version is None else f"{document} v{version}"
            raise NotFound(
                "no_such_document",
                f"no revision of {name} is there to be {status}",
                remedy="list what there is: toulmin document list",
            )
        for standing in concerned:
            session.retire(standing.key, status)
    return tuple(concerned)


def _named(session: CurationSession, document: str, version: str | None) -> Sequence[Standing]:
    return [standing for standing in session.history(document) if version in (None, standing.id.version)]


def _may_become(standing: Standing, status: Status) -> bool:
    allowed = (Status.LIVE,) if status is Status.WITHDRAWN else (Status.LIVE, Status.WITHDRAWN)
    return standing.status in allowed
