"""The template drafter: joins the licensed clauses, and writes nothing else."""

from __future__ import annotations

from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.ports.drafter import Drafted, NotDrafted


class TemplateDrafter:
    """One segment per licensed clause, in the contract's order, citing the clause's witness."""

    @property
    def profile(self) -> str:
        return "template/1"

    @property
    def on_this_host(self) -> bool:
        return True

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        """The licensed clauses of the request; without any there is nothing that this drafter could write."""
        if not request.licensed:
            return NotDrafted(reason=SearchOnlyReason.NO_DRAFTER, detail="nothing_licensed")
        return Drafted(
            segments=tuple(
                Segment(text=item.clause, evidence_ids=(item.evidence_id,), fact=item.fact) for item in request.licensed
            )
        )
