"""Pages of a revision as they are printed: drawn from the file that it was read from, for those who may read it now."""

from __future__ import annotations

from hashlib import sha256

from toulmin.application.parts import Parts
from toulmin.domain.corpus.document import Standing
from toulmin.domain.corpus.printed import PrintedPage
from toulmin.domain.errors import NotFound, StoreFault
from toulmin.domain.question.case import Principal
from toulmin.ports.pages import PageImages


def page_image(standing: Standing, index: int, principal: Principal, parts: Parts) -> bytes:
    """A page as a PNG; pages count from 0. Raises `NotFound` (`no_original`) where the file is not kept or may not be read, and what `PageImages` raises."""
    return _drawer(parts).image(_original(standing, principal, parts), index)


def printed_page(standing: Standing, index: int, principal: Principal, parts: Parts) -> PrintedPage:
    """Where the page's characters stand on that image. Raises the same."""
    return _drawer(parts).printed(_original(standing, principal, parts), index)


def _drawer(parts: Parts) -> PageImages:
    if parts.pages is None:
        raise _not_kept()
    return parts.pages


def _original(standing: Standing, principal: Principal, parts: Parts) -> bytes:
    """The file that a revision was read from, and no other one: what is drawn of it stands beside words that are quoted."""
    with parts.store.begin(principal) as session:
        data = session.catalogue.original(standing.key)
    if data is None:
        raise _not_kept()
    if sha256(data).hexdigest() != standing.bytes_sha256:
        raise StoreFault(
            "store_damaged", f"the original of {standing.id} has changed", remedy="restore the store from a backup"
        )
    return data


def _not_kept() -> NotFound:
    return NotFound(
        "no_original",
        "the file that this version was read from is not kept",
        remedy="ingest the file again to see its pages",
    )
