"""Egress: whether evidence may be sent to a drafter or judge."""

from __future__ import annotations

from toulmin.domain.corpus.document import Egress
from toulmin.domain.evidence.selection import EvidenceSet


def may_leave(evidence: EvidenceSet, *, on_this_host: bool, approved: bool) -> bool:
    """Whether every selected source may go to a provider.

    To one on this host, always. To any other only when a person approved it, and then no source labelled `egress: local`.
    """
    return on_this_host or (approved and all(source.egress is Egress.ANY for source in evidence.sources))
