"""The cache of drafts. It holds what a draft cites by document, version and span, so that a hit is mapped to another request's ids."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from toulmin.domain.claims.draft import Claim
from toulmin.domain.corpus.document import RevisionId


class DraftCache(Protocol):
    """Validated drafts by key. The key holds everything that a draft may depend on, rights included (`domain.proof.identity.draft_key`)."""

    def get(self, key: str) -> tuple[Claim, ...] | None:
        """The claims kept under a key; None where there are none, or where they are too old."""

    def put(self, key: str, claims: tuple[Claim, ...]) -> None:
        """Keeps claims. What is kept is bounded: the least recently used go first."""

    def forget(self, sources: Collection[RevisionId]) -> None:
        """Drops every draft with a claim that cites one of the sources."""
