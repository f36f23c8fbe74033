"""Cited mode: every citation is checked against the closed set, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.domain.claims.draft import Claim
from toulmin.domain.claims.verdict import Judged, Verdict, VerdictStatus
from toulmin.domain.evidence.selection import EvidenceSet

NOT_JUDGED = "the source was in the evidence; support was not judged"


def cite_all(claims: Sequence[Claim], evidence: EvidenceSet) -> tuple[Judged, ...]:
    """Each claim with the status `cited`, or `unresolved` where something that it cites is not in the closed set."""
    return tuple(Judged(claim=claim, verdict=_verdict(claim, evidence)) for claim in claims)


def _verdict(claim: Claim, evidence: EvidenceSet) -> Verdict:
    if not claim.citations:
        return Verdict(status=VerdictStatus.UNRESOLVED, reason="the claim cites nothing", checks=())
    for citation in claim.citations:
        if evidence.quote(citation.source, citation.span) is None:
            reason = "cited source is not in the selected evidence"
            return Verdict(status=VerdictStatus.UNRESOLVED, reason=reason, checks=("cited",))
    return Verdict(status=VerdictStatus.CITED, reason=NOT_JUDGED, checks=("cited", "source_selected"))
